"""Translations of a split for a report: by the runs, kept in the folder of the report, and in files
of other systems."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage.files import write_text
from docmt_files.storage.json_files import read_json
from docmt_nmt import corpora
from docmt_nmt.evaluation import read_translations
from docmt_nmt.evaluation.segments import ParallelDocuments
from docmt_nmt.runs.open_run import load
from docmt_nmt.runs.run import Run
from docmt_nmt.translators.repairs import fingerprint, translate
from docmt_nmt.translators.requests import TranslationRequest
from docmt_nmt.translators.translator import costs_of

Progress = Callable[[str], AbstractContextManager[Callable[[int, int], None] | None]]
"""Begins to show the progress of a named step."""


def translate_split(
    run: Run,
    name: str,
    references: Sequence[Document],
    folder: Path,
    split: str,
    progress: Progress,
    notes: list[str],
) -> list[Document]:
    """The run's translation of the references' sources, from the folder if it is there.

    Args:
        run: the run, and `name` its name in the report.
        references: the documents of the split, and `split` its name.
        folder: keeps translations.
        progress: shows the current step.
        notes: gets notes on the costs.
    """
    file = folder / f"{name.replace('/', '_')}.{split}.jsonl"
    identity = file.with_suffix(".identity.json")
    translator = load(run.directory)
    request = TranslationRequest(references)
    digest = fingerprint(translator, request)
    if file.exists() and identity.exists() and read_json(identity) == {"fingerprint": digest}:
        return list(corpora.read(file, allow_empty=True))
    with progress(f"{name}: translating the {split} split") as report:
        translations = translate(translator, request, progress=report)
    notes += [f"{name}: {text}." for text in costs_of(translator)]
    documents = [translation.document for translation in translations]
    corpora.write(documents, file)
    write_text(identity, json.dumps({"fingerprint": digest}) + "\n")
    return documents


def read_named(
    files: Mapping[str, str], runs: Container[str], references: Sequence[Document], *, realign: bool
) -> dict[str, list[Document]]:
    """Translations of a split in files, by the names of their systems.

    Args:
        files: the files, by these names.
        runs: the names of the runs, which are taken.
        references: the documents of the split.
        realign: whether the translations are to be aligned, so that they need not be one for one.

    Raises:
        InputError: a name is taken, a file cannot be read, or has other documents or, without
            `realign`, other numbers of sentences.
    """
    found = {}
    for name, path in files.items():
        if name in runs:
            raise InputError(f"{name} is the name of a run and of a translation", cure="Rename one")
        documents = read_translations(path, allow_empty=True)
        if not realign:
            ParallelDocuments.of(documents, references, name=path)
            # COMET reads the source, which a file of one side does not have.
            documents = [
                reference.translated(one.target or ()) if one.joined is None else one
                for one, reference in zip(documents, references, strict=True)
            ]
        found[name] = documents
    return found

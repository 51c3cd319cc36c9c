"""Preparation: fit the text pipeline on the training split, encode every split, and write the
folder that training reads, whole or not at all. The corpus is streamed, once for each pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from docmt import corpora
from docmt.data import split
from docmt.data.corpus import CONTENTS, REPORT, SETTINGS, TEXT, PreparedSettings
from docmt.data.filters import Filter
from docmt.data.report import CorpusCounter, Report, SplitReport
from docmt.data.settings import CorpusSettings, DataSettings, FilterSettings
from docmt.demo import resolve
from docmt.documents import Document
from docmt.errors import InputError
from docmt.files import PathLike, is_stream, open_binary, whole_directory, write_text
from docmt.recipes.recipe import Recipe
from docmt.text.pipeline import EncodedDocument, Pipeline

Progress = Callable[[str, int], None]
"""Told what is being done (`fit`, or the split that is encoded) and the documents read so far."""


def prepare(
    recipe: Recipe,
    directory: PathLike,
    *,
    pipeline: Pipeline | None = None,
    progress: Progress | None = None,
) -> Report:
    """Prepare a recipe's corpus. A prepared folder of the same name is replaced.

    Args:
        recipe: whose `data`, `text` and, for the report, `instances` count.
        directory: the folder to make.
        pipeline: the text pipeline to encode with; default: one fitted on the training split.
        progress: told of every document that is read.

    Raises:
        InputError: the corpus has a fault (see `docmt.corpora.read`), a document has no
            translation or nothing is left of a sentence, there is nothing to learn from, or the
            folder holds something else.
    """
    directory = Path(directory).resolve()
    progress = progress or silent
    check_replaceable(directory)
    check_sources(recipe.data, fitted=pipeline is None)
    if pipeline is None:
        pipeline = fit(recipe, progress)
    filter = Filter(recipe.data.filter)
    splits: dict[str, SplitReport] = {}
    with whole_directory(directory) as folder:
        for name in recipe.data.splits:
            tally = CorpusCounter(recipe.instances, pipeline)
            only = filter if name in recipe.data.training_splits else Filter(FilterSettings())
            documents = encoded(recipe.data, name, pipeline, only, tally, progress)
            split.write(folder / f"{name}.parquet", documents)
            splits[name] = tally.report()
        report = Report(
            instances=recipe.instances,
            source_vocabulary=len(pipeline.source_vocabulary),
            target_vocabulary=len(pipeline.target_vocabulary),
            splits=splits,
            left_out=filter.left_out(),
        )
        pipeline.save(folder / TEXT)
        write_text(folder / REPORT, report.to_json())
        settings = PreparedSettings.of(recipe)
        write_text(folder / SETTINGS, settings.model_dump_json(indent=2) + "\n")
    return report


def silent(what: str, documents: int) -> None:
    """The progress of a preparation nobody watches."""


def check_replaceable(directory: Path) -> None:
    """Raise an error where the folder holds anything but what preparation makes."""
    if directory.exists() and not directory.is_dir():
        raise InputError("not a folder", path=directory, cure="Name another place")
    found = {path.name for path in directory.iterdir()} if directory.exists() else set()
    if strange := [name for name in found if not CONTENTS.fullmatch(name)]:
        raise InputError(
            f"the folder holds something else, {min(strange)!r}, which would be lost",
            path=directory, cure="Name a new folder",
        )  # fmt: skip


def check_sources(data: DataSettings, *, fitted: bool) -> None:
    """Raise an error where a split or a file is missing or cannot be read several times."""
    if fitted and data.train is None:
        raise InputError(
            "key 'data.train' is missing", cure="Name the corpus the text pipeline is fitted on"
        )
    named = {key: corpus for name in data.splits for key, corpus in corpora_of(data, name).items()}
    if not named:
        raise InputError(
            "key 'data' names no split", cure="Set data.train, data.valid or data.test"
        )
    for key, corpus in named.items():
        for path in filter(None, (corpus.source, corpus.target, corpus.docids)):
            if is_stream(path):
                what = "standard input" if path == "-" else path
                raise InputError(
                    f"key 'data.{key}' names {what}, which can be read only once",
                    cure="Write it to a file first",
                )
            # A missing file of the last split is told before the first is worked through.
            open_binary(resolve(path)).close()


def fit(recipe: Recipe, progress: Progress) -> Pipeline:
    """Fit the text pipeline on the training split, without what is left out of it."""
    data = recipe.data
    read = 0

    def texts() -> Iterator[Document]:
        nonlocal read
        filter = Filter(data.filter)
        for name in data.training_splits:
            for document in filter.texts(documents_of(data, name)):
                read += 1
                progress("fit", read)
                yield document

    return Pipeline.fit(
        recipe.text,
        lambda: (sentence for document in texts() for sentence in document.source),
        lambda: (sentence for document in texts() for sentence in document.target or ()),
        languages=(data.source_language, data.target_language),
    )


def corpora_of(data: DataSettings, name: str) -> dict[str, CorpusSettings]:
    """The corpora of a split, each by its key in `data`."""
    if name.startswith("train-"):
        key = name.removeprefix("train-")
        return {f"additional.{key}": data.additional[key]}
    additional = data.additional if name == "train" else {}
    without_share = {f"additional.{key}": c for key, c in additional.items() if c.share is None}
    return {name: getattr(data, name), **without_share}


def documents_of(data: DataSettings, name: str) -> Iterator[Document]:
    """The documents of a split, all of which have a translation."""
    for key, corpus in corpora_of(data, name).items():
        yield from documents_in(data, key, corpus)


def documents_in(data: DataSettings, key: str, corpus: CorpusSettings) -> Iterator[Document]:
    """The documents of one corpus, all of which have a translation; in the ids of a further one
    its name comes first, so that none comes twice."""
    documents = corpora.read(
        resolve(corpus.source),
        None if corpus.target is None else resolve(corpus.target),
        boundaries=corpus.boundaries,
        docids=None if corpus.docids is None else resolve(corpus.docids),
        allow_empty=key not in ("valid", "test") and data.filter.empty,
    )
    before = f"{key.removeprefix('additional.')}:" if key.startswith("additional.") else ""
    for document in documents:
        if document.target is None:
            raise InputError(
                f"document {document.id!r} has no target side", path=corpus.source,
                cure=f"Set data.{key}.target, or add the translation to the file",
            )  # fmt: skip
        yield replace(document, id=before + document.id) if before else document


def encoded(
    data: DataSettings,
    name: str,
    pipeline: Pipeline,
    filter: Filter,
    tally: CorpusCounter,
    progress: Progress,
) -> Iterator[tuple[Document, EncodedDocument]]:
    """The documents of a split and their tokens, counted as they pass."""
    read = 0
    for key, corpus in corpora_of(data, name).items():
        for document in filter.texts(documents_in(data, key, corpus)):
            read += 1
            progress(name, read)
            kept = filter.tokens(document, pipeline.encode(document))
            if kept is None:
                continue
            check_tokens(kept[1], corpus.source)
            tally.add(kept[1])
            yield kept
    if tally.documents == 0:
        raise InputError(
            f"data.filter leaves nothing of the {name} split",
            path=next(iter(corpora_of(data, name).values())).source, cure="Leave out less",
        )  # fmt: skip


def check_tokens(document: EncodedDocument, path: str) -> None:
    """Raise an error where nothing is left of a sentence, such as one of invisible characters."""
    for side, sentences in (("source", document.source), ("target", document.target or ())):
        for number, sentence in enumerate(sentences, start=1):
            if not sentence:
                raise InputError(
                    f"document {document.id!r}, {side} sentence {number} has no tokens, only "
                    "characters that the text pipeline removes", path=path,
                    cure="Remove the pair from both sides",
                )  # fmt: skip

"""The record of an evaluation in a run directory. Every number can be computed again from the files
there, even after the corpus has moved or the run was trained further.

    RUN/evaluation/test/translation.jsonl   the documents, with source and translation
    RUN/evaluation/test/reference-1.jsonl   the first reference, and so on
    RUN/evaluation/test/baseline-1.jsonl    the first baseline, and so on
    RUN/evaluation/test/scores.json         all scores with their signatures and settings
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from docmt_files.base.documents import Document
from docmt_files.storage.files import whole_directory, write_text
from docmt_files.storage.json_files import json_text
from docmt_nmt.corpora import write
from docmt_nmt.evaluation.file_evaluation import Evaluation


def write_record(
    directory: Path,
    evaluation: Evaluation,
    translation: Sequence[Document],
    references: Sequence[Sequence[Document]],
    baselines: Mapping[str, Sequence[Document]],
    settings: Mapping[str, Any],
) -> None:
    """Write a translation, the texts compared with it, and the scores: all of it or nothing.

    Args:
        directory: the directory to write; one of an earlier evaluation is replaced.
        evaluation: the scores.
        translation: the translated documents.
        references: one or several.
        baselines: the other translations, by their names.
        settings: further settings of the scores, as plain values.

    Raises:
        InputError: the directory cannot be written.
    """
    with whole_directory(directory) as part:
        write(translation, part / "translation.jsonl")
        for number, reference in enumerate(references, start=1):
            write(reference, part / f"reference-{number}.jsonl")
        for number, baseline in enumerate(baselines.values(), start=1):
            write(baseline, part / f"baseline-{number}.jsonl")
        record = {
            "settings": dict(settings),
            "baselines": {f"baseline-{n}.jsonl": name for n, name in enumerate(baselines, start=1)},
            **evaluation.to_dict(),
        }
        write_text(part / "scores.json", json_text(record, indent=2) + "\n")

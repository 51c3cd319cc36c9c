"""Names of corpora: the format of a corpus by the suffix of the file."""

from __future__ import annotations

from pathlib import Path

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike

TMX, TRAIN_TAGS = ".tmx", "train.tags"
"""Suffix of translation memories, and beginning of the names of training data of IWSLT."""

EVALUATION_SETS = (".sgm", ".sgml", ".xml")
"""Suffixes of evaluation sets of NIST, WMT and IWSLT."""

SUFFIXES = (".tsv", ".jsonl", ".parquet", TMX, TRAIN_TAGS, *EVALUATION_SETS)
"""All formats except line files."""


def is_line_file(path: PathLike) -> bool:
    """Return whether a file has one sentence per line, by the suffix.

    Raises:
        InputError: the file is a Parquet file, compressed again.

    >>> is_line_file("test.en"), is_line_file("test.jsonl.gz")
    (True, False)
    """
    return file_format(path) not in SUFFIXES


def names_documents(path: PathLike) -> bool:
    """Return whether a file has one side, like line files, but also the documents and their ids.

    >>> names_documents("newstest.en.sgm"), names_documents("test.en")
    (True, False)
    """
    return file_format(path) in (TRAIN_TAGS, *EVALUATION_SETS)


def holds_references(path: PathLike) -> bool:
    """Return whether a file is an evaluation set, possibly with several references.

    >>> holds_references("newstest.de.sgm"), holds_references("test.de")
    (True, False)
    """
    return file_format(path) in EVALUATION_SETS


def is_writable(path: PathLike) -> bool:
    """Return whether docmt can write the format of a file as well as read it.

    >>> is_writable("memory.tmx"), is_writable("talks.jsonl")
    (False, True)
    """
    return is_written(file_format(path))


def is_written(suffix: str) -> bool:
    """Return whether docmt can write the format of a suffix as well as read it."""
    return suffix not in (TMX, TRAIN_TAGS)


def file_format(path: PathLike) -> str:
    """Return the suffix for the format of a file, without the suffix of the compression; for files
    called `train.tags.…`, `train.tags`.

    Raises:
        InputError: the file is a Parquet file, compressed again.

    >>> file_format("talks.jsonl.gz"), file_format("train.tags.en-de.en")
    ('.jsonl', 'train.tags')
    """
    path = Path(path)
    if path.name.startswith(f"{TRAIN_TAGS}."):
        return TRAIN_TAGS
    if path.suffix not in (".gz", ".xz"):
        return path.suffix
    inner = path.with_suffix("").suffix
    if inner == ".parquet":
        cure = "Name it .parquet and do not compress it again"
        raise InputError("Parquet files are compressed internally", path=path, cure=cure)
    return inner

"""Glossary files, by the suffix of their names: `.tsv`, `.csv` and `.tbx`."""

from __future__ import annotations

from pathlib import Path

from docmt.glossaries import glossary_tables as tables
from docmt.glossaries import tbx
from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike
from docmt_nmt.translators.glossary import Glossary

_CURE = "Save it as .tsv (source term, a tab, target term), .csv or .tbx"


def read(path: PathLike, languages: tuple[str, str]) -> Glossary:
    """Read a glossary.

    Args:
        path: the file; it may be compressed (`.gz`, `.xz`).
        languages: codes of the source and target language, for TBX files.

    Raises:
        InputError: the file cannot be read, is of another format, is damaged, or has no terms; the
            error names the line.

    >>> from docmt_files.storage.files import write_text
    >>> write_text("terms.csv", "board,Platine\\n")
    >>> [term.source for term in read("terms.csv", ("en", "de")).terms]
    [('board',)]
    """
    suffixes = [s for s in Path(path).suffixes if s not in (".gz", ".xz")]
    match suffixes[-1].lower() if suffixes else "":
        case ".tsv":
            terms = tables.read_tsv(path)
        case ".csv":
            terms = tables.read_csv(path)
        case ".tbx":
            terms = tbx.read(path, languages)
        case _:
            raise InputError("is not a glossary by its name", path=path, cure=_CURE)
    if not terms:
        raise InputError("there are no terms", path=path, cure="Check that it is the right file")
    return Glossary(terms, path)

"""Parallel corpora: reading documents from files and writing them, with one module per format.

    .tsv                        one row per sentence pair: document id, source, target; or, with
                                boundaries `blank`, source and target as in files of WMT
    .jsonl                      one line per document: {"id": ..., "source": [...], "target": [...]}
    .parquet                    one row per document: columns id, source, target
    .tmx                        a translation memory: one unit per sentence pair
    .sgm, .sgml, .xml           evaluation sets of NIST, WMT and IWSLT, one file per side; the XML
                                of WMT from 2021 on holds the source and the translations
    train.tags.*                the training data of IWSLT, one file per side
    any other name, or two      line files: one sentence per line; line i translates line i

Text may be compressed (`.gz`, `.xz`). Corpora are streamed and may be larger than memory. A fault
that would silently spoil a corpus (a lost line, an empty sentence, a document split in two) is an
error naming the file and the line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

from docmt_files.base.documents import Boundaries, Document
from docmt_files.base.errors import InputError
from docmt_files.storage.corpus_checks import not_empty
from docmt_files.storage.corpus_names import (
    EVALUATION_SETS,
    SUFFIXES,
    TMX,
    TRAIN_TAGS,
    file_format,
    holds_references,
    is_line_file,
    is_writable,
    is_written,
    names_documents,
)
from docmt_files.storage.files import PathLike
from docmt_files.storage.line_files import LineFiles

if TYPE_CHECKING:
    from docmt_nmt.corpora.evaluation_sets import read_references, read_translation

__all__ = [
    "Boundaries",
    "file_format",
    "holds_references",
    "is_line_file",
    "is_writable",
    "names_documents",
    "read",
    "read_references",
    "read_translation",
    "write",
    "write_translation",
]

_MODULES = {
    ".tsv": "docmt_nmt.corpora.tsv",
    ".jsonl": "docmt_nmt.corpora.jsonl",
    ".parquet": "docmt_nmt.corpora.parquet",
}
"""Modules of the formats with both sides in one file. The module of a format is imported when a
file has the format: pyarrow is slow to import, and a text has none of these formats."""


def __getattr__(name: str) -> Any:
    if name not in ("read_references", "read_translation"):
        raise AttributeError(f"module 'docmt_nmt.corpora' has no attribute {name!r}")
    return getattr(import_module("docmt_nmt.corpora.evaluation_sets"), name)


def read(
    source: PathLike,
    target: PathLike | None = None,
    *,
    boundaries: Boundaries | None = None,
    docids: PathLike | None = None,
    allow_empty: bool = False,
    languages: tuple[str | None, str | None] = (None, None),
) -> Iterator[Document]:
    """Read the documents of a corpus, in order; the suffix of `source` determines the format.

    Args:
        source: the line file of the source side, or the one file with both sides; `-` is standard
            input.
        target: the file of the target side, where a file holds one side; without it, documents
            have no target. Of several references in it, the first.
        boundaries: for line files, how they show where documents begin. Default: at `<d>` lines if
            the first line is one, else as `docids` says, else the file is one document. For TMX,
            `sentences` makes a document of each unit. For TSV, `blank` reads the files of WMT:
            source, tab, target, and a row without text between documents.
        docids: for line files, the file of document id, tab, number of sentences. Boundaries
            `docids` need it. With `markers` and `blank` it names the documents, and the numbers of
            sentences in it are checked. Without it, documents are named `1`, `2` and so on.
        allow_empty: accept sentence pairs with an empty side, which are errors otherwise (not with
            boundaries `blank`, for which an empty line is a boundary).
        languages: for TMX and the TSV files of WMT, the codes of the source and target language.

    Raises:
        InputError: the sides have different lengths or boundaries, text is outside a document, a
            document or sentence is empty, a document id is repeated, counts do not fit, or a file
            cannot be decoded. The error names the file and the line.

    >>> from docmt_nmt.corpora.demo import corpus_file
    >>> documents = list(read(corpus_file("test.en.xz"), corpus_file("test.de.xz")))
    >>> documents[0].id, len(documents[0].source) == len(documents[0].target)
    ('1', True)
    """
    suffix = file_format(source)
    if target is not None:
        _check_formats(source, target)
    if suffix not in SUFFIXES:
        return not_empty(LineFiles(source, target, boundaries, docids, allow_empty).read(), source)
    if suffix == TMX:
        line_boundaries = None if boundaries == "sentences" else boundaries
        _refuse_line_arguments(source, target, line_boundaries, docids)
        from docmt_nmt.corpora import tmx_corpus

        return not_empty(tmx_corpus.read(source, boundaries, allow_empty, languages), source)
    if suffix == ".tsv" and boundaries == "blank":
        _refuse_line_arguments(source, target, None, docids)
        from docmt_nmt.corpora import tsv

        return not_empty(tsv.read_wmt(source, allow_empty, languages), source)
    if suffix in _MODULES:
        _refuse_line_arguments(source, target, boundaries, docids)
        return not_empty(import_module(_MODULES[suffix]).read(source, allow_empty), source)
    _refuse_line_arguments(source, None, boundaries, docids)
    name = "train_tags" if suffix == TRAIN_TAGS else "evaluation_sets"
    module = import_module(f"docmt_nmt.corpora.{name}")
    return not_empty(module.read(source, target, allow_empty), source)


def write(
    documents: Iterable[Document],
    source: PathLike,
    target: PathLike | None = None,
    *,
    boundaries: Boundaries = "markers",
    docids: PathLike | None = None,
    suffix: str | None = None,
) -> None:
    """Write documents in the format of the suffix of `source`.

    All files appear together, or none does. Text that `read` could not give back unchanged is an
    error, with two exceptions that line files cannot hold: the documents' ids without a `docids`
    file, and the boundaries of documents with boundaries `none`.

    Args:
        documents: at least one document.
        source, target, docids: as for `read`. Without a `target`, line files hold the source side
            only.
        boundaries: for line files, how they show where documents begin.
        suffix: names the format where the name of `source` does not, as for standard output.

    Raises:
        InputError: the format cannot hold the text, for example a line break in a sentence; a
            target side is missing or there is no file for it; a document id is repeated; or a file
            cannot be written. The error names the document and the sentence.

    >>> import docmt_nmt
    >>> talk = docmt_nmt.Document("talk", ("Sit down.", "Listen."), ("Setzt euch.", "Hört zu."))
    >>> docmt_nmt.write([talk], "talk.tsv")
    >>> list(docmt_nmt.read("talk.tsv")) == [talk]
    True
    """
    suffix = suffix or file_format(source)
    documents = not_empty(documents, source)
    if not is_written(suffix):
        cure = "Write .tsv, .jsonl or .parquet, line files, or an evaluation set (.sgm)"
        raise InputError("this format is read but not written", path=source, cure=cure)
    if suffix not in SUFFIXES:
        LineFiles(source, target, boundaries, docids).write(documents)
    elif suffix in EVALUATION_SETS:
        _refuse_line_arguments(source, None, boundaries, docids)
        from docmt_nmt.corpora import evaluation_sets

        evaluation_sets.write(documents, source, target)
    else:
        _refuse_line_arguments(source, target, boundaries, docids)
        import_module(_MODULES[suffix]).write(documents, source)


def write_translation(documents: Iterable[Document], path: PathLike) -> None:
    """Write the target sides alone: line files with a `<d>` line before each document, or an
    evaluation set with a `<tstset>`, by the suffix; `-` is an evaluation set on standard output.

    Raises:
        InputError: as `write`.

    >>> from docmt_nmt import Document
    >>> write_translation([Document("1", ("Sit down.",), ("Setzt euch.",))], "output.de")
    >>> open("output.de").read()
    '<d>\\nSetzt euch.\\n'
    """
    if str(path) == "-" or holds_references(path):
        from docmt_nmt.corpora import evaluation_sets

        evaluation_sets.write_translation(not_empty(documents, path), path)
    else:
        write((Document(d.id, d.target or ()) for d in documents), path)


def _check_formats(source: PathLike, target: PathLike) -> None:
    """Require the same format for the files of two sides."""
    formats = [
        "an evaluation set" if holds_references(path) else file_format(path)
        for path in (source, target)
    ]
    if formats[0] != formats[1] and any(map(names_documents, (source, target))):
        problem = f"is in another format than {source}"
        raise InputError(
            problem, path=target, cure="Convert one of them; see docmt_nmt.corpora.write"
        )


def _refuse_line_arguments(
    source: PathLike,
    target: PathLike | None,
    boundaries: Boundaries | None,
    docids: PathLike | None,
) -> None:
    """Refuse arguments for line files together with a file of both sides."""
    given = {
        "target": target is not None,
        "docids": docids is not None,
        "boundaries": boundaries not in (None, "markers"),
    }
    for name, is_given in given.items():
        if is_given:
            raise InputError(
                f"a {file_format(source)} file holds "
                + ("" if names_documents(source) else "both sides and ")
                + "the document ids itself",
                path=source,
                cure=f"Leave out {name!r}, which is for line files; in a recipe that extends one "
                f"that sets it, write {name}: {'markers' if name == 'boundaries' else 'null'}",
            )

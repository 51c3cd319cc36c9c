"""Translations and references read from files, which hold one side alone or both."""

from __future__ import annotations

from collections.abc import Sequence

from docmt_files.base.documents import Boundaries, Document
from docmt_files.base.errors import InputError
from docmt_files.base.messages import Message
from docmt_files.storage.files import PathLike, read_lines
from docmt_files.storage.json_files import parse_json
from docmt_nmt.corpora import holds_references, is_line_file, read, read_translation
from docmt_nmt.corpora import read_references as corpora_references
from docmt_nmt.corpora.demo import resolve
from docmt_nmt.data.data_settings import EvaluationCorpusSettings
from docmt_nmt.evaluation.segments import ParallelDocuments

_CURE_EMPTY_TRANSLATION = Message(
    "If it is an empty translation, keep it: it cannot be told from a blank line between "
    "documents. Translate with `output_format=jsonl`, or from a file with <d> lines, and score "
    "that",
    ["output_format=jsonl"],
)
_CURE_NO_LINES = (
    "If nothing was translated, put an empty line after the line that begins it, so that the "
    "document counts as lost"
)
_CURE_EMPTY_LINE = Message(
    "Files to score have one sentence per line, as `docmt translate --segmented` writes them; if "
    "blank lines separate documents, add `boundaries=blank`",
    ["boundaries=blank"],
)


def read_translations(
    path: PathLike,
    *,
    boundaries: Boundaries | None = None,
    docids: PathLike | None = None,
    allow_empty: bool = True,
) -> list[Document]:
    """Read the documents of a file; the target sides are scored.

    >>> from pathlib import Path
    >>> _ = Path("test.de").write_text("Guten Tag!\\n\\nEin Test.\\nNoch einer.\\n")
    >>> [document.target for document in read_translations("test.de", boundaries="blank")]
    [('Guten Tag!',), ('Ein Test.', 'Noch einer.')]

    Args:
        path: a corpus in any format, or a line file; `-` is standard input. Of an evaluation set,
            the translation of the system, else the first reference.
        boundaries: how a line file shows where documents begin. Default: by
            `docmt_files.storage.line_files.default_boundaries`.
        docids: for a line file, a file of document ids and sentence counts.
        allow_empty: whether sentences may be empty, as in a translation.

    Raises:
        InputError: as `docmt_nmt.corpora.read`, or an evaluation set has several systems.
    """
    if holds_references(path):
        documents = list(read_translation(path, allow_empty=allow_empty))
    elif not is_line_file(path):
        documents = list(read(path, allow_empty=allow_empty))
    else:
        try:
            documents = list(
                read(path, boundaries=boundaries, docids=docids, allow_empty=allow_empty)
            )
        except InputError as error:
            # These cures are for training data.
            cures: dict[str, Message | str] = {"empty-sentence": _CURE_EMPTY_LINE}
            if allow_empty:
                is_blank = boundaries == "blank"
                cures["empty-document"] = _CURE_EMPTY_TRANSLATION if is_blank else _CURE_NO_LINES
            if error.kind not in cures:
                raise
            raise InputError(
                error.problem, path=error.path, line=error.line, cure=cures[error.kind]
            ) from None
    return [_with_target(document) for document in documents]


def read_references(
    paths: Sequence[PathLike],
    *,
    boundaries: Boundaries | None = None,
    docids: PathLike | None = None,
) -> list[list[Document]]:
    """Read references: one from each file, or all references of an evaluation set.

    >>> from pathlib import Path
    >>> _ = Path("a.de").write_text("Guten Tag!\\n"), Path("b.de").write_text("Hallo!\\n")
    >>> [reference[0].target for reference in read_references(["a.de", "b.de"])]
    [('Guten Tag!',), ('Hallo!',)]

    Args:
        paths: the files.
        boundaries, docids: form of the line files; as for `read_translations`.

    Raises:
        InputError: as `docmt_nmt.corpora.read`.
    """
    references: list[list[Document]] = []
    for path in paths:
        if holds_references(path):
            references += [
                list(map(_with_target, documents)) for documents in corpora_references(path)
            ]
        else:
            references.append(
                read_translations(path, boundaries=boundaries, docids=docids, allow_empty=False)
            )
    return references


def _further_references(corpus: EvaluationCorpusSettings) -> list[tuple[str, list[Document]]]:
    """The references of a split besides the target side, each with the file it is in: the files of
    `references`, and if the target side is an evaluation set, the other references in the set."""
    target = corpus.target or corpus.source
    further: list[tuple[str, list[Document]]] = []
    for number, path in enumerate((target, *corpus.references)):
        if holds_references(path):
            source = resolve(corpus.source) if holds_references(corpus.source) else None
            references = corpora_references(resolve(path), source)
            kept = references[1:] if number == 0 else references
            further += [(path, list(map(_with_target, documents))) for documents in kept]
        elif number > 0:
            (documents,) = read_references(
                [resolve(path)], boundaries=corpus.boundaries, docids=corpus.docids
            )
            further.append((path, documents))
    return further


def scored_references(
    corpus: EvaluationCorpusSettings, documents: Sequence[Document], name: str
) -> list[Sequence[Document]]:
    """The references that scores of a split are against: the target sides, unless `score_target` is
    false, and the further references.

    Args:
        corpus: the files of the split.
        documents: the documents of the split, with their target sides.
        name: the key of the split, for messages.

    Raises:
        InputError: a reference does not fit the documents, `score_target` leaves none, or as
            `docmt_nmt.corpora.read`.
    """
    further = _further_references(corpus)
    for path, reference in further:
        try:
            ParallelDocuments.of(documents, reference, name=name)
        except InputError as error:
            raise InputError(
                f"does not fit {name}: {error.problem}", path=path, cure=error.cure
            ) from None
    if corpus.score_target:
        return [documents, *(reference for _, reference in further)]
    if not further:
        raise InputError(
            f"{name}.score_target: false leaves no reference to score against",
            path=corpus.target or corpus.source,
            cure=f"Name further references as {name}.references",
        )
    return [reference for _, reference in further]


def read_positions(path: PathLike) -> list[list[Document]]:
    """Read a file written by `docmt translate --output-format jsonl --positions`: for each position
    in the window, from the first, the documents as translated at this position.

    Raises:
        InputError: a line is not an object of this kind, or the number of positions differs from
            the first line's.
    """
    lines: list[list[Document]] = []
    for number, line in enumerate(read_lines(path), start=1):
        try:
            values = parse_json(line)
            document = Document(str(values["id"]), tuple(map(str, values["source"])))
            lines.append(
                [document.translated(position["target"]) for position in values["positions"]]
            )
        except (ValueError, KeyError, TypeError):
            raise InputError(
                "has no translation for each position in a window",
                path=str(path),
                line=number,
                cure="Write it with `docmt translate --output-format jsonl --positions`",
            ) from None
        if len(lines[-1]) != len(lines[0]) or not lines[-1]:
            raise InputError(
                f"has {len(lines[-1])} positions in a window, the first line {len(lines[0])}",
                path=str(path),
                line=number,
                cure="Score the files of different runs separately",
            )
    return [list(documents) for documents in zip(*lines, strict=True)]


def _with_target(document: Document) -> Document:
    """A document with the text of a file of one side as target side."""
    return document.translated(document.source) if document.target is None else document

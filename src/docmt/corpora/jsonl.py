"""JSON lines, one a document: `{"id": "a", "source": ["..."], "target": ["..."]}`. Without
`target`, or with null for it, a document has a source alone. Other keys are left alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from docmt.corpora.checks import Checks
from docmt.documents import Document
from docmt.files import PathLike, read_lines, write_whole

LONGEST_DOCUMENT = 64_000_000
"""Bytes the line of a document may have: twenty times the longest novels."""


def read(path: PathLike, allow_empty: bool) -> Iterator[Document]:
    """The documents of a JSON lines file; see `docmt.corpora.read`.

    Raises:
        InputError: besides what every format refuses, a line that is no JSON object, a key that
            is missing or comes twice, or a value of another type.
    """
    checks = Checks(path, allow_empty)
    for line, text in enumerate(read_lines(path, LONGEST_DOCUMENT), start=1):
        values = parse(text, line, checks)
        id = values.get("id")
        if not isinstance(id, str):
            raise checks.error("'id' is missing or not a string", SHAPE, line)
        checks.id(id, line)
        source = sentences(values, "source", line, checks)
        target = (
            sentences(values, "target", line, checks) if values.get("target") is not None else None
        )
        checks.document(source, target, line, "")
        yield Document(id, tuple(source), None if target is None else tuple(target))


SHAPE = 'Write each line as {"id": "...", "source": ["...", ...], "target": ["...", ...]}'


def parse(text: str, line: int, checks: Checks) -> dict[str, Any]:
    """The object on a line."""

    def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        if len(values) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise checks.error(f"key {twice!r} comes twice", SHAPE, line)
        return values

    try:
        # Integers as floats, as a long one cannot be parsed and none is of use here.
        values = json.loads(text, object_pairs_hook=without_repetition, parse_int=float)
    except json.JSONDecodeError as error:
        problem = f"not JSON ({error.msg} at column {error.colno})"
        raise checks.error(problem, SHAPE, line) from None
    except RecursionError:
        raise checks.error("JSON nested too deeply", SHAPE, line) from None
    if not isinstance(values, dict):
        raise checks.error("not a JSON object", SHAPE, line)
    return values


def sentences(values: dict[str, Any], key: str, line: int, checks: Checks) -> list[str]:
    """The sentences of one side."""
    side = values.get(key)
    if not isinstance(side, list) or not all(isinstance(sentence, str) for sentence in side):
        raise checks.error(f"{key!r} is missing or not a list of strings", SHAPE, line)
    return side


def write(documents: Iterable[Document], path: PathLike) -> None:
    """Write documents as JSON lines; see `docmt.corpora.write`."""
    checks = Checks(path, allow_empty=True)
    with write_whole(path) as stream:
        for document in documents:
            place = checks.writable(document)
            values: dict[str, Any] = {"id": document.id, "source": document.source}
            if document.target is not None:
                values["target"] = document.target
            line = json.dumps(values, ensure_ascii=False).encode()
            if len(line) > LONGEST_DOCUMENT:
                problem = f"{place}longer than {LONGEST_DOCUMENT:,} bytes"
                raise checks.error(problem, "Divide the document")
            stream.write(line + b"\n")

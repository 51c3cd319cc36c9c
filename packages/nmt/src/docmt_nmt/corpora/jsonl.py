"""JSON lines, one per document: `{"id": "a", "source": ["..."], "target": ["..."]}`. Without
`target`, or with null for it, a document has no target side. `joined_sentences` is
`Document.joined`. Other keys are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from docmt_files.base.documents import Document
from docmt_files.storage.corpus_checks import Checks
from docmt_files.storage.files import PathLike, read_lines, write_whole
from docmt_files.storage.json_files import parse_json

MAX_DOCUMENT_BYTES = 64_000_000
"""Limit of the line of a document: twenty times the longest novels."""

_CURE = 'Write each line as {"id": "...", "source": ["...", ...], "target": ["...", ...]}'


def read(path: PathLike, allow_empty: bool) -> Iterator[Document]:
    """Read the documents of a JSON lines file; see `docmt_nmt.corpora.read`."""
    checks = Checks(path, allow_empty)
    for line, text in enumerate(read_lines(path, MAX_DOCUMENT_BYTES), start=1):
        values = _parse(text, line, checks)
        document_id = values.get("id")
        if not isinstance(document_id, str):
            raise checks.error("'id' is missing or not a string", _CURE, line)
        checks.check_id(document_id, line)
        source = _sentences(values, "source", line, checks)
        target = None
        if values.get("target") is not None:
            target = _sentences(values, "target", line, checks)
        checks.check_document(source, target, line, "")
        joined = _joined(values, len(source), line, checks)
        yield Document(
            document_id, tuple(source), None if target is None else tuple(target), joined
        )


def _parse(text: str, line: int, checks: Checks) -> dict[str, Any]:

    def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        if len(values) < len(pairs):
            keys = [key for key, _ in pairs]
            repeated = next(key for key in keys if keys.count(key) > 1)
            raise checks.error(f"key {repeated!r} is repeated", _CURE, line)
        return values

    try:
        # Integers as floats, because a long one cannot be parsed and none is needed.
        values = parse_json(text, object_pairs_hook=without_repetition, parse_int=float)
    except json.JSONDecodeError as error:
        problem = f"not JSON ({error.msg} at column {error.colno})"
        raise checks.error(problem, _CURE, line) from None
    if not isinstance(values, dict):
        raise checks.error("not a JSON object", _CURE, line)
    return values


def _sentences(values: dict[str, Any], key: str, line: int, checks: Checks) -> list[str]:
    side = values.get(key)
    if not isinstance(side, list) or not all(isinstance(sentence, str) for sentence in side):
        raise checks.error(f"{key!r} is missing or not a list of strings", _CURE, line)
    return side


def _joined(
    values: dict[str, Any], texts: int, line: int, checks: Checks
) -> tuple[int, ...] | None:
    """Return `Document.joined`, if the line has it."""
    sizes = values.get("joined_sentences")
    if sizes is None:
        return None
    # `_parse` reads integers as floats.
    if (
        not isinstance(sizes, list)
        or len(sizes) != texts
        or not all(isinstance(size, float) and size >= 1 and size.is_integer() for size in sizes)
    ):
        raise checks.error(
            "'joined_sentences' is not a list of positive integers, one for each text",
            "Write it as `docmt translate --output-format jsonl` does, or leave it out",
            line,
        )
    return tuple(map(int, sizes))


def write(documents: Iterable[Document], path: PathLike) -> None:
    """Write documents as JSON lines; see `docmt_nmt.corpora.write`."""
    checks = Checks(path, allow_empty=True)
    with write_whole(path) as stream:
        for document in documents:
            location = checks.check_writable(document)
            values: dict[str, Any] = {"id": document.id, "source": document.source}
            if document.target is not None:
                values["target"] = document.target
            if document.joined is not None:
                values["joined_sentences"] = document.joined
            line = json.dumps(values, ensure_ascii=False).encode()
            if len(line) > MAX_DOCUMENT_BYTES:
                problem = f"{location}longer than {MAX_DOCUMENT_BYTES:,} bytes"
                raise checks.error(problem, "Divide the document")
            stream.write(line + b"\n")

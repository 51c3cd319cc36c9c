"""Entries of glossaries in requests: terms and their translations, a pair a line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Literal

from docmt_nmt.translators.glossary import Glossary, Term
from docmt_serve.requests.service_errors import ServiceError

MAX_BYTES = 10 << 20
"""Maximum bytes of the entries of a dictionary, as with DeepL."""

MAX_ENTRIES = 300_000
"""Maximum number of entries of a dictionary. Each takes about 1 kB of memory in use."""

EntriesFormat = Literal["tsv", "csv"]
"""Formats of the lines of entries."""

_BREAK = re.compile("[\\t\\n\\v\\f\\r\\x1c-\\x1e\\x85\\u2028\\u2029]")
"""A character that ends a cell or a line of tab-separated values."""

Entries = tuple[tuple[str, str], ...]
"""Terms and their translations."""


def glossary_of(entries: Iterable[tuple[str, str]]) -> Glossary:
    """Make the glossary of entries for a translator.

    Raises:
        InputError: an entry is empty, or two have the same source form.
    """
    return Glossary([Term((source,), (target,)) for source, target in entries])


def read_entries(text: str, kind: EntriesFormat) -> Entries:
    """Read terms and their translations, a pair a line.

    Args:
        text: the lines.
        kind: format of the lines.

    Raises:
        ServiceError: there are no entries, a line lacks a column, or the text is too long.
    """
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise ServiceError(413, f"the entries exceed {MAX_BYTES} bytes")
    try:
        if kind == "csv":
            rows = list(csv.reader(io.StringIO(text), strict=True))
        else:
            rows = [line.split("\t") for line in text.splitlines()]
    except csv.Error as error:
        raise ServiceError(400, f"the entries are not valid CSV ({error})") from None
    if len(rows) > MAX_ENTRIES:
        raise ServiceError(413, f"there are more than {MAX_ENTRIES} entries")
    entries = []
    for number, row in enumerate(rows, start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        if len(cells) < 2 or not all(cells[:2]):
            shown = "".join(cells)[:40]
            missing = f"{shown!r} has no translation beside it" if shown else "a column is empty"
            between = "a tab" if kind == "tsv" else "a comma"
            problem = f"the glossary, line {number}: {missing}. Put {between} between both"
            raise ServiceError(400, problem)
        if any(_BREAK.search(cell) for cell in cells[:2]):
            problem = f"the glossary, line {number}: a tab or a line break is within a cell"
            raise ServiceError(400, problem)
        entries.append((cells[0], cells[1]))
    if not entries:
        raise ServiceError(400, "there are no entries")
    return tuple(entries)


def write_entries(entries: Entries) -> str:
    """Write entries as tab-separated values."""
    return "\n".join(f"{source}\t{target}" for source, target in entries)

"""Names in office files, from `names.toml`."""

from __future__ import annotations

import tomllib
from importlib.resources import files

_TABLES: dict[str, dict[str, str]] = tomllib.loads(
    files("docmt.formats.office").joinpath("names.toml").read_text("utf-8")
)


def name_table(name: str) -> dict[str, str]:
    """A table of the file."""
    return _TABLES[name]


def name_list(table: str, key: str) -> frozenset[str]:
    """The words of a list in a table of the file."""
    return frozenset(_TABLES[table][key].split())

"""Names in office files, from `names.toml`."""

from __future__ import annotations

from docmt_files.base.packaged_tables import read_table

_TABLES: dict[str, dict[str, str]] = read_table(__package__, "names.toml")


def name_table(name: str) -> dict[str, str]:
    """A table of the file."""
    return _TABLES[name]


def name_list(table: str, key: str) -> frozenset[str]:
    """The words of a list in a table of the file."""
    return frozenset(_TABLES[table][key].split())

"""Elements and attributes of HTML by their role in translation, from `html_elements.toml`. The file
explains each list."""

from __future__ import annotations

from collections.abc import Mapping

from docmt_files.base.packaged_tables import read_table

_TABLE = read_table(__package__, "html_elements.toml")


def _names(key: str) -> frozenset[str]:
    return frozenset(_TABLE[key].split())


BLOCK = _names("block")
IN_PARAGRAPH = _names("in_paragraph")
INLINE = _names("inline")
"""Elements within a sentence."""

ANNOTATIONS = _names("annotation")
KEPT = _names("kept") | ANNOTATIONS
RAW = _names("raw")
VOID = _names("void")
KNOWN = INLINE | BLOCK | KEPT | VOID
BLOCK_IN_STRING = _names("block_in_string")
KEPT_IN_STRING = _names("kept_in_string")
READ_ATTRIBUTES = tuple(_TABLE["read_attribute"].split())
READ_ATTRIBUTES_IN_STRING = _names("read_attribute_in_string")
READ_META = _names("read_meta")
ENDS: Mapping[str, frozenset[str]] = {
    name: frozenset(ended.split()) for name, ended in _TABLE["ends"].items()
}


def ended_by(name: str) -> frozenset[str]:
    """The open elements ended by the start tag of a block."""
    return ENDS.get(name, frozenset() if name in IN_PARAGRAPH else frozenset({"p"}))

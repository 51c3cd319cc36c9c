"""The names of OpenDocument elements and attributes, in Clark notation, by their roles."""

from __future__ import annotations

from docmt_files.office.office_names import name_table

_NAMESPACES = {prefix: f"{{{uri}}}" for prefix, uri in name_table("odf_namespaces").items()}
OFFICE, STYLE, TEXT, TABLE, DRAW, PRESENTATION, META, FORM, FO, SVG, DC, LOEXT, FIELD, OOO = (
    _NAMESPACES.values()
)


def _names(words: str) -> tuple[str, ...]:
    """Names with prefixes in Clark notation."""
    pairs = (word.split(":") for word in words.split())
    return tuple(f"{_NAMESPACES[prefix]}{name}" for prefix, name in pairs)


_LISTS = {key: _names(words) for key, words in name_table("odf").items()}

STYLE_NAME = TEXT + "style-name"
SPAN, NOTE, RUBY, RUBY_BASE, HEADING = (
    TEXT + name for name in ("span", "note", "ruby", "ruby-base", "h")
)
ANNOTATION = OFFICE + "annotation"
DELETION = TEXT + "deletion"

CELLS, PARAGRAPHS, TEXT_ELEMENTS, PAIRS, SPACES, FIELDS, KEPT = (
    frozenset(_LISTS[key])
    for key in ("cells", "paragraphs", "text_elements", "pairs", "spaces", "fields", "kept")
)
"""Elements by role; `names.toml` describes the roles."""

FORM_ATTRIBUTES, RANGE_IDS = _LISTS["form_attributes"], _LISTS["range_ids"]
"""Attributes visible to a reader, and attributes shared by the two ends of a range."""

ATTRIBUTES = {
    _names(element)[0]: _names(names) for element, names in name_table("odf_attributes").items()
}
"""Visible attributes, by element."""

RANGES = {_names(start)[0]: _names(end)[0] for start, end in name_table("odf_ranges").items()}
"""For each element at the beginning of a range, the element at the end."""

RANGE_ENDS = {end: start for start, end in RANGES.items()}
"""The reverse of `RANGES`."""

CODE_STYLES = frozenset({"Source_20_Text", "User_20_Entry", "Teletype", "Example", "Variable"})
"""Styles of characters with the meaning of `<code>`, `<kbd>`, `<tt>`, `<samp>` and `<var>` in
HTML."""

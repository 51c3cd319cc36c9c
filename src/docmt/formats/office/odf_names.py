"""The names of OpenDocument elements and attributes, in Clark notation, and what they are to us."""

from __future__ import annotations

_OASIS = "urn:oasis:names:tc:opendocument:xmlns"
OFFICE, STYLE, TEXT, TABLE, DRAW, PRESENTATION, META, NUMBER, FORM = (
    f"{{{_OASIS}:{name}:1.0}}"
    for name in (
        "office",
        "style",
        "text",
        "table",
        "drawing",
        "presentation",
        "meta",
        "datastyle",
        "form",
    )
)
FO = f"{{{_OASIS}:xsl-fo-compatible:1.0}}"
SVG = f"{{{_OASIS}:svg-compatible:1.0}}"
DC = "{http://purl.org/dc/elements/1.1/}"
LOEXT = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}"
FIELD = "{urn:openoffice:names:experimental:ooo-ms-interop:xmlns:field:1.0}"
OOO = "{http://openoffice.org/2009/office}"

STYLE_NAME = TEXT + "style-name"
NAME = TEXT + "name"
SPAN, LINK, NOTE, RUBY, RUBY_BASE, HEADING = (
    TEXT + name for name in ("span", "a", "note", "ruby", "ruby-base", "h")
)
ANNOTATION, ANNOTATION_END = OFFICE + "annotation", OFFICE + "annotation-end"
CELLS = frozenset({TABLE + "table-cell", TABLE + "covered-table-cell"})
DELETION = TEXT + "deletion"

PARAGRAPHS = frozenset({TEXT + "p", HEADING})
TEXT_ELEMENTS = frozenset(
    (
        SVG + "title",
        SVG + "desc",
        TABLE + "title",
        TABLE + "desc",
        TEXT + "index-title-template",
        PRESENTATION + "footer-decl",
        PRESENTATION + "header-decl",
        DC + "title",
        DC + "subject",
        DC + "description",
        META + "keyword",
    )
)
"""Elements whose text is a block, besides paragraphs and headings."""

PAIRS = frozenset(
    (SPAN, LINK, TEXT + "meta", LOEXT + "content-control", LOEXT + "text-input-content")
)
"""Elements around words."""

SPACES = frozenset({TEXT + "s", TEXT + "tab", TEXT + "line-break"})
"""Elements in place of white space."""

KEPT = frozenset(
    (
        TEXT + "tracked-changes",
        TABLE + "tracked-changes",
        ANNOTATION,
        OFFICE + "scripts",
        OFFICE + "script",
        OFFICE + "settings",
        TEXT + "number",
    )
)
"""Elements outside of paragraphs whose content is not translated."""

ATTRIBUTES = {
    LINK: (OFFICE + "title",),
    DRAW + "a": (OFFICE + "title",),
    TABLE + "help-message": (TABLE + "title",),
    TABLE + "error-message": (TABLE + "title",),
    TEXT + "alphabetical-index-mark": (TEXT + "string-value", TEXT + "key1", TEXT + "key2"),
    TEXT + "alphabetical-index-mark-start": (TEXT + "key1", TEXT + "key2"),
    TEXT + "toc-mark": (TEXT + "string-value",),
    TEXT + "user-index-mark": (TEXT + "string-value",),
}
"""Attributes that a reader sees."""

FORM_ATTRIBUTES = (FORM + "label", FORM + "title")
"""Attributes of elements of forms that a reader sees."""

RANGES = {
    TEXT + "bookmark-start": TEXT + "bookmark-end",
    TEXT + "reference-mark-start": TEXT + "reference-mark-end",
    TEXT + "change-start": TEXT + "change-end",
    TEXT + "toc-mark-start": TEXT + "toc-mark-end",
    TEXT + "user-index-mark-start": TEXT + "user-index-mark-end",
    TEXT + "alphabetical-index-mark-start": TEXT + "alphabetical-index-mark-end",
    FIELD + "fieldmark-start": FIELD + "fieldmark-end",
    ANNOTATION: ANNOTATION_END,
}
"""Elements that begin a range, and those that end it."""

RANGE_ENDS = {end: start for start, end in RANGES.items()}
"""The reverse of `RANGES`."""

RANGE_IDS = (NAME, TEXT + "id", TEXT + "change-id", OFFICE + "name")
"""The attributes that the two ends of a range have in common."""

CODE_STYLES = frozenset({"Source_20_Text", "User_20_Entry", "Teletype", "Example", "Variable"})
"""Styles of characters for what HTML has in `<code>`, `<kbd>`, `<tt>`, `<samp>` and `<var>`."""

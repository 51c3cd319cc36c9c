"""The document type of an XML text, whose entities are never expanded.

`read_doctype` finds the declared entities, and `without_declarations` hides them from a parser. So
the parser knows no entity, and references to entities are parts of the text by themselves.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_SPACE = r"[ \t\r\n]"
_NAME = r"[^\s<>&%;\"'\[\]()#!?/=]++"
_LITERAL = r"(?:\"[^\"]*+\"|'[^']*+')"
_EXTERNAL = rf"(?:SYSTEM|PUBLIC{_SPACE}++{_LITERAL}){_SPACE}++{_LITERAL}"
_BEFORE = rf"\ufeff?+(?:{_SPACE}++|<\?(?s:.*?)\?>|<!--(?s:.*?)-->)*+"
_DOCTYPE = re.compile(
    rf"{_BEFORE}(?P<doctype><!DOCTYPE){_SPACE}++{_NAME}(?P<external>{_SPACE}++{_EXTERNAL})?+{_SPACE}*+(?P<subset>\[)?"
)
_DECLARATION = re.compile(
    rf"{_SPACE}++|<\?(?s:.*?)\?>|<!--(?s:.*?)-->|(?P<parameter>%{_NAME};)"
    rf"|<!ENTITY{_SPACE}++(?P<percent>%{_SPACE}++)?+(?P<entity>{_NAME}){_SPACE}++"
    rf"(?:{_LITERAL}|{_EXTERNAL})(?:{_SPACE}++NDATA{_SPACE}++{_NAME})?+{_SPACE}*+>"
    rf"|<!(?P<kind>ELEMENT|NOTATION|ATTLIST){_SPACE}(?:[^<>\"']++|{_LITERAL})*+>"
)
_END = re.compile(">")
_SUBSET_END = re.compile(rf"\]{_SPACE}*+>")
_STANDALONE = re.compile(rf"(\ufeff?<\?xml[^>]*?{_SPACE}standalone{_SPACE}*={_SPACE}*)([\"'])yes\2")


class Doctype(NamedTuple):
    """A document type.

    Attributes:
        start: the offset at which it starts.
        declarations: the offsets at which the declarations in it start and end; equal without any.
        end: the offset after it, or -1 if a declaration is not read; then the declarations end
            there.
        entities: the names of the declared entities.
        is_open: whether other files may declare more entities.
    """

    start: int
    declarations: tuple[int, int]
    end: int
    entities: frozenset[str]
    is_open: bool


def read_doctype(text: str) -> Doctype | None:
    """The document type at the beginning of a text, or None if it has none."""
    match = _DOCTYPE.match(text)
    if match is None:
        return None
    is_open = match["external"] is not None
    entities = set()
    start = position = match.end()
    while match["subset"] and (found := _DECLARATION.match(text, position)) is not None:
        if found["kind"] == "ATTLIST":  # It may give attributes to elements.
            break
        position = found.end()
        is_open = is_open or found["parameter"] is not None
        if found["entity"] is not None and found["percent"] is None:
            entities.add(found["entity"])
    end = (_SUBSET_END if match["subset"] else _END).match(text, position)
    return Doctype(
        match.start("doctype"),
        (start, position),
        -1 if end is None else end.end(),
        frozenset(entities),
        is_open,
    )


def without_declarations(text: str, doctype: Doctype) -> str:
    """A text of the same length for a parser: without declarations, and with the statement that
    other files may declare entities."""
    start, end = doctype.declarations
    spaces = re.sub(r"[^\n]", " ", text[start:end])
    return _STANDALONE.sub(r"\1\2no\2 ", text[:start]) + spaces + text[end:]

"""The tokens of HTML with their places, by the HTML standard, in linear time on any text.

The parser of Python's standard library takes quadratic time on unclosed tags in several versions,
and lxml does not give the column of a tag. Errors dropped by browsers, such as a tag left open at
the end of the file, are tags here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from docmt_files.core.xml_doctypes import read_doctype
from docmt_files.markup.html_elements import RAW

_MARKUP = re.compile(
    r"<!--(?:-?>|(?P<comment>))"
    r"|</(?P<end>[A-Za-z][^\s/>]*+)[^>]*+(?:>|\Z)"
    r"|<(?P<start>[A-Za-z][^\s/>]*+)"
    r"(?:[\s/]++|[^\s/>][^\s/>=]*+"
    r"(?:\s*+=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^\s\"'>][^\s>]*+))?+)*+"
    r"(?:>|\Z)"
    r"|<[!?/][^>]*+(?:>|\Z)"
)
_COMMENT_END = re.compile(r"--!?>|\Z")
_ATTRIBUTE = re.compile(
    r"([^\s/>=][^\s/>=]*+)"
    r"(?:\s*+=\s*+(?:\"([^\"]*+)(?:\"|\Z)|'([^']*+)(?:'|\Z)|([^\s\"'>][^\s>]*+)))?+"
)


class HtmlToken(NamedTuple):
    """A token: text, a start tag, an end tag or other markup, such as a comment.

    Attributes:
        kind: the kind of token.
        start: the offset at which it starts.
        end: the offset at which it ends.
        name: of a tag, in lower case.
    """

    kind: Literal["text", "start", "end", "other"]
    start: int
    end: int
    name: str = ""


class Attribute(NamedTuple):
    """The value of an attribute.

    Attributes:
        start: the offset at which the value starts, after the quotation mark.
        end: the offset at which it ends.
        quote: the quotation mark, or nothing.
    """

    start: int
    end: int
    quote: str


def html_tokens(text: str) -> Iterator[HtmlToken]:
    """The tokens of a text; each begins where the one before it ends."""
    position = 0
    doctype = read_doctype(text)
    while position < len(text):
        match = _MARKUP.search(text, position)
        if match is None:
            yield HtmlToken("text", position, len(text))
            return
        if position < match.start():
            yield HtmlToken("text", position, match.start())
        position = match.end()
        if match["start"] is not None:
            name = match["start"].lower()
            yield HtmlToken("start", match.start(), position, name)
            if name in RAW and not match[0].endswith("/>"):
                closing = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(text, position)
                end = closing.start() if closing else len(text)
                if position < end:
                    yield HtmlToken("text", position, end)
                position = end
        elif match["end"] is not None:
            yield HtmlToken("end", match.start(), position, match["end"].lower())
        else:
            if match["comment"] is not None:
                ended = _COMMENT_END.search(text, position)
                assert ended is not None
                position = ended.end()
            elif doctype is not None and match.start() == doctype.start:
                position = max(position, doctype.end)
            yield HtmlToken("other", match.start(), position)


def attributes(text: str, tag: HtmlToken) -> dict[str, Attribute]:
    """The attributes of a start tag with values, by their names in lower case."""
    attributes_of_tag: dict[str, Attribute] = {}
    for match in _ATTRIBUTE.finditer(text, tag.start + 1 + len(tag.name), tag.end):
        for group, quote in ((2, '"'), (3, "'"), (4, "")):
            if match[group] is not None:
                attributes_of_tag.setdefault(match[1].lower(), Attribute(*match.span(group), quote))
    return attributes_of_tag

"""Text of a translation in Markdown, with escapes where its characters would be markup."""

from __future__ import annotations

import re
from collections.abc import Set
from itertools import islice

from markdown_it.common.utils import normalizeReference

from docmt_files.markup.markdown_inline import MATH

_SPECIAL = re.compile(
    r"`|(?<!\s)\*|\*(?!\s)|\\(?=[!-/:-@\[-`{-~]|$)|"
    # An underscore at the edge of a word; none between spaces.
    r"(?<![^\W_])_(?!\s)|(?<![^\W_]|\s)_|(?<!\s)_(?![^\W_])|_(?![^\W_]|\s)|"
    r"<(?=[A-Za-z/!?])|&(?=#?\w{1,32};)|~(?=~)|(?<=~)~|(?<!\S)#(?=#*\s*$)|[\[\]]"
)
_SPECIAL_IN_JSX = re.compile(rf"{_SPECIAL.pattern}|[{{}}<]")
_MODULE = re.compile(r"(?:import|export)\b")
_IN_BRACKETS = re.compile(r"(?<=[^\]!\[\\])\[([^\W_][^\\\[\]`*_<>&!|~$]{1,99})\](?=[^\[\](:{])")
"""A text in brackets within other text, which is a link only if the file defines it as one."""
_DOLLAR = re.compile(r"(?<!\\)\$")
_AT_BEGIN = re.compile(
    r"(\d{1,9}(?=[.)](?:\s|$)))|[-+*](?=\s|$)|[>|]|=(?==|\s*$)|[-*](?=[-*\s]*$)|-(?=-8<)|"
    r"#(?=#{0,5}(?:\s|$))|~(?=~~)|:(?=\s|::|$)|!(?=!!)|\?(?=\?\?)"
)


def escape(text: str, begins: bool, *, labels: Set[str] = frozenset(), is_jsx: bool = False) -> str:
    """Text with escapes for characters of Markdown.

    Args:
        text: the text.
        begins: whether the text begins a line.
        labels: the labels of the definitions of links in the file.
        is_jsx: whether the file has JSX, so that braces and tags are code.
    """
    head = ""
    if begins and is_jsx and (match := _MODULE.match(text)):
        head, text = f"&#{ord(text[0])};", text[1:]
        begins = False
    if begins and (match := _AT_BEGIN.match(text)):
        head = f"{match[1]}\\" if match[1] else "\\"
        text = text[len(match[1] or "") :]
        head += text[:1]
        text = text[1:]
    opening, closing = _stand_ins(text, 2)
    text = _IN_BRACKETS.sub(
        lambda match: (
            match[0] if normalizeReference(match[1]) in labels else opening + match[1] + closing
        ),
        text,
    )
    special = _SPECIAL_IN_JSX if is_jsx else _SPECIAL
    text = special.sub(r"\\\g<0>", text).replace(opening, "[").replace(closing, "]")
    while MATH.search(text):
        text = MATH.sub(lambda formula: _DOLLAR.sub(r"\\\g<0>", formula[0]), text)
    return head + text


def escape_in_cell(
    text: str, begins: bool, *, labels: Set[str] = frozenset(), is_jsx: bool = False
) -> str:
    """The same in a table, where a bar ends a cell."""
    begins = begins and not text.startswith("|")
    return escape(text, begins, labels=labels, is_jsx=is_jsx).replace("|", "\\|")


def escape_title(quote: str, text: str, _: bool) -> str:
    """Text as the title of an image, in quotation marks or brackets."""
    text = re.sub(r"\\(?=[!-/:-@\[-`{-~])|&(?=#?\w{1,32};)", r"\\\g<0>", text)
    for mark in "()" if quote == "(" else quote:
        text = text.replace(mark, f"\\{mark}")
    return text


def _stand_ins(text: str, count: int) -> list[str]:
    """Characters not found in a text."""
    free = (chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in text)
    return list(islice(free, count))

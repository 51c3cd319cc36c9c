"""Character references of HTML (`&amp;`) in strings of programs, and how a string writes them."""

from __future__ import annotations

import re
from html import unescape

REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TAG = re.compile(r"<[^<>]*>")


def reference_table(value: str) -> dict[int, str]:
    """The character references of a string by their characters, for writing others like them: `&`,
    `<` and `>` are written as by HTML, a character that the string also has as it is, as it is."""
    found = {unescape(each): each for each in REFERENCE.findall(value)}
    bare = _TAG.sub("", REFERENCE.sub("", value))
    return {
        ord(character): character if character in "&<>" or character in bare else reference
        for character, reference in found.items()
        if character != reference and len(character) == 1
    }

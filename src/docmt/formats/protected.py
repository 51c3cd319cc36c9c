"""What stands for words in a text and must stay as it is: placeholders of programs (`{0}`, `%s`,
`${name}`, ICU messages such as `{n, plural, …}`), URLs and addresses of electronic mail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docmt.formats.inline import Code, Part, Text

_URL = r"(?:\b(?:https?|ftp)://|\bwww\.)[^\s<>\"'{}]*[^\s<>\"'{}.,;:!?)\]*_]"
_MAIL = r"\b[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"
_PRINTF = (
    r"(?<![\w%])%(?:\d{1,2}\$)?[-+#0]?\d{0,3}(?:\.\d{1,3})?(?:hh?|ll?|[qjzt])?"
    r"[diouxXeEfgGcs@](?!\w)"
)
_NAMED = r"(?<!\w)%(?:\(\w{1,64}\)[a-zA-Z]|\{\w{1,64}\})"
_SIMPLE = re.compile("|".join((_URL, _MAIL, _PRINTF, _NAMED)))
_BRACES = re.compile(r"[{}]")
_NAME = re.compile(r"\{[#/@$^&!]?[\w.$-]{0,64}(?:[:!][^{}\s]{0,64})?\}", re.DOTALL)
_ICU = re.compile(
    r"\{\s*\w{1,64}\s*,\s*(?:plural|select|selectordinal|number|date|time|spellout|ordinal|"
    r"duration)\s*[,}]"
)


def protect(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts of a block with what stands for words in its texts as protected codes."""
    for part in parts:
        if isinstance(part, Code) or len(part.text) != part.end - part.start:
            yield part
            continue
        at = 0
        for start, end in _ranges(part.text):
            if at < start:
                yield Text(part.start + at, part.start + start, part.text[at:start])
            yield Code(part.start + start, part.start + end, "protected")
            at = end
        if at < len(part.text):
            yield Text(part.start + at, part.end, part.text[at:])


def _ranges(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of what stands for words, in order."""
    if not any(character in text for character in "{%@:w"):
        return
    found = sorted([*_placeholders(text), *(match.span() for match in _SIMPLE.finditer(text))])
    end = 0
    for start, stop in found:
        if start >= end:
            yield start, stop
            end = stop


def _placeholders(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of placeholders in braces; ICU messages may have braces in braces."""
    depth = start = 0
    for match in _BRACES.finditer(text):
        if match[0] == "{":
            if depth == 0:
                start = match.start()
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0 and _is_placeholder(text, start, match.end()):
                # `${name}`
                yield start - text.startswith("$", start - 1) if start else start, match.end()


def _is_placeholder(text: str, start: int, end: int) -> bool:
    """Whether a text in braces is a placeholder, not words."""
    double = (text[start : start + 2], text[end - 2 : end]) in (("{{", "}}"), ("{%", "%}"))
    return (
        double or _NAME.fullmatch(text, start, end) is not None
        or _ICU.match(text, start, end) is not None
    )  # fmt: skip

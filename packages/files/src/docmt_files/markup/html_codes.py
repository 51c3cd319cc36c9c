"""Codes of HTML to be joined: references to footnotes, ruby with annotations, and adjacent elements
of the same look."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from docmt_files.core.inline import Code, Part, Text
from docmt_files.markup.html_elements import ANNOTATIONS

_TAG = re.compile(r"<([A-Za-z]+)")
_ATTRIBUTE = r"\s+(?:class|style|color|face|size)\s*=\s*(?:\"[^\"]*\"|'[^']*')"
_FORMATTING = re.compile(
    rf"<(?:(?:b|big|del|em|font|i|ins|s|small|strike|strong|sub|sup|u)(?:{_ATTRIBUTE})*"
    rf"|span(?:{_ATTRIBUTE})+)\s*>",
    re.IGNORECASE,
)
"""A tag for which two elements side by side look like one. Spans without attributes are not among
them, because their purpose is unknown."""
_NOTE_LINK = re.compile(r"noteref|footnote-ref|fnref", re.IGNORECASE)
_AROUND_NUMBER = ("sup", "span", "small")
BETWEEN_KEYS = re.compile(r"[+/–-]?|[ \t\n\u00a0]\+[ \t\n\u00a0]")
"""Matches the text between elements written together: `<kbd>Ctrl</kbd>+<kbd>S</kbd>`."""
_MAX_PARTS = 6
_MAX_NUMBER = 8
"""Most characters of the number of a footnote, and most parts of such a number."""


def joined_codes(text: str, parts: Iterable[Part]) -> list[Part]:
    """The parts of a block, with some groups of codes joined.

    A link to a footnote with its number is a void code, so the number is not read as part of a
    word. The annotations at the end of a `<ruby>` are one code with the end tag, so they stay
    behind their words. Elements with the same tag directly after each other, made by converters of
    books out of one sentence, are one.

    Args:
        text: the file.
        parts: the parts, with complete pairs.
    """
    out: list[Part] = []
    opened: list[int] = []
    links: set[int] = set()
    joinable: dict[int, tuple[str, int]] = {}
    """For pairs, their tag and the index of their beginning in `out`."""
    for part in parts:
        if isinstance(part, Code) and part.kind == "open":
            tag = text[part.start : part.end]
            last = out[-1] if out else None
            if isinstance(last, Code) and last.kind == "close":
                end_tag, start = joinable.get(last.pair, ("", 0))
                if end_tag == tag:
                    out[-1] = Text(last.start, part.end, "")
                    opened.append(start)
                    continue
            if _FORMATTING.fullmatch(tag):
                joinable[part.pair] = tag, len(out)
            opened.append(len(out))
        elif isinstance(part, Code) and part.kind == "close":
            start = opened.pop()
            first = out[start]
            assert isinstance(first, Code)
            part = replace(part, pair=first.pair)
            tag = _name(text, first)
            inside = out[start + 1 :] if len(out) - start <= _MAX_PARTS + 1 else []
            is_link = tag == "a" and _is_number(text, first, inside)
            if is_link or (tag in _AROUND_NUMBER and _is_link(inside, links)):
                links.add(first.start)
                del out[start:]
                out.append(Code(first.start, part.end, "void"))
                continue
            if tag == "ruby":
                part = replace(part, start=_annotations(text, out, part.start))
        out.append(part)
    return out


def joined_keys(text: str, parts: Iterable[Part]) -> list[Part]:
    """The parts of a block, with one code for protected elements written together.

    Args:
        text: the file.
        parts: the parts.
    """
    out: list[Part] = []
    position = -1
    """The index in `out` of the last protected element."""
    for part in parts:
        if not (isinstance(part, Code) and part.kind == "protected" and text[part.start] == "<"):
            out.append(part)
            continue
        between = out[position + 1 :]
        if (
            position >= 0
            and all(isinstance(other, Text) for other in between)
            and BETWEEN_KEYS.fullmatch("".join(other.text for other in between))
        ):
            part = replace(part, start=out[position].start)
            del out[position:]
        position = len(out)
        out.append(part)
    return out


def _is_number(text: str, link: Code, inside: Sequence[Part]) -> bool:
    """Return whether a link is the number of a footnote, or the like."""
    tag = text[link.start : link.end]
    number = "".join(part.text for part in inside if isinstance(part, Text)).strip()
    return (
        0 < len(number) <= _MAX_NUMBER
        and "#" in tag
        and (not any(map(str.isalpha, number)) or _NOTE_LINK.search(tag) is not None)
        and all(
            isinstance(part, Text) or _name(text, part) in _AROUND_NUMBER
            for part in inside
            if not (isinstance(part, Code) and part.kind == "close")
        )
    )


def _is_link(inside: Sequence[Part], links: set[int]) -> bool:
    """Return whether parts are the number of a footnote with nothing else."""
    codes = [part for part in inside if isinstance(part, Code)]
    return (
        len(codes) == 1
        and codes[0].start in links
        and not any(part.text.strip() for part in inside if isinstance(part, Text))
    )


def _annotations(text: str, out: list[Part], start: int) -> int:
    """Remove the annotations at the end of parts; returns where they start."""
    while out:
        last = out[-1]
        is_annotation = isinstance(last, Code) and _name(text, last) in ANNOTATIONS
        if not is_annotation or last.end != start:
            break
        start = out.pop().start
    return start


def _name(text: str, code: Code) -> str:
    """The name of the first tag in a code."""
    match = _TAG.match(text, code.start)
    return match[1].lower() if match else ""

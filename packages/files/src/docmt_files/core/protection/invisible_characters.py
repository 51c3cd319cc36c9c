"""Characters without a look of their own, in blocks to translate.

Soft hyphens, zero-width spaces and the like say where a printed word may be divided: the
translation has other words, so they are left out. Ligatures such as `ﬁ` are read as their letters.
Marks of direction are codes. Joiners are a part of the spelling in Arabic and Indic scripts and of
emoji, and stay, as does the zero-width space between the words of Thai, Khmer, Lao and Burmese.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

import regex

from docmt_files.base.wording import counted
from docmt_files.core.inline import Block, Code, CodeKind, Part, Text, paired

_LIGATURES = "\ufb00-\ufb06\ufb13-\ufb17"
_HYPHENS = "\u2010\u2011"
_SPECIALS = (
    f"\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff{_HYPHENS}{_LIGATURES}"
)
_SPECIAL = regex.compile(f"[{_SPECIALS}]")
_PIECE = regex.compile(
    f"(?<=[{_SPECIALS}])[^{_SPECIALS}]|[^{_SPECIALS}](?=[{_SPECIALS}])|[{_SPECIALS}]"
    f"|(?:[^{_SPECIALS}](?![{_SPECIALS}]))+",
    regex.DOTALL,
)
"""A special character, a character beside one, or others."""
_DIVIDED = "\u200b"
_JOINERS = "\u200c\u200d"
_OPENING = dict(
    zip("\u202a\u202b\u202d\u202e\u2066\u2067\u2068", "\u202c" * 4 + "\u2069" * 3, strict=True)
)
"""By the opening mark of direction, the closing one."""
_DIRECTIONS = frozenset(("\u061c", "\u200e", "\u200f", *_OPENING, *_OPENING.values()))
_PAIRS = {"\u202c": 1_000_000_000, "\u2069": 1_000_000_001}
"""The numbers of pairs, by the closing mark; no other codes have these."""

_UNDIVIDED = regex.compile(
    r"[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]"
)
_NOT_JOINED = regex.compile(
    r"[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}"
    r"\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Common}"
    r"--\p{Extended_Pictographic}]|\A\Z",
    regex.V1,
)
"""A character that joiners do not change."""


class _Unit(NamedTuple):
    """A range of the file with the characters of text in it."""

    start: int
    end: int
    text: str


def read_visibly(blocks: Sequence[Block]) -> tuple[list[Block], list[str]]:
    """Blocks with visible characters alone, and notes on the characters left out."""
    left_out: Counter[str] = Counter()
    visible = [_visible(block, left_out) for block in blocks]
    return visible, list(_notes(left_out))


def _notes(left_out: Counter[str]) -> Iterator[str]:
    """The note on characters left out."""
    if left_out:
        named = (
            f"{unicodedata.name(character).lower()} (U+{ord(character):04X}, {number:,})"
            for character, number in left_out.most_common()
        )
        yield (
            f"{counted(left_out.total(), 'invisible character')} left out of the sentences to "
            f"translate: {', '.join(named)}"
        )


def _visible(block: Block, left_out: Counter[str]) -> Block:
    """A block with visible characters alone."""
    if not any(isinstance(part, Text) and _SPECIAL.search(part.text) for part in block.parts):
        return block
    whole = "".join(part.text for part in block.parts)
    made: list[Part | _Unit] = []
    position = 0
    for part in block.parts:
        if type(part) is not Text:
            made.append(part)
            position += len(part.text)
            continue
        for unit in _units(part):
            if not _SPECIAL.search(unit.text):
                made.append(unit)
                position += len(unit.text)
                continue
            text = ""
            for character in unit.text:
                around = whole[max(0, position - 1) : position], whole[position + 1 : position + 2]
                position += 1
                if character in _DIRECTIONS and unit.text == character:
                    made.append(_direction(unit))
                    break
                shown = _shown(character, *around)
                if not shown:
                    left_out[character] += 1
                text += shown
            else:
                made.append(unit._replace(text=text))
    parts = list(_texts(_without_empty(made)))
    has_directions = any(isinstance(part, Code) and part.pair in _PAIRS.values() for part in parts)
    return replace(block, parts=tuple(paired(parts) if has_directions else parts))


def _units(part: Text) -> Iterator[_Unit]:
    """The pieces of a text, or the only unit."""
    if len(part.text) != part.end - part.start:
        yield _Unit(part.start, part.end, part.text)
        return
    for match in _PIECE.finditer(part.text):
        yield _Unit(part.start + match.start(), part.start + match.end(), match[0])


def _direction(unit: _Unit) -> Code:
    """The code for a mark of direction."""
    closing = _OPENING.get(unit.text, unit.text)
    if closing not in _PAIRS:
        return Code(unit.start, unit.end, "void")
    kind: CodeKind = "close" if closing == unit.text else "open"
    return Code(unit.start, unit.end, kind, _PAIRS[closing])


def _shown(character: str, before: str, after: str) -> str:
    """The characters to translate for a character between two others; nothing for an invisible
    one."""
    if not _SPECIAL.match(character):
        return character
    if character in _HYPHENS:
        return "-"
    if character in _JOINERS:
        return "" if _NOT_JOINED.match(before) and _NOT_JOINED.match(after) else character
    if character == _DIVIDED:
        return character if _UNDIVIDED.match(before) or _UNDIVIDED.match(after) else ""
    # A ligature becomes its letters; the others have no look.
    letters = unicodedata.normalize("NFKC", character)
    return letters if letters != character else ""


def _without_empty(parts: Sequence[Part | _Unit]) -> Iterator[Part | _Unit]:
    """Parts with the ranges of empty units in the unit before them, or else after them."""
    waiting: _Unit | None = None
    for part in parts:
        if isinstance(part, _Unit):
            if waiting is None:
                waiting = part
            elif waiting.text and part.text:
                yield waiting
                waiting = part
            else:
                waiting = _Unit(waiting.start, part.end, waiting.text + part.text)
        else:
            if waiting is not None:
                yield waiting
            waiting = None
            yield part
    if waiting is not None:
        yield waiting


def _texts(parts: Iterator[Part | _Unit]) -> Iterator[Part]:
    """Parts with runs of units as long as their text as texts."""
    for is_plain, group in groupby(
        parts, lambda part: isinstance(part, _Unit) and len(part.text) == part.end - part.start
    ):
        if is_plain:
            run = list(group)
            yield Text(run[0].start, run[-1].end, "".join(part.text for part in run))
        else:
            yield from (Text(*part) if isinstance(part, _Unit) else part for part in group)

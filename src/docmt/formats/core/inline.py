"""The form that users' files have in docmt: blocks of text with inline codes.

A `Block` is what belongs together, such as a paragraph, a heading or a table cell. Its parts are
`Text`, which is translated, and `Code`, which is not: the two ends of a pair around text (`<b>` and
`</b>`, `**`), a void code between words (`<br>`, a footnote reference), or a protected code that
stands for words (`{0}`, a URL, a code span). Parts are ranges of the file, so that writing a file
is to replace the ranges of its sentences and to copy all the rest.

`docmt.formats.core.sentence_cutting` splits a block. A code at the edge of a sentence whose partner
is not in the sentence stays where it is; the codes in a sentence are taken out of its text, with
the offsets at which they stood, and `docmt.formats.core.placing` puts them into the translation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from docmt.ground.documents import InlineCode

CodeKind = Literal["open", "close", "void", "protected", "break", "moment"]

CLOSING_MARKS = {
    **dict(zip("\"'“”‘’«»‹›「『", "\"'””’’»«›‹」』", strict=True)),
    "`": "`'",
    "„": "“”",
    "‚": "‘’",
}
"""By the quotation mark that opens, those that may close."""


@dataclass(frozen=True, slots=True)
class Text:
    """A part of a block that is translated.

    Attributes:
        start: the offset in the file, in characters, at which it starts.
        end: the offset at which it ends.
        text: what it means, such as `&` for `&amp;`, or a space for a line break. Of the length of
            the range, or else a unit that no sentence divides.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class LineEnd(Text):
    """A line end of the file, with the white space around it: a space, or nothing between Chinese
    or Japanese characters."""


@dataclass(frozen=True, slots=True)
class Code:
    """A part of a block that is not translated.

    Attributes:
        start: the offset in the file, in characters, at which it starts.
        end: the offset at which it ends.
        kind: one end of a pair, void, or protected, which stands for words; or what keeps its
            order in a sentence: a break between two parts that are shown at different times, or a
            moment at which the words after it appear.
        pair: for the two ends of a pair, what they alone of their block have in common.
        text: what the sentence has in its place: nothing, or a space, which a line feed is for a
            line break.
        shows: False for an end of a pair that nobody sees, such as of formatting without any
            property. A translated sentence has none that begin and end in it.
        written: what is written for it if text of its pair or sentence changes; None for itself.
        inner: the code in it, if it is one in quotation marks (`"%s"`), which keeps them.
        marks: these marks, as they are read.
    """

    start: int
    end: int
    kind: CodeKind
    pair: int = -1
    text: str = ""
    shows: bool = True
    written: str | None = None
    inner: Code | None = None
    marks: tuple[str, str] = ("", "")


Part = Text | Code


def texts_of(
    text: str, start: int, end: int, unit: re.Pattern[str], meaning: Callable[[re.Match[str]], str]
) -> Iterator[Text]:
    """A range of a file as texts: what a pattern matches, such as an escape, is a unit of its own
    unless it means itself."""
    plain = start
    for match in unit.finditer(text, start, end):
        meant = meaning(match)
        if meant == match[0]:
            continue
        if plain < match.start():
            yield Text(plain, match.start(), text[plain : match.start()])
        yield Text(match.start(), match.end(), meant)
        plain = match.end()
    if plain < end:
        yield Text(plain, end, text[plain:end])


@dataclass(frozen=True, slots=True)
class Block:
    """Text that belongs together, with its codes.

    Attributes:
        parts: adjacent ranges of the file, in order. Pairs are nested.
        escape: writes text as the format does at this place: given the text and whether it begins
            a sentence, the characters of the file.
        nested: whether it is in a code of another block, as an attribute is in a tag.
        heading: the level of the heading that it is, from 1; 0 for other text.
    """

    parts: tuple[Part, ...]
    escape: Callable[[str, bool], str]
    nested: bool = False
    heading: int = 0

    def __post_init__(self) -> None:
        assert all(a.end == b.start for a, b in pairwise(self.parts)), "parts are adjacent"


@dataclass(frozen=True, slots=True)
class InlineSentence:
    """A sentence of a block.

    Attributes:
        start: the offset in the file at which it starts, with its codes.
        end: the offset at which it ends.
        text: its text without codes, as it is translated.
        codes: its codes in order, each with the offset in `text` at which it stands.
        neighbors: for each code, the characters of the text before and after it in the file, empty
            at the edges of the sentence.
        words: codes that stand in the text as words (`docmt.formats.core.kept_words`), in order,
            each with its words. They are not among `codes`.
        without_words: the same sentence with all codes taken out of its text, if there are `words`.
    """

    start: int
    end: int
    text: str
    codes: tuple[tuple[int, Code], ...] = ()
    neighbors: tuple[tuple[str, str], ...] = ()
    words: tuple[tuple[str, Code], ...] = ()
    without_words: InlineSentence | None = None

    @property
    def has_inner_codes(self) -> bool:
        """True if there is a code between its words, for which their links are needed."""
        return any(0 < offset < len(self.text) for offset, _ in self.codes)


def shown_codes(sentences: Iterable[InlineSentence]) -> dict[int, list[InlineCode]]:
    """For the indices of sentences with codes between their words, those that a reader sees the
    effect of, and that may go to other words; so no breaks, which keep their order."""
    found: dict[int, list[InlineCode]] = {}
    for number, sentence in enumerate(sentences):
        codes = [
            (offset, code)
            for offset, code in sentence.codes
            if code.shows and code.kind not in ("break", "moment")
        ]
        if not codes or not sentence.has_inner_codes:
            continue
        ends: dict[int, list[int]] = {}
        for index, (_, code) in enumerate(codes):
            if code.kind in ("open", "close"):
                ends.setdefault(code.pair, []).append(index)
        partners = {a: b for pair in ends.values() if len(pair) == 2 for a, b in (pair, pair[::-1])}
        found[number] = [InlineCode(offset, partners.get(i)) for i, (offset, _) in enumerate(codes)]
    return found


def has_word(text: str) -> bool:
    """Return whether there is a letter or digit, so something to translate."""
    return any(character.isalnum() for character in text)


def has_letter(text: str) -> bool:
    """Return whether there is a letter. A number alone, as in the cell of a table, is the same in
    every language."""
    return any(character.isalpha() for character in text)


def paired(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts with every end of a pair that has no partner, or one that crosses another pair,
    as a void code.

    Args:
        parts: the parts of a block; the two ends of a pair have a number in common that other pairs
            may have too, such as that of the name of their tag.
    """
    partners: dict[int, int] = {}
    waiting: list[int] = []
    numbers: dict[int, int] = {}
    for index, part in enumerate(parts):
        if not isinstance(part, Code):
            continue
        if part.kind == "open":
            waiting.append(index)
            numbers[part.pair] = numbers.get(part.pair, 0) + 1
        elif part.kind == "close" and numbers.get(part.pair, 0):
            while waiting:
                last = waiting.pop()
                opening = parts[last]
                assert isinstance(opening, Code)
                numbers[opening.pair] -= 1
                if opening.pair == part.pair:
                    partners[index] = partners[last] = last
                    break
    for index, part in enumerate(parts):
        if isinstance(part, Code) and part.kind in ("open", "close"):
            if index in partners:
                yield replace(part, pair=partners[index])
            else:
                yield replace(part, kind="void", pair=-1)
        else:
            yield part

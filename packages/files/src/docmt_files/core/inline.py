"""The form of users' files in docmt: blocks of text with inline codes.

A `Block` is a unit of text such as a paragraph, a heading or a table cell. The parts are `Text`, to
be translated, and `Code`, not to be translated: the two ends of a pair around text (`<b>` and
`</b>`, `**`), a void code between words (`<br>`, a footnote reference), or a protected code in
place of words (`{0}`, a URL, a code span). Parts are ranges of the file, so writing a file replaces
the ranges of sentences and copies the rest.

`docmt_files.core.sentence_cutting` splits a block. A code at the edge of a sentence with a
partner outside the sentence stays in place. Other codes are taken out of the text of the sentence,
with their offsets, and `docmt_files.core.placement.placing` puts them into the translation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, Protocol, TypeAlias

from docmt_files.base.documents import Document, InlineCode
from docmt_files.core.scopes import Scope


class WordWeights(Protocol):
    """(S source words, T target words) how much each target word looks at each source word, at
    least 0: a list of rows, or an array."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Iterable[float]]: ...


CodePlaces: TypeAlias = tuple[int, ...]
"""The offsets in a translation at which the translator has put the shown codes of a sentence, in
the order of the codes."""


@dataclass(frozen=True, slots=True)
class CodedText:
    """A translation with all codes of the sentence in it, as a person has put them.

    Attributes:
        parts: texts and codes in order.
    """

    parts: tuple[str | Code, ...]


Alignment: TypeAlias = "WordWeights | CodePlaces | CodedText"
"""The alignment of a sentence and the translation: weights of the words, places of the codes, or
the translation with the codes in it."""

AlignSentences = Callable[[Document, Sequence[int]], Mapping[int, Alignment]]
"""Given a document with its translation and the indices of some of its sentences, the alignment of
each sentence: the places of the codes, or the weights of the words, with words as in
`docmt_files.core.placement.placing.word_spans`. A sentence may be missing."""

CodeKind = Literal["open", "close", "void", "protected", "break", "moment"]

CLOSING_MARKS = {
    **dict(zip("\"'“”‘’«»‹›「『", "\"'””’’»«›‹」』", strict=True)),
    "`": "`'",
    "„": "“”",
    "‚": "‘’",
}
"""By the opening quotation mark, the possible closing marks."""


@dataclass(frozen=True, slots=True)
class Text:
    """A part of a block, to be translated.

    Attributes:
        start: the offset in the file, in characters, at which it starts.
        end: the offset at which it ends.
        text: the meaning of the range, such as `&` for `&amp;`, or a space for a line break. As
            long as the range, or else a unit that no sentence divides.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class LineEnd(Text):
    """A line end of the file, with the white space around it: a space, or nothing between Chinese
    or Japanese characters.

    Attributes:
        ends: whether it ends a passage; None to find out (`docmt_files.core.line_joining`).
    """

    ends: bool | None = None


@dataclass(frozen=True, slots=True)
class Code:
    """A part of a block, not to be translated.

    Attributes:
        start: the offset in the file, in characters, at which it starts.
        end: the offset at which it ends.
        kind: an end of a pair; void; protected, in place of words; or, with a fixed order in the
            sentence, a break between two parts shown at different times, or a moment at which the
            words after it appear.
        pair: a number shared by the two ends of a pair, and by no other code of the block.
        text: the text of the sentence in place of the code: nothing, or a space; a line feed is a
            space for a line break.
        shows: False for an end of a pair without visible effect, such as formatting without any
            property. A translated sentence has no such pair that begins and ends in it.
        written: the replacement if text of the pair or sentence changes; None for the code itself.
        inner: the code inside, if this is a code in quotation marks (`"%s"`) and keeps the marks.
        marks: the quotation marks, as read.
        scope: of the beginning of a pair, the scope of the text in it, such as an element.
        words: of a protected code, the words that may stand for it in the sentence; empty if the
            characters of the code say (`protection.placeholders.placeholder_words`).
        name: of a code with several spellings, such as `*` and `**`, what all of them are; empty
            for the characters of the code.
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
    scope: Scope | None = None
    words: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Shortcut(Text):
    """A character with the mark of a shortcut, such as `&` in the label `E&xit`, which goes before
    a letter of the translation.

    Attributes:
        mark: the mark, in the file.
        letter: the letter of the shortcut.
    """

    mark: Code
    letter: str


Part = Text | Code
"""A part of a sentence in a file."""


def texts_of(
    text: str, start: int, end: int, unit: re.Pattern[str], meaning: Callable[[re.Match[str]], str]
) -> Iterator[Text]:
    """A range of a file as texts: each match of a pattern, such as an escape, is a unit of its own
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


Piece = tuple[str, Code | None]
"""A piece of a written sentence: the characters, and the code they are."""


def join_pieces(pieces: Sequence[Piece], before: Piece, after: Piece) -> str:  # noqa: ARG001
    """The characters of pieces, one after the other."""
    return "".join(text for text, _ in pieces)


@dataclass(frozen=True, slots=True)
class Block:
    """A unit of text and codes.

    Attributes:
        parts: adjacent ranges of the file, in order. Pairs are nested.
        escape: writes text in the format at this place: given the text and whether it begins a
            line, the characters of the file. Default: the text itself.
        nested: whether it is in a code of another block, as an attribute is in a tag.
        heading: the level of the heading, from 1; 0 for other text.
        scopes: where it stands; a text that the file has once for several places has several.
        join: writes a sentence out of its pieces, with other spellings of codes where their
            neighbors ask for them; given the pieces of the file before and after the sentence, each
            a code or a character, too. Default: one piece after the other.
    """

    parts: tuple[Part, ...]
    escape: Callable[[str, bool], str] = lambda text, _: text
    nested: bool = False
    heading: int = 0
    scopes: tuple[Scope, ...] = ()
    join: Callable[[Sequence[Piece], Piece, Piece], str] = join_pieces

    def __post_init__(self) -> None:
        assert all(a.end == b.start for a, b in pairwise(self.parts)), "parts are adjacent"

    def moved(self, offset: int) -> Block:
        """The block at another offset of a file."""
        return replace(self, parts=tuple(_moved(part, offset) for part in self.parts))


def _moved(part: Part, offset: int) -> Part:
    start, end = part.start + offset, part.end + offset
    if isinstance(part, Shortcut):
        mark = replace(part.mark, start=part.mark.start + offset, end=part.mark.end + offset)
        return replace(part, start=start, end=end, mark=mark)
    return replace(part, start=start, end=end)


@dataclass(frozen=True, slots=True)
class InlineSentence:
    """A sentence of a block.

    Attributes:
        start: the offset in the file at which it starts, codes included.
        end: the offset at which it ends.
        text: the text to translate, without codes.
        codes: the codes in order, with offsets in `text`.
        neighbors: for each code, the characters of the text before and after it in the file, empty
            at the edges of the sentence.
        words: the codes in the text as words (`protection.placeholder_words`), in order, with the
            words. They are not among `codes`.
        without_words: the same sentence with all codes taken out of the text, if there are `words`.
        begins: whether the sentence begins the block.
    """

    start: int
    end: int
    text: str
    codes: tuple[tuple[int, Code], ...] = ()
    neighbors: tuple[tuple[str, str], ...] = ()
    words: tuple[tuple[str, Code], ...] = ()
    without_words: InlineSentence | None = None
    begins: bool = False

    @property
    def has_inner_codes(self) -> bool:
        """True if there is a code between words, so the links of words are needed."""
        return any(0 < offset < len(self.text) for offset, _ in self.codes)

    @property
    def shown(self) -> list[tuple[int, Code]]:
        """The codes with an effect a reader sees. Breaks keep their order and are left out."""
        return [
            (offset, code)
            for offset, code in self.codes
            if code.shows and code.kind not in ("break", "moment")
        ]


def inline_codes(sentence: InlineSentence) -> list[InlineCode]:
    """The shown codes of a sentence, for a translator."""
    codes = sentence.shown
    ends: dict[int, list[int]] = {}
    for index, (_, code) in enumerate(codes):
        if code.kind in ("open", "close"):
            ends.setdefault(code.pair, []).append(index)
    partners = {a: b for pair in ends.values() if len(pair) == 2 for a, b in (pair, pair[::-1])}
    return [InlineCode(offset, partners.get(i)) for i, (offset, _) in enumerate(codes)]


def has_word(text: str) -> bool:
    """Return whether there is a letter or digit, so something to translate."""
    return any(character.isalnum() for character in text)


def has_letter(text: str) -> bool:
    """Return whether there is a letter. A number alone, as in the cell of a table, is the same in
    every language."""
    return any(character.isalpha() for character in text)


def _with_pair(code: Code, kind: CodeKind, pair: int) -> Code:
    """A code of another kind and pair, in little more than half of the time of `replace`."""
    own = code.text, code.shows, code.written, code.inner, code.marks
    return Code(code.start, code.end, kind, pair, *own, code.scope, code.words, code.name)


def paired(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts, with a void code for every end of a pair without partner, and for every end of a
    pair that crosses another.

    Args:
        parts: the parts of a block. The two ends of a pair share a number, possibly with other
            pairs, such as the number of the name of a tag.
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
                yield _with_pair(part, part.kind, partners[index])
            else:
                yield _with_pair(part, "void", -1)
        else:
            yield part

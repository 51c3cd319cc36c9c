"""The form that users' files have in docmt: blocks of text with inline codes.

A `Block` is what belongs together, such as a paragraph, a heading or a table cell. Its parts are
`Text`, which is translated, and `Code`, which is not: the two ends of a pair around text (`<b>` and
`</b>`, `**`), a void code between words (`<br>`, a footnote reference), or a protected code that
stands for words (`{0}`, a URL, a code span). Parts are ranges of the file, so that writing a file
is to replace the ranges of its sentences and to copy all the rest.

`cut_into_sentences` splits a block. A code at the edge of a sentence whose partner is not in the
sentence stays where it is; the codes in a sentence are taken out of its text, with the offsets at
which they stood, and `docmt.formats.core.placing` puts them into the translation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from docmt.formats.core.passages import Piece, passage_ranges

CodeKind = Literal["open", "close", "void", "protected", "break", "moment"]

_CLOSING = frozenset(".,;:!?)]}»”’%")
"""Characters that stand directly after a word."""

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


def cut_into_sentences(block: Block, language: str) -> list[InlineSentence]:
    """The sentences of a block that have a letter or digit, in order.

    Args:
        block: the block.
        language: the code of the language whose rules split sentences.
    """
    text, starts, ends, codes = _flatten(block.parts)
    ranges = {code.pair: [-1, -1] for _, code in codes if code.pair >= 0}
    for index, (_, code) in enumerate(codes):
        if code.pair >= 0:
            ranges[code.pair][code.kind == "close"] = index
    sentences = []
    position = 0
    for first, last in _sentence_ranges(block, text, language):
        while position < len(codes) and codes[position][0] < first:
            position += 1
        begin, position = _inner_codes(codes, ranges, position, first, last)
        inside = codes[begin:position]
        start, end = starts[first], ends[last - 1]
        if inside:
            start, end = min(start, inside[0][1].start), max(end, inside[-1][1].end)
            inside = _without_hidden(inside)
        own = _with_marks(text[first:last], starts[first:last], ends[first:last], first, inside)
        sentences.append(_sentence(*own, start, end))
    return sentences


def _sentence_ranges(block: Block, text: str, language: str) -> Iterator[tuple[int, int]]:
    """The ranges of the sentences in the text of a block."""
    # Splitting sentences takes long to load.
    from docmt.text.sentences import sentence_spans

    passages = passage_ranges([_piece(part) for part in block.parts])
    # A line of an address may be a number.
    is_text = has_word if len(passages) == 1 else has_letter
    for start, end in passages:
        passage = text[start:end]
        if is_text(passage):
            for first, last in sentence_spans(passage, language):
                if has_word(passage[first:last]):
                    yield start + first, start + last


def _piece(part: Part) -> Piece:
    """A part for finding passages."""
    size = part.end - part.start
    if isinstance(part, Text):
        return Piece(part.text, size, "wrap" if isinstance(part, LineEnd) else "text")
    if part.text == "\n":
        return Piece(" ", size, "break")
    return Piece(part.text, size, "word" if part.kind == "protected" else "code")


def whole_sentence(block: Block) -> InlineSentence:
    """A block as one sentence with all its codes, whatever it holds."""
    text, starts, ends, codes = _flatten(block.parts)
    own = _with_marks(text, starts, ends, 0, codes)
    return _sentence(*own, block.parts[0].start, block.parts[-1].end)


_Codes = list[tuple[int, Code]]


def _flatten(parts: Sequence[Part]) -> tuple[str, list[int], list[int], _Codes]:
    """The text of a block; for each of its characters the range of the file that it stands for; and
    the codes with their offsets in the text."""
    texts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    codes: _Codes = []
    for part in parts:
        if isinstance(part, Code):
            codes.append((len(starts), part))
        if len(part.text) == part.end - part.start:
            starts += range(part.start, part.end)
            ends += range(part.start + 1, part.end + 1)
        else:
            starts += [part.start] * len(part.text)
            ends += [part.end] * len(part.text)
        texts.append(" " if part.text == "\n" else part.text)
    return "".join(texts), starts, ends, codes


def _inner_codes(
    codes: _Codes, ranges: dict[int, list[int]], position: int, first: int, last: int
) -> tuple[int, int]:
    """The range of the codes that belong to a sentence; those before `at` do not.

    They are those between its first and its last character and, at its edges, those of pairs of
    which one end is between these, and protected ones: between `%s` and a translation that begins
    with a letter there must be a space.
    """
    inner = position
    while inner < len(codes) and codes[inner][0] == first:
        inner += 1
    stop = inner
    while stop < len(codes) and codes[stop][0] < last:
        stop += 1
    end = stop
    while end < len(codes) and codes[end][0] == last:
        end += 1
    begin = next(
        (
            index
            for index in range(position, inner)
            if codes[index][1].kind == "protected"
            or (codes[index][1].kind == "open" and inner <= ranges[codes[index][1].pair][1] < stop)
        ),
        inner,
    )
    for index in reversed(range(stop, end)):
        code = codes[index][1]
        if code.kind == "protected" or (
            code.kind == "close" and begin <= ranges[code.pair][0] < stop
        ):
            return begin, index + 1
    return begin, stop


def _without_hidden(codes: _Codes) -> _Codes:
    """Codes without pairs that nobody sees."""
    ends = Counter(code.pair for _, code in codes if not code.shows)
    return [item for item in codes if item[1].shows or ends[item[1].pair] != 2]


def _with_marks(
    text: str, starts: Sequence[int], ends: Sequence[int], first: int, codes: _Codes
) -> tuple[str, _Codes]:
    """The text of a sentence without the quotation marks around single codes; and its codes, each
    of these with its marks, and offsets in this text.

    Args:
        text: the text.
        starts, ends: for each of its characters the range of the file that it stands for.
        first: the offset in the block at which it starts.
        codes: its codes, with their offsets in the block.
    """
    made: _Codes = []
    kept: list[str] = []
    position = 0
    for index, (in_block, code) in enumerate(codes):
        offset = in_block - first
        others = codes[max(0, index - 1) : index] + codes[index + 1 : index + 2]
        alone = position < offset < len(text) and all(other != in_block for other, _ in others)
        if alone and _are_marks(text, starts, ends, offset, code):
            kept.append(text[position : offset - 1])
            start, end = starts[offset - 1], ends[offset]
            marks = text[offset - 1], text[offset]
            code = Code(start, end, "protected", inner=code, marks=marks)
            made.append((sum(map(len, kept)), code))
            position = offset + 1
        else:
            made.append((sum(map(len, kept)) + offset - position, code))
    return "".join([*kept, text[position:]]), made


def _are_marks(
    text: str, starts: Sequence[int], ends: Sequence[int], offset: int, code: Code
) -> bool:
    """Return whether the characters before and after a code are quotation marks around it, each
    with a range of the file of its own."""
    before, after = text[max(0, offset - 2) : offset], text[offset : offset + 2]
    return (
        code.kind in ("protected", "void")
        and not code.text
        and after[0] in CLOSING_MARKS.get(before[-1], "")
        and not (before[:-1].isalnum() or after[1:].isalnum())
        and (ends[offset - 1], starts[offset]) == (code.start, code.end)
        and (len(before) == 1 or starts[offset - 2] != starts[offset - 1])
        and (len(after) == 1 or ends[offset + 1] != ends[offset])
    )


def _sentence(text: str, codes: _Codes, start: int, end: int) -> InlineSentence:
    """A sentence whose text is closed up where codes were taken out: no two spaces, and no space
    before a full stop."""
    if not codes:
        return InlineSentence(start, end, text)
    clean: list[str] = []
    length = 0
    offsets: list[int] = []
    neighbors = []
    stops = [*(offset for offset, _ in codes), len(text)]
    for index, (start_of_piece, end_of_piece) in enumerate(pairwise([0, *stops])):
        piece = text[start_of_piece:end_of_piece]
        if index and clean and clean[-1].endswith(" "):
            piece = piece.lstrip(" ")
            if piece[:1] in _CLOSING and piece:
                length -= len(clean[-1])
                clean[-1] = clean[-1].rstrip(" ")
                length += len(clean[-1])
                for earlier in reversed(range(len(offsets))):
                    if offsets[earlier] <= length:
                        break
                    offsets[earlier] = length
        if piece:
            clean.append(piece)
            length += len(piece)
        if index < len(codes):
            offset, code = codes[index]
            after = offset + len(code.text)
            offsets.append(length)
            before = text[max(0, offset - 1) : max(0, offset)]
            neighbors.append((before, text[after : after + 1]))
    joined = "".join(clean)
    lead = len(joined) - len(joined.lstrip())
    whole = joined.strip()
    placed = (min(max(offset - lead, 0), len(whole)) for offset in offsets)
    return InlineSentence(
        start,
        end,
        whole,
        tuple((offset, code) for offset, (_, code) in zip(placed, codes, strict=True)),
        tuple(neighbors),
    )

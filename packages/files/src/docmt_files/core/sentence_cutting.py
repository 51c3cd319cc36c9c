"""Blocks cut into sentences, with their inline codes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from docmt_files.core.inline import (
    CLOSING_MARKS,
    Block,
    Code,
    InlineSentence,
    LineEnd,
    Part,
    Text,
    has_letter,
    has_word,
)
from docmt_files.core.line_joining import Piece, passage_ranges

Splitting = Literal["lines", "punctuation", "none"]
"""Ends of sentences: punctuation and line ends, punctuation alone, or none within a block."""

_CLOSING = frozenset(".,;:!?)]}»”’%")
"""Characters directly after a word."""

_NOT_SPACE = re.compile(r"\S")
_ROMAN = "(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
_NUMERAL = re.compile(rf"[\W_]*+(?:{_ROMAN}|(?=\w\w){_ROMAN.lower()})[\W_]*+")
"""A Roman numeral up to 89; larger ones may be words, such as `MIX`."""


def cut_blocks(
    blocks: Sequence[Block], language: str, *, is_split: bool
) -> tuple[tuple[InlineSentence, ...], ...]:
    """The sentences of each block, as `cut_into_sentences` finds them. A block of a number
    alone has none, unless there are no others."""
    lettered = [_has_words("".join(part.text for part in block.parts)) for block in blocks]
    return tuple(
        tuple(cut_into_sentences(block, language, is_split=is_split))
        if letters or not any(lettered)
        else ()
        for block, letters in zip(blocks, lettered, strict=True)
    )


def _has_words(text: str) -> bool:
    """Return whether a text has more than a number, such as `12` and `XIV`."""
    return has_letter(text) and not _NUMERAL.fullmatch(text)


def cut_into_sentences(
    block: Block, language: str, *, is_split: bool = True
) -> list[InlineSentence]:
    """The sentences of a block with a letter or digit, in order.

    Args:
        block: the block.
        language: the code of the language whose rules split sentences.
        is_split: whether to split the block; if not, the block is one sentence.
    """
    text, starts, ends, codes = _flatten(block.parts)
    ranges = {code.pair: [-1, -1] for _, code in codes if code.pair >= 0}
    for index, (_, code) in enumerate(codes):
        if code.pair >= 0:
            ranges[code.pair][code.kind == "close"] = index
    sentences = []
    position = 0
    first_word = next((i for i, character in enumerate(text) if has_word(character)), len(text))
    whole = [(len(text) - len(text.lstrip()), len(text.rstrip()))] if has_word(text) else []
    for first, last in _sentence_ranges(block, text, language) if is_split else whole:
        first, last = _with_words_around(text, codes, position, first, last)
        while position < len(codes) and codes[position][0] < first:
            position += 1
        begin, position = _inner_codes(codes, ranges, position, first, last)
        inside = codes[begin:position]
        start, end = starts[first], ends[last - 1]
        if inside:
            start, end = min(start, inside[0][1].start), max(end, inside[-1][1].end)
            inside = _without_hidden(inside)
        marked = _with_marks(text[first:last], starts[first:last], ends[first:last], first, inside)
        begins = first <= first_word
        sentences.append(replace(without_line_ends(*marked, start, end), begins=begins))
    return sentences


def with_line_ends(block: Block, text: str) -> Block:
    """A block of a text with markup, in which the line ends of the text end sentences."""
    parts = (
        LineEnd(part.start, part.end, part.text, ends=True)
        if isinstance(part, Text)
        and part.text == " "
        and not {"\n", "\r"}.isdisjoint(text[part.start : part.end])
        else part
        for part in block.parts
    )
    return replace(block, parts=tuple(parts))


def _sentence_ranges(block: Block, text: str, language: str) -> Iterator[tuple[int, int]]:
    """The ranges of the sentences in the text of a block."""
    # Splitting sentences takes long to load.
    from docmt_files.core.sentences import sentence_spans

    passages = passage_ranges([_piece(part) for part in block.parts])
    # A line of an address may be a number.
    is_text = has_letter if len(passages) > 1 and has_letter(text) else has_word
    for start, end in passages:
        passage = text[start:end]
        if is_text(passage):
            for first, last in sentence_spans(passage, language):
                if has_word(passage[first:last]):
                    yield start + first, start + last


def _piece(part: Part) -> Piece:
    """A part for finding passages."""
    size = part.end - part.start
    if isinstance(part, LineEnd) and part.ends is not False:
        return Piece(part.text, size, "end" if part.ends else "wrap")
    if isinstance(part, Text):
        return Piece(part.text, size, "text")
    if part.text == "\n":
        return Piece(" ", size, "break")
    return Piece(part.text, size, "word" if part.kind == "protected" else "code")


def whole_sentence(block: Block) -> InlineSentence:
    """A block as one sentence with all codes, whatever its text."""
    text, starts, ends, codes = _flatten(block.parts)
    marked = _with_marks(text, starts, ends, 0, codes)
    return without_line_ends(*marked, block.parts[0].start, block.parts[-1].end)


_Codes = list[tuple[int, Code]]


def _flatten(parts: Sequence[Part]) -> tuple[str, list[int], list[int], _Codes]:
    """The text of a block; for each character the range of the file; and the codes with their
    offsets in the text."""
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
    """The range of the codes of a sentence. Codes before `position` belong to earlier sentences.

    A sentence has the codes between the first and last character. At the edges it has the ends of
    pairs with the other end between these, and protected codes: between `%s` and a translation with
    a letter at the beginning there must be a space.
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


def _with_words_around(
    text: str, codes: _Codes, position: int, first: int, last: int
) -> tuple[int, int]:
    """The range of a sentence with codes before and after it that stand for words, such as the
    number of `%d files`. Other codes at the edges stay outside, with the spaces between. Codes
    before `position` belong to earlier sentences."""
    for index in range(position, len(codes)):
        offset, code = codes[index]
        if offset > last and _NOT_SPACE.search(text, last, offset):
            break
        if code.words and offset < first and not _NOT_SPACE.search(text, offset, first):
            first = min(first, offset)
        elif code.words and offset > last:
            last = offset
    return first, last


def _without_hidden(codes: _Codes) -> _Codes:
    """Codes without invisible pairs."""
    ends = Counter(code.pair for _, code in codes if not code.shows)
    return [item for item in codes if item[1].shows or ends[item[1].pair] != 2]


def _with_marks(
    text: str, starts: Sequence[int], ends: Sequence[int], first: int, codes: _Codes
) -> tuple[str, _Codes]:
    """The text of a sentence without the quotation marks around single codes; and the codes with
    their offsets in this text, quoted codes with marks.

    Args:
        text: the text.
        starts, ends: for each character, the range of the file.
        first: the offset in the block at which the sentence starts.
        codes: the codes of the sentence, with their offsets in the block.
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


def without_line_ends(
    text: str, codes: Sequence[tuple[int, Code]], start: int = 0, end: int = 0
) -> InlineSentence:
    """A sentence with the text closed up around codes taken out: no two spaces, and no space before
    a full stop.

    Args:
        text: the text.
        codes: the codes, with their offsets in the text.
        start: the offset in the file at which the sentence starts, codes included.
        end: the offset at which it ends.
    """
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

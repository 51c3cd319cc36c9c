"""Words cut where inline codes stand within them, such as `H<sub>2</sub>O`.

A code stays within a word if the word, or a number, or the part with the code is in the translation
for certain: unchanged, with an ending or within a compound (`H2O` in Korean `H2O는`), as a number
with other separators, or as an ordinal (`2nd`, `2e`). A drop cap is around as many first letters of
the translation. Then the words of both sides are cut at the same characters, and the pieces are
linked with each other alone. Codes within other words go around whole words.

Shapes: S source words, T target words.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import NamedTuple

import regex

from docmt_files.core.inline import InlineSentence
from docmt_files.core.placement.word_links import CERTAIN, WordLinks

Span = tuple[int, int]

_NUMBER = regex.compile(r"\d(?:[.,'’٫٬\u00a0\u2009\u202f]?\d)*+")
_LETTERS = r"(\D+)"
_ORDINAL_MARKS = (".", "°")

_MIN_PART = 4
"""Minimum number of letters of a word that is the beginning or end of a longer word of its script.
"""

_MAX_CAPITALS = 2
"""Maximum number of letters of a drop cap."""

_MAX_ENDING = 2
"""Maximum number of letters of an ending, such as the plural's in `<b>file</b>s`."""


class CutWords(NamedTuple):
    """The words of a sentence and of its translation, and the links.

    Attributes:
        source, target: the spans of words and pieces.
        links: (S, T) how much they belong together.
        points: for pieces of cut source words but the first, the pieces of the target.
        whole: the source words with the end of a pair within, where the pair goes around the whole
            word.
    """

    source: Sequence[Span]
    target: Sequence[Span]
    links: WordLinks
    points: Mapping[int, int] = MappingProxyType({})
    whole: tuple[str, ...] = ()


class _Segment(NamedTuple):
    """A range of the source and the range of the translation for it."""

    start: int
    end: int
    low: int
    high: int


def cut_at(spans: Sequence[Span], offsets: Iterable[int], text: str) -> list[Span]:
    """Spans cut at the offsets within them, but not before a combining mark."""
    waiting = sorted({o for o in offsets if o < len(text) and not _is_mark(text[o])}, reverse=True)
    pieces: list[Span] = []
    for start, end in spans:
        while waiting and waiting[-1] < end:
            offset = waiting.pop()
            if start < offset:
                pieces.append((start, offset))
                start = offset
        pieces.append((start, end))
    return pieces


def cut_words(
    source: InlineSentence, target: str, words: CutWords, kept: Set[str], *, cut: bool = True
) -> CutWords:
    """The words of both sides, cut where codes stand within source words that are in the
    translation.

    Args:
        source: the source sentence.
        target: the translation.
        words: the words of both sides.
        kept: words that are never cut, such as `{0}`.
        cut: whether words may be cut. If not, codes within words are only looked for.
    """
    inner = _inner_offsets(source, words.source, kept)
    if not inner:
        return words
    finder = _Finder(source, target, words)
    segments: list[_Segment] = []
    whole: list[str] = []
    for index, offsets in inner.items():
        found = finder.segments(index, sorted(set(offsets))) if cut else []
        segments += found
        start, end = words.source[index]
        left = set(offsets) - {segment.start for segment in found}
        if any(_splits(source, start, end, offset) for offset in left):
            whole.append(source.text[start:end])
    return _cut(source, target, words, segments)._replace(whole=tuple(whole))


def _inner_offsets(
    source: InlineSentence, spans: Sequence[Span], kept: Set[str]
) -> dict[int, list[int]]:
    """The offsets of codes within words, by the index of the word."""
    inner: dict[int, list[int]] = defaultdict(list)
    offsets = [offset for offset, code in source.codes if code.kind in ("open", "close", "void")]
    position = 0
    for offset in offsets:
        while position < len(spans) and spans[position][1] <= offset:
            position += 1
        if position == len(spans):
            break
        start, end = spans[position]
        if start < offset and source.text[start:end] not in kept:
            inner[position].append(offset)
    return inner


def _splits(source: InlineSentence, start: int, end: int, offset: int) -> bool:
    """Return whether an end of a pair is at an offset within a word, not just before an ending."""
    for at, code in source.codes:
        if at == offset and code.kind in ("open", "close"):
            ending = source.text[offset:end]
            opened = [o for o, c in source.codes if c.kind == "open" and c.pair == code.pair]
            is_ending = (
                code.kind == "close"
                and len(ending) <= _MAX_ENDING < offset - start
                and ending.isalpha()
                and ending.islower()
                and (not opened or opened[0] <= start)
            )
            if not is_ending:
                return True
    return False


class _Finder:
    """Finds source words in a translation.

    Args:
        source: the source sentence.
        target: the translation.
        words: the words of both sides.
    """

    def __init__(self, source: InlineSentence, target: str, words: CutWords) -> None:
        self._sentence, self._source, self._target = source, source.text, target
        self._words = words
        self._ours = [_folded(self._source[a:b]) for a, b in words.source]
        self._theirs = [_folded(target[a:b]) for a, b in words.target]
        self._taken: set[int] = set()

    def segments(self, index: int, offsets: Sequence[int]) -> list[_Segment]:
        """The segments of a source word and of the translation, between codes; none if the word is
        not in the translation.

        Args:
            index: the index of the word.
            offsets: the offsets of codes within the word.
        """
        return (
            self._drop_cap(index, offsets)
            or self._number(index, offsets)
            or self._same(index, offsets)
            or self._beside_number(index, offsets)
        )

    def _choose(self, ours: Sequence[int], index: int, theirs: Sequence[int]) -> int | None:
        """The target word for a source word: of as many on both sides the one at the same position
        in order, and else the most linked one.

        Args:
            ours: the indices of equal source words.
            index: the source word.
            theirs: the indices of the target words that may be the translation.
        """
        if len(ours) != len(theirs):
            theirs = [other for other in theirs if other not in self._taken]
        if not theirs:
            return None
        links = self._words.links
        same = len(ours) == len(theirs)
        best = theirs[ours.index(index)] if same else max(theirs, key=lambda j: links[index][j])
        self._taken.add(best)
        return best

    def _same(self, index: int, offsets: Sequence[int]) -> list[_Segment]:
        """A word that is in the translation as it is, or as the beginning or end of a word."""
        word = self._ours[index]
        start, end = self._words.source[index]
        ours = [i for i, other in enumerate(self._ours) if other == word]
        equal = [j for j, other in enumerate(self._theirs) if other == word]
        found = self._choose(ours, index, equal)
        if found is None:
            longer = [j for j, other in enumerate(self._theirs) if _part_of(word, other) >= 0]
            found = self._choose(ours, index, longer)
        if found is None:
            return []
        shift = self._words.target[found][0] + _part_of(word, self._theirs[found]) - start
        return [_Segment(a, b, a + shift, b + shift) for a, b in _between(start, offsets, end)]

    def _number(self, index: int, offsets: Sequence[int]) -> list[_Segment]:
        """A number that is in the translation, perhaps with other separators or digits."""
        start, end = self._words.source[index]
        runs = [match.span() for match in _NUMBER.finditer(self._source)]
        run = next((i for i, (a, b) in enumerate(runs) if a <= start and end <= b), None)
        if run is None:
            return []
        theirs = [match.span() for match in _NUMBER.finditer(self._target)]
        values = [_digits(self._target, span) for span in theirs]
        digits = _digits(self._source, runs[run])
        ours = [i for i, span in enumerate(runs) if _digits(self._source, span) == digits]
        equal = [j for j, value in enumerate(values) if value == digits]
        if len(ours) != len(equal) and len(equal) != 1:
            return []
        low, high = theirs[equal[ours.index(run)] if len(ours) == len(equal) else equal[0]]
        here = [i for i in range(*runs[run]) if self._source[i].isdecimal()]
        there = [j for j in range(low, high) if self._target[j].isdecimal()]
        segments = []
        for a, b in _between(start, offsets, end):
            positions = [there[k] for k, i in enumerate(here) if a <= i < b]
            segments.append(_Segment(a, b, positions[0], positions[-1] + 1))
        return segments

    def _beside_number(self, index: int, offsets: Sequence[int]) -> list[_Segment]:
        """A word with a code beside a number, such as the mark of a footnote or an ordinal: other
        letters, a mark, or nothing may be beside the number in the translation."""
        start, end = self._words.source[index]
        pieces = _between(start, offsets, end)
        pattern = _beside_numbers([self._source[a:b] for a, b in pieces])
        if pattern is None:
            return []
        ours = [i for i, word in enumerate(self._ours) if pattern.fullmatch(word)]
        matches = [pattern.fullmatch(word) for word in self._theirs]
        found = self._choose(ours, index, [j for j, match in enumerate(matches) if match])
        if found is None:
            return self._number_alone(index, pieces)
        match, low = matches[found], self._words.target[found][0]
        assert match is not None
        spans = [match.span(group + 1) for group in range(len(pieces))]
        return [
            _Segment(*piece, low + a, low + b) for piece, (a, b) in zip(pieces, spans, strict=True)
        ]

    def _number_alone(self, index: int, pieces: Sequence[Span]) -> list[_Segment]:
        """The number of a word with one, where the number is a word of the translation: `2nd` and
        `2.`, or the mark of a footnote in scripts without spaces."""
        if len(pieces) != 2:
            return []
        first, second = (self._source[a:b] for a, b in pieces)
        theirs = [j for j, word in enumerate(self._theirs) if word in (first, second)]
        if first.isdecimal():
            ends = {j: self._words.target[j][1] for j in theirs}
            theirs = [j for j in theirs if self._target[ends[j] : ends[j] + 1] in _ORDINAL_MARKS]
        found = self._choose((), index, theirs)
        if found is None:
            return []
        low, high = self._words.target[found]
        if second.isdecimal():
            return [_Segment(*pieces[1], low, high)]
        return [_Segment(*pieces[0], low, high), _Segment(*pieces[1], high, high + 1)]

    def _drop_cap(self, index: int, offsets: Sequence[int]) -> list[_Segment]:
        """The first word of a block, with a pair around the first letters and what is before."""
        first, other = (
            next((i for i, word in enumerate(side) if word[0].isalnum()), -1)
            for side in (self._ours, self._theirs)
        )
        start, end = self._words.source[index]
        opened = {c.pair for o, c in self._sentence.codes if c.kind == "open" and o <= start}
        closed = {o for o, c in self._sentence.codes if c.kind == "close" and c.pair in opened}
        letters = regex.findall(r"\X", self._source[start : offsets[0]])
        is_drop_cap = (
            self._sentence.begins
            and (index == first and other >= 0)
            and offsets[0] in closed
            and (len(letters) <= _MAX_CAPITALS and letters[0].isalpha())
            and not letters[0].islower()
        )
        if not is_drop_cap:
            return []
        low, high = self._words.target[other]
        capitals = regex.match(rf"\X{{1,{len(letters)}}}", self._target[low:high])
        assert capitals is not None
        middle = low + capitals.end()
        return [_Segment(start, offsets[0], low, middle), _Segment(offsets[0], end, middle, high)]


def _between(start: int, offsets: Sequence[int], end: int) -> list[Span]:
    """The ranges of a word between offsets."""
    return list(zip([start, *offsets], [*offsets, end], strict=True))


def _beside_numbers(pieces: Sequence[str]) -> regex.Pattern[str] | None:
    """A pattern for words with the same numbers and any letters beside them, with a group for each
    piece; None if the pieces are not numbers and the letters between.

    Args:
        pieces: the pieces of a word between codes.
    """
    groups: list[str] = []
    for piece in pieces:
        if piece.isdecimal():
            groups.append(f"({piece})")
        elif groups[-1:] != [_LETTERS] and not any(map(str.isdecimal, piece)):
            groups.append(_LETTERS)
        else:
            return None
    return None if groups == [_LETTERS] else regex.compile("".join(groups))


def _part_of(word: str, other: str) -> int:
    """The offset of a word in another: at the beginning or end of the other, next to another script
    or with enough letters; -1 if it is not there for certain."""
    for offset in dict.fromkeys((0, len(other) - len(word))):
        if offset < 0 or not other.startswith(word, offset):
            continue
        end = offset + len(word)
        edges = (other[max(0, offset - 1) : offset + 1], other[end - 1 : end + 1])
        long = len(word) >= _MIN_PART and word.isalpha()
        if (
            word == other
            or long
            or all(len(set(map(_script, edge))) == len(edge) for edge in edges)
        ):
            return offset
    return -1


def _script(character: str) -> str:
    """The script of a character, such as `LATIN`; a number is a script of its own."""
    return "" if character.isnumeric() else unicodedata.name(character, character).split()[0]


def _digits(text: str, span: Span) -> str:
    """The digits of a number, as ASCII digits."""
    return "".join(str(unicodedata.decimal(c)) for c in text[slice(*span)] if c.isdecimal())


def _folded(word: str) -> str:
    """A word in lower case, with as many characters."""
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in word)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def _cut(
    source: InlineSentence, target: str, words: CutWords, segments: Sequence[_Segment]
) -> CutWords:
    """The words cut at the edges of segments, each segment linked with its own alone. The rest of a
    target word is within a pair if the whole source word is."""
    ours = cut_at(words.source, (o for s in segments for o in (s.start, s.end)), source.text)
    theirs = cut_at(words.target, (o for s in segments for o in (s.low, s.high)), target)
    rows, columns = _owners(words.source, ours), _owners(words.target, theirs)
    links = [[words.links[row][column] for column in columns] for row in rows]
    by_word: dict[int, list[tuple[list[int], list[int]]]] = defaultdict(list)
    for segment in segments:
        here = _within(ours, segment.start, segment.end)
        by_word[rows[here[0]]].append((here, _within(theirs, segment.low, segment.high)))
    points: dict[int, int] = {}
    for pieces in by_word.values():
        points |= {here[0]: those[0] for here, those in pieces[1:] if those}
        own = {column for _, those in pieces for column in those}
        touched = {columns[column] for column in own}
        rest = [j for j, word in enumerate(columns) if word in touched and j not in own]
        _set(links, [row for here, _ in pieces for row in here], range(len(columns)), 0.0)
        _set(links, range(len(rows)), [*own, *rest], 0.0)
        for here, those in pieces:
            _set(links, here, those, CERTAIN)
        _set(links, [pieces[0][0][0], pieces[-1][0][-1]], rest, CERTAIN / 2)
    return CutWords(ours, theirs, links, points)


def _set(links: WordLinks, rows: Iterable[int], columns: Collection[int], value: float) -> None:
    """Set the links of these words. Changes `links`."""
    for row in rows:
        for column in columns:
            links[row][column] = value


def _owners(words: Sequence[Span], pieces: Sequence[Span]) -> list[int]:
    """For each piece, the index of the word that it is of."""
    ends = [end for _, end in words]
    return [bisect_right(ends, start) for start, _ in pieces]


def _within(pieces: Sequence[Span], start: int, end: int) -> list[int]:
    """The indices of the pieces within a range."""
    return [index for index, (low, high) in enumerate(pieces) if start <= low and high <= end]

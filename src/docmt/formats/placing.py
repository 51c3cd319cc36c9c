"""Inline codes are put into a translated sentence, each exactly once and nested as in the source.

Where a code stood between source words, it is put between the target words that an alignment of the
two gives: a pair goes around the target words of its source words or, if these are not together,
the longest run of them; other codes go where they cross the fewest links, after Bergamot's
reconstruction of HTML and the placement of markers in SIL's machine.py. Without an alignment the
words of both sides are taken to be in the same order, apart from words that are the same.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from docmt.formats.breaks import with_breaks, without_breaks
from docmt.formats.inline import Code, InlineSentence

Alignment = Sequence[tuple[int, int]]
"""Links of source and target words: for each the index of a source word and that of a target word,
from 0, as `word_spans` counts them."""

_WORD = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_]+|[^\w\s]|_")

_MAX_DEPTH = 50
"""Pairs nested deeper than this are put around the sentence."""

_MAX_WORK = 2_000_000
"""Codes times links that are compared; a sentence with more gets its codes around it."""


_MAX_SHIFT = 0.3
"""How far a word that is the same on both sides may have moved, as a share of the sentence."""


class _ConflictError(Exception):
    """The codes cannot all be put between words."""


@dataclass(slots=True)
class _Node:
    """A code, or a pair of codes with what is in it. One end may be in another sentence."""

    first: Code | None
    last: Code | None = None
    start: int = 0
    """The source word before which it begins, or before which a single code stands."""
    end: int = 0
    children: list[_Node] = field(default_factory=list)
    is_pair: bool = False
    low: int = 0
    """The target word before which it begins."""
    high: int = 0


def word_spans(text: str) -> list[tuple[int, int]]:
    """The character offsets at which the words and the punctuation characters of a text start and
    end. A Chinese or Japanese character is a word."""
    return [match.span() for match in _WORD.finditer(text)]


def place_codes(
    source: InlineSentence, target: str, alignment: Alignment | None = None
) -> tuple[list[str | Code], bool]:
    """A translation with the codes of its source.

    Args:
        source: the source sentence.
        target: its translation, without codes.
        alignment: the links of its words; default: the words are in the same order.

    Returns:
        Texts and codes in order, every code of the source once, with the spaces that codes need;
        and whether they are between words, not around the sentence.
    """
    if not source.codes:
        return [target], True
    source_spans, target_spans = word_spans(source.text), word_spans(target)
    if alignment is None:
        alignment = align_by_order(
            [source.text[a:b] for a, b in source_spans], [target[a:b] for a, b in target_spans]
        )
    others, breaks = without_breaks(source)
    try:
        if not target_spans or len(source.codes) * (len(alignment) + 1) > _MAX_WORK:
            raise _ConflictError
        links = _Links(alignment, len(target_spans))
        starts = [start for start, _ in source_spans]
        points = [links.point(bisect_left(starts, offset)) for offset, _ in breaks]
        edges = [*(start for start, _ in target_spans), len(target)]
        wanted = [edges[point] for point in points]
        parts: list[str | Code] = [target]
        if others.codes:
            nodes = _tree(others, source_spans)
            _project(nodes, links, 0, len(target_spans))
            order = list(_in_order(nodes, 0, len(target_spans)))
            parts = _spell(others, target, target_spans, order)
    except _ConflictError:
        return place_codes_around(source, target), False
    return with_breaks(source, parts, target, target_spans, wanted), True


def place_codes_around(source: InlineSentence, target: str) -> list[str | Code]:
    """A translation with the pairs of its source around it and its other codes at its end. Breaks
    divide it in proportion to the source."""
    source, whole = without_breaks(source)[0], source
    codes = [code for _, code in source.codes]
    opened = {code.pair for code in codes if code.kind == "open"}
    closed = {code.pair for code in codes if code.kind == "close"}
    first = [code for code in codes if code.kind == "close" and code.pair not in opened]
    pairs = [code for code in codes if code.kind == "open" and code.pair in closed]
    ends = {code.pair: code for code in codes if code.kind == "close"}
    single = [code for code in codes if code.kind in ("void", "protected")]
    last = [code for code in codes if code.kind == "open" and code.pair not in closed]
    closing = [ends[code.pair] for code in reversed(pairs)]
    parts: list[str | Code] = [*first, *pairs, target]
    for code in single:
        parts += [" ", code] if code.kind == "protected" and target else [code]
    parts += [*closing, *last]
    size = max(1, len(whole.text))
    wanted = [offset * len(target) // size for offset, _ in without_breaks(whole)[1]]
    return with_breaks(whole, parts, target, word_spans(target), wanted)


def align_by_order(source: Sequence[str], target: Sequence[str]) -> list[tuple[int, int]]:
    """Links of words in the same order. What each side has equally often, such as a name, a number
    or a comma, is linked with itself, unless it has moved far or that crosses another such link;
    the words between these are linked in proportion."""
    counts = Counter(source), Counter(target)
    indices: dict[str, list[int]] = {}
    for index in reversed(range(len(target))):
        indices.setdefault(target[index], []).append(index)
    same = [
        (index, indices[word].pop()) for index, word in enumerate(source)
        if counts[0][word] == counts[1][word]
    ]  # fmt: skip
    same = [
        (a, b) for a, b in same if abs(a / len(source) - b / len(target)) <= _MAX_SHIFT
    ]  # fmt: skip
    anchors = [(-1, -1), *_longest_ascending(same), (len(source), len(target))]
    links = []
    for (a, b), (c, d) in pairwise(anchors):
        if a >= 0:
            links.append((a, b))
        here, there = c - a - 1, d - b - 1
        size = max(here, there)
        for step in range(size if here and there else 0):
            links.append((a + 1 + step * here // size, b + 1 + step * there // size))
        if here and not there and target:
            nearest = b if b >= 0 else d
            links += [(word, min(nearest, len(target) - 1)) for word in range(a + 1, c)]
    return links


def _longest_ascending(links: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most links, which ascend on the source side, that also ascend on the target side."""
    tails: list[int] = []
    chains: list[tuple[int, int | None]] = []
    ends: list[int] = []
    for index, (_, target) in enumerate(links):
        length = bisect_left(tails, target)
        chains.append((index, ends[length - 1] if length else None))
        tails[length:] = [target, *tails[length + 1 :]][: max(1, len(tails) - length)]
        ends[length:] = [index, *ends[length + 1 :]][: max(1, len(ends) - length)]
    found = []
    at: int | None = ends[-1] if ends else None
    while at is not None:
        found.append(links[at])
        at = chains[at][1]
    return found[::-1]


class _Links:
    """An alignment, to be asked for the target words of source words."""

    def __init__(self, alignment: Alignment, target_words: int) -> None:
        self.pairs = sorted(alignment)
        self.sources = [source for source, _ in self.pairs]
        self.target_words = target_words
        self.by_target: dict[int, set[int]] = {}
        for source, target in self.pairs:
            self.by_target.setdefault(target, set()).add(source)

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """The target words of a range of source words: the longest run of them that no word of
        another source word interrupts."""
        low, high = bisect_left(self.sources, start), bisect_left(self.sources, end)
        own = sorted({target for _, target in self.pairs[low:high]})
        if not own:
            return None
        runs = [[own[0]]]
        for target in own[1:]:
            between = range(runs[-1][-1] + 1, target)
            if any(word in self.by_target for word in between):
                runs.append([])
            runs[-1].append(target)
        best = max(runs, key=len)
        return best[0], best[-1] + 1

    def point(self, start: int) -> int:
        """The target word before which a code that stands before a source word crosses the fewest
        links; of several, that nearest to the target of the word after it."""
        at = bisect_left(self.sources, start)
        # Links from before the code that end after each point, and the other way round.
        crossings = at
        change = [0] * (self.target_words + 1)
        for index, (_, target) in enumerate(self.pairs):
            change[target + 1] += -1 if index < at else 1
        counts = []
        for step in change:
            crossings += step
            counts.append(crossings)
        fewest = min(counts)
        wanted = self.pairs[at][1] if at < len(self.pairs) else self.target_words
        found = (point for point, count in enumerate(counts) if count == fewest)
        return min(found, key=lambda point: abs(point - wanted))


def _tree(source: InlineSentence, spans: Sequence[tuple[int, int]]) -> list[_Node]:
    """The codes of a sentence as nodes with children."""
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    opened = {code.pair for _, code in source.codes if code.kind == "open"}
    top: list[_Node] = []
    stack: list[_Node] = []
    for offset, code in source.codes:
        nodes = stack[-1].children if stack else top
        if code.kind == "open":
            # A code in a word goes before the word, or after it.
            node = _Node(code, start=bisect_right(ends, offset), end=len(spans), is_pair=True)
            nodes.append(node)
            stack.append(node)
            if len(stack) > _MAX_DEPTH:
                raise _ConflictError
        elif code.kind != "close":
            nodes.append(_Node(code, start=bisect_left(starts, offset)))
        elif code.pair in opened:
            stack[-1].last = code
            stack.pop().end = bisect_left(starts, offset)
        else:
            # What comes before it is in a pair that began in an earlier sentence.
            end = bisect_left(starts, offset)
            top = [_Node(None, code, 0, end, children=top, is_pair=True)]
    return top


def _project(nodes: Sequence[_Node], links: _Links, low: int, high: int) -> None:
    """Find the target words of nodes, within those of what they are in.

    Raises:
        _ConflictError: two pairs need the same word.
    """
    for node in nodes:
        span = links.span(node.start, node.end) if node.is_pair else None
        if span is None:
            if node.is_pair and node.start < node.end:
                raise _ConflictError
            point = min(max(links.point(node.start), low), high)
            span = point, point
        node.low, node.high = max(span[0], low), min(span[1], high)
        if node.is_pair and node.first is None:
            node.low = low
        if node.is_pair and node.last is None:
            node.high = high
        if node.low > node.high or (node.low == node.high and node.start < node.end):
            raise _ConflictError
    pairs = sorted((n for n in nodes if n.low < n.high), key=lambda n: (n.low, n.start))
    end = low
    for node in pairs:
        node.low = max(node.low, end)
        if node.low >= node.high:
            raise _ConflictError
        end = node.high
    for node in nodes:
        if node.low == node.high:
            for pair in pairs:
                if pair.low < node.low < pair.high:
                    node.low = node.high = pair.low if node.start <= pair.start else pair.high
    for node in nodes:
        _project(node.children, links, node.low, node.high)


def _in_order(nodes: Sequence[_Node], low: int, high: int) -> Iterator[Code | int]:
    """Codes and the indices of target words, in order."""
    at = low
    ordered = sorted(enumerate(nodes), key=lambda item: (item[1].low, item[1].high, item[0]))
    for _, node in ordered:
        yield from range(at, node.low)
        if node.first is not None:
            yield node.first
        yield from _in_order(node.children, node.low, node.high)
        if node.last is not None:
            yield node.last
        at = node.high
    yield from range(at, high)


def _spell(
    source: InlineSentence, target: str, spans: Sequence[tuple[int, int]], order: list[Code | int]
) -> list[str | Code]:
    """Words and codes as text, with the white space of the target and what codes need."""
    pairs = zip(source.codes, source.neighbors, strict=True)
    neighbors = {code.start: around for (_, code), around in pairs}
    parts: list[str | Code] = [target[: spans[0][0]]]
    words = -1
    for is_word, group in groupby(order, key=lambda item: isinstance(item, int)):
        if is_word:
            indices = [item for item in group if isinstance(item, int)]
            parts.append(target[spans[indices[0]][0] : spans[indices[-1]][1]])
            words = indices[-1]
            continue
        codes = [item for item in group if isinstance(item, Code)]
        before = target[spans[words][1] - 1] if words >= 0 else ""
        after = target[spans[words + 1][0]] if words < len(spans) - 1 else ""
        gap = target[spans[words][1] : spans[words + 1][0]] if before and after else ""
        parts += _between(codes, neighbors, before, gap, after)
    return [*parts, target[spans[-1][1] :]]


def _between(
    codes: Sequence[Code],
    neighbors: dict[int, tuple[str, str]],
    before: str,
    gap: str,
    after: str,
) -> Iterator[str | Code]:
    """Codes between two characters of the target, with the white space between these: after what
    ends or belongs to the word before, and before what begins or stands for words."""
    line_break = next((i for i, code in enumerate(codes) if code.text), None)
    if line_break is not None:
        if any(_stands_alone(code, neighbors) for code in codes[:line_break]):
            yield from _between(codes[:line_break], neighbors, before, gap, "")
        else:
            yield from codes[:line_break]
        yield from codes[line_break:]
        return
    alone = [i for i, code in enumerate(codes) if _stands_alone(code, neighbors)]
    if not alone:
        own = next((i for i, code in enumerate(codes) if _begins(code, neighbors)), len(codes))
        yield from codes[:own]
        yield gap
        yield from codes[own:]
        return
    first = next(i for i, code in enumerate(codes) if code.kind != "close")
    last = next(i for i in reversed(range(len(codes))) if codes[i].kind != "open")
    yield from codes[:first]
    if before and (gap or (before.isalnum() and not neighbors[codes[first].start][0].isalnum())):
        yield gap or " "
    for index, code in enumerate(codes[first : last + 1], start=first):
        if index > first and codes[index - 1].end < code.start:
            yield " "
        yield code
    if after and (gap or (after.isalnum() and not neighbors[codes[last].start][1].isalnum())):
        yield " "
    yield from codes[last + 1 :]


def _stands_alone(code: Code, neighbors: dict[int, tuple[str, str]]) -> bool:
    """Whether a code is like a word: a protected one, or one with white space around it."""
    before, after = neighbors[code.start]
    return code.kind == "protected" or (
        code.kind == "void" and bool(before + after) and not (before + after).strip()
    )


def _begins(code: Code, neighbors: dict[int, tuple[str, str]]) -> bool:
    """Whether a code belongs to the word after it."""
    before, after = neighbors[code.start]
    return code.kind == "open" or (code.kind == "void" and not before.strip() and bool(after))

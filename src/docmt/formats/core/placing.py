"""Inline codes are put into a translated sentence, each exactly once and nested as in the source.

A code between source words goes between the target words linked with both. A pair goes around the
run of target words most linked with the words in the pair and least with the others. Other codes go
where they cross the fewest links, after Bergamot's reconstruction of HTML and the placement of
markers in SIL's machine.py. Codes at the edge of a sentence, or of a pair, stay there.

Shapes: S source words, T target words.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
import regex

from docmt.formats.core.breaks import with_breaks, without_breaks
from docmt.formats.core.code_spacing import spaced
from docmt.formats.core.inline import Code, InlineSentence, WordWeights
from docmt.formats.core.projection import ConflictError, Projection, match_marks
from docmt.formats.core.stand_ins import any_of
from docmt.formats.core.word_links import link_kept, link_words

_WORD = regex.compile(
    r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff]\p{M}*+"
    r"|[\p{L}\p{N}][\p{L}\p{N}\p{M}\u200c\u200d]*+|(?!\s)\X"
)

_MAX_DEPTH = 50
"""Pairs nested deeper than this are put around the sentence."""

_MAX_LINKS = 1_000_000
"""Source words times target words; a longer sentence gets all codes around it."""


@dataclass(slots=True)
class _Node:
    """A code, or a pair of codes with everything in it. One end may be in another sentence."""

    first: Code | None
    last: Code | None = None
    start: int = 0
    """The source word before which the pair begins, or before which a single code stands."""
    end: int = 0
    children: list[_Node] = field(default_factory=list)
    is_pair: bool = False
    low: int = 0
    """The target word before which the node begins."""
    high: int = 0
    needs: int = 0
    """Number of target words to take, so that each pair inside has one."""

    @property
    def has_words(self) -> bool:
        """True if it is a pair around words."""
        return self.is_pair and self.start < self.end

    @property
    def goes_on(self) -> bool:
        """True if one end of the pair is in another sentence."""
        return self.first is None or self.last is None


def word_spans(text: str) -> list[tuple[int, int]]:
    """The character offsets at which the words and punctuation characters of a text start and end,
    each with combining marks. A Chinese or Japanese character is a word."""
    return [match.span() for match in _WORD.finditer(text)]


def _whole(
    spans: Sequence[tuple[int, int]], text: str, words: Sequence[str]
) -> tuple[list[tuple[int, int]], list[int]]:
    """The spans of a text with some words, such as `{0}`, as one span each; and for each span, the
    index of the first of the given spans in it."""
    inside = [match.span() for match in any_of(words).finditer(text)]
    made: list[tuple[int, int]] = []
    firsts: list[int] = []
    position = 0
    for index, (start, end) in enumerate(spans):
        while position < len(inside) and inside[position][1] <= start:
            position += 1
        if (
            position < len(inside)
            and inside[position][0] < start
            and made
            and made[-1][1] > inside[position][0]
        ):
            made[-1] = made[-1][0], max(end, made[-1][1])
        else:
            made.append((start, end))
            firsts.append(index)
    return made, firsts


def place_codes(
    source: InlineSentence, target: str, weights: WordWeights | None = None
) -> tuple[list[str | Code], bool]:
    """A translation with the codes of the source.

    Args:
        source: the source sentence.
        target: the translation, without codes.
        weights: (S, T) how much each target word looks at each source word, words as from
            `word_spans`. Default: words are linked by order and spelling.

    Returns:
        Texts and codes in order, every code of the source once, with the spaces needed by codes;
        and whether codes are between words, not around the sentence.
    """
    if not source.codes:
        return [target], True
    kept = [word for word, _ in source.words]
    source_spans, target_spans = word_spans(source.text), word_spans(target)
    if kept:
        source_spans, rows = _whole(source_spans, source.text, kept)
        target_spans, columns = _whole(target_spans, target, kept)
        if weights is not None and rows and columns:
            weights = np.add.reduceat(np.add.reduceat(weights, rows, axis=0), columns, axis=1)
    others, breaks = without_breaks(source)
    try:
        if not target_spans or len(source_spans) * len(target_spans) > _MAX_LINKS:
            raise ConflictError
        source_words = [source.text[a:b] for a, b in source_spans]
        theirs = [target[a:b] for a, b in target_spans]
        links = link_words(source_words, theirs, weights)
        link_kept(links, source_words, theirs, set(kept))
        words = Projection(links, match_marks(theirs))
        starts = [start for start, _ in source_spans]
        edges = [*(start for start, _ in target_spans), len(target)]
        wanted = [edges[words.point(bisect_left(starts, offset))] for offset, _ in breaks]
        parts: list[str | Code] = [target]
        if others.codes:
            nodes = _tree(others, source_spans)
            _count_needs(nodes)
            _project(nodes, words, _Part(0, len(source_spans), 0, len(target_spans)))
            order = list(_in_order(nodes, 0, len(target_spans)))
            parts = _spell(others, target, target_spans, order)
    except ConflictError:
        return place_codes_around(source, target), False
    return with_breaks(source, parts, target, target_spans, wanted), True


def place_codes_around(source: InlineSentence, target: str) -> list[str | Code]:
    """A translation with the pairs of the source around it and the other codes at the end. Breaks
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


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a sentence, as a range of source words, and the translation, as a range of target
    words."""

    start: int
    end: int
    low: int
    high: int


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
                raise ConflictError
        elif code.kind != "close":
            nodes.append(_Node(code, start=bisect_left(starts, offset)))
        elif code.pair in opened:
            stack[-1].last = code
            stack.pop().end = bisect_left(starts, offset)
        else:
            # The nodes before it are in a pair begun in an earlier sentence.
            end = bisect_left(starts, offset)
            top = [_Node(None, code, 0, end, children=top, is_pair=True)]
    return top


def _count_needs(nodes: Sequence[_Node]) -> int:
    """Find how many target words nodes need, and all of them together."""
    for node in nodes:
        inner = _count_needs(node.children)
        node.needs = max(1, inner) if node.has_words else inner
    return sum(node.needs for node in nodes)


def _project(nodes: Sequence[_Node], links: Projection, part: _Part) -> None:
    """Find the target words of nodes, within the part of the sentence around the nodes.

    Raises:
        ConflictError: there are fewer words than pairs.
    """
    pairs = [node for node in nodes if node.has_words]
    if not _take_best(pairs, links, part):
        _divide(pairs, links, part)
    for node in pairs:
        _keep_marks_together(node, pairs, links, part)
    for node in nodes:
        if not node.has_words:
            node.low = node.high = _point(node, pairs, links, part)
    for node in nodes:
        _project(node.children, links, _Part(node.start, node.end, node.low, node.high))


def _take_best(pairs: Sequence[_Node], links: Projection, part: _Part) -> bool:
    """Give each pair the run of target words with the largest gain, the longest pair first. Returns
    whether all pairs found enough free words."""
    free = np.zeros(links.target_words, bool)
    free[part.low : part.high] = True
    # What goes on in another sentence reaches to the edge of this one.
    for node in sorted(pairs, key=lambda node: (not node.goes_on, node.start - node.end)):
        if node.start <= part.start and node.end >= part.end:
            node.low, node.high = part.low, part.high
        elif free.any():
            node.low, node.high = links.span(node.start, node.end, free)
        else:
            return False
        _reach_edges(node, part)
        if node.high - node.low < node.needs or not free[node.low : node.high].all():
            return False
        free[node.low : node.high] = False
    return True


def _divide(pairs: Sequence[_Node], links: Projection, part: _Part) -> None:
    """Divide target words among pairs where the best runs would leave a pair without words, such as
    where every word of a sentence is in a pair."""
    ends = [(node.last is None, node.first is not None) for node in pairs]
    ranges = [(node.start, node.end) for node in pairs]
    order = links.order(ranges, part.low, part.high)
    order.sort(key=lambda index: ends[index])
    spans = links.divide(
        [ranges[index] for index in order],
        [pairs[index].needs for index in order],
        part.low,
        part.high,
    )
    for index, span in zip(order, spans, strict=True):
        pairs[index].low, pairs[index].high = span
        _reach_edges(pairs[index], part)


def _reach_edges(node: _Node, part: _Part) -> None:
    """Extend a pair with an end in another sentence to the edge of this sentence."""
    if node.first is None:
        node.low = part.low
    if node.last is None:
        node.high = part.high


def _keep_marks_together(
    node: _Node, pairs: Sequence[_Node], links: Projection, part: _Part
) -> None:
    """Put both of two brackets or quotation marks into a pair, or neither, if one mark is next to
    the pair or the other is at its edge."""
    for mark in range(node.low, node.high):
        other = links.partners.get(mark, mark)
        if node.low <= other < node.high:
            continue
        is_free = part.low <= other < part.high and not any(
            pair.low <= other < pair.high for pair in pairs
        )
        if is_free and other == node.high:
            node.high += 1
        elif is_free and other == node.low - 1:
            node.low -= 1
        elif node.high - node.low > node.needs and mark == node.low:
            node.low += 1
        elif node.high - node.low > node.needs and mark == node.high - 1:
            node.high -= 1


def _point(node: _Node, pairs: Sequence[_Node], links: Projection, part: _Part) -> int:
    """The target word after a code without words, or an edge of the part around it; never within
    one of these pairs."""
    if node.start <= part.start:
        return part.low
    if node.start >= part.end:
        return part.high
    point = links.point(node.start, part.low, part.high)
    for pair in pairs:
        if pair.low < point < pair.high:
            return pair.low if node.start <= pair.start else pair.high
    return point


def _in_order(nodes: Sequence[_Node], low: int, high: int) -> Iterator[Code | int]:
    """Codes and the indices of target words, in order."""
    position = low
    ordered = sorted(enumerate(nodes), key=lambda item: (item[1].low, item[1].high, item[0]))
    for _, node in ordered:
        yield from range(position, node.low)
        if node.first is not None:
            yield node.first
        yield from _in_order(node.children, node.low, node.high)
        if node.last is not None:
            yield node.last
        position = node.high
    yield from range(position, high)


def _spell(
    source: InlineSentence, target: str, spans: Sequence[tuple[int, int]], order: list[Code | int]
) -> list[str | Code]:
    """Words and codes as text, with the white space of the target and the spaces needed by
    codes."""
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
        parts += spaced(codes, neighbors, before, gap, after)
    return [*parts, target[spans[-1][1] :]]

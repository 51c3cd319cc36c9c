"""Inline codes are put into a translated sentence, each exactly once and nested as in the source.

Codes go where a translator has put them. Without such places, a code between source words goes
between the target words linked with both. A pair goes around the run of target words most linked
with the words in the pair and least with the others. Other codes go where they cross the fewest
links, after Bergamot's reconstruction of HTML and the placement of markers in SIL's machine.py.
Codes at the edge of a sentence, or of a pair, stay there. Of codes within words,
`docmt_files.core.placement.cut_words` decides.

Shapes: S source words, T target words.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby

from docmt_files.core.inline import (
    Alignment,
    Code,
    CodedText,
    CodePlaces,
    InlineSentence,
    WordWeights,
)
from docmt_files.core.placement.breaks import with_breaks, without_breaks
from docmt_files.core.placement.code_spacing import spaced
from docmt_files.core.placement.code_tree import CodeNode, code_tree, count_needs, in_order
from docmt_files.core.placement.cut_words import CutWords, cut_at, cut_words
from docmt_files.core.placement.placed_codes import PlacedCodes
from docmt_files.core.placement.projection import ConflictError, Projection, match_marks
from docmt_files.core.placement.translator_places import put_at_places, weights_of_places
from docmt_files.core.placement.word_links import link_kept, link_words
from docmt_files.core.placement.words import Span, united_spans, united_weights, word_spans

_MAX_LINKS = 1_000_000
"""Source words times target words; a longer sentence gets all codes around it."""


def place_codes(
    source: InlineSentence,
    target: str,
    alignment: Alignment | None = None,
    *,
    within_words: bool = True,
) -> PlacedCodes:
    """A translation with the codes of the source.

    Args:
        source: the source sentence.
        target: the translation, without codes.
        alignment: the places of the codes; or (S, T) how much each target word looks at each source
            word, words as from `word_spans`. Default: words are linked by order and spelling.
        within_words: whether codes may be within words.
    """
    if not source.codes:
        return PlacedCodes([target])
    if isinstance(alignment, CodedText):
        alignment = None
    kept = {word for word, _ in source.words}
    spans, weights, places = _aligned(source, target, alignment, kept)
    if not spans[1] or len(spans[0]) * len(spans[1]) > _MAX_LINKS:
        return PlacedCodes(place_codes_around(source, target), False)
    texts = [source.text[a:b] for a, b in spans[0]], [target[a:b] for a, b in spans[1]]
    links = link_words(*texts, weights)
    link_kept(links, *texts, kept)
    others, breaks = without_breaks(source)
    words = CutWords(*spans, links)
    wanted = _break_offsets(words, target, [offset for offset, _ in breaks])
    parts: list[str | Code] = [target]
    try:
        if within_words and (at_places := _at_places(others, target, words, places)):
            parts = at_places
        elif others.codes:
            words = cut_words(others, target, words, kept, cut=within_words)
            parts = _by_links(others, target, words)
    except ConflictError:
        return PlacedCodes(place_codes_around(source, target), False)
    return PlacedCodes(with_breaks(source, parts, target, spans[1], wanted), True, words.whole)


def _aligned(
    source: InlineSentence, target: str, alignment: WordWeights | CodePlaces | None, kept: Set[str]
) -> tuple[tuple[list[Span], list[Span]], WordWeights | None, dict[int, int]]:
    """The words of both sides, those that are kept as one span each; how much they belong together;
    and the offsets of codes in the translation, by the start of the code."""
    spans = word_spans(source.text), word_spans(target)
    weights, places = None if isinstance(alignment, tuple) else alignment, {}
    if kept:
        (source_spans, rows), (target_spans, columns) = (
            united_spans(of_side, text, sorted(kept))
            for of_side, text in zip(spans, (source.text, target), strict=True)
        )
        spans = source_spans, target_spans
        if weights is not None and rows and columns:
            weights = united_weights(weights, rows, columns)
    if isinstance(alignment, tuple) and len(alignment) == len(source.shown):
        starts = (code.start for _, code in source.shown)
        places = dict(zip(starts, alignment, strict=True))
        weights = weights_of_places(source, alignment, spans)
    return spans, weights, places


def _break_offsets(words: CutWords, target: str, offsets: Sequence[int]) -> list[int]:
    """The offsets in a translation for offsets of breaks in the source."""
    projection = Projection(words.links, len(words.target))
    starts = [start for start, _ in words.source]
    edges = [*(start for start, _ in words.target), len(target)]
    return [edges[projection.point(bisect_left(starts, offset))] for offset in offsets]


def _at_places(
    source: InlineSentence, target: str, words: CutWords, places: Mapping[int, int]
) -> list[str | Code] | None:
    """A translation with the codes at these places; None if a place is not known, or the codes
    would not be nested as in the source."""
    if not places or any(code.start not in places for _, code in source.codes):
        return None
    ours = cut_at(words.source, (offset for offset, _ in source.codes), source.text)
    theirs = cut_at(words.target, places.values(), target)
    nodes = code_tree(source, ours)
    if not put_at_places(nodes, places, [start for start, _ in theirs], 0, len(theirs)):
        return None
    return _spell(source, target, theirs, list(in_order(nodes, 0, len(theirs))))


def _by_links(source: InlineSentence, target: str, words: CutWords) -> list[str | Code]:
    """A translation with the codes between the words linked most.

    Raises:
        ConflictError: there are fewer words than pairs.
    """
    nodes = code_tree(source, words.source)
    count_needs(nodes)
    marks = match_marks([target[start:end] for start, end in words.target])
    part = _Part(0, len(words.source), 0, len(words.target))
    _project(nodes, Projection(words.links, len(words.target), marks, words.points), part)
    order = list(in_order(nodes, part.low, part.high))
    return _spell(source, target, words.target, order)


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


def _project(nodes: Sequence[CodeNode], links: Projection, part: _Part) -> None:
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


def _take_best(pairs: Sequence[CodeNode], links: Projection, part: _Part) -> bool:
    """Give each pair the run of target words with the largest gain, the longest pair first. Returns
    whether all pairs found enough free words."""
    free = [part.low <= word < part.high for word in range(links.target_words)]
    # What goes on in another sentence reaches to the edge of this one.
    for node in sorted(pairs, key=lambda node: (not node.goes_on, node.start - node.end)):
        if node.start <= part.start and node.end >= part.end:
            node.low, node.high = part.low, part.high
        elif any(free):
            node.low, node.high = links.span(node.start, node.end, free)
        else:
            return False
        _reach_edges(node, part)
        if node.high - node.low < node.needs or not all(free[node.low : node.high]):
            return False
        free[node.low : node.high] = [False] * (node.high - node.low)
    return True


def _divide(pairs: Sequence[CodeNode], links: Projection, part: _Part) -> None:
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


def _reach_edges(node: CodeNode, part: _Part) -> None:
    """Extend a pair with an end in another sentence to the edge of this sentence."""
    if node.first is None:
        node.low = part.low
    if node.last is None:
        node.high = part.high


def _keep_marks_together(
    node: CodeNode, pairs: Sequence[CodeNode], links: Projection, part: _Part
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


def _point(node: CodeNode, pairs: Sequence[CodeNode], links: Projection, part: _Part) -> int:
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

"""Codes where a translator has put them: exactly there if the codes are nested then as in the
source; else the places become links between words, with which `place_codes` decides.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from docmt_files.core.inline import InlineSentence, inline_codes
from docmt_files.core.placement.code_tree import CodeNode


def put_at_places(
    nodes: Sequence[CodeNode], places: Mapping[int, int], starts: Sequence[int], low: int, high: int
) -> bool:
    """Put nodes where a translator has put them, and return whether they are nested there as in the
    source, with a word in each pair with words.

    Args:
        nodes: the codes of a sentence, or of a pair.
        places: by the start of a code, the offset in the translation.
        starts: the offsets at which target words start.
        low, high: the range of target words for the nodes.
    """
    for node in nodes:
        node.low, node.high = (
            edge if code is None else bisect_left(starts, places[code.start])
            for code, edge in ((node.first, low), (node.last, high))
        )
        if not node.is_pair:
            node.high = node.low
    position = low
    for node in sorted(nodes, key=lambda node: (node.low, node.high)):
        if not position <= node.low <= node.high - node.has_words <= high - node.has_words:
            return False
        if not put_at_places(node.children, places, starts, node.low, node.high):
            return False
        position = node.high
    return True


def weights_of_places(
    source: InlineSentence,
    places: Sequence[int],
    spans: tuple[Sequence[tuple[int, int]], Sequence[tuple[int, int]]],
) -> list[list[float]]:
    """(S, T) 1 for words in the same position relative to all codes, else 0.

    Args:
        source: the source sentence.
        places: the offset of each shown code in the translation.
        spans: the spans of the words of both sides.
    """
    codes = inline_codes(source)
    pairs = [(i, c.partner) for i, c in enumerate(codes) if c.partner is not None and c.partner > i]
    single = [i for i, code in enumerate(codes) if code.partner is None]

    def relations(
        words: Sequence[tuple[int, int]], offsets: Sequence[int]
    ) -> list[tuple[bool, ...]]:
        return [
            (
                *(offsets[first] <= start < offsets[last] for first, last in pairs),
                *(offsets[index] <= start for index in single),
            )
            for start, _ in words
        ]

    here = relations(spans[0], [code.offset for code in codes])
    there = relations(spans[1], places)
    return [[float(one == other) for other in there] for one in here]

"""Strength of links between words of a sentence and of its translation, for placing inline codes
between the right words.

Four kinds of evidence are combined: the attention of the system; the order of words, about the same
on both sides; words of like spelling, such as names, numbers, punctuation marks and cognates (as in
Simard et al. 1992, "Using cognates to align sentences in bilingual corpora": four letters at the
beginning); and the lengths of words. Without attention, order and spelling decide.

Shapes: S source words, T target words.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from itertools import pairwise, product

from docmt_files.core.inline import WordWeights

WordLinks = list[list[float]]
"""(S, T) how much words belong together; a column adds up to 1."""

_MAX_SHIFT = 0.3
"""Largest shift of a word equal on both sides, as a share of the sentence."""

_SPREAD = 0.5
"""Typical shift of a word, in square roots of the number of source words: a random walk."""

_PREFIX = 4
"""So many letters at the beginning make two words alike."""

_OTHER_KIND = 0.05
"""Strength of the link of a punctuation mark to a word, where it would belong to another by 1."""

_SHORT = 2
"""Average length of words, in characters, below which lengths are no evidence."""

_SAME_MARKS = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("„“”«»‟", '"'),
        **dict.fromkeys("‚‘’‹›‛", "'"),
        "…": ".",
    }
)
"""Punctuation marks used for each other across languages."""

CERTAIN = 2.0
"""Strength of the link of a word to itself, where other words belong to others by 1 at most."""

_FLOOR = 1e-3
"""Least strength from attention and order, so neither excludes a link."""

_LARGE = 1e30
"""Largest weight."""


def link_words(
    source: Sequence[str], target: Sequence[str], weights: WordWeights | None = None
) -> WordLinks:
    """Rate how much words belong together.

    Args:
        source, target: the words of both sides.
        weights: how much each target word looks at each source word. Default: order and spelling
            decide.
    """
    if not source or not target:
        return [[0.0] * len(target) for _ in source]
    pairs = align_by_order(source, target)
    kinds = _same_kind(source, target)
    order = _product(_spread(pairs, len(source), len(target)), kinds)
    order = _product(order, _same_length(source, target))
    attention = [] if weights is None else [list(map(_finite, row)) for row in weights]
    if any(map(any, attention)):
        looks = zip(_both_ways(attention), order, strict=True)
        links = _columns(
            [[(a + _FLOOR) * (b + _FLOOR) for a, b in zip(*rows, strict=True)] for rows in looks]
        )
    else:
        links = [[0.0] * len(target) for _ in source]
        for row, column in pairs:
            links[row][column] = 1.0
        links = _columns(links)
    _add_alike(links, _alike(source, target), order)
    # A mark without a mark on the other side belongs to no word.
    strongest = list(map(max, zip(*kinds, strict=True)))
    return _product(_columns(links), [strongest] * len(source))


def link_kept(
    links: WordLinks, source: Sequence[str], target: Sequence[str], words: Set[str]
) -> None:
    """Link words equal on both sides, such as `{0}`, with each other alone, the first with the
    first. Changes `links`."""
    places: list[dict[str, list[int]]] = [defaultdict(list), defaultdict(list)]
    for side, of_side in zip(places, (source, target), strict=True):
        for index, word in enumerate(of_side):
            if word in words:
                side[word].append(index)
    for word in words:
        for a, b in zip(places[0][word], places[1][word], strict=False):
            links[a] = [0.0] * len(target)
            for row in links:
                row[b] = 0.0
            links[a][b] = CERTAIN


def _finite(value: float) -> float:
    """A weight as a number: nothing for one that is not, and a large one for infinity."""
    return 0.0 if math.isnan(value) else min(float(value), _LARGE)


def _product(rows: WordLinks, others: Sequence[Sequence[float]]) -> WordLinks:
    """The products of values in the same places."""
    return [[a * b for a, b in zip(*pair, strict=True)] for pair in zip(rows, others, strict=True)]


def _columns(rows: WordLinks) -> WordLinks:
    """Values scaled to columns with a sum of 1."""
    sums = [max(sum(column), 1e-9) for column in zip(*rows, strict=True)]
    return [[value / total for value, total in zip(row, sums, strict=True)] for row in rows]


def _both_ways(weights: WordLinks) -> WordLinks:
    """Weights with a high value where the target word looks at the source word and few other target
    words do. A source word attended by all target words, such as a full stop, is linked with none.
    """
    forward = _columns(weights)
    totals = [max(sum(row), 1e-9) for row in forward]
    # The square root of the product of the share in the column and in the row.
    return _columns(
        [[value / total**0.5 for value in row] for row, total in zip(forward, totals, strict=True)]
    )


def _spread(pairs: Sequence[tuple[int, int]], source: int, target: int) -> WordLinks:
    """Links by the order of words as a normal distribution around where a word is expected.

    Args:
        pairs: links of words in the same order.
        source, target: the numbers of words of both sides.
    """
    linked: list[list[int]] = [[] for _ in range(target)]
    for row, column in pairs:
        linked[column].append(row)
    expected = [
        sum(rows) / len(rows) if rows else column * source / target
        for column, rows in enumerate(linked)
    ]
    scale = -0.5 / (_SPREAD * source**0.5 + 0.5) ** 2
    exp = math.exp
    return _columns(
        [[exp(scale * (row - at) * (row - at)) + 1e-12 for at in expected] for row in range(source)]
    )


def _same_kind(source: Sequence[str], target: Sequence[str]) -> WordLinks:
    """(S, T) 1 between two words and between two punctuation marks, and else little."""
    of_target = [word[0].isalnum() for word in target]
    rows = {
        kind: [1.0 if kind is other else _OTHER_KIND for other in of_target]
        for kind in (True, False)
    }
    return [rows[word[0].isalnum()] for word in source]


def _same_length(source: Sequence[str], target: Sequence[str]) -> WordLinks:
    """(S, T) the length of the shorter word as a share of the length of the longer one: words of
    one meaning are about equally long."""
    here, there = ([len(word) for word in side] for side in (source, target))
    # In scripts without spaces a character is a word.
    if any(sum(lengths) <= _SHORT * len(lengths) for lengths in (here, there)):
        return [[1.0] * len(there)] * len(here)
    rows = {a: [a / b if a < b else b / a for b in there] for a in set(here)}
    return [rows[length] for length in here]


def _add_alike(links: WordLinks, alike: Mapping[tuple[int, int], float], order: WordLinks) -> None:
    """Add links of like words, of several the one at the expected place. A word like another has
    less to do with the rest. Changes `links`."""
    if not alike:
        return
    highest = list(map(max, zip(*order, strict=True)))
    scaled = {
        (row, column): value * (order[row][column] / highest[column]) ** 0.25
        for (row, column), value in alike.items()
    }
    in_rows, in_columns = [0.0] * len(links), [0.0] * len(highest)
    for (row, column), value in scaled.items():
        in_rows[row] = max(in_rows[row], value)
        in_columns[column] = max(in_columns[column], value)
    shares = [1 - value / 2 for value in in_columns]
    for in_row, values in zip(in_rows, links, strict=True):
        own = 1 - in_row / 2
        values[:] = [link * own * share for link, share in zip(values, shares, strict=True)]
    for (row, column), value in scaled.items():
        links[row][column] += value


def _alike(source: Sequence[str], target: Sequence[str]) -> dict[tuple[int, int], float]:
    """By source and target word: 1 for words equal but for case; for words with enough letters, the
    share of equal letters from the beginning on. Of a word equally frequent on both sides, the
    first is alike to the first, and so on."""
    likeness: dict[tuple[int, int], float] = {}
    by_prefix: dict[str, dict[str, list[int]]] = {}
    for position, word in enumerate(map(_folded, target)):
        by_prefix.setdefault(word[:_PREFIX], {}).setdefault(word, []).append(position)
    indices: dict[str, list[int]] = {}
    for index, word in enumerate(map(_folded, source)):
        indices.setdefault(word, []).append(index)
    for word, places in indices.items():
        for other, positions in by_prefix.get(word[:_PREFIX], {}).items():
            if word == other and len(places) == len(positions):
                likeness |= dict.fromkeys(zip(places, positions, strict=True), 1.0)
            elif word == other or len(word) >= _PREFIX:
                pairs = enumerate(zip(word, other, strict=False))
                same = next((i for i, (a, b) in pairs if a != b), min(len(word), len(other)))
                share = same / max(len(word), len(other))
                likeness |= dict.fromkeys(product(places, positions), share)
    return {pair: value for pair, value in likeness.items() if value}


def _folded(word: str) -> str:
    """A word in lower case; a punctuation mark as the representative of its kind."""
    return word.lower().translate(_SAME_MARKS)


def align_by_order(source: Sequence[str], target: Sequence[str]) -> list[tuple[int, int]]:
    """Links of words in the same order. Words equally frequent on both sides, such as a name, a
    number or a comma, are linked with their equals, unless they have moved far or the link crosses
    another such link. The words between are linked in proportion."""
    counts = Counter(source), Counter(target)
    indices: dict[str, list[int]] = {}
    for index in reversed(range(len(target))):
        indices.setdefault(target[index], []).append(index)
    same = [
        (index, indices[word].pop())
        for index, word in enumerate(source)
        if counts[0][word] == counts[1][word]
    ]
    same = [(a, b) for a, b in same if abs(a / len(source) - b / len(target)) <= _MAX_SHIFT]
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
    """The largest set of links ascending on the target side, out of links ascending on the source
    side."""
    tails: list[int] = []
    chains: list[tuple[int, int | None]] = []
    ends: list[int] = []
    for index, (_, target) in enumerate(links):
        length = bisect_left(tails, target)
        chains.append((index, ends[length - 1] if length else None))
        tails[length:] = [target, *tails[length + 1 :]][: max(1, len(tails) - length)]
        ends[length:] = [index, *ends[length + 1 :]][: max(1, len(ends) - length)]
    ascending = []
    position: int | None = ends[-1] if ends else None
    while position is not None:
        ascending.append(links[position])
        position = chains[position][1]
    return ascending[::-1]

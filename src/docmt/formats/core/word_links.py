"""Strength of links between words of a sentence and of its translation, for placing inline codes
between the right words.

Four kinds of evidence are combined: the attention of the system; the order of words, about the same
on both sides; words of like spelling, such as names, numbers, punctuation marks and cognates (as in
Simard et al. 1992, "Using cognates to align sentences in bilingual corpora": four letters at the
beginning); and the lengths of words. Without attention, order and spelling decide.

Shapes: S source words, T target words.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence, Set
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from docmt.formats.core.inline import WordWeights

WordLinks = NDArray[np.float64]
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
        return np.zeros((len(source), len(target)))
    ordered = np.zeros((len(source), len(target)))
    for pair in align_by_order(source, target):
        ordered[pair] = 1
    kinds = _same_kind(source, target)
    order = _spread(ordered) * kinds * _same_length(source, target)
    links = _columns(ordered)
    if weights is not None and weights.any():
        links = _columns((_both_ways(np.nan_to_num(weights)) + _FLOOR) * (order + _FLOOR))
    # Of several like words, the one at the expected place.
    alike = _alike(source, target) * (order / order.max(0)) ** 0.25
    # A word like another has less to do with the rest.
    links = links * (1 - alike.max(1, keepdims=True) / 2) * (1 - alike.max(0, keepdims=True) / 2)
    # A mark without a mark on the other side belongs to no word.
    return np.asarray(_columns(links + alike) * kinds.max(0))


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
            links[a, :] = links[:, b] = 0
            links[a, b] = CERTAIN


def _columns(values: NDArray[np.floating]) -> WordLinks:
    """Values scaled to columns with a sum of 1."""
    return np.asarray(values / np.maximum(values.sum(0), 1e-9), np.float64)


def _both_ways(weights: NDArray[np.floating]) -> WordLinks:
    """Weights with a high value where the target word looks at the source word and few other target
    words do. A source word attended by all target words, such as a full stop, is linked with none.
    """
    forward = _columns(weights)
    backward = forward / np.maximum(forward.sum(1, keepdims=True), 1e-9)
    return _columns(np.sqrt(forward * backward))


def _spread(ordered: WordLinks) -> WordLinks:
    """Links by the order of words as a normal distribution around where a word is expected."""
    source, target = ordered.shape
    counts = ordered.sum(0)
    sums = np.arange(source) @ ordered
    expected = np.where(counts, sums / np.maximum(counts, 1), np.arange(target) * source / target)
    distance = np.arange(source)[:, None] - expected[None, :]
    deviation = _SPREAD * source**0.5 + 0.5
    return _columns(np.exp(-0.5 * (distance / deviation) ** 2) + 1e-12)


def _same_kind(source: Sequence[str], target: Sequence[str]) -> NDArray[np.float64]:
    """(S, T) 1 between two words and between two punctuation marks, and else little."""
    kinds = [np.array([word[0].isalnum() for word in side]) for side in (source, target)]
    return np.asarray(np.where(kinds[0][:, None] == kinds[1][None, :], 1.0, _OTHER_KIND))


def _same_length(source: Sequence[str], target: Sequence[str]) -> NDArray[np.float64]:
    """(S, T) the length of the shorter word as a share of the length of the longer one: words of
    one meaning are about equally long."""
    lengths = [np.array([len(word) for word in side], float) for side in (source, target)]
    # In scripts without spaces a character is a word.
    if any(lengths_of_side.sum() <= _SHORT * len(lengths_of_side) for lengths_of_side in lengths):
        return np.ones((len(source), len(target)))
    here, there = lengths[0][:, None], lengths[1][None, :]
    return np.asarray(np.minimum(here, there) / np.maximum(here, there))


def _alike(source: Sequence[str], target: Sequence[str]) -> NDArray[np.float64]:
    """(S, T) 1 for words equal but for case; for words with enough letters, the share of equal
    letters from the beginning on. Of a word equally frequent on both sides, the first is alike to
    the first, and so on."""
    likeness = np.zeros((len(source), len(target)))
    by_prefix: dict[str, dict[str, list[int]]] = {}
    for position, word in enumerate(map(_folded, target)):
        by_prefix.setdefault(word[:_PREFIX], {}).setdefault(word, []).append(position)
    indices: dict[str, list[int]] = {}
    for index, word in enumerate(map(_folded, source)):
        indices.setdefault(word, []).append(index)
    for word, places in indices.items():
        for other, positions in by_prefix.get(word[:_PREFIX], {}).items():
            if word == other and len(places) == len(positions):
                likeness[places, positions] = 1
            elif word == other or len(word) >= _PREFIX:
                pairs = enumerate(zip(word, other, strict=False))
                same = next((i for i, (a, b) in pairs if a != b), min(len(word), len(other)))
                likeness[np.ix_(places, positions)] = same / max(len(word), len(other))
    return likeness


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

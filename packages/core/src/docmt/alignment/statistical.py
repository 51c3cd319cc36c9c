"""A statistical word aligner, learned from the text to align: the log-linear reparameterization of
IBM model 2 by Dyer, Chahuneau and Smith 2013 ("A Simple, Fast, and Effective Reparameterization of
IBM Model 2", the model of the program fast_align), in both directions.

Word i of n translates word j of m with probability (1 - p0) exp(-λ |i/n - j/m|) / Z, or no word
with probability p0; a word e translates f with probability θ(e | f), which has a Dirichlet prior.
EM with variational Bayes estimates θ, and gradient steps λ.

The most used aligners need a compiler or a license incompatible with docmt (eflomal, fast_align),
or a pretrained model (SimAlign, awesome-align). Their output can be read from a file:
`alignment.read_alignment`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from docmt.alignment.links import Alignment, Links, grow_diag_final_and

Pairs = Sequence[tuple[Sequence[str], Sequence[str]]]
"""For each sentence, the words of the sentence and the words of the translation."""

_Floats = NDArray[np.float64]
_Integers = NDArray[np.integer[Any]]

_ITERATIONS = 5
_NULL_PROBABILITY = 0.08
_TENSION, _MIN_TENSION, _MAX_TENSION = 4.0, 0.1, 14.0
_TENSION_STEPS, _TENSION_RATE = 8, 20.0
_ALPHA = 0.01
_BLOCK = 1_000_000
"""Approximate number of pairs of words computed together."""

METHOD = f"fast_align-{_ITERATIONS}-grow-diag-final-and"
"""The name of alignments of `align_words` in scores."""


def align_words(pairs: Pairs, more: Pairs = ()) -> Alignment:
    """Align the words of sentences with the words of the translations.

    Args:
        pairs: the sentences. Words are compared as they are: give them in lower case, or stemmed.
        more: further sentence pairs to learn from; the more, the better the alignment.

    Returns:
        The links of `pairs`, symmetrized by grow-diag-final-and. The same text gives the same
        links.
    """
    everything = [*pairs, *more]
    forward = _align(everything, len(pairs))
    backward = _align([(target, source) for source, target in everything], len(pairs))
    return Alignment(
        [
            grow_diag_final_and(ours, frozenset((i, j) for j, i in theirs))
            for ours, theirs in zip(forward, backward, strict=True)
        ],
        METHOD,
    )


def _align(pairs: Pairs, kept: int) -> list[Links]:
    """Link each target word of the first `kept` pairs with the most probable source word."""
    blocks, entry_source, entry_target = _blocks(pairs)
    links: list[set[tuple[int, int]]] = [set() for _ in range(kept)]
    if not blocks:
        return [frozenset(links_of_pair) for links_of_pair in links]
    sources, targets = int(entry_source.max()) + 1, int(entry_target.max()) + 1
    theta: _Floats = np.full(len(entry_source), 1 / targets)
    tension, shapes = _TENSION, _Shapes.of(blocks)
    for iteration in range(_ITERATIONS):
        counts: _Floats = np.zeros_like(theta)
        observed = 0.0
        for block in blocks:
            grid = block.grid()
            posterior = grid.shares(theta[block.entry] * grid.prior(tension))
            counts += np.bincount(block.entry, posterior, minlength=len(theta))
            observed -= float(posterior @ grid.distance)
        if iteration > 0:
            tension = shapes.next_tension(tension, observed)
        totals = np.asarray(np.bincount(entry_source, counts, minlength=sources), np.float64)
        all_words = _digamma(totals + _ALPHA * targets)
        theta = np.exp(_digamma(counts + _ALPHA) - all_words[entry_source])
    for block in blocks:
        if block.sentence[0] < kept:
            for sentence, i, j in block.best(theta, tension):
                if sentence < kept and i >= 0:
                    links[sentence].add((i, j))
    return [frozenset(links_of_pair) for links_of_pair in links]


class _Grid(NamedTuple):
    """All pairs of a source word, or none, and a target word, of some sentences. The pairs of one
    target word are consecutive; the pair without a source word is the first.

    Attributes:
        starts: (target words) the index of the first pair.
        token: (pairs) the index of the target word.
        sentence: (target words) the index of the sentence.
        source: (pairs) the index of the source word in the sentence, or -1.
        target: (target words) the index of the word in the sentence.
        distance: (pairs) |i/n - j/m|, 0 without a source word.
    """

    starts: _Integers
    token: _Integers
    sentence: _Integers
    source: _Integers
    target: _Integers
    distance: _Floats

    @classmethod
    def of(cls, n: _Integers, m: _Integers) -> _Grid:
        """The pairs of sentences with these numbers of source and of target words."""
        sentence = np.repeat(np.arange(len(m)), m)
        target = np.arange(len(sentence)) - np.repeat(np.cumsum(m) - m, m)
        sizes = n[sentence] + 1
        starts = np.cumsum(sizes) - sizes
        token = np.repeat(np.arange(len(sentence)), sizes)
        source = np.arange(len(token)) - starts[token] - 1
        of_source = (source + 1) / n[sentence][token]
        of_target = ((target + 1) / m[sentence])[token]
        distance = np.where(source < 0, 0.0, np.abs(of_source - of_target))
        return cls(starts, token, sentence, source, target, distance)

    def prior(self, tension: float) -> _Floats:
        """(pairs) The probability of a translation of the source word by the target word, by
        position."""
        is_null = self.source < 0
        weight = np.where(is_null, 0.0, np.exp(-tension * self.distance))
        return np.where(is_null, _NULL_PROBABILITY, (1 - _NULL_PROBABILITY) * self.shares(weight))

    def shares(self, weight: _Floats) -> _Floats:
        """(pairs) The weights, normalized to a sum of 1 for each target word."""
        return np.asarray(weight / np.add.reduceat(weight, self.starts)[self.token])


@dataclass(frozen=True, slots=True)
class _Block:
    """Some sentences, of which all pairs of words are looked at together.

    Attributes:
        sentence: (sentences) their indices in the text.
        n, m: (sentences) the numbers of their source and of their target words.
        entry: (pairs) the index of the pair's words in θ.
    """

    sentence: _Integers
    n: _Integers
    m: _Integers
    entry: _Integers

    def grid(self) -> _Grid:
        """The pairs. They are not kept: of a large corpus they would fill the memory."""
        return _Grid.of(self.n, self.m)

    def best(self, theta: _Floats, tension: float) -> list[tuple[int, int, int]]:
        """For each target word: the sentence, the most probable source word or -1, the index of the
        target word. Of equally probable source words, the first."""
        grid = self.grid()
        joint = theta[self.entry] * grid.prior(tension)
        best = np.flatnonzero(joint == np.maximum.reduceat(joint, grid.starts)[grid.token])
        tokens, first = np.unique(grid.token[best], return_index=True)
        sentences = self.sentence[grid.sentence[tokens]]
        columns = (sentences, grid.source[best[first]], grid.target[tokens])
        return list(zip(*(column.tolist() for column in columns), strict=True))


def _blocks(pairs: Pairs) -> tuple[list[_Block], _Integers, _Integers]:
    """The sentences in blocks, and the source and target word of each entry of θ, one for each pair
    of words in a sentence; source word 0 is none."""
    source_ids: dict[str, int] = {}
    target_ids: dict[str, int] = {}
    batches: list[list[tuple[int, list[int], list[int]]]] = []
    size = _BLOCK
    for sentence, (source, target) in enumerate(pairs):
        if not source or not target:
            continue
        f = [source_ids.setdefault(word, len(source_ids) + 1) for word in source]
        e = [target_ids.setdefault(word, len(target_ids)) for word in target]
        if size + (len(f) + 1) * len(e) > _BLOCK:
            batches.append([])
            size = 0
        batches[-1].append((sentence, f, e))
        size += (len(f) + 1) * len(e)
    width = len(target_ids)
    codes = [np.unique(_codes(batch, width)) for batch in batches]
    entries = np.unique(np.concatenate([np.zeros(0, np.int64), *codes]))
    blocks = [
        _Block(
            np.array([sentence for sentence, _, _ in batch]),
            np.array([len(f) for _, f, _ in batch]),
            np.array([len(e) for _, _, e in batch]),
            np.searchsorted(entries, _codes(batch, width)).astype(np.int32),
        )
        for batch in batches
    ]
    return blocks, entries // max(width, 1), entries % max(width, 1)


def _codes(batch: Sequence[tuple[int, list[int], list[int]]], width: int) -> _Integers:
    """(pairs) One number for each pair of a source word, 0 for none, and a target word."""
    return np.concatenate(
        [(np.array(e)[:, None] + width * np.array([0, *f])).ravel() for _, f, e in batch]
    )


@dataclass(frozen=True, slots=True)
class _Shapes:
    """The numbers of words of all sentence pairs, on which alone the prior depends.

    Attributes:
        grid: the pairs of one sentence of each shape.
        weight: (pairs) number of sentences with the shape.
        words: the number of target words of all sentences.
    """

    grid: _Grid
    weight: _Floats
    words: int

    @classmethod
    def of(cls, blocks: Sequence[_Block]) -> _Shapes:
        """The shapes of the sentences of blocks."""
        n, m = (np.concatenate([getattr(b, name) for b in blocks]) for name in ("n", "m"))
        shapes, counts = np.unique(np.stack([n, m]), axis=1, return_counts=True)
        grid = _Grid.of(shapes[0], shapes[1])
        weight = np.asarray(counts[grid.sentence[grid.token]], np.float64)
        return cls(grid, weight, int(m.sum()))

    def next_tension(self, tension: float, observed: float) -> float:
        """λ after some steps along the gradient of the expected log-likelihood: the difference of
        the mean of -|i/n - j/m| under the posterior and under the prior.

        Args:
            tension: λ.
            observed: the sum of -|i/n - j/m| over all target words, under the posterior.
        """
        distance = self.weight * self.grid.distance
        for _ in range(_TENSION_STEPS):
            expected = -float(self.grid.prior(tension) @ distance)
            tension += _TENSION_RATE * (observed - expected) / self.words
            tension = min(max(tension, _MIN_TENSION), _MAX_TENSION)
        return tension


def _digamma(x: _Floats) -> _Floats:
    """The derivative of log Γ for positive numbers, to about ten digits: the recurrence
    ψ(x) = ψ(x + 1) - 1/x up to 6, then the asymptotic series."""
    x = np.array(x, dtype=np.float64)
    shift = np.zeros_like(x)
    for _ in range(6):
        small = x < 6
        shift -= np.where(small, 1 / x, 0.0)
        x = np.where(small, x + 1, x)
    y = 1 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))))
    return np.asarray(np.log(x) - 0.5 / x - series + shift)

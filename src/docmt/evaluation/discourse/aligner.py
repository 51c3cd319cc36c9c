"""A statistical word aligner, learned from the text that it aligns: the log-linear
reparameterization of IBM model 2 by Dyer, Chahuneau and Smith 2013 ("A Simple, Fast, and Effective
Reparameterization of IBM Model 2", the model of the program fast_align), in both directions.

Word i of n translates word j of m with probability (1 - p0) exp(-λ |i/n - j/m|) / Z, or no word
with probability p0; a word e translates f with probability θ(e | f), which has a Dirichlet prior.
EM with variational Bayes estimates θ, and gradient steps λ.

The aligners that the field uses most need a compiler or a license that docmt cannot pass on
(eflomal, fast_align), or a pretrained model (SimAlign, awesome-align). Their output can be read
from a file: `alignment.read_alignment`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from docmt.evaluation.discourse.alignment import Alignment, Links, grow_diag_final_and

Pairs = Sequence[tuple[Sequence[str], Sequence[str]]]
"""For each sentence, its words and those of its translation."""

_Floats = NDArray[np.float64]
_Integers = NDArray[np.int64]

_ITERATIONS = 5
_NULL_PROBABILITY = 0.08
_TENSION, _MIN_TENSION, _MAX_TENSION = 4.0, 0.1, 14.0
_TENSION_STEPS, _TENSION_RATE = 8, 20.0
_ALPHA = 0.01
_BLOCK = 4_000_000
"""About how many pairs of words are kept in memory at once, besides their word pairs' indices."""

METHOD = f"fast_align-{_ITERATIONS}-grow-diag-final-and"
"""What scores call alignments of `align_words`."""


def align_words(pairs: Pairs, more: Pairs = ()) -> Alignment:
    """Align the words of sentences with those of their translations.

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
    """For each target word of the first `kept` pairs, the link with its most probable source word,
    or none."""
    blocks, entry_source, entry_target = _blocks(pairs)
    if not blocks:
        return [frozenset()] * kept
    sources, targets = int(entry_source.max()) + 1, int(entry_target.max()) + 1
    theta: _Floats = np.full(len(entry_source), 1 / targets)
    tension = _TENSION
    for iteration in range(_ITERATIONS):
        counts: _Floats = np.zeros_like(theta)
        observed = 0.0
        for block in blocks:
            posterior = block.posterior(theta, tension)
            counts += np.bincount(block.entry, posterior, minlength=len(theta))
            observed -= float(posterior @ block.distance)
        if iteration > 0:
            tension = _next_tension(blocks, tension, observed)
        totals = np.asarray(np.bincount(entry_source, counts, minlength=sources), np.float64)
        all_words = _digamma(totals + _ALPHA * targets)
        theta = np.exp(_digamma(counts + _ALPHA) - all_words[entry_source])
    best = [link for block in blocks for link in block.best(theta, tension)]
    links: list[set[tuple[int, int]]] = [set() for _ in range(kept)]
    for sentence, i, j in best:
        if sentence < kept and i >= 0:
            links[sentence].add((i, j))
    return [frozenset(found) for found in links]


@dataclass(frozen=True, slots=True)
class _Block:
    """All pairs of a source word, or none, and a target word, of some sentences. The pairs of one
    target word follow each other, with that of no source word first.

    Attributes:
        entry: (pairs) the index of the pair's words in θ.
        distance: (pairs) |i/n - j/m|, 0 without a source word.
        is_null: (pairs) whether there is no source word.
        starts: (target words) the index of the first pair.
        token: (pairs) the index of the target word in the block.
        sentence, source: (pairs) the index of the sentence, and that of the source word or -1.
        target: (pairs) the index of the target word in its sentence.
    """

    entry: _Integers
    distance: _Floats
    is_null: NDArray[np.bool_]
    starts: _Integers
    token: _Integers
    sentence: _Integers
    source: _Integers
    target: _Integers

    def prior(self, tension: float) -> _Floats:
        """(pairs) The probability that a target word translates a source word, by position."""
        weight = np.where(self.is_null, 0.0, np.exp(-tension * self.distance))
        total = np.add.reduceat(weight, self.starts)[self.token]
        return np.where(self.is_null, _NULL_PROBABILITY, (1 - _NULL_PROBABILITY) * weight / total)

    def posterior(self, theta: _Floats, tension: float) -> _Floats:
        """(pairs) The probability that a target word translates a source word."""
        joint = theta[self.entry] * self.prior(tension)
        return joint / np.add.reduceat(joint, self.starts)[self.token]

    def best(self, theta: _Floats, tension: float) -> list[tuple[int, int, int]]:
        """For each target word: its sentence, its most probable source word or -1, its index. Of
        equally probable source words, the first."""
        joint = theta[self.entry] * self.prior(tension)
        is_best = joint == np.maximum.reduceat(joint, self.starts)[self.token]
        _, first = np.unique(self.token[is_best], return_index=True)
        chosen = np.flatnonzero(is_best)[first]
        columns = (self.sentence[chosen], self.source[chosen], self.target[chosen])
        return list(zip(*(column.tolist() for column in columns), strict=True))


def _blocks(pairs: Pairs) -> tuple[list[_Block], _Integers, _Integers]:
    """The pairs of words of all sentences in blocks, and the source and target word of each entry
    of θ; source word 0 is none."""
    source_ids: dict[str, int] = {}
    target_ids: dict[str, int] = {}
    batches: list[list[tuple[int, _Integers, _Integers]]] = [[]]
    size = 0
    for sentence, (source, target) in enumerate(pairs):
        if not source or not target:
            continue
        f = np.array([0, *(source_ids.setdefault(w, len(source_ids) + 1) for w in source)])
        e = np.array([target_ids.setdefault(w, len(target_ids)) for w in target])
        if size and size + len(f) * len(e) > _BLOCK:
            batches.append([])
            size = 0
        batches[-1].append((sentence, f, e))
        size += len(f) * len(e)
    if not batches[0]:
        return [], np.zeros(0, np.int64), np.zeros(0, np.int64)
    width = len(target_ids)
    codes = [np.concatenate([_codes(f, e, width) for _, f, e in batch]) for batch in batches]
    entries, index = np.unique(np.concatenate(codes), return_inverse=True)
    offsets = np.cumsum([len(c) for c in codes])[:-1]
    blocks = [
        _block(batch, entry) for batch, entry in zip(batches, np.split(index, offsets), strict=True)
    ]
    return blocks, entries // width, entries % width


def _codes(f: _Integers, e: _Integers, width: int) -> _Integers:
    """(pairs) One number for each pair of a source and a target word."""
    return np.asarray(e[:, None] + width * f[None, :], np.int64).ravel()


def _block(batch: Sequence[tuple[int, _Integers, _Integers]], entry: _Integers) -> _Block:
    """The block of some sentences, whose pairs have these entries of θ."""
    lengths = [(len(f) - 1, len(e)) for _, f, e in batch]
    source = np.concatenate([np.tile(np.arange(-1, n), m) for n, m in lengths])
    target = np.concatenate([np.repeat(np.arange(m), n + 1) for n, m in lengths])
    sizes = [(n + 1) * m for n, m in lengths]
    n = np.repeat([n for n, _ in lengths], sizes)
    m = np.repeat([m for _, m in lengths], sizes)
    is_null = source < 0
    distance = np.where(is_null, 0.0, np.abs((source + 1) / n - (target + 1) / m))
    starts = np.flatnonzero(is_null)
    return _Block(
        entry=np.asarray(entry, np.int64).ravel(),
        distance=distance,
        is_null=is_null,
        starts=starts,
        token=np.cumsum(is_null) - 1,
        sentence=np.repeat([sentence for sentence, _, _ in batch], sizes),
        source=source,
        target=target,
    )


def _next_tension(blocks: Sequence[_Block], tension: float, observed: float) -> float:
    """λ after some steps along the gradient of the expected log-likelihood: the difference of the
    mean of -|i/n - j/m| under the posterior and under the prior."""
    words = sum(len(block.starts) for block in blocks)
    for _ in range(_TENSION_STEPS):
        expected = -sum(float(block.prior(tension) @ block.distance) for block in blocks)
        tension += _TENSION_RATE * (observed - expected) / words
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

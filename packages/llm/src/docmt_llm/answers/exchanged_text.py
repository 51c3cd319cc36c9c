"""Exchanged translations of an answer: fluent ones, under the ids of other sentences, without
names or numbers. Some sentences of the answer are asked for again, and both translations of each
are compared. These are the sentences whose translations fit others best, by length, common letters
and punctuation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log
from statistics import median

from docmt_nmt.translators.checks.translation_checks import length_ratio

_NGRAM = 4
"""Length of the n-grams that cognates share, in characters."""

_MAX_COGNATE = 5
"""Maximum number of shared n-grams that count."""

_COGNATE = 0.7
"""Natural logarithm of the likelihood ratio for a shared n-gram."""

_MARK = 1.5
"""The same for a mark that both sentences have or lack."""
_MARKS = "?!:"

_DEVIATION = 0.3
"""Standard deviation of logarithms of length ratios."""

_REACH = 32
"""Number of sentences on each side that a translation may come from."""

_MIN_GAIN = -5.0
"""Minimum gain in log-likelihood by an exchange. Other exchanges are too improbable to ask for."""

_COMPARED = 3
"""Length of the n-grams by which two translations of a sentence are compared."""

_MIN_SIMILARITY = 0.35
"""Minimum similarity of two translations of the same sentence, if the translation was exchanged."""

_MIN_FACTOR = 2.0
"""Minimum factor between this similarity and the similarity with the sentence's own translation."""


def sentences_in_doubt(sources: Mapping[int, str], targets: Mapping[int, str]) -> Iterator[int]:
    """Yield sentences to ask for again, so that the most probable exchanges of two translations are
    found first: a sentence of each exchange that has none yet.

    Args:
        sources: sentences by index.
        targets: the translations of one answer, by index; some may be missing.
    """
    indices = list(targets)
    if len(indices) < 2:
        return
    ratio = median(log(length_ratio(sources[i], targets[i])) for i in indices)
    source_ngrams = {i: _ngrams(sources[i], _NGRAM) for i in indices}
    target_ngrams = {i: _ngrams(targets[i], _NGRAM) for i in indices}

    def fit(source: int, target: int) -> float:
        """The log-likelihood of a translation of a sentence, but for a constant."""
        deviation = log(length_ratio(sources[source], targets[target])) - ratio
        common = len(source_ngrams[source] & target_ngrams[target])
        marks = sum((mark in sources[source]) != (mark in targets[target]) for mark in _MARKS)
        length = (deviation / _DEVIATION) ** 2 / 2
        return _COGNATE * min(common, _MAX_COGNATE) - length - _MARK * marks

    gains = {
        (i, j): fit(i, j) + fit(j, i) - fit(i, i) - fit(j, j)
        for position, i in enumerate(indices)
        for j in indices[position + 1 : position + 1 + _REACH]
    }
    asked: set[int] = set()
    for pair in sorted(gains, key=gains.__getitem__, reverse=True):
        if gains[pair] < _MIN_GAIN:
            return
        if asked.isdisjoint(pair):
            index = max(pair, key=lambda index: len(targets[index]))
            asked.add(index)
            yield index


def belongs_elsewhere(index: int, translation: str, targets: Mapping[int, str]) -> bool:
    """Return whether another translation of a sentence is like the translation of another sentence,
    and unlike the translation of the sentence. A paraphrase is like neither.

    Args:
        index: the index of the sentence.
        translation: another translation of the sentence.
        targets: the translations of one answer, by index.
    """
    own = _similarity(translation, targets[index])
    best = max(
        (_similarity(translation, text) for i, text in targets.items() if i != index), default=0
    )
    return best >= max(_MIN_SIMILARITY, _MIN_FACTOR * own)


def _similarity(text: str, other: str) -> float:
    """The share of common character n-grams of two texts (the Dice coefficient)."""
    ngrams, other_ngrams = _ngrams(text, _COMPARED), _ngrams(other, _COMPARED)
    return 2 * len(ngrams & other_ngrams) / max(len(ngrams) + len(other_ngrams), 1)


def _ngrams(text: str, size: int) -> set[str]:
    """The character n-grams of a text without case; of a shorter text, the text."""
    folded = " ".join(text.casefold().split())
    return {folded[start : start + size] for start in range(max(len(folded) - size + 1, 1))}

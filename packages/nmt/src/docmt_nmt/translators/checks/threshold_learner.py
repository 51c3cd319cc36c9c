"""Learns the thresholds of `translation_checks` from a corpus: quantiles of four measures, by the
length of the sentence, and the words that the corpus translates.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from docmt_files.base.documents import Document
from docmt_nmt.text.scripts import count_scripts
from docmt_nmt.translators.checks.name_checks import NameLearner
from docmt_nmt.translators.checks.translation_checks import (
    LENGTHS,
    LONG,
    MIN_LETTERS,
    CheckThresholds,
    class_of,
    copy_rate,
    length_ratio,
    normalized,
    repetition_rate,
)

MIN_SENTENCES = 500
"""Thresholds are not learned from fewer sentence pairs."""

_TAIL = 0.0015
"""The share of the sentence pairs of a class that may be beyond a threshold."""

_MIN_COPY = 16
"""Shorter sentences may be names or numbers, which are the same in both languages."""

_MIN_CLASS = 2000
"""A class with fewer sentence pairs is counted together with the classes beside it."""

_MARGIN_FACTOR, _MARGIN = 1.05, 0.1
"""Distance of thresholds from the quantiles: a factor for ratios, a difference for rates."""

_BIN = 0.02
"""Width of the bins of histograms: of rates, and of natural logarithms of ratios."""

_MAX_LOG = 5.0

_MAX_FACTOR, _MAX_DIFFERENCE = 4.0, 0.6
"""From `LONG` characters on, a threshold is never far from the median, however many pairs of a
corpus are misaligned or not translated: a factor for ratios, a difference for rates."""


class ThresholdLearner:
    """Learns thresholds from documents and their translations. Memory grows with the vocabulary of
    the source side only.

    Args:
        language: the code of the source language.
    """

    def __init__(self, language: str) -> None:
        self._names = NameLearner(language)
        rates, ratios = round(1 / _BIN) + 1, 2 * round(_MAX_LOG / _BIN) + 1
        self._sentences = 0
        self._ratios = np.zeros((len(LENGTHS), ratios), dtype=np.int64)
        self._repetition = np.zeros((len(LENGTHS), rates), dtype=np.int64)
        self._copies = np.zeros((len(LENGTHS), rates), dtype=np.int64)
        self._scripts: dict[str, NDArray[np.int64]] = {}
        self._source_scripts: dict[str, int] = {}

    def add(self, document: Document) -> None:
        """Count a document with a target."""
        assert document.target is not None
        for source, target in zip(document.source, document.target, strict=True):
            if any(map(str.isalnum, source)):
                self._add_pair(normalized(source), normalized(target))
                self._names.add(source, target)

    def _add_pair(self, source: str, target: str) -> None:
        self._sentences += 1
        by_source, by_target = class_of(source, LENGTHS), class_of(target, LENGTHS)
        logarithm = min(max(math.log(length_ratio(source, target)), -_MAX_LOG), _MAX_LOG)
        self._ratios[by_source, round((logarithm + _MAX_LOG) / _BIN)] += 1
        self._repetition[by_target, _rate_bin(repetition_rate(source, target))] += 1
        self._copies[by_source, _rate_bin(copy_rate(source, target))] += 1
        for script in count_scripts(source):
            self._source_scripts[script] = self._source_scripts.get(script, 0) + 1
        counts = count_scripts(target)
        letters = counts.total()
        for script, count in counts.items():
            if script not in self._scripts:
                self._scripts[script] = np.zeros(self._copies.shape[1], dtype=np.int64)
            # A short sentence may be a name: it counts for the occurrence of the script and not for
            # the share.
            share = count / letters if letters >= MIN_LETTERS else 0.0
            self._scripts[script][max(_rate_bin(share), 1)] += 1

    def thresholds(self) -> CheckThresholds | None:
        """Return the learned thresholds; None from fewer than `MIN_SENTENCES` sentence pairs."""
        if self._sentences < MIN_SENTENCES:
            return None
        low, high = zip(*map(_ratio_bounds, LENGTHS, _pooled(self._ratios)), strict=True)
        shares = {name: self._script_share(counts) for name, counts in self._scripts.items()}
        most = max(self._source_scripts.values(), default=0)
        return CheckThresholds(
            sentences=self._sentences,
            min_length_ratio=low,
            max_length_ratio=high,
            max_repetition=tuple(map(_rate_bound, LENGTHS, _pooled(self._repetition))),
            max_copy=tuple(
                1.0 if length < _MIN_COPY else _rate_bound(length, histogram)
                for length, histogram in zip(LENGTHS, _pooled(self._copies), strict=True)
            ),
            max_script_share={name: share for name, share in sorted(shares.items()) if share > 0},
            source_scripts=tuple(
                sorted(name for name, count in self._source_scripts.items() if 20 * count > most)
            ),
            translated_words=" ".join(self._names.translated()),
        )

    def _script_share(self, counts: NDArray[np.int64]) -> float:
        """The greatest share of a script, from the histogram over the sentences with the script."""
        histogram = counts.copy()
        histogram[0] = self._sentences - counts.sum()
        share = _quantile(histogram, 1 - _TAIL) * _BIN
        median = _quantile(histogram, 0.5) * _BIN
        return round(min(share, median + _MAX_DIFFERENCE, 1.0), 4)


def _rate_bin(rate: float) -> int:
    """The bin of a rate: 0 for 0, k for rates up to k · `_BIN`."""
    return math.ceil(rate / _BIN - 1e-9)


def _pooled(histograms: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The histogram of each class, together with as many beside it as there must be."""
    for index in range(len(histograms)):
        reach = 0
        while True:
            pooled = histograms[max(index - reach, 0) : index + reach + 1].sum(axis=0)
            if pooled.sum() >= _MIN_CLASS or reach == len(histograms):
                break
            reach += 1
        yield pooled


def _quantile(histogram: NDArray[np.int64], share: float) -> int:
    """The first bin up to which there is at least this share of the counts."""
    return int(np.searchsorted(histogram.cumsum(), share * histogram.sum()))


def _ratio_bounds(length: int, histogram: NDArray[np.int64]) -> tuple[float, float]:
    """The least and the greatest usual ratio of a class, from the histogram of logarithms."""
    low, median, high = (
        float(np.exp(_quantile(histogram, share) * _BIN - _MAX_LOG))
        for share in (_TAIL, 0.5, 1 - _TAIL)
    )
    low, high = low / _MARGIN_FACTOR, high * _MARGIN_FACTOR
    if length >= LONG:
        low, high = max(low, median / _MAX_FACTOR), min(high, median * _MAX_FACTOR)
    return round(low, 4), round(high, 4)


def _rate_bound(length: int, histogram: NDArray[np.int64]) -> float:
    """The greatest usual rate of a class."""
    bound = _quantile(histogram, 1 - _TAIL) * _BIN + _MARGIN
    if length >= LONG:
        bound = min(bound, _quantile(histogram, 0.5) * _BIN + _MAX_DIFFERENCE)
    return round(min(bound, 1.0), 4)

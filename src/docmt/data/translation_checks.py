"""Checks of single translated sentences without a reference. A warning says that a sentence is too
short or too long for the source, repeats itself, copies the source, has characters of the wrong
script, is in another language, or has other numbers and symbols than the source (`content_checks`).

Unusual values depend on the languages and the text. The thresholds are therefore learned from the
training split during preparation: quantiles of four measures, by the length of the sentence. The
thresholds are kept in the run directory. `CheckThresholds.default` is for a run without thresholds.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from docmt.data.content_checks import differing_content, without_addresses
from docmt.ground.documents import Document, SentenceWarning, WarningKind
from docmt.ground.languages import primary_subtag
from docmt.ground.settings import Settings
from docmt.ground.wording import counted
from docmt.text.language_detection import language_name, other_language_of_sentence
from docmt.text.scripts import count_scripts, find_script, scripts_of_language

LENGTHS = (0, 8, 16, 32, 64, 128, 256, 512)
"""Minimum characters of the length classes, each with separate thresholds."""

MIN_SENTENCES = 500
"""Thresholds are not learned from fewer sentence pairs."""

_TAIL = 0.0015
"""The share of the sentence pairs of a class that may be beyond a threshold."""

_MIN_COPY = 16
"""Shorter sentences may be names or numbers, which are the same in both languages."""

_IN_A_ROW = re.compile(r"(\w.{1,60}?)\1{3,}")
"""Equal characters four times in succession, beginning with a letter or digit."""

_MIN_CLASS = 2000
"""A class with fewer sentence pairs is counted together with the classes beside it."""

_LONG = 32
"""From so many characters on, a threshold is never far from the median, however many pairs of a
corpus are misaligned or not translated: a factor for ratios, a difference for rates."""
_MAX_FACTOR, _MAX_DIFFERENCE = 4.0, 0.6

_MARGIN_FACTOR, _MARGIN = 1.05, 0.1
"""Distance of thresholds from the quantiles: a factor for ratios, a difference for rates."""

_NGRAM = 8
"""Length of the compared n-grams, in characters."""

_MIN_LETTERS = 10
"""Sentences with fewer letters may be in any script of the target side."""

_BIN = 0.02
"""Width of the bins of histograms: of rates, and of natural logarithms of ratios."""

_MAX_LOG = 5.0


class CheckThresholds(Settings):
    """Thresholds beyond which a sentence pair is unusual. Lists have a value for each class of
    sentences, by their characters: of the source for ratios and copies, of the target for
    repetition."""

    sentences: int = 0
    """Number of sentence pairs from which the thresholds were learned; 0 for the defaults."""

    lengths: tuple[int, ...] = LENGTHS
    """The least characters of a sentence of each class, in ascending order from 0."""

    min_length_ratio: tuple[float, ...]
    """The least characters of the target per character of the source; see `length_ratio`."""

    max_length_ratio: tuple[float, ...]
    """The most characters of the target per character of the source."""

    max_repetition: tuple[float, ...]
    """The greatest repetition rate; see `repetition_rate`."""

    max_copy: tuple[float, ...]
    """The greatest copy rate; see `copy_rate`."""

    max_script_share: dict[str, float] | None
    """The scripts of the target side, each with the greatest share of the letters of a sentence of
    ten letters or more. None if they are not known."""

    source_scripts: tuple[str, ...] = ()
    """The scripts of the source side. Characters of another script may be copied from a source
    sentence, such as a Greek letter from English."""

    @model_validator(mode="after")
    def _check_classes(self) -> CheckThresholds:
        """Require thresholds for every class."""
        if not self.lengths or self.lengths[0] != 0 or list(self.lengths) != sorted(self.lengths):
            raise ValueError("lengths must ascend from 0")
        for name in ("min_length_ratio", "max_length_ratio", "max_repetition", "max_copy"):
            if len(getattr(self, name)) != len(self.lengths):
                raise ValueError(f"{name} must have as many values as lengths")
        return self

    @classmethod
    def default(cls, languages: tuple[str, str]) -> CheckThresholds:
        """The thresholds of a run with an unknown corpus, such as an imported run.

        They are wide: a sentence of 32 characters or more may be between a third and three times as
        long as expected by the scripts of the two languages, and 70 % of a long one may stand in
        the source.

        Args:
            languages: the codes of the source and the target language.
        """
        source, target = (scripts_of_language(language) for language in languages)
        expected = _density(target) / _density(source)
        factors = [10.0 if length < 16 else 5.0 if length < _LONG else 3.0 for length in LENGTHS]
        same = primary_subtag(languages[0]) == primary_subtag(languages[1])
        copies = [1.0 if same or n < _LONG else 0.9 if n < 64 else 0.7 for n in LENGTHS]
        shares = dict.fromkeys(target, 1.0)
        return cls(
            min_length_ratio=tuple(expected / factor for factor in factors),
            max_length_ratio=tuple(expected * factor for factor in factors),
            max_repetition=tuple(0.5 if length < _LONG else 0.3 for length in LENGTHS),
            max_copy=tuple(copies),
            # Names and numbers of products are often Latin, in every language.
            max_script_share={"Latin": 0.5} | shares if target else None,
            source_scripts=source,
        )


def check_translation(
    document: Document, thresholds: CheckThresholds, language: str, *, truncated: Sequence[int] = ()
) -> tuple[SentenceWarning, ...]:
    """Return warnings about unusual sentences of a translated document.

    Args:
        document: the source and the translation.
        thresholds: the thresholds of the run that translated.
        language: the code of the target language.
        truncated: the indices, from 0, of the sentences truncated by the search.

    Returns:
        The warnings in the order of the sentences; a sentence may have several. A source sentence
        without letters and digits has none.
    """
    assert document.target is not None
    warnings: list[SentenceWarning] = []
    cut_off = set(truncated)
    for index, (source, target) in enumerate(zip(document.source, document.target, strict=True)):
        if index in cut_off:
            detail = "cut off at the maximum length of the search"
            warnings.append(SentenceWarning(index, "truncated", detail))
        if any(map(str.isalnum, source)):
            problems = _check_sentence(source, target, thresholds, language)
            warnings += [SentenceWarning(index, kind, detail) for kind, detail in problems]
    return tuple(warnings)


def length_ratio(source: str, target: str) -> float:
    """Characters of a translation per character of the source. Four are added to both numbers,
    because short sentences differ more."""
    return (len(target) + 4) / (len(source) + 4)


def repetition_rate(source: str, target: str) -> float:
    """The share of the character 8-grams of a translation that occurred earlier in the translation,
    minus the same share of the source, as the source may repeat itself."""
    return max(0.0, _repeated(target) - _repeated(source))


def repeats_in_a_row(source: str, target: str) -> str:
    """Return a string found four times in succession in a translation and not in the source; empty
    if there is none."""
    match = _IN_A_ROW.search(f"{target} ")
    return match[1].strip() if match and not _IN_A_ROW.search(f"{source} ") else ""


def copy_rate(source: str, target: str) -> float:
    """The share of the character 8-grams of a translation found in the source. Of a shorter
    translation: 1 if both are the same, else 0."""
    ngrams = _ngrams(target)
    if not ngrams:
        return float(source == target)
    return sum(map(set(_ngrams(source)).__contains__, ngrams)) / len(ngrams)


class ThresholdLearner:
    """Learns thresholds from documents and their translations, in constant memory."""

    def __init__(self) -> None:
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
                self._add_pair(_normalized(source), _normalized(target))

    def _add_pair(self, source: str, target: str) -> None:
        self._sentences += 1
        by_source, by_target = _class_of(source, LENGTHS), _class_of(target, LENGTHS)
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
            share = count / letters if letters >= _MIN_LETTERS else 0.0
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
        )

    def _script_share(self, counts: NDArray[np.int64]) -> float:
        """The greatest share of a script, from the histogram over the sentences with the script."""
        histogram = counts.copy()
        histogram[0] = self._sentences - counts.sum()
        share = _quantile(histogram, 1 - _TAIL) * _BIN
        median = _quantile(histogram, 0.5) * _BIN
        return round(min(share, median + _MAX_DIFFERENCE, 1.0), 4)


def _check_sentence(
    source: str, target: str, thresholds: CheckThresholds, language: str
) -> Iterator[tuple[WarningKind, str]]:
    """The kind and the details of everything unusual about a sentence pair."""
    yield from differing_content(source, target)
    if script := _wrong_script(source, target, thresholds):
        yield "wrong-script", f"{script}: {find_script(target, script)[:20]}"
    elif other := other_language_of_sentence(source, target, language):
        yield "other-language", language_name(other)
    source, target = _normalized(source), _normalized(target)
    by_source = _class_of(source, thresholds.lengths)
    by_target = _class_of(target, thresholds.lengths)
    ratio = length_ratio(source, target)
    detail = f"{counted(len(target), 'character')} for {len(source):,}"
    if not target or ratio < thresholds.min_length_ratio[by_source]:
        yield "too-short", detail
    if ratio > thresholds.max_length_ratio[by_source]:
        yield "too-long", detail
    if _repeated(target):
        repeated = repetition_rate(source, target)
        if phrase := repeats_in_a_row(source, target):
            yield "repetition", f"again and again: {phrase}"
        elif repeated > thresholds.max_repetition[by_target]:
            yield "repetition", f"{repeated:.0%} of it repeats"
    source, target = map(_normalized, map(without_addresses, (source, target)))
    by_source = _class_of(source, thresholds.lengths)
    if (copied := copy_rate(source, target)) > thresholds.max_copy[by_source]:
        yield "copy", f"{copied:.0%} of it is in the source"


def _wrong_script(source: str, target: str, thresholds: CheckThresholds) -> str | None:
    """A script of which a translation has more than is usual."""
    shares = thresholds.max_script_share
    if shares is None:
        return None
    counts = count_scripts(target)
    letters = counts.total()
    for script, count in counts.items():
        if script in shares and (letters < _MIN_LETTERS or count <= shares[script] * letters):
            continue
        if script in thresholds.source_scripts or not find_script(source, script):
            return script
    return None


def _density(scripts: Sequence[str]) -> float:
    """Characters needed for one character of an alphabet, roughly."""
    return {"Han": 0.33, "Hiragana": 0.5, "Hangul": 0.5}.get(scripts[0] if scripts else "", 1.0)


def _normalized(sentence: str) -> str:
    """A sentence in lower case, with single spaces."""
    return " ".join(sentence.lower().split())


@lru_cache(maxsize=2)
def _ngrams(text: str) -> tuple[str, ...]:
    """The n-grams of a text. Several measures of a sentence pair use them."""
    return tuple(text[start : start + _NGRAM] for start in range(len(text) - _NGRAM + 1))


def _repeated(text: str) -> float:
    """The share of the n-grams of a text that occurred before."""
    ngrams = _ngrams(text)
    return 1 - len(set(ngrams)) / len(ngrams) if ngrams else 0.0


def _class_of(text: str, lengths: Sequence[int]) -> int:
    """The index of the class of a text."""
    return bisect_right(lengths, len(text)) - 1


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
    if length >= _LONG:
        low, high = max(low, median / _MAX_FACTOR), min(high, median * _MAX_FACTOR)
    return round(low, 4), round(high, 4)


def _rate_bound(length: int, histogram: NDArray[np.int64]) -> float:
    """The greatest usual rate of a class."""
    bound = _quantile(histogram, 1 - _TAIL) * _BIN + _MARGIN
    if length >= _LONG:
        bound = min(bound, _quantile(histogram, 0.5) * _BIN + _MAX_DIFFERENCE)
    return round(min(bound, 1.0), 4)

"""Lengths of the texts of a file: one that is much shorter or longer than the others have led to
expect.

Characters of a translation vary about those of its source as a sum of independent ones does (Gale
and Church 1993, A Program for Aligning Sentences in Bilingual Corpora), so their difference is
divided by the root of the length. What is usual comes from the file itself, by medians, which a few
wrong texts do not change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from statistics import median

from docmt_files.base.documents import WarningKind
from docmt_nmt.text.scripts import character_density, count_scripts

_MIN_PAIRS = 30
"""From fewer texts nothing usual is learned, and `_USUAL_RATIO` and `_USUAL_SPREAD` hold, which
catalogs of strings in ten languages have."""
_USUAL_RATIO, _USUAL_SPREAD = 1.1, 1.3
_MIN_CHARACTERS = 16
"""The least characters of a text whose length is learned from."""
_MEDIAN_DISTANCE = 0.6745
"""The median distance from the mean, in standard deviations of a normal distribution."""
_MIN_SPREAD = 0.8
_SHORT, _LONG, _LABEL_LONG = (0.55, -2.6), (2.2, 4.5), (3.5, 7.0)
"""The ratio to the usual length and the deviations beyond which a text is unusual: a short text,
a long one, a long one of a label."""


def unusual_lengths(pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[int, WarningKind, str]]:
    """Yield the index of each text with an unusual length, `too-short` or `too-long`, and the share
    of the usual length in words, such as `a third of the usual length`.

    Args:
        pairs: the texts and their translations.
    """
    sizes = [(_size(source), _size(target)) for source, target in pairs]
    ratio, spread = _usual(sizes)
    for index, (own, theirs) in enumerate(sizes):
        if not own or not theirs:
            continue
        expected = ratio * own
        deviations = (theirs - expected) / sqrt(expected) / spread
        is_label = own < _MIN_CHARACTERS
        most_share, most_deviations = _LABEL_LONG if is_label else _LONG
        is_short = theirs < _SHORT[0] * expected and deviations < _SHORT[1]
        is_long = theirs > most_share * expected and deviations > most_deviations
        if (is_short and not is_label) or is_long:
            kind: WarningKind = "too-long" if is_long else "too-short"
            yield index, kind, f"{theirs / expected:.0%} of the usual length"


def _usual(sizes: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The usual ratio of lengths, and the standard deviation of a length from it, divided by the
    root of the length."""
    usual = [(own, theirs) for own, theirs in sizes if own >= _MIN_CHARACTERS and theirs]
    if len(usual) < _MIN_PAIRS:
        return _USUAL_RATIO, _USUAL_SPREAD
    ratio = median(theirs / own for own, theirs in usual)
    distances = [abs(theirs - ratio * own) / sqrt(ratio * own) for own, theirs in usual]
    return ratio, max(median(distances) / _MEDIAN_DISTANCE, _MIN_SPREAD)


def _size(text: str) -> float:
    """The characters of a text, in those of an alphabet: a Chinese one is as long as three."""
    if text.isascii():
        return len(text)
    scripts = count_scripts(text)
    others = sum(count * (1 / character_density((each,)) - 1) for each, count in scripts.items())
    return len(text) + others

"""Words of a sentence, between which codes are placed: their spans, and the spans of words that
stand for codes, such as `{0}`, as one each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

import regex

from docmt_files.core.inline import WordWeights

Span = tuple[int, int]

_IDEOGRAPH = r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff]"
_WORD = regex.compile(
    rf"{_IDEOGRAPH}\p{{M}}*+"
    rf"|[\p{{L}}\p{{N}}](?:(?!{_IDEOGRAPH})[\p{{L}}\p{{N}}\p{{M}}\u200c\u200d])*+|(?!\s)\X"
)


def word_spans(text: str) -> list[tuple[int, int]]:
    """The character offsets at which the words and punctuation characters of a text start and end,
    each with combining marks. A Chinese or Japanese character is a word."""
    return [match.span() for match in _WORD.finditer(text)]


def united_spans(
    spans: Sequence[tuple[int, int]], text: str, words: Sequence[str]
) -> tuple[list[tuple[int, int]], list[int]]:
    """The spans of a text with some words, such as `{0}`, as one span each; and for each span, the
    index of the first of the given spans in it."""
    inside = [match.span() for match in words_pattern(words).finditer(text)]
    made: list[tuple[int, int]] = []
    firsts: list[int] = []
    position = 0
    for index, (start, end) in enumerate(spans):
        while position < len(inside) and inside[position][1] <= start:
            position += 1
        if (
            position < len(inside)
            and inside[position][0] < start
            and made
            and made[-1][1] > inside[position][0]
        ):
            made[-1] = made[-1][0], max(end, made[-1][1])
        else:
            made.append((start, end))
            firsts.append(index)
    return made, firsts


def united_weights(
    weights: WordWeights, rows: Sequence[int], columns: Sequence[int]
) -> WordWeights:
    """The weights of words in several pieces, as sums.

    Args:
        weights: the weights of the pieces.
        rows, columns: the first piece of each word of the source and of the target.
    """
    ends = pairwise([*columns, None])
    spans = [slice(*pair) for pair in ends]
    narrow = [[sum(row[span]) for span in spans] for row in map(list, weights)]
    return [
        [sum(column) for column in zip(*narrow[first:last], strict=True)]
        for first, last in pairwise([*rows, None])
    ]


def words_pattern(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern for words; of several words that begin at a place, it finds the longest. A pattern
    for no words finds nothing."""
    longest_first = sorted(set(words), key=lambda w: (-len(w), w))
    return re.compile("|".join(map(re.escape, longest_first)) or "(?!)")

"""Where a text is divided that stands for several sentences of the reference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import regex

from docmt_nmt.text.word_boundaries import WITHOUT_SPACES

_WORD = regex.compile(
    rf"{WITHOUT_SPACES.pattern}\p{{M}}*+|[\S--{WITHOUT_SPACES.pattern}]++", regex.V1
)
"""A word up to a space; in scripts without spaces between words, a character."""

_CHARACTER = re.compile(r"\S")
_PUNCTUATION = ",;:.!?–—，；：。！？、"
_LONGEST_PREFIX = 4
"""Words that begin alike are likely forms of one word."""

_NEARNESS = 0.1
"""Weight of a word's relative position, where words say nothing."""

_LONGEST_TEXT = 100_000_000
"""The most characters, times sentences, of a text that is divided as a whole."""

_AFTER_PUNCTUATION = 0.3
"""What it is worth to divide after punctuation, in words that fit."""


def divide_sentence(text: str, references: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """Divide a sentence into as many spans as a reference has sentences, in order, between words;
    between characters in scripts without spaces, or if it has fewer words. The spans together have
    the most words of their sentences, after Matusov et al. 2005.

    Args:
        text: the sentence.
        references: the sentences of each reference.

    Returns:
        The offsets of each span, which follow each other without a gap; spans are only empty where
        there are fewer characters than sentences.

    >>> text = "Der Hund bellt und die Katze schläft."
    >>> [text[i:j] for i, j in divide_sentence(text, [["Ein Hund bellt.", "Die Katze schläft."]])]
    ['Der Hund bellt und ', 'die Katze schläft.']
    """
    count = len(references[0])
    words = list(_WORD.finditer(text))
    if len(words) < count:  # Hardly any text.
        words = list(_CHARACTER.finditer(text))
    scores = _scores([word.group() for word in words], references)
    starts = [*(word.start() for word in words), len(text)]
    ends_clause = [word.group()[-1] in _PUNCTUATION for word in words]
    cuts = [0, *(starts[at] for at in _best_cuts(scores, ends_clause)), len(text)]
    return list(pairwise(cuts))


def cut_as_suggested(
    text: str, spans: Sequence[tuple[int, int]], references: Sequence[Sequence[str]], most: int
) -> list[tuple[int, int]]:
    """The spans of a text, those with more sentences of the references than `most` cut between
    them. Nothing is cut in a text too long to be divided in some seconds.

    Args:
        text: the whole text, of which the references are all sentences.
        spans: offsets of parts of the text, without white space around them.
        references: the sentences of each reference.
        most: the most sentences of the references in a span.
    """
    lengths = [len(sentence) for sentence in references[0]]
    shortest = min((sum(lengths[i : i + most + 1]) for i in range(len(lengths) - most)), default=0)
    longest = max((end - start for start, end in spans), default=0)
    if len(lengths) <= most or longest < shortest / 2 or len(lengths) * len(text) > _LONGEST_TEXT:
        return list(spans)
    starts = [start for start, _ in divide_sentence(text, references)[1:]]
    found = []
    for first, end in spans:
        cuts = [start for start in starts if first < start < end]
        if len(cuts) < most:
            found.append((first, end))
            continue
        for start, stop in pairwise([first, *dict.fromkeys(cuts), end]):
            found.append((start, start + len(text[start:stop].rstrip())))
    return [(start, end) for start, end in found if start < end]


def _scores(words: Sequence[str], references: Sequence[Sequence[str]]) -> np.ndarray:
    """How well each word fits each sentence, (words, sentences)."""
    count = len(references[0])
    scores = np.zeros((len(words), count))
    forms = [_form(word) for word in words]
    for sentences in references:
        lengths = np.cumsum([0, *map(len, sentences)]) / max(1, sum(map(len, sentences)))
        for k, sentence in enumerate(sentences):
            known = {_form(word) for word in _split(sentence, words)}
            prefixes = {form[:_LONGEST_PREFIX] for form in known if len(form) > _LONGEST_PREFIX}
            for t, form in enumerate(forms):
                position = (t + 0.5) / len(words)
                outside = max(lengths[k] - position, position - lengths[k + 1], 0.0)
                fit = float(form in known)
                if not fit and len(form) > _LONGEST_PREFIX:
                    fit = 0.5 * (form[:_LONGEST_PREFIX] in prefixes)
                scores[t, k] += fit - _NEARNESS * outside
    return scores


def _split(sentence: str, words: Sequence[str]) -> list[str]:
    """The words of a sentence, or the characters if `words` are characters."""
    return list(sentence) if all(len(word) == 1 for word in words) else _WORD.findall(sentence)


def _form(word: str) -> str:
    """A word without punctuation around it and without case; punctuation alone as it is."""
    return word.strip(".,;:!?…\"'„“”‚‘’»«()[]").lower() or word


def _best_cuts(scores: np.ndarray, ends_clause: Sequence[bool]) -> list[int]:
    """The first words of all sentences but the first: the division with the highest sum, with a
    word at least for each sentence as long as there are enough."""
    length, count = scores.shape
    sums = np.concatenate([np.zeros((1, count)), scores.cumsum(0)])
    best = np.where(np.arange(length + 1) >= min(1, length), sums[:, 0], -np.inf)
    choices = []
    bonus = _AFTER_PUNCTUATION * np.array([False, *ends_clause])
    for k in range(1, count):
        # A sentence from word s to word t has sums[t, k] - sums[s, k].
        gains = best - sums[:, k] + bonus
        least = int(length >= count)
        greatest = np.maximum.accumulate(gains)
        is_new = np.concatenate([[True], gains[1:] > greatest[:-1]])
        first = np.maximum.accumulate(np.where(is_new, np.arange(length + 1, dtype=np.int32), 0))
        choice = np.zeros(length + 1, dtype=np.int32)
        choice[least:] = first[: length + 1 - least]
        best = np.full(length + 1, -np.inf)
        best[least:] = greatest[: length + 1 - least] + sums[least:, k]
        choices.append(choice)
    cuts, end = [], length
    for choice in reversed(choices):
        end = int(choice[end])
        cuts.append(end)
    return cuts[::-1]

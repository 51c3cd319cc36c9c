"""Which words the subwords of a sentence belong to, whatever the pipeline did to it: characters are
matched, in order, after the marks of subwords are taken off.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import chain

import numpy as np
import regex
from numpy.typing import NDArray

_MARKS = regex.compile(r"^(?:▁|Ġ|##)+(?=.)|^(?:▁|Ġ)+$|(?<=.)(?:@@|</w>)$")
"""What says that a subword begins, continues or ends a word."""

_BYTE = regex.compile(r"<0x[0-9A-F]{2}>")


def word_shares(subwords: Sequence[str], words: Sequence[str]) -> NDArray[np.float64]:
    """The share of the characters of each subword that belong to each word.

    Characters that differ, because text was normalized or escaped, are matched by their position
    between those that are alike; case does not count.

    Args:
        subwords: those of the sentence, in order, as `Pipeline.subwords` gives them.
        words: the words of the sentence, in order, without spaces.

    Returns:
        (words, subwords); a column adds up to 1, or is 0 for a subword that is in no word.
    """
    surfaces = [_BYTE.sub("\ufffd", _MARKS.sub("", subword)) for subword in subwords]
    of_subword, of_word = (
        np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        for parts in (surfaces, words)
    )
    shares = np.zeros((len(words), len(subwords)))
    pairs = _matched(_lowered(surfaces), _lowered(words))
    if len(pairs):
        np.add.at(shares, (of_word[pairs[:, 1]], of_subword[pairs[:, 0]]), 1)
    shares /= np.maximum(shares.sum(0), 1)
    return shares


def _lowered(parts: Sequence[str]) -> str:
    """All characters in lower case, as many as they were."""
    lowered = ((c, c.lower()) for c in chain.from_iterable(parts))
    return "".join(low if len(low) == 1 else c for c, low in lowered)


def _matched(first: str, second: str) -> NDArray[np.int64]:
    """Pairs of the indices of characters of two strings that stand for each other, (n, 2)."""
    if first == second:
        return np.stack([np.arange(len(first))] * 2, axis=1)
    found = []
    for _, begin, end, other, other_end in SequenceMatcher(
        None, first, second, autojunk=False
    ).get_opcodes():
        size, other_size = end - begin, other_end - other
        # The longer stretch is divided among the characters of the shorter one.
        steps = np.arange(max(size, other_size) if size and other_size else 0)
        total = max(len(steps), 1)
        found.append(
            np.stack([begin + steps * size // total, other + steps * other_size // total], axis=1)
        )
    return np.concatenate(found) if found else np.zeros((0, 2), np.int64)

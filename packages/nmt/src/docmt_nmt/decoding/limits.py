"""Limits of search: banned tokens, and the maximum lengths of target sentences. In a system with a
limited number of learned target positions, all sentences of a unit must fit into these positions.

Shapes: S source sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Required, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.text import Pipeline

Integers = NDArray[np.int64]

TargetPositions = tuple[int, Literal["instance", "sentence"]]
"""Number of learned target positions of a system, and the beginning of the count."""


class SearchLimits(TypedDict, total=False):
    """Limits of every kind of search, as keywords.

    Attributes:
        max_lengths: (S,) the maximum number of tokens of each target sentence, EOS not counted; on
            the host.
        banned: the ids of tokens that are never text. Default: none.
        length_penalty: the power of the length in the score of a finished hypothesis, its
            log-probability over length to this power; the length counts special tokens, apart from
            the first BOS. Default: 1.
        early_stopping: whether the search of a unit ends once B hypotheses are finished; else it
            goes on until no open hypothesis has a better score than the worst of the best B.
            Default: true.
    """

    max_lengths: Required[ArrayLike]
    banned: Sequence[int]
    length_penalty: float
    early_stopping: bool


def limits(lengths: ArrayLike, pipeline: Pipeline, settings: SearchSettings) -> SearchLimits:
    """The limits of the search for translations.

    Args:
        lengths: (S,) the lengths of source sentences, without special tokens.
    """
    special_tokens, vocabulary = pipeline.special_tokens, pipeline.target_vocabulary
    max_lengths = max_length(lengths, settings)
    allowed = {special_tokens.target_begin, special_tokens.target_end}
    if settings.allow_unk:
        allowed.add(vocabulary.unk_id)
    banned = sorted(vocabulary.special_ids - allowed)
    return {
        "max_lengths": max_lengths,
        "banned": banned,
        "length_penalty": settings.length_penalty,
        "early_stopping": settings.early_stopping,
    }


def max_length(lengths: ArrayLike, settings: SearchSettings) -> NDArray[np.int64]:
    """The maximum lengths of target sentences, from the lengths of source sentences, all without
    special tokens."""
    longest = settings.max_length_factor * np.asarray(lengths) + settings.max_length_offset
    return longest.astype(np.int64)


class TargetRoom:
    """The maximum length of each sentence, within the learned positions.

    Args:
        max_lengths: (S,) the maximum length of each sentence, special tokens not counted.
        positions: the learned positions; None for no limit.
        last: (S,) the last sentence of the same unit.
        needs: (S,) the number of tokens for the constraints of each sentence. Default: 0.
    """

    def __init__(
        self,
        max_lengths: ArrayLike,
        special_tokens: SpecialTokens,
        positions: TargetPositions | None,
        last: Integers,
        needs: Integers | None = None,
    ) -> None:
        self.longest = np.asarray(max_lengths)
        self._positions, self._overhead = positions, special_tokens.target_overhead
        self._least = np.maximum(np.zeros_like(self.longest) if needs is None else needs, 1)
        sums = (self._least + self._overhead).cumsum()
        self._to_come = sums[last] - sums

    def max_lengths(self, sentences: Integers, before: ArrayLike) -> Integers:
        """The maximum lengths of sentences, with room for the least length of all later sentences.

        Args:
            sentences: (R,) the indices of the sentences.
            before: (R,) the number of tokens before each sentence in the unit, special tokens
                included.
        """
        longest: Integers = self.longest[sentences]
        if self._positions is None:
            return longest
        number, count_from = self._positions
        room = np.full_like(longest, number - self._overhead)
        if count_from == "instance":
            room -= before + self._to_come[sentences]
        most: Integers = np.minimum(longest, np.maximum(room, self._least[sentences]))
        return most

    def truncated(self, first: int, lengths: ArrayLike) -> tuple[bool, ...]:
        """Return for each sentence of a unit whether it was truncated.

        Args:
            first: the index of the unit's first sentence.
            lengths: the lengths of the sentences, without special tokens.
        """
        wanted = np.asarray(lengths)
        with_special = wanted + self._overhead
        before = with_special.cumsum() - with_special
        most = self.max_lengths(np.arange(first, first + len(wanted)), before)
        return tuple((wanted >= most).tolist())

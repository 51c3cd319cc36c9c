"""Limits of what search may write: which tokens are never text, and how long target sentences may
become: by the maximum length of each and, where a system has learned a limited number of target
positions, so that all sentences of a unit fit into these.

Shapes: S source sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Required, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from docmt.ground.special_tokens import SpecialTokens
from docmt.nn.batch import Packed
from docmt.nn.views import CountPositions
from docmt.recipes.search import SearchSettings
from docmt.text import Pipeline

Integers = NDArray[np.int64]

TargetPositions = tuple[int, CountPositions]
"""Number of target positions that a system has learned, and where they are counted from."""


class SearchLimits(TypedDict, total=False):
    """Limits that every kind of search takes as keywords.

    Attributes:
        max_lengths: (S,) the most tokens each sentence's translation may have, EOS not counted; on
            the host.
        banned: token ids that are never text. Default: none.
        length_penalty: the power of the length, counted in tokens with special tokens (the first
            BOS apart), that a finished hypothesis' log-probability is divided by. Default: 1.
    """

    max_lengths: Required[ArrayLike]
    banned: Sequence[int]
    length_penalty: float


def limits(source: Packed, pipeline: Pipeline, settings: SearchSettings) -> SearchLimits:
    """The limits of the search for translations."""
    special_tokens, vocabulary = pipeline.special_tokens, pipeline.target_vocabulary
    lengths = source.sentences.host_lengths - special_tokens.source_overhead  # (S,)
    max_lengths = max_length(lengths, settings)
    allowed = {special_tokens.target_begin, special_tokens.target_end}
    if settings.allow_unk:
        allowed.add(vocabulary.unk_id)
    banned = sorted(vocabulary.special_ids - allowed)
    return {"max_lengths": max_lengths, "banned": banned, "length_penalty": settings.length_penalty}


def max_length(lengths: ArrayLike, settings: SearchSettings) -> NDArray[np.int64]:
    """The maximum lengths of the translations of source sentences of so many tokens, all without
    special tokens."""
    longest = settings.max_length_factor * np.asarray(lengths) + settings.max_length_offset
    return longest.astype(np.int64)


class TargetRoom:
    """The room that each sentence has.

    Args:
        max_lengths: (S,) the maximum length of each sentence, special tokens not counted.
        positions: the learned positions; None for no limit.
        last: (S,) the last sentence of the unit of each.
        needs: (S,) how many tokens the constraints of each take. Default: none.
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
        """The maximum lengths of sentences. What the sentences after them need at least is left.

        Args:
            sentences: (R,) which sentences.
            before: (R,) how many tokens of their units, special tokens included, come before them.
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
        """Return whether each of the sentences of a unit, without special tokens of these lengths,
        was truncated.

        Args:
            first: the first of them.
            lengths: theirs, one after the other.
        """
        wanted = np.asarray(lengths)
        with_special = wanted + self._overhead
        before = with_special.cumsum() - with_special
        most = self.max_lengths(np.arange(first, first + len(wanted)), before)
        return tuple((wanted >= most).tolist())

"""What search may write: how long translations may be, and which tokens are never text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Required, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from docmt.nn.batch import Packed
from docmt.recipes.search import SearchSettings
from docmt.text import Pipeline


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
    found = settings.max_length_factor * np.asarray(lengths) + settings.max_length_offset
    return found.astype(np.int64)

"""What search may write: how long translations may be, and which tokens are never text."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from docmt.nn.batch import Packed
from docmt.recipes.search import SearchSettings
from docmt.text import Pipeline


class Limits(TypedDict):
    """Arguments of `search`."""

    max_lengths: NDArray[np.int64]
    banned: list[int]


def limits(source: Packed, pipeline: Pipeline, settings: SearchSettings) -> Limits:
    """The limits of the search for translations.

    Args:
        source: the packed source, of S sentences.
        pipeline: its text pipeline.
        settings: the recipe's `search` section.
    """
    special_tokens, vocabulary = pipeline.special_tokens, pipeline.target_vocabulary
    lengths = source.sentences.host_lengths - special_tokens.source_overhead  # (S,)
    max_lengths = max_length(lengths, settings)
    allowed = {special_tokens.target_begin, special_tokens.target_end}
    if settings.allow_unk:
        allowed.add(vocabulary.unk_id)
    banned = sorted(vocabulary.special_ids - allowed)
    return {"max_lengths": max_lengths, "banned": banned}


def max_length(lengths: ArrayLike, settings: SearchSettings) -> NDArray[np.int64]:
    """The maximum lengths of the translations of source sentences of so many tokens, all without
    special tokens."""
    found = settings.max_length_factor * np.asarray(lengths) + settings.max_length_offset
    return found.astype(np.int64)

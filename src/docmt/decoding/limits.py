"""What search may write: how long translations may be, and which tokens are never text."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

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
    max_lengths = settings.max_length_factor * lengths + settings.max_length_offset
    allowed = {special_tokens.target_begin, special_tokens.target_end}
    if settings.allow_unk:
        allowed.add(vocabulary.unk_id)
    banned = sorted(vocabulary.special_ids - allowed)
    return {"max_lengths": max_lengths.astype(np.int64), "banned": banned}

"""Copied context (Jean et al. 2019, "Fill in the Blanks: Imputing Missing Sentences for
Larger-Context Neural Machine Translation"; Zhang et al. 2020, section 3.2, "partial copy").

Many sentence pairs have no document around them. For a system that is trained on windows of k
sentences the missing ones are made of the pair itself: each is a partial copy of it, the source
context of the source sentence and the target context of the target sentence. What a system learns
from such windows is to say again what was said before. The copies are read and not learned from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator

from docmt.data import Instance
from docmt.data.dataset import ConcatDataset, Dataset
from docmt.data.split import InstanceDataset, tokens_between
from docmt.errors import InputError


def fill_context(instance: Instance, window: int, share: float, generator: Generator) -> Instance:
    """Put partial copies of its first sentence before an instance that is all of its document and
    shorter than the window.

    Args:
        instance: to be learned from.
        window: sentences that it is filled up to.
        share: probability that a token is copied.
        generator: where the draws come from.
    """
    assert instance.target is not None
    missing = window - len(instance.source)
    if instance.first > 0 or missing <= 0:
        return instance
    source = [copied(instance.source[0], share, generator) for _ in range(missing)]
    target = [copied(instance.target[0], share, generator) for _ in range(missing)]
    return replace(
        instance,
        source=[*source, *instance.source],
        target=[*target, *instance.target],
        made_up=missing,
    )


def check_context_lacks(table: Dataset, window: int) -> None:
    """See that there are instances to fill.

    Raises:
        InputError: there are none.
    """
    if not most_copied(table, window)[0].any():
        raise InputError(
            "training.copied_context has no effect: no document to learn from is shorter than "
            f"instances.window {window}",
            cure="Leave it out, or add sentence pairs under data.additional",
        )


def copied(sentence: Sequence[int], share: float, generator: Generator) -> list[int]:
    """This share of a sentence's tokens, in their order."""
    drawn = (torch.rand(len(sentence), generator=generator) < share).tolist()
    return [token for token, kept in zip(sentence, drawn, strict=True) if kept]


def most_copied(table: Dataset, window: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """(I,) the most tokens, marks included, that copies can add to each side of the windows of a
    table, or of several that are joined."""
    if isinstance(table, ConcatDataset):
        each = [most_copied(one, window) for one in table.tables]
        return np.concatenate([s for s, _ in each]), np.concatenate([t for _, t in each])
    assert isinstance(table, InstanceDataset), "only windows have their context copied"
    instances, split = table, table.split
    begin = split.first_sentences[instances.document]
    lacking = np.where(instances.first == 0, np.maximum(window - instances.end, 0), 0)
    source, target = (
        lacking * tokens_between(side, begin, begin + 1) for side in (split.source, split.target)
    )
    return source.astype(np.int32), target.astype(np.int32)

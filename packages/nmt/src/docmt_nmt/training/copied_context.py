"""Copied context (Jean et al. 2019, "Fill in the Blanks: Imputing Missing Sentences for
Larger-Context Neural Machine Translation"; Zhang et al. 2020, section 3.2, "partial copy").

Many sentence pairs have no document around them. For a system trained on windows of k sentences,
the missing sentences are made from the pair itself: partial copies of the source sentence are the
source context, partial copies of the target sentence the target context. From such windows a system
learns to repeat words of the context. The copies have no labels.

Shapes: I instances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator

from docmt_files.base.errors import InputError
from docmt_nmt.data import Instance
from docmt_nmt.data.dataset import ConcatDataset, Dataset, InstanceDataset


def copy_missing_context(
    instance: Instance, window: int, probability: float, generator: Generator
) -> Instance:
    """Put partial copies of the first sentence before an instance at the beginning of a document,
    up to the window. Any other instance stays as it is.

    Args:
        window: number of sentences wanted in the instance.
    """
    assert instance.target is not None
    missing = window - len(instance.source)
    if instance.first > 0 or missing <= 0:
        return instance
    source = [_partial_copy(instance.source[0], probability, generator) for _ in range(missing)]
    target = [_partial_copy(instance.target[0], probability, generator) for _ in range(missing)]
    return replace(
        instance,
        source=[*source, *instance.source],
        target=[*target, *instance.target],
        copied=missing,
    )


def check_missing_context(dataset: Dataset, window: int) -> None:
    """Require a document shorter than the window.

    Raises:
        InputError: there is none, so copied context would have no effect.
    """
    if not max_copied_tokens(dataset, window)[0].any():
        raise InputError(
            "training.copied_context has no effect: no training document is shorter than "
            f"instances.window {window}",
            cure="Leave it out, or add sentence pairs under data.additional",
        )


def max_copied_tokens(dataset: Dataset, window: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Maximum number of tokens added by copies to each side of each instance, special tokens
    included.

    Args:
        dataset: windows of sentences, or several such datasets one after the other.
        window: number of sentences wanted in each instance.

    Returns:
        (I,) for the source side and (I,) for the target side.
    """
    if isinstance(dataset, ConcatDataset):
        each = [max_copied_tokens(one, window) for one in dataset.datasets]
        return np.concatenate([s for s, _ in each]), np.concatenate([t for _, t in each])
    assert isinstance(dataset, InstanceDataset), "copied context needs instances.kind window"
    instances, split = dataset, dataset.split
    begin = split.first_sentences[instances.document]
    missing = np.where(instances.first == 0, np.maximum(window - instances.end, 0), 0)
    special_tokens = instances.special_tokens
    source, target = (
        missing * side.count(begin, begin + 1, overhead)
        for side, overhead in (
            (split.source, special_tokens.source_overhead),
            (split.target, special_tokens.target_overhead),
        )
    )
    return source.astype(np.int32), target.astype(np.int32)


def _partial_copy(sentence: Sequence[int], probability: float, generator: Generator) -> list[int]:
    """The tokens of a sentence in their order, each kept with a probability."""
    kept = (torch.rand(len(sentence), generator=generator) < probability).tolist()
    return [token for token, keep in zip(sentence, kept, strict=True) if keep]

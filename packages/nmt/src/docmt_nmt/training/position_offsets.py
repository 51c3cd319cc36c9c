"""Random position offsets: in training, the positions of each instance begin at a random number. A
system trained on sentences then already knows the positions of longer instances when training
continues on parts of documents (SHAPE; Kiyono et al. 2021, "SHAPE: Shifted Absolute Position
Embedding for Transformers").

Shapes: I instances.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Generator

from docmt_nmt.nn.batch import Batch, Packed


def offset_positions(batch: Batch, most: int, generator: Generator) -> Batch:
    """Begin the positions of each instance at a random number from 0 to `most`: the same number for
    the source, the target, and the context read with them."""
    drawn = torch.randint(most + 1, (len(batch.source.instances),), generator=generator)
    offsets = drawn.numpy().astype(np.int64)
    return replace(batch, source=_from(batch.source, offsets), target=_from(batch.target, offsets))


def _from(packed: Packed, offsets: NDArray[np.int64]) -> Packed:
    """Count the positions of a packed sequence and of the context from these offsets, (I,)."""
    context = None if packed.context is None else _from(packed.context, offsets)
    return replace(packed, position_offsets=offsets, context=context)

"""Batches that fill a token budget, in an order that depends on the seed and the epoch alone.

All batches of an epoch are known before it begins, and every process of a run works out the same
ones: sharing them needs no message between processes, and a run can be taken up again at any
update.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Members = NDArray[np.int64]
"""The numbers of the instances of a batch."""


@dataclass(frozen=True, eq=False)
class Sampler:
    """Puts instances into batches.

    Attributes:
        source_tokens: (instances,) tokens of each instance's source side, marks included.
        target_tokens: (instances,) the same of its target side.
        batch_tokens: tokens a batch may have on its longer side. An instance that has more stands
            alone.
        parts: instances of each corpus, one after the other, where there are several.
        shares: which share of the tokens is to be of each; None for those that come as they are,
            every instance once.
    """

    source_tokens: NDArray[np.integer]
    target_tokens: NDArray[np.integer]
    batch_tokens: int
    parts: Sequence[int] = ()
    shares: Sequence[float | None] = ()

    def in_order(self) -> list[Members]:
        """Every instance once, in the order they have."""
        return self.fill(np.arange(len(self.source_tokens)))

    def shuffled(self, seed: int, epoch: int) -> list[Members]:
        """Every instance once, in an order drawn for this epoch; of corpora that have a share, as
        many as make it up."""
        draw = np.random.default_rng((seed, epoch))
        if any(share is not None for share in self.shares):
            return self.fill(self.mixed(draw))
        return self.fill(draw.permutation(len(self.source_tokens)))

    def mixed(self, draw: np.random.Generator) -> Members:
        """An order in which every stretch has the shares of tokens: the next instance is always of
        the corpus that is farthest behind its share."""
        tokens = np.maximum(self.source_tokens, self.target_tokens).astype(np.int64)
        parts = np.split(np.arange(len(tokens)), np.cumsum(self.parts)[:-1])
        pairs = list(zip(parts, self.shares, strict=True))
        once = np.concatenate([part for part, share in pairs if share is None])
        left = 1 - sum(share for share in self.shares if share is not None)
        whole = tokens[once].sum() / left
        orders = [draw.permutation(once)]
        turns = [turns_of(tokens[orders[0]], left)]
        for part, share in pairs:
            if share is not None:
                order = draw.permutation(part)
                # A corpus that is too short for its share comes round again.
                while tokens[order].sum() < whole * share:
                    order = np.concatenate([order, draw.permutation(part)])
                turn = turns_of(tokens[order], share)
                orders.append(order[turn < whole])
                turns.append(turn[turn < whole])
        return np.concatenate(orders)[np.argsort(np.concatenate(turns), kind="stable")]

    def fill(self, order: Members) -> list[Members]:
        """Cut an order of instances into batches, each as long as the budget allows."""
        source = np.cumsum(self.source_tokens[order], dtype=np.int64)
        target = np.cumsum(self.target_tokens[order], dtype=np.int64)
        batches = []
        first = source_before = target_before = 0
        while first < len(order):
            fitting = min(
                int(np.searchsorted(source, source_before + self.batch_tokens, side="right")),
                int(np.searchsorted(target, target_before + self.batch_tokens, side="right")),
            )
            end = max(fitting, first + 1)
            batches.append(order[first:end])
            first, source_before, target_before = end, int(source[end - 1]), int(target[end - 1])
        return batches


def turns_of(tokens: NDArray[np.int64], share: float) -> NDArray[np.float64]:
    """(I,) when the turn of each instance of a corpus comes, in tokens of all corpora."""
    turns: NDArray[np.float64] = (np.cumsum(tokens) - tokens / 2) / share
    return turns


@dataclass(frozen=True, eq=False)
class Update:
    """The batches whose gradients are added up before the weights change.

    Attributes:
        batches: in the order of the epoch; fewer than usual in an epoch's last update.
    """

    batches: Sequence[Members]

    def share(self, process: int, processes: int) -> list[tuple[int, Members]]:
        """The batches that one of several processes computes, each with its place in the update;
        none where there are more processes than batches."""
        return list(enumerate(self.batches))[process::processes]


def updates(batches: Sequence[Members], size: int) -> list[Update]:
    """Group an epoch's batches into updates of `size` batches; the last takes what is left."""
    return [Update(batches[first : first + size]) for first in range(0, len(batches), size)]

"""`BatchSampler`: batches up to a budget of tokens or sentences, in an order determined by the seed
and the epoch alone.

All batches of an epoch are known before it begins, and every process of a run computes the same
ones: sharing them needs no communication between processes, and a run can be resumed at any update.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]
"""The indices of the instances of a batch."""


@dataclass(frozen=True, eq=False)
class BatchSampler:
    """Groups instances into batches.

    Attributes:
        source_tokens: (I,) the number of source tokens of each instance, special tokens included.
        target_tokens: (I,) the same for the target side.
        batch_tokens: maximum number of tokens per batch, counted on the longer side. A longer
            instance is a batch alone.
        sizes: the number of instances of each corpus, if there are several, in order.
        shares: the share of the tokens to draw from each corpus; None for a corpus whose instances
            are used once each.
        sentences: (I,) the number of sentences of each instance, where they are limited.
        batch_sentences: maximum number of sentences per batch; None for no limit. An instance with
            more sentences is a batch alone.
    """

    source_tokens: NDArray[np.integer]
    target_tokens: NDArray[np.integer]
    batch_tokens: int
    sizes: Sequence[int] = ()
    shares: Sequence[float | None] = ()
    sentences: NDArray[np.integer] | None = None
    batch_sentences: int | None = None

    def in_order(self) -> list[Indices]:
        """Every instance once, in order."""
        return self._batches(np.arange(len(self.source_tokens)))

    def shuffled(self, seed: int, epoch: int) -> list[Indices]:
        """Every instance once, in an order drawn for this epoch; from a corpus with a share, as
        many as the share requires."""
        generator = np.random.default_rng((seed, epoch))
        if any(share is not None for share in self.shares):
            return self._batches(self._mixed(generator))
        return self._batches(generator.permutation(len(self.source_tokens)))

    def _mixed(self, generator: np.random.Generator) -> Indices:
        """An order with the shares of tokens in every stretch: the next instance always comes from
        the corpus farthest behind the corpus's share."""
        tokens = np.maximum(self.source_tokens, self.target_tokens).astype(np.int64)
        corpora = np.split(np.arange(len(tokens)), np.cumsum(self.sizes)[:-1])
        pairs = list(zip(corpora, self.shares, strict=True))
        once = np.concatenate([corpus for corpus, share in pairs if share is None])
        left = 1 - sum(share for share in self.shares if share is not None)
        total = tokens[once].sum() / left
        orders = [generator.permutation(once)]
        turns = [_turns(tokens[orders[0]], left)]
        for corpus, share in pairs:
            if share is not None:
                order = generator.permutation(corpus)
                # A corpus too short for the share is repeated.
                while tokens[order].sum() < total * share:
                    order = np.concatenate([order, generator.permutation(corpus)])
                turn = _turns(tokens[order], share)
                orders.append(order[turn < total])
                turns.append(turn[turn < total])
        return np.concatenate(orders)[np.argsort(np.concatenate(turns), kind="stable")]

    def _batches(self, order: Indices) -> list[Indices]:
        """Cut an order of instances into batches, each as large as the budgets allow."""
        budgets = [(self.source_tokens, self.batch_tokens), (self.target_tokens, self.batch_tokens)]
        if self.batch_sentences is not None:
            assert self.sentences is not None, "a limit of sentences needs their numbers"
            budgets.append((self.sentences, self.batch_sentences))
        sums = [(np.cumsum(sizes[order], dtype=np.int64), most) for sizes, most in budgets]
        batches = []
        first = 0
        while first < len(order):
            fitting = min(
                int(np.searchsorted(sizes, most + (sizes[first - 1] if first else 0), side="right"))
                for sizes, most in sums
            )
            end = max(fitting, first + 1)
            batches.append(order[first:end])
            first = end
        return batches


def _turns(tokens: NDArray[np.int64], share: float) -> NDArray[np.float64]:
    """(I,) when each instance of a corpus is due, in tokens of all corpora."""
    turns: NDArray[np.float64] = (np.cumsum(tokens) - tokens / 2) / share
    return turns


@dataclass(frozen=True, eq=False)
class Update:
    """The batches whose gradients are accumulated before the weights change.

    Attributes:
        batches: in the order of the epoch; an epoch's last update may have fewer.
    """

    batches: Sequence[Indices]

    def share(self, process: int, processes: int) -> list[tuple[int, Indices]]:
        """The batches of one of several processes, each with an index in the update; none if there
        are more processes than batches."""
        return list(enumerate(self.batches))[process::processes]


def updates(batches: Sequence[Indices], size: int) -> list[Update]:
    """Group an epoch's batches into updates of `size` batches; the last takes the rest."""
    return [Update(batches[first : first + size]) for first in range(0, len(batches), size)]

"""Sampling: translations drawn at random from the system's distribution, token by token.

The distribution can be sharpened by a temperature T, and cut to the k most probable tokens (Fan et
al. 2018, "Hierarchical Neural Story Generation") and to the fewest with probability p together
(Holtzman et al. 2020, "The Curious Case of Neural Text Degeneration"):

    q(v) ∝ p(v)^(1/T)  for v among the kept tokens

Each instance has random numbers of its own, so samples do not depend on the rest of the batch.

Shapes: U open units, B samples of each, R = U · B, V tokens of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self
from zlib import crc32

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt_nmt.data import Instance
from docmt_nmt.decoding.beams import Beams, Floats, Hypothesis, Integers, Proposals
from docmt_nmt.decoding.constraints import NEVER
from docmt_nmt.nn.batch import Packed
from docmt_nmt.nn.incremental.open_hypotheses import OpenHypotheses
from docmt_nmt.nn.kernels.top_k import top_k
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.recipes.search import SearchSettings


@dataclass(frozen=True)
class Sampling:
    """The distribution and the seeds of samples.

    Attributes:
        seeds: for each instance the numbers to seed a random generator.
        temperature: T, above 0; 1 leaves the distribution as it is.
        top_k: the number of kept tokens; None for all.
        top_p: the least probability of the kept tokens together; None for all tokens.
    """

    seeds: Sequence[Sequence[int]]
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None

    @classmethod
    def of(cls, settings: SearchSettings, instances: Sequence[Instance]) -> Self | None:
        """The sampling of these instances by settings; None for beam search.

        Args:
            instances: the instances; seeds follow from the document and the first sentence.
        """
        if settings.method != "sampling":
            return None
        seeds = [(settings.seed, crc32(i.document.encode()), i.first) for i in instances]
        return cls(seeds, settings.temperature, settings.top_k, settings.top_p)

    def by_sentence(self, source: Packed) -> Sampling:
        """A copy for a source with one sentence per instance."""
        counts = np.diff(source.first_sentences).tolist()
        numbered = zip(self.seeds, counts, strict=True)
        seeds = [(*seed, index) for seed, count in numbered for index in range(count)]
        return replace(self, seeds=seeds)

    def draw(self, logits: Tensor, uniforms: Tensor) -> Tensor:
        """Draw a token from each distribution.

        Args:
            logits: (R, V); not all of a row are -inf.
            uniforms: (R,) a random number for each row, from 0 to below 1.

        Returns:
            (R,) the tokens.
        """
        if self.top_k is None and self.top_p is None:
            # All tokens are kept, and need not be sorted.
            return _pick((logits / self.temperature).softmax(dim=1), uniforms)
        kept = min(self.top_k or logits.shape[1], logits.shape[1])
        best, tokens = top_k(logits, kept)
        shares = (best / self.temperature).softmax(dim=1)
        if self.top_p is not None:
            sums = shares.cumsum(dim=1)
            shares = shares.masked_fill(sums - shares >= self.top_p, 0.0)
        return tokens.gather(1, _pick(shares, uniforms)[:, None]).squeeze(1)


def _pick(shares: Tensor, uniforms: Tensor) -> Tensor:
    """An index, (R,), from each row of shares, (R, n), by random numbers, (R,), below 1."""
    sums = shares.cumsum(dim=1)
    index = torch.searchsorted(sums, uniforms[:, None] * sums[:, -1:], right=True).squeeze(1)
    # By rounding, the last sum may be reached.
    numbers = torch.arange(shares.shape[1], device=shares.device)
    last = (numbers * (shares > 0)).amax(dim=1)
    return index.minimum(last)


class Samples(Beams):
    """B independent samples of each unit: every hypothesis is continued by one token.

    Args:
        state, arguments, keys: as of `Beams`.
    """

    def __init__(
        self, sampling: Sampling, state: OpenHypotheses, *arguments: Any, **keys: Any
    ) -> None:
        super().__init__(state, *arguments, **keys)
        self._sampling = sampling
        self._totals = np.zeros_like(self._totals)
        self._uniforms = [self._random_numbers(unit) for unit in range(len(self.finished))]
        self._order: list[list[int]] = [[] for _ in self.finished]

    def _random_numbers(self, unit: int) -> NDArray[np.float32]:
        """(B, steps) the random numbers of a unit, enough for the longest translation."""
        state = self._state
        first, last = int(self._first_sentence[unit]), int(state.last_of_units[unit])
        instance = int(state.instance_of_units[unit])
        overhead = self._special_tokens.target_overhead
        steps = int(self._room.longest[first : last + 1].sum()) + (last + 1 - first) * overhead
        seed = *self._sampling.seeds[instance], first - int(state.first_sentences[instance])
        return np.random.default_rng(seed).random((state.beam_size, steps), np.float32)

    def propose(self, scores: Tensor | Floats) -> Any:
        """The continuation of each hypothesis, (U, B) each; see `Beams.propose`."""
        state = self._state
        arrays, log_probabilities = self._constrain(scores)
        steps = zip(state.units.tolist(), (state.tokens_read_by_unit - 1).tolist(), strict=True)
        numbers = np.concatenate([self._uniforms[unit][:, step] for unit, step in steps])
        known = torch.as_tensor(log_probabilities)
        tokens = self._sampling.draw(known, to_device(numbers, known.device))
        gains = known.gather(1, tokens[:, None]).squeeze(1)
        totals = to_device(self._totals.reshape(-1), known.device) + gains
        shape = len(state.units), state.beam_size
        parents = torch.arange(state.beam_size, device=known.device).expand(shape)
        parts = parents, tokens.view(shape), totals.view(shape), gains.view(shape)
        if known.device.type == "cpu":
            return arrays.packed(*(part.numpy() for part in parts))
        return arrays.packed(*parts)

    def _choose(self, proposals: Proposals) -> tuple[Integers, Integers]:
        """Continue all samples; a finished sample keeps the slot, with probability 0."""
        units = np.arange(len(self._state.units))[:, None]
        parents = proposals.parents + self._state.beam_size * units
        finishing = self._finishing(parents, proposals)
        self._finish(finishing, parents, proposals)
        for i, k in zip(*(index.tolist() for index in finishing.nonzero()), strict=True):
            self._order[int(self._state.units[i])].append(k)
        totals = np.where(finishing, np.float32(NEVER), proposals.totals)
        return self._go_on(parents, proposals.tokens, totals, proposals.gains)

    def renew(self, places: Integers) -> None:
        super().renew(places)
        self._totals[places] = 0.0

    def results(self) -> list[list[Hypothesis]]:
        """The samples of all units, in the order of random numbers. So the first is neither the
        shortest nor the best."""
        super().results()  # checks that there are any
        return [
            [unit[order.index(k)] for k in range(len(unit))]
            for unit, order in zip(self.finished, self._order, strict=True)
        ]

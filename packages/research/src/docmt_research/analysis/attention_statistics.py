"""The entropy of attention and the values of gates, over a corpus.

The entropy of an attention is that of its distributions, −Σ_k a_qk log₂ a_qk in bits, averaged over
all queries q and heads (the measure of Bao et al. 2021, section 3.2). Weights are added up as they
are computed and never kept, so documents may be long.

Shapes: H heads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import fsum, log
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from docmt_nmt.nn.batch import SOURCE
from docmt_nmt.nn.kernels.attend import WeightBlock
from docmt_nmt.nn.recording import Looked, Passes, Summary, SummaryRecorder, gate_key, layer_of

HISTOGRAM_BINS = 20
"""The bins of a gate's histogram, between 0 and 1."""


@dataclass(frozen=True, slots=True)
class AttentionEntropy:
    """The entropy of one attention.

    Attributes:
        name: the attention's name in the system.
        kind: `encoder` or `decoder` for the self-attention of these, `cross` for attention to the
            source; for any other the stack of layers it is in and what it looks at, such as
            `encoder.context`.
        layer: its layer, from 0; None for an attention outside of layers.
        scope: `group`, `previous` or `global`.
        queries: how many distributions each head has.
        bits: their mean entropy.
        uniform_bits: what it would be if the weights of all keys that a query sees were equal.
    """

    name: str
    kind: str
    layer: int | None
    scope: str
    queries: int
    bits: float
    uniform_bits: float

    @property
    def key(self) -> str:
        """A short name, such as `cross.5.global`."""
        return attention_key(self.kind, self.layer, self.scope)


@dataclass(frozen=True, slots=True)
class GateStatistics:
    """The values of one gate, over tokens that have any context and all dimensions.

    Attributes:
        name: the gate's name in the system.
        layer: its layer, from 0; None for a gate outside of layers.
        passes: whether a gate of 1 lets through what is the token's `own`, or the `context`.
        tokens: how many tokens.
        mean: the mean value.
        mean_square: the mean of the squares.
        histogram: how many values are in each of `HISTOGRAM_BINS` equal bins from 0 to 1.
    """

    name: str
    layer: int | None
    passes: Passes
    tokens: int
    mean: float
    mean_square: float
    histogram: tuple[int, ...]

    @property
    def key(self) -> str:
        """A short name, such as `decoder.5.cross_attention`."""
        return gate_key(self.name)

    @property
    def context_share(self) -> float:
        """The mean share of the context that is let through."""
        return self.mean if self.passes == "context" else 1 - self.mean

    @property
    def standard_deviation(self) -> float:
        """Of the values."""
        return float(max(self.mean_square - self.mean**2, 0.0) ** 0.5)


@dataclass(frozen=True, slots=True)
class AttentionStatistics:
    """Statistics of all attentions and gates of a system.

    Attributes:
        entropies: of its attentions.
        gates: of its gates.
    """

    entropies: tuple[AttentionEntropy, ...]
    gates: tuple[GateStatistics, ...]

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        return {
            "entropies": [asdict(one) | {"key": one.key} for one in self.entropies],
            "gates": [
                asdict(one)
                | {
                    "key": one.key,
                    "context_share": one.context_share,
                    "standard_deviation": one.standard_deviation,
                }
                for one in self.gates
            ],
        }


@dataclass(slots=True)
class _Sums:
    """Sums that arrive on a device and are added up exactly on the host.

    Attributes:
        count: how many values were summed, known on the host.
        extra: another sum, known on the host.
    """

    count: int = 0
    extra: float = 0.0
    _waiting: list[Tensor] = field(default_factory=list)
    _parts: list[NDArray[np.float64]] = field(default_factory=list)

    def add(self, sums: Tensor) -> None:
        """Add sums, (n,)."""
        self._waiting.append(sums)
        if len(self._waiting) == 256:
            self._parts = [self.total()]
            self._waiting = []

    def total(self) -> NDArray[np.float64]:
        """(n,) all of them together."""
        waiting = torch.stack(self._waiting).cpu().numpy() if self._waiting else np.zeros((0, 1))
        rows = [*self._parts, *waiting.astype(np.float64)]
        return np.array([fsum(column) for column in zip(*rows, strict=True)])


class StatisticsRecorder(SummaryRecorder):
    """Adds up the entropies of all attentions and the values of all gates in use; the recorder for
    `training.log_attention`."""

    def __init__(self) -> None:
        super().__init__(weights=True, gates=True)
        self._entropies: dict[tuple[Looked, nn.Module], _Sums] = {}
        self._gate_sums: dict[nn.Module, tuple[Passes, _Sums]] = {}

    def add_weights(self, looked: Looked, owner: nn.Module, weights: list[Tensor]) -> None:
        whole = (w if w.ndim == 3 else w[:, None] for w in weights)
        self.add_blocks(looked, owner, (WeightBlock(i, 0, w, False) for i, w in enumerate(whole)))

    def add_blocks(self, looked: Looked, owner: nn.Module, blocks: Iterable[WeightBlock]) -> None:
        sums = self._entropies.setdefault((looked, owner), _Sums())
        statistics = []
        for block in blocks:
            heads, queries, keys = block.weights.shape
            if not queries or not keys:
                continue
            statistics.append(torch.special.entr(block.weights.detach().float()).sum() / heads)
            sums.count += queries
            seen = np.arange(1, queries + 1) + block.first if block.causal else np.array([keys])
            sums.extra += float(np.log2(seen).sum()) * (1 if block.causal else queries)
        if statistics:
            sums.add(torch.stack(statistics).sum()[None])

    def add_gate(self, owner: nn.Module, passes: Passes, values: Tensor) -> None:
        if not len(values):
            return
        _, sums = self._gate_sums.setdefault(owner, (passes, _Sums()))
        values = values.detach().float()
        histogram = torch.histc(values, HISTOGRAM_BINS, 0, 1)
        means = torch.stack([values.mean(1).sum(), values.square().mean(1).sum()])
        sums.add(torch.cat([means, histogram]))
        sums.count += len(values)

    def statistics(self, system: nn.Module) -> AttentionStatistics:
        """Return what was found, with the names of the system."""
        names = {module: name for name, module in system.named_modules()}
        entropies = []
        for (looked, owner), sums in self._entropies.items():
            name = names.get(owner, "")
            if sums.count:
                bits = float(sums.total()[0]) / log(2) / sums.count
                entropies.append(
                    AttentionEntropy(
                        name,
                        kind_of(name, looked),
                        layer_of(name),
                        looked.scope,
                        sums.count,
                        bits,
                        sums.extra / sums.count,
                    )
                )
        gates = []
        for owner, (passes, sums) in self._gate_sums.items():
            name, (mean, square, *histogram) = names.get(owner, ""), sums.total().tolist()
            gates.append(
                GateStatistics(
                    name,
                    layer_of(name),
                    passes,
                    sums.count,
                    mean / sums.count,
                    square / sums.count,
                    tuple(map(round, histogram)),
                )
            )
        return AttentionStatistics(tuple(entropies), tuple(gates))

    @staticmethod
    def summary(parts: Sequence[AttentionStatistics]) -> Summary:
        """The entropies in bits, and the shares of the context."""
        merged = merge_statistics(parts)
        return Summary(
            {one.key: one.bits for one in merged.entropies},
            {one.key: one.context_share for one in merged.gates},
        )


def merge_statistics(parts: Sequence[AttentionStatistics]) -> AttentionStatistics:
    """The statistics of several parts of a corpus, such as those of several processes, as one."""
    entropies: dict[tuple[str, str], AttentionEntropy] = {}
    gates: dict[str, GateStatistics] = {}
    for part in parts:
        for entropy in part.entropies:
            before = entropies.get((entropy.key, entropy.name))
            entropies[entropy.key, entropy.name] = (
                entropy if before is None else _merged_entropy(before, entropy)
            )
        for gate in part.gates:
            gates[gate.name] = (
                gate if gate.name not in gates else _merged_gate(gates[gate.name], gate)
            )
    return AttentionStatistics(tuple(entropies.values()), tuple(gates.values()))


def _merged_entropy(a: AttentionEntropy, b: AttentionEntropy) -> AttentionEntropy:
    queries = a.queries + b.queries
    return replace(
        a,
        queries=queries,
        bits=(a.bits * a.queries + b.bits * b.queries) / queries,
        uniform_bits=(a.uniform_bits * a.queries + b.uniform_bits * b.queries) / queries,
    )


def _merged_gate(a: GateStatistics, b: GateStatistics) -> GateStatistics:
    tokens = a.tokens + b.tokens
    return replace(
        a,
        tokens=tokens,
        mean=(a.mean * a.tokens + b.mean * b.tokens) / tokens,
        mean_square=(a.mean_square * a.tokens + b.mean_square * b.tokens) / tokens,
        histogram=tuple(x + y for x, y in zip(a.histogram, b.histogram, strict=True)),
    )


def attention_key(kind: str, layer: int | None, scope: str) -> str:
    """The short name of an attention, such as `cross.5.global`."""
    return ".".join([kind, *([] if layer is None else [str(layer)]), scope])


def kind_of(name: str, looked: Looked) -> str:
    """The kind of an attention of this name; see `AttentionEntropy`."""
    parts = name.split(".")
    numbers = [i for i, part in enumerate(parts) if i and part.isdigit()]
    stack = ".".join(parts[: numbers[0]] if numbers else parts[:1])
    if looked.kind == "self":
        return stack
    if looked.kind == "cross":
        outer = stack.rpartition(".")[0]
        source = "" if looked.source == SOURCE else looked.source
        return ".".join(filter(None, [outer, "cross", source]))
    return f"{stack}.{looked.kind}"

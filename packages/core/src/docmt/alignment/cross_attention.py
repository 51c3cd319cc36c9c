"""Weights with which target tokens look at source tokens of their sentence, from a full pass.

Shapes: H heads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from docmt_nmt.nn.batch import SOURCE, Batch
from docmt_nmt.nn.kernels.attend import WeightBlock
from docmt_nmt.nn.recording import Looked, Recorder, layer_of

Weights = NDArray[np.float32]
"""(target tokens, source tokens) the mean over heads."""


class CrossAttentionRecorder(Recorder):
    """Keeps the attention of each sentence's target tokens to the source tokens, as the mean over
    the heads of each layer.

    Args:
        rows, columns: for each sentence, positions in the target and in the source.
        wanted: the layers to record; None takes all.
        heads: the heads to average; None takes all.

    Attributes:
        layers: all layers with cross-attention.
    """

    def __init__(
        self,
        system: nn.Module,
        batch: Batch,
        rows: Sequence[tuple[int, int]],
        columns: Sequence[tuple[int, int]],
        wanted: Collection[int] | None,
        heads: Sequence[int] | None = None,
    ) -> None:
        super().__init__(weights=True)
        self._names = {module: name for name, module in system.named_modules()}
        self._spans = {
            "group": (batch.target.sentences, batch.source.sentences),
            "global": (batch.target.instances, batch.source.instances),
        }
        self._rows, self._columns, self._wanted = rows, columns, wanted
        self._heads = None if heads is None else list(heads)
        self._begins, self._ends = (np.array([row[side] for row in rows]) for side in (0, 1))
        self.layers: set[int] = set()
        self._found: dict[tuple[int, str], list[Weights]] = {}

    def by_layer(self) -> dict[int, list[Weights]]:
        """For each layer the weights of each sentence, (rows, columns). For a layer with attention
        to sentences and to instances, the weights for sentences."""
        # "global" is before "group".
        return {layer: self._found[layer, scope] for layer, scope in sorted(self._found)}

    def add_weights(self, looked: Looked, owner: nn.Module, weights: list[Tensor]) -> None:
        """Record the weights of all spans, (H, queries, keys) each."""
        self.add_blocks(looked, owner, _as_blocks(weights))

    def add_blocks(self, looked: Looked, owner: nn.Module, blocks: Iterable[WeightBlock]) -> None:
        """Record the weights of all spans, which are computed as they are asked for."""
        layer = layer_of(self._names.get(owner, "")) or 0
        if looked.kind != "cross" or looked.source != SOURCE:
            return
        self.layers.add(layer)
        if self._wanted is not None and layer not in self._wanted:
            return
        queries, keys = self._spans[looked.scope]
        tables = [
            np.zeros((row[1] - row[0], column[1] - column[0]), np.float32)
            for row, column in zip(self._rows, self._columns, strict=True)
        ]
        for block in blocks:
            if block.weights.shape[2] != keys.host_lengths[block.span]:
                return
            of_heads = block.weights if self._heads is None else block.weights[self._heads]
            weights = of_heads.float().mean(0).cpu().numpy()
            begin = int(queries.host_offsets[block.span]) + block.first
            self._add(tables, weights, begin, int(keys.host_offsets[block.span]))
        self._found[layer, looked.scope] = tables

    def _add(
        self, tables: Sequence[Weights], weights: NDArray[np.float32], begin: int, first_key: int
    ) -> None:
        """Put weights, (queries, keys) from these positions on, into their sentences' tables."""
        end = begin + len(weights)
        first = int(np.searchsorted(self._ends, begin, "right"))
        last = int(np.searchsorted(self._begins, end, "left"))
        for index in range(first, last):
            (row, row_end), (column, column_end) = self._rows[index], self._columns[index]
            top, bottom = max(row, begin), min(row_end, end)
            tables[index][top - row : bottom - row] = weights[
                top - begin : bottom - begin, column - first_key : column_end - first_key
            ]


def _as_blocks(weights: Sequence[Tensor]) -> Iterator[WeightBlock]:
    """The weights of spans as a block each."""
    for span, weights_of_span in enumerate(weights):
        yield WeightBlock(span, 0, weights_of_span, causal=False)

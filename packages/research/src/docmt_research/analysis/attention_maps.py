"""Maps of where attention looks: over a corpus in numbers, and in one document as a map.

A map has the attention weights from each token (a row) to each other token (a column) in one
attention, in one head or as the mean of all heads.

Shapes: H heads, N_q queries, N_k keys.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_nmt.decoding.teacher_forcing import batches_of_groups
from docmt_nmt.nn import Packed, Recorder
from docmt_nmt.nn.kernels.attend import WeightBlock
from docmt_nmt.nn.recording import Looked, layer_of, recording
from docmt_nmt.translators.translator import ProgressCallback
from docmt_research.analysis.attention_statistics import (
    AttentionStatistics,
    StatisticsRecorder,
    attention_key,
    kind_of,
)
from docmt_research.forced_decoding.system_forced_decoder import SystemForcedDecoder

_SideName = Literal["source", "target"]

MAX_CELLS = 2**24
"""Maximum number of weights in a map; in a larger map nothing could be seen."""


@dataclass(frozen=True, slots=True)
class Side:
    """The tokens of one side of an instance.

    Attributes:
        tokens: subwords and special tokens.
        offsets: where each sentence begins, and where the last one ends.
    """

    tokens: tuple[str, ...]
    offsets: tuple[int, ...]


@dataclass(frozen=True, eq=False, slots=True)
class AttentionMap:
    """The weights of one attention.

    Attributes:
        name: the name of the attention in the system.
        key: the short name, such as `cross.5.global`.
        kind, layer, scope: as of `AttentionEntropy`.
        queries, keys: the sides of the queries and of the keys.
        weights: (N_q, N_k) fp32; zero where nothing is seen.
    """

    name: str
    key: str
    kind: str
    layer: int | None
    scope: str
    queries: _SideName
    keys: _SideName
    weights: NDArray[np.float32]


@dataclass(frozen=True, eq=False, slots=True)
class DocumentMaps:
    """The maps of one instance of a document.

    Attributes:
        document: the id of the document.
        first_sentence: the number of the instance's first sentence in the document, from 1.
        head: of which head, from 0; None for the mean of all.
        source, target: the tokens of each side.
        maps: of each attention from tokens of the instance to others.
    """

    document: str
    first_sentence: int
    head: int | None
    source: Side
    target: Side
    maps: tuple[AttentionMap, ...]

    def side(self, name: _SideName) -> Side:
        """One side of the instance."""
        return self.source if name == "source" else self.target

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values, for JSON: for each query the index of the first key with any
        weight, and the weights from there to the last key with any weight, to three digits."""
        sides = {
            name: {"tokens": list(side.tokens), "sentence_offsets": list(side.offsets)}
            for name, side in (("source", self.source), ("target", self.target))
        }
        maps = [
            {
                "key": one.key,
                "name": one.name,
                "kind": one.kind,
                "layer": one.layer,
                "scope": one.scope,
                "queries": one.queries,
                "keys": one.keys,
                "rows": [_row_as_list(row) for row in one.weights],
            }
            for one in self.maps
        ]
        return {
            "document": self.document,
            "first_sentence": self.first_sentence,
            "head": "mean" if self.head is None else self.head,
            **sides,
            "maps": maps,
        }


def _row_as_list(row: NDArray[np.float32]) -> tuple[int, list[float]]:
    """The first key with any weight, and the weights from there to the last key with any weight."""
    some = row.nonzero()[0]
    if not len(some):
        return 0, []
    first, last = int(some[0]), int(some[-1])
    return first, [float(f"{weight:.3g}") for weight in row[first : last + 1].tolist()]


def measure_attention(
    forced_decoder: SystemForcedDecoder,
    documents: Sequence[Document],
    progress: ProgressCallback | None = None,
) -> AttentionStatistics:
    """The entropy of every attention and the values of every gate, as a system reads documents and
    writes their given translations.

    Args:
        forced_decoder: of the system.
        documents: with targets.
        progress: called with the sentences done so far and the sentences in all.

    Raises:
        InputError: a document has no target.
    """
    recorder, system = StatisticsRecorder(), forced_decoder.translator.eager
    forced = list(chain.from_iterable(forced_decoder.instances(documents)))
    total, done = sum(len(one.lengths) for one in forced), 0
    with _eval_mode(system):
        for groups in batches_of_groups(forced):
            chosen = [forced[index] for index in chain.from_iterable(groups)]
            batch = forced_decoder.batch(chosen)
            with recording(recorder):
                system.states(batch)
            done += sum(len(one.lengths) for one in chosen)
            if progress is not None:
                progress(done, total)
    return recorder.statistics(system)


def map_attention(
    forced_decoder: SystemForcedDecoder,
    document: Document,
    *,
    instance: int = 1,
    layers: Collection[int] | None = None,
    head: int | None = None,
) -> DocumentMaps:
    """The attention maps of one instance of a document.

    Args:
        forced_decoder: of the system.
        document: with a target side.
        instance: number of the instance in the document, from 1.
        layers: the requested layers, from 0; default: all.
        head: of which head, from 0; default: the mean of all.

    Raises:
        InputError: there is no such instance, layer or head, the instance is too long for a map, or
            the system has no attention to draw.
    """
    (instances,) = forced_decoder.instances([document])
    if not 1 <= instance <= len(instances):
        raise InputError(
            f"document {document.id!r} has {counted(len(instances), 'instance')}, and no "
            f"{instance}",
            cure=f"Choose one from 1 to {len(instances)}",
        )
    forced = instances[instance - 1]
    system, pipeline = forced_decoder.translator.eager, forced_decoder.translator.pipeline
    with _eval_mode(system):
        batch = forced_decoder.batch([forced])
        source = _side(batch.source, pipeline.source_vocabulary.tokens)
        target = _side(batch.target, pipeline.target_vocabulary.tokens)
        if max(len(source.tokens), len(target.tokens)) ** 2 > MAX_CELLS:
            raise InputError(
                f"an instance of {len(source.tokens):,} and {len(target.tokens):,} tokens is too "
                "long for a map",
                cure="Choose a shorter document",
            )
        recorder = _MapRecorder(system, layers, head)
        with recording(recorder):
            system.states(batch)
    maps = tuple(_maps(recorder, len(source.tokens), len(target.tokens)))
    if not maps:
        if layers is None:
            raise InputError("the system has no attention that can be drawn")
        raise InputError(
            f"there is no attention to draw in layer {', '.join(map(str, sorted(layers)))}",
            cure="Layers are counted from 0; leave them out for all layers",
        )
    return DocumentMaps(document.id, forced.instance.first + 1, head, source, target, maps)


class _MapRecorder(Recorder):
    """Keeps of every attention one head, or the mean of all.

    Args:
        system: which is recorded.
        layers: which layers are kept; None for all.
        head: which head; None for the mean.

    Attributes:
        kept: for each attention, the weights of each span, (queries, keys), of every call.
    """

    def __init__(self, system: nn.Module, layers: Collection[int] | None, head: int | None) -> None:
        super().__init__(weights=True)
        self.kept: dict[tuple[Looked, str], list[list[NDArray[np.float32]]]] = {}
        self._names = {module: name for name, module in system.named_modules()}
        self._layers, self._head = layers, head

    def add_weights(self, looked: Looked, owner: nn.Module, weights: list[Tensor]) -> None:
        """Keep weights, (H, queries, keys)."""
        self.add_blocks(looked, owner, (WeightBlock(i, 0, w, False) for i, w in enumerate(weights)))

    def add_blocks(self, looked: Looked, owner: nn.Module, blocks: Iterable[WeightBlock]) -> None:
        """Keep the weights of all blocks."""
        name = self._names.get(owner, "")
        if self._layers is None or layer_of(name) in self._layers:
            spans = [
                np.concatenate([self._of_head(block.weights) for block in blocks_of_span])
                for _, blocks_of_span in groupby(blocks, attrgetter("span"))
            ]
            self.kept.setdefault((looked, name), []).append(spans)

    def _of_head(self, weights: Tensor) -> NDArray[np.float32]:
        """Weights, (H, queries, keys), as (queries, keys)."""
        if self._head is not None and self._head >= len(weights):
            raise InputError(
                f"an attention has {counted(len(weights), 'head')}, and no head {self._head}",
                cure="They are counted from 0",
            )
        weights_of_head = weights.mean(0) if self._head is None else weights[self._head]
        kept: NDArray[np.float32] = weights_of_head.float().cpu().numpy()
        return kept


def _maps(recorder: _MapRecorder, source: int, target: int) -> Iterator[AttentionMap]:
    """The maps of the attentions between tokens of the instance, which has so many."""
    sides: dict[str, tuple[_SideName, _SideName]] = {
        "encoder": ("source", "source"),
        "decoder": ("target", "target"),
        "cross": ("target", "source"),
    }
    sizes = {"source": source, "target": target}
    for (looked, name), calls in recorder.kept.items():
        kind, layer = kind_of(name, looked), layer_of(name)
        # Streams of one source have names of their own: `cross.short`.
        side = sides.get(kind.partition(".")[0] if looked.kind == "cross" else kind)
        if side is None:
            continue
        for spans in calls:
            weights = _laid_out(spans, sizes[side[0]], sizes[side[1]])
            if weights is not None:
                key = attention_key(kind, layer, looked.scope)
                yield AttentionMap(name, key, kind, layer, looked.scope, *side, weights)
                break


def _laid_out(
    spans: Sequence[NDArray[np.float32]], queries: int, keys: int
) -> NDArray[np.float32] | None:
    """The weights of spans, (queries, keys) each, as a map, (N_q, N_k), in which the spans stand
    one after the other. Each may begin with keys of the one before. None if the spans do not cover
    the whole instance."""
    own_keys = [one.shape[1] for one in spans]
    if sum(one.shape[0] for one in spans) != queries:
        return None
    if sum(own_keys) != keys:
        # Keys of the sentence before, and as many own keys as queries.
        own_keys = [one.shape[0] for one in spans]
        if sum(own_keys) != keys or any(one.shape[1] < one.shape[0] for one in spans):
            return None
    weights = np.zeros((queries, keys), np.float32)
    row = end = 0
    for one, size in zip(spans, own_keys, strict=True):
        end += size
        weights[row : row + len(one), end - one.shape[1] : end] = one
        row += len(one)
    return weights


def _side(packed: Packed, names: Sequence[str]) -> Side:
    """The tokens of a packed instance."""
    tokens = tuple(names[token] for token in packed.host_tokens)
    return Side(tokens, tuple(packed.sentences.host_offsets.tolist()))


@contextmanager
def _eval_mode(system: nn.Module) -> Iterator[None]:
    """Put a system into eval mode without gradients, and back."""
    training = system.training
    system.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        system.train(training)

"""`CompiledState`: the decoding state of a compiled system, in arrays of the host.

The bookkeeping is that of eager search (`OpenHypotheses`, `TokenSlots`); keys, values and states of
recurrences are arrays that the graph of a step reads and writes. Names are those of
`docmt_nmt.nn.traced_view.TracedStep`.

Shapes: U open units (instances) with B hypotheses each, R = U · B; L source tokens of the longest
instance; H heads, D head dimension, S slots of written tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.nn.incremental.open_hypotheses import Integers, OpenHypotheses
from docmt_nmt.nn.incremental.token_slots import TokenSlots

Arrays = Mapping[str, NDArray[Any]]
Floats = NDArray[np.float32]

SCOPES = ("sentence", "instance")

_HIDDEN = np.float32("-inf")

_WHOLE_BLOCKS = 16
"""The length of a padded source is a multiple of it. ONNX Runtime adds numbers in blocks, and a sum
over attended tokens would be rounded in another way in a batch with a longer instance; in eight
bits, some translations would then differ."""


class PaddedSource(NamedTuple):
    """The source of a batch of instances.

    Attributes:
        tokens: (U, L) token ids, special tokens included; 0 for padding.
        sentences: (U, L) the sentence of each token in the instance, from 0; -1 for padding.
        counts: (U,) the number of sentences of each instance.
    """

    tokens: Integers
    sentences: Integers
    counts: Integers

    @classmethod
    def of(
        cls, instances: Sequence[Sequence[Sequence[int]]], special_tokens: SpecialTokens
    ) -> PaddedSource:
        """Pad instances, given as sentences of token ids without special tokens."""
        around = special_tokens.source_overhead
        lengths = [sum(len(s) + around for s in sentences) for sentences in instances]
        length = -(-max(lengths) // _WHOLE_BLOCKS) * _WHOLE_BLOCKS
        tokens = np.zeros((len(instances), length), np.int64)
        numbers = np.full_like(tokens, -1)
        begin, end = special_tokens.source_begin, special_tokens.source_end
        for row, (sentences, length) in enumerate(zip(instances, lengths, strict=True)):
            tokens[row, :length] = [t for s in sentences for t in (*begin, *s, *end)]
            sizes = [len(s) + around for s in sentences]
            numbers[row, :length] = np.arange(len(sizes)).repeat(sizes)
        return cls(tokens, numbers, np.array([len(sentences) for sentences in instances]))

    def positions(self, count_from: str) -> Integers:
        """(U, L) the position of each token in the `instance` or the `sentence`."""
        everywhere = np.broadcast_to(np.arange(self.tokens.shape[1]), self.tokens.shape)
        if count_from == "instance":
            return np.ascontiguousarray(everywhere)
        begins = np.diff(self.sentences, axis=1, prepend=-2) != 0
        first: Integers = np.maximum.accumulate(np.where(begins, everywhere, 0), axis=1)
        return everywhere - first


class CachedTokens(TokenSlots):
    """The keys and values of written tokens, (U, H, capacity, D) each, by the name of the input.

    The slots of a unit do not depend on other units, as sums over tokens in other slots are rounded
    in another way: in eight bits, some translations would then differ.

    Args:
        units, beam_size: U and B.
        shapes: (H, D) of each input.
    """

    def __init__(self, units: int, beam_size: int, shapes: Mapping[str, tuple[int, int]]) -> None:
        super().__init__(units, beam_size)
        self.cached: dict[str, Floats] = {}
        self._shapes = shapes
        self._used = np.zeros(units, np.int64)
        self._newest = np.zeros((units, beam_size), np.int64)
        self._bias: Floats | None = None

    def before_step(self) -> Floats:
        """Make room for the new tokens.

        Returns:
            (U, 1, B, capacity) the bias of scores for the tokens written before.
        """
        units, beam_size, _ = self._seen.shape
        for name, (heads, dimension) in self._shapes.items():
            known = self.cached.get(name)
            if known is None or known.shape[2] < self.capacity:
                larger = np.zeros((units, heads, self.capacity, dimension), np.float32)
                if known is not None:
                    larger[:, :, : known.shape[2]] = known
                self.cached[name] = larger
        bias = np.full((units, 1, beam_size, self.capacity), _HIDDEN, np.float32)
        bias[:, 0, :, : self.slots][self.seen] = 0.0
        return bias

    def after_step(self, new: Arrays) -> None:
        """Put the keys and values of the new tokens, (U, B, H, D), into the newest slots, each
        visible to the token's hypothesis alone."""
        units, beam_size, _ = self._seen.shape
        rows = np.arange(units)[:, None]
        for name, cached in self.cached.items():
            cached[rows, :, self._newest] = new[f"new.{name}"]
        self._seen[rows, np.arange(beam_size), self._newest] = True

    def grow(self) -> None:
        beam_size = self._seen.shape[1]
        before = self._used
        super().grow()
        self._seen[:, :, self.slots - beam_size : self.slots] = False  # until they are written
        self._newest = before[:, None] + np.arange(beam_size)
        self._used = before + beam_size

    def closes_gaps(self, used: Integers) -> bool:
        self._used = used
        return bool((used < self.slots).any())

    def changed(self) -> None:
        """Masks are read in each step."""

    def keep(self, units: Integers) -> None:
        super().keep(units)
        self._used = self._used[units]
        self.cached = {name: kept_units(cached, units) for name, cached in self.cached.items()}

    def move(self, first: int, order: Integers) -> None:
        rows = np.arange(len(order))[:, None]
        for cached in self.cached.values():
            moved = cached.transpose(0, 2, 1, 3)[rows, order]  # (U, n, H, D)
            cached[:, :, first : first + order.shape[1]] = moved.transpose(0, 2, 1, 3)

    def shrink(self) -> None:
        self.cached = {
            name: np.ascontiguousarray(cached[:, :, : self.capacity])
            for name, cached in self.cached.items()
        }


class CompiledState(OpenHypotheses):
    """The state of all open hypotheses.

    Args:
        source: the source of the instances, which are the units.
        encoded: the outputs of the encoder's graph.
        inputs: the inputs of the step's graph, with their shapes.
        beam_size: B.
        count_from: the beginning of the count of positions, `instance` or `sentence`.
    """

    def __init__(
        self,
        source: PaddedSource,
        encoded: Arrays,
        inputs: Mapping[str, Sequence[Any]],
        beam_size: int,
        special_tokens: SpecialTokens,
        count_from: str,
    ) -> None:
        ends = source.counts.cumsum()
        self.first_sentences, every = ends - source.counts, np.arange(len(ends))
        self.open(self.first_sentences, ends - 1, every, beam_size, special_tokens)
        self._first, self._count_from = self.first_sentences, count_from
        self._sentences = source.sentences
        self._encoded = dict(encoded)
        self._biases: dict[str, Floats] = {}
        units = len(self.units)
        self._recurrent = {
            name: np.zeros((units, beam_size, shape[2]), np.float32)
            for name, shape in inputs.items()
            if name.startswith("state_")
        }
        self._caches: dict[str, CachedTokens] = {}
        for scope in SCOPES:
            prefix = f"own_{scope}."
            shapes = {
                name: (shape[1], shape[3])
                for name, shape in inputs.items()
                if name.startswith(prefix) and not name.endswith(".bias")
            }
            if shapes:
                self._caches[scope] = CachedTokens(units, beam_size, shapes)

    def advance(self, tokens: ArrayLike) -> Arrays:
        """Take note of the new tokens, (R,).

        Returns:
            The inputs of the step, apart from the embeddings of the tokens.
        """
        begins, written = self.sentence_ended, self.position + 1
        self.follow(tokens)
        by_unit = begins.reshape(-1, self.beam_size)
        if (cache := self._caches.get("sentence")) is not None:
            cache.forget(by_unit)
        begin_anew = begins.any()
        inputs: dict[str, NDArray[Any]] = dict(self._encoded)
        for scope, cache in self._caches.items():
            cache.advance(by_unit, written.reshape(by_unit.shape))
            inputs[f"own_{scope}.bias"] = cache.before_step()
            inputs |= cache.cached
        for name, state in self._recurrent.items():
            if begin_anew and name.startswith("state_sentence."):
                state[by_unit] = 0.0
            inputs[name] = state
        if begin_anew or not self._biases:
            self._move()
        inputs |= self._biases
        position = self.position
        if self._count_from == "instance":
            position = np.full_like(position, self.length - 1)
        inputs["positions"] = position.reshape(by_unit.shape)
        return inputs

    def _move(self) -> None:
        """Follow the hypotheses to their source sentences."""
        sentence = self.sentence.reshape(-1, self.beam_size) - self._first[:, None]
        numbers = self._sentences[:, None]  # (U, 1, L)
        for scope, seen in (
            ("sentence", numbers == sentence[:, :, None]),
            ("instance", np.broadcast_to(numbers >= 0, (*sentence.shape, numbers.shape[2]))),
        ):
            bias = np.where(seen, np.float32(0), _HIDDEN)
            self._biases[f"source_{scope}.bias"] = bias[:, None]

    def read(self, outputs: Arrays) -> None:
        """Keep the keys, values and states of the new tokens."""
        for cache in self._caches.values():
            cache.after_step(outputs)
        self._recurrent = {name: outputs[f"new.{name}"] for name in self._recurrent}

    def select(self, parents: ArrayLike) -> None:
        """Reorder the hypotheses: hypothesis r continues `parents[r]`, (R,), of the same unit."""
        chosen = np.asarray(parents)
        self.pick(chosen)
        beams = chosen.reshape(-1, self.beam_size) % self.beam_size
        for cache in self._caches.values():
            cache.select(beams)
        units = np.arange(len(beams))[:, None]
        self._recurrent = {name: state[units, beams] for name, state in self._recurrent.items()}
        self._biases = {}

    def keep(self, units: ArrayLike) -> None:
        """Keep these open units, by index among the open units, and forget the others."""
        kept = np.asarray(units)
        self.keep_open(kept)
        self._first, self._sentences = self._first[kept], self._sentences[kept]
        self._encoded = {name: kept_units(array, kept) for name, array in self._encoded.items()}
        self._recurrent = {name: state[kept] for name, state in self._recurrent.items()}
        for cache in self._caches.values():
            cache.keep(kept)
        self._biases = {}


def kept_units(array: Floats, units: Integers) -> Floats:
    """An array of units, (U, ...), of these units in this order; only units with a new index are
    copied."""
    moved = (units != np.arange(len(units))).nonzero()[0]
    if len(moved):
        array[moved] = array[units[moved]]
    return array[: len(units)]

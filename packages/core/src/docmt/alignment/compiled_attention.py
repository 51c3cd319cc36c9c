"""Weights with which target tokens look at source tokens of their sentence, from the steps of a
compiled system; nothing here needs torch.

Shapes: H heads, L source tokens of an instance.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from docmt.alignment.graph_parts import with_outputs
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data import Instance
from docmt_nmt.decoding.compiled_system import CompiledSystem, open_session

Weights = NDArray[np.float32]

_TOGETHER = 8
"""The maximum number of instances of a step."""

_ATTENDING: WeakKeyDictionary[CompiledSystem, Any] = WeakKeyDictionary()
"""For each compiled system in use, the step without the output layer."""


def token_ranges(
    lengths: Sequence[int], offsets: NDArray[np.int64], joined: Sequence[int], first: int
) -> list[tuple[int, int]]:
    """Return where the tokens of sentences lie in a packed sequence.

    Args:
        lengths: their numbers of tokens, without special tokens.
        joined: for each instance, the number of sentences joined into the only sentence; 0 for
            none.
        first: number of special tokens at the beginning of a sentence in the packed sequence.
    """
    if not any(joined):
        begins = (offsets[:-1] + first).tolist()
    else:
        begins, rest = [], iter(lengths)
        for offset, number in zip(offsets[:-1].tolist(), joined, strict=True):
            ranges = [next(rest) for _ in range(number)]
            begins += [offset + first + before for before in accumulate(ranges[:-1], initial=0)]
    return [(begin, begin + length) for begin, length in zip(begins, lengths, strict=True)]


def aligning_layers(compiled: CompiledSystem) -> set[int]:
    """The decoder layers whose weights a compiled system can give."""
    return {_layer_of(name) for name in compiled.manifest.alignment}


def compiled_weights(
    compiled: CompiledSystem,
    instances: Sequence[Instance],
    special_tokens: SpecialTokens,
    heads: Sequence[int] | None,
) -> list[dict[int, Weights]]:
    """For each instance with a translation, and each layer, the weights, (target tokens, L): the
    mean over heads, in the step with each target token as input, special tokens included.

    Args:
        heads: the heads to average; None takes all.
    """
    opening, end = special_tokens.target_opening, special_tokens.target_end
    tokens = [
        [token for s in instance.target or () for token in (*opening, *s, end)]
        for instance in instances
    ]
    found: list[dict[int, Weights]] = [{}] * len(instances)
    order = sorted(range(len(instances)), key=lambda index: -len(tokens[index]))
    for first in range(0, len(order), _TOGETHER):
        batch = order[first : first + _TOGETHER]
        sources = [instances[index].source for index in batch]
        steps = _steps(compiled, sources, [tokens[index] for index in batch], special_tokens)
        chosen = slice(None) if heads is None else list(heads)
        for row, index in enumerate(batch):
            found[index] = {
                _layer_of(name): np.stack(
                    [step[name][row, 0, chosen].mean(0) for step in steps[: len(tokens[index])]]
                )
                for name in compiled.manifest.alignment
            }
    return found


def _steps(
    compiled: CompiledSystem,
    sources: Sequence[Sequence[Sequence[int]]],
    tokens: Sequence[Sequence[int]],
    special_tokens: SpecialTokens,
) -> list[dict[str, Weights]]:
    """The weights of each step of instances together, the longest first; those that have ended are
    dropped. As in a search, no instance depends on the others."""
    state, steps = compiled.begin(sources, 1, special_tokens), []
    step = _attending_step(compiled)
    written = len(sources)
    for number in range(len(tokens[0])):
        going_on = sum(len(each) > number for each in tokens)
        if going_on < written:
            state.keep(np.arange(going_on))
            written = going_on
        steps.append(compiled.attend([each[number] for each in tokens[:going_on]], state, step))
    return steps


def _attending_step(compiled: CompiledSystem) -> Any:
    """A session of the step without the output layer, which takes most of the time: ONNX Runtime
    computes all outputs of a graph, whatever is asked for. None if the graph is in no file."""
    if compiled.path is None:
        return None
    if compiled not in _ATTENDING:
        graph = with_outputs(compiled.path.read_bytes(), compiled.attention)
        _ATTENDING[compiled] = open_session(graph, "Compile the run again")
    return _ATTENDING[compiled]


def offsets_of(sentences: Sequence[Sequence[int]], overhead: int) -> NDArray[np.int64]:
    """Where sentences begin in an instance, and the end; each has so many special tokens."""
    return np.array([0, *accumulate(len(sentence) + overhead for sentence in sentences)])


def _layer_of(name: str) -> int:
    """The layer of an attention of this name, `decoder.LAYER.…`."""
    return int(name.split(".")[1])

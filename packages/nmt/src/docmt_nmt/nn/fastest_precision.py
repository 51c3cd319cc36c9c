"""`fastest_precision`: the number format in which a system searches fastest on this processor.

The measurement takes some milliseconds, once per process. It runs the slowest parts of a search
step: the system's own linear layers over the hypotheses of a batch, as `in_precision` and
`prepack_weights` compute them, and attention of one query per hypothesis.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from time import perf_counter
from typing import get_args

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from docmt_nmt.base.choices import Precision, SearchPrecision
from docmt_nmt.nn import private_ops
from docmt_nmt.nn.native.choice import library, library_name
from docmt_nmt.nn.quantization import in_precision, prepack_weights

_Shapes = tuple[tuple[tuple[int, int], int], ...]
"""Shapes of linear layers, each with how many there are."""

_ROWS, _KEYS, _HEAD_DIM = 160, 48, 64
"""The hypotheses of a step, the keys of each, and the numbers in a query."""

_TOKENS = 1024
"""Tokens of a small batch of training."""

_SHAPES = 4
"""The maximum number of shapes of linear layers to measure."""

_LEAST_GAIN = 1.15
"""A shorter format must be so many times as fast as fp32: the rest of a step is not measured."""

_EXACT_CODE = 127
"""Weight codes up to this limit keep the quality of fp32; processors with a lower limit round twice
as coarsely."""


def fastest_precision(system: nn.Module) -> tuple[Precision, float]:
    """Return the fastest of the formats of full quality, and the speed relative to fp32.

    Args:
        system: in fp32.

    >>> fastest_precision(nn.Embedding(8, 8))
    ('fp32', 1.0)
    """
    shapes = _shapes_of(system)
    return _fastest(shapes) if shapes else ("fp32", 1.0)


def training_speed(system: nn.Module, precision: Precision) -> float:
    """Return how many times as fast as in fp32 a system's linear layers compute the tokens of a
    batch in a format, measured in some milliseconds; 1 where it is not on a CPU.

    Args:
        system: in fp32.

    >>> training_speed(nn.Embedding(8, 8), "bf16")
    1.0
    """
    shapes = _shapes_of(system)
    if not shapes:
        return 1.0
    return _linear_time(shapes, "fp32", _TOKENS) / _linear_time(shapes, precision, _TOKENS)


def chosen_precision(system: nn.Module, asked: SearchPrecision) -> tuple[Precision, str]:
    """Return the format to search in, and a note if it was measured or is computed by a compiled
    library.

    Args:
        system: in fp32.
        asked: a format, or `auto`.
    """
    if asked == "auto":
        precision, gain = fastest_precision(system)
        faster = f"{gain:.1f} times as fast as fp32" if gain > 1 else "the fastest"
        faster = f", {faster} on this processor"
    else:
        precision, faster = asked, ""
    native = f", with C for {library_name()}" if precision == "int8" and library() else ""
    return precision, f"computed in {precision}{faster}{native}" if faster or native else ""


def _shapes_of(system: nn.Module) -> _Shapes:
    """The most frequent shapes of the linear layers, if they are on a CPU."""
    linear = [module for module in system.modules() if isinstance(module, nn.Linear)]
    if not linear or linear[0].weight.device.type != "cpu":
        return ()
    counts = Counter((layer.in_features, layer.out_features) for layer in linear)
    return tuple(counts.most_common(_SHAPES))


@cache
def _fastest(shapes: _Shapes) -> tuple[Precision, float]:
    """The fastest format for linear layers of these shapes."""
    seconds = {precision: _seconds(shapes, precision) for precision in _candidates()}
    best = min(seconds, key=lambda precision: seconds[precision])
    gain = seconds["fp32"] / seconds[best]
    return (best, gain) if gain >= _LEAST_GAIN else ("fp32", 1.0)


def _candidates() -> list[Precision]:
    """The formats of full quality on this processor."""
    exact = private_ops.weight_code_limit() >= _EXACT_CODE
    return [precision for precision in get_args(Precision) if exact or precision != "int8"]


@torch.inference_mode()
def _seconds(shapes: _Shapes, precision: Precision) -> float:
    """The seconds of the linear layers and of the attention of a search step in a format."""
    kv_dtype = torch.float32 if precision == "fp32" else torch.bfloat16
    shape = _ROWS, max(shapes[0][0][0] // _HEAD_DIM, 1)
    query = torch.zeros(*shape, 1, _HEAD_DIM, dtype=kv_dtype)
    keys = torch.zeros(*shape, _KEYS, _HEAD_DIM, dtype=kv_dtype)
    attention = _best_time(scaled_dot_product_attention, query, keys, keys)
    # A layer has four linear layers for an attention, and two for the feed-forward network.
    layers = sum(count for _, count in shapes)
    return _linear_time(shapes, precision, _ROWS) + layers / 5 * attention


@torch.inference_mode()
@torch.random.fork_rng(devices=[])
def _linear_time(shapes: _Shapes, precision: Precision, rows: int) -> float:
    """The seconds of linear layers of these shapes for so many rows."""
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    total = 0.0
    for (inputs, outputs), count in shapes:
        layer = nn.Sequential(nn.Linear(inputs, outputs))
        layer = prepack_weights(in_precision(layer, precision))
        x = torch.randn(rows, inputs, generator=torch.Generator().manual_seed(1)).to(dtype)
        total += count * _best_time(layer, x)
    return total


def _best_time(function: object, *arguments: torch.Tensor) -> float:
    """The least seconds of a few calls, after a first call to warm up."""
    assert callable(function)
    times = []
    for _ in range(5):
        start = perf_counter()
        function(*arguments)
        times.append(perf_counter() - start)
    return min(times[1:])

"""The private PyTorch operators of docmt, each with a probe and a fallback.

A private operator may change or disappear with any release, refuse a processor, or compute
something else on it. So each is tried once per process on a small case with a known result
(`can_prepack`, `largest_weight_code`, `has_softmax_backward`); where an operator fails or is wrong,
public operators compute the same.

Shapes: N tokens, K inputs, M outputs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import ParamSpec, TypeVar

import torch
from torch import Tensor

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

ZERO_CODE = 128
"""The unsigned 8-bit code of an input of zero."""

_FAILURES = (AttributeError, RuntimeError, TypeError, ValueError)
"""Errors of a missing, changed or refused operator."""


def once(probe: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """A probe, run once per process for each argument in a thread of its own: there no mode of the
    caller (autocast, inference, fake tensors) is in force."""

    def in_thread(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(probe, *args, **kwargs).result()

    return cache(in_thread)  # type: ignore[return-value]


# --- Linear layers with prepacked weights ---


@once
def can_prepack(dtype: torch.dtype) -> bool:
    """Return whether oneDNN lays weights of this format out for the processor and multiplies them
    right. The fallback is a plain linear layer."""
    weight = torch.linspace(-1, 1, 48 * 64).sin().view(48, 64).to(dtype)
    bias = torch.linspace(-2, 2, 48).to(dtype)
    tolerance = 1e-4 if dtype == torch.float32 else 0.05
    try:
        packed = prepack(weight)
        if not torch.equal(packed.to_dense(), weight):
            return False
        for tokens in (1, 33):
            x = torch.linspace(-1, 1, tokens * 64).cos().view(tokens, 64).to(dtype)
            expected = x.double() @ weight.double().t() + bias.double()
            product = linear_prepacked(x, packed, bias).double()
            if not torch.allclose(product, expected, rtol=tolerance, atol=tolerance):
                return False
    except _FAILURES:
        return False
    return True


def prepack(weight: Tensor) -> Tensor:
    """A weight, (M, K), in the blocks in which oneDNN multiplies it; `to_dense()` undoes it. Only
    where `can_prepack`."""
    packed: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight)
    return packed


def linear_prepacked(x: Tensor, packed: Tensor, bias: Tensor | None) -> Tensor:
    """x, (N, K), times a prepacked weight, plus the bias, (M,): (N, M)."""
    y: Tensor = torch.ops.mkldnn._linear_pointwise(x, packed, bias, "none", [], "")
    return y


# --- 8-bit products ---


@once
def largest_weight_code() -> int | None:
    """The largest magnitude of a signed weight code with which oneDNN's 8-bit products are exact.

    127 where the processor sums products in 32 bits (VNNI, AMX). 63 where it adds pairs of
    products in 16 bits (AVX2, early AVX-512): with 127, two products of 255 · 127 saturate. None
    where the operator is missing or wrong; the fallback then multiplies codes as 32-bit floats.
    """
    try:
        return next((largest for largest in (127, 63) if _is_exact(largest)), None)
    except _FAILURES:
        return None


def _is_exact(largest: int) -> bool:
    """Return whether products with weight codes up to this magnitude are exact."""
    m, k = 48, 128
    varied = torch.arange(m * k).mul(7919).remainder(2 * largest + 1).sub(largest).view(m, k)
    weights = varied.clone()
    weights[0], weights[1] = largest, -largest  # the largest sums there can be
    codes, scales = weights.to(torch.int8), torch.linspace(0.5, 2, m)
    for tokens in (1, 33):
        inputs = torch.arange(tokens * k).mul(104729).remainder(256).view(tokens, k)
        inputs[0] = 255
        computed = OneDNNProducts(codes, scales)(inputs.to(torch.uint8))
        expected = (inputs - ZERO_CODE).double() @ weights.double().t() * scales.double()
        if not torch.allclose(computed.double(), expected, rtol=1e-5, atol=1e-5):
            return False
    return True


class Products(ABC):
    """Products of unsigned 8-bit inputs with fixed 8-bit weights.

    Args:
        codes: (M, K) int8, no larger than `weight_code_limit()` in magnitude.
        scales: (M,) fp32: the value of one unit of a product in each output.
    """

    @abstractmethod
    def __init__(self, codes: Tensor, scales: Tensor) -> None: ...

    @abstractmethod
    def __call__(self, inputs: Tensor) -> Tensor:
        """Input codes, (N, K) uint8, of which `ZERO_CODE` is zero: (N, M) fp32."""


class OneDNNProducts(Products):
    """Products by oneDNN, which multiplies in eight bits."""

    def __init__(self, codes: Tensor, scales: Tensor) -> None:
        self.packed = torch.ops.onednn.qlinear_prepack(codes, None)
        self.scales = scales
        self.zero_points = torch.zeros(len(scales), dtype=torch.int32)

    def __call__(self, inputs: Tensor) -> Tensor:
        """See the base class."""
        y: Tensor = torch.ops.onednn.qlinear_pointwise(
            inputs,
            1.0,
            ZERO_CODE,
            self.packed,
            self.scales,
            self.zero_points,
            None,
            1.0,
            0,
            torch.float32,
            "none",
            [],
            "",
        )
        return y


class FloatProducts(Products):
    """Products of the codes in fp32, which holds integers up to 2²⁴ exactly."""

    def __init__(self, codes: Tensor, scales: Tensor) -> None:
        self.weights, self.scales = codes.float(), scales

    def __call__(self, inputs: Tensor) -> Tensor:
        """See the base class."""
        return torch.nn.functional.linear(inputs.float().sub_(ZERO_CODE), self.weights).mul_(
            self.scales
        )


def weight_code_limit() -> int:
    """The largest magnitude of a weight code for `products`."""
    return largest_weight_code() or 127


def products(codes: Tensor, scales: Tensor) -> Products:
    """The fastest exact way to multiply these weights."""
    return (FloatProducts if largest_weight_code() is None else OneDNNProducts)(codes, scales)


# --- The gradient of softmax ---


@once
def has_softmax_backward(dtype: torch.dtype) -> bool:
    """Return whether PyTorch's gradient of softmax can write over the argument."""
    weights = torch.linspace(-3, 3, 24).view(4, 6).softmax(-1).to(dtype)
    gradient = torch.linspace(-1, 1, 24).cos().view(4, 6).to(dtype)
    expected = _softmax_backward_fallback_(gradient.clone(), weights)
    try:
        _softmax_backward_operator_(gradient, weights)
    except _FAILURES:
        return False
    tolerance = 0.02 if dtype.itemsize == 2 else 1e-5
    return torch.allclose(gradient, expected, rtol=tolerance, atol=tolerance)


def softmax_backward_(gradient: Tensor, weights: Tensor) -> Tensor:
    """Turn the gradient dP of softmax weights P into the gradient dS of the scores, in place:

        dS = P ∘ (dP − rowsum(P ∘ dP))

    Args:
        gradient, weights: (..., K) of one format.
    """
    if has_softmax_backward(gradient.dtype):
        return _softmax_backward_operator_(gradient, weights)
    return _softmax_backward_fallback_(gradient, weights)


def _softmax_backward_operator_(gradient: Tensor, weights: Tensor) -> Tensor:
    return torch._softmax_backward_data(gradient, weights, -1, gradient.dtype, grad_input=gradient)


def _softmax_backward_fallback_(gradient: Tensor, weights: Tensor) -> Tensor:
    # Sums of 16-bit numbers would lose too much.
    wide = torch.promote_types(gradient.dtype, torch.float32)
    sums = (gradient * weights).sum(-1, keepdim=True, dtype=wide)
    return gradient.sub_(sums).mul_(weights)

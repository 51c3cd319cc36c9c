"""Private PyTorch operators: the probes, and the fallbacks that replace the operators."""

import re
from pathlib import Path

import pytest
import torch
from torch._subclasses import FakeTensorMode
from torch.nn.functional import linear

from docmt_nmt import nn
from docmt_nmt.nn import private_ops

DTYPES = [torch.float32, torch.bfloat16]


def random_codes(largest, m=48, k=300):
    """Weight codes, among them the largest sums that can be, and scales."""
    generator = torch.Generator().manual_seed(1)
    codes = torch.randint(-largest, largest + 1, (m, k), generator=generator)
    codes[0], codes[1] = largest, -largest
    return codes.to(torch.int8), torch.rand(m, generator=generator) + 0.5


def random_inputs(n, k=300):
    inputs = torch.randint(0, 256, (n, k), generator=torch.Generator().manual_seed(2))
    inputs[:1] = 255
    return inputs.to(torch.uint8)


@pytest.mark.parametrize("n", [0, 1, 5, 200])
def test_8_bit_products_are_exact_by_the_operator_and_by_the_fallback(n):
    largest = private_ops.weight_code_limit()
    codes, scales = random_codes(largest)
    inputs = random_inputs(n)
    expected = (inputs.double() - 128) @ codes.double().t() * scales.double()
    ways = {private_ops.FloatProducts, type(private_ops.products(codes, scales))}
    for way in ways:
        torch.testing.assert_close(way(codes, scales)(inputs).double(), expected, rtol=1e-6, atol=0)


def test_products_that_saturate_are_detected(monkeypatch):
    class Saturating(private_ops.OneDNNProducts):
        """As oneDNN multiplies on AVX2: pairs of products are added in 16 bits."""

        def __init__(self, codes, scales):
            self.codes, self.scales = codes.int(), scales

        def __call__(self, inputs):
            products = inputs.int()[:, None] * self.codes  # (N, M, K)
            pairs = products.view(*products.shape[:2], -1, 2).sum(-1).clamp(-(2**15), 2**15 - 1)
            return (pairs.sum(-1) - 128 * self.codes.sum(1)) * self.scales

    monkeypatch.setattr(private_ops, "OneDNNProducts", Saturating)
    assert not private_ops._is_exact(127)
    assert private_ops._is_exact(63)


@pytest.mark.parametrize("failure", [AttributeError, RuntimeError, TypeError])
def test_an_operator_that_is_missing_or_refused_is_not_used(monkeypatch, failure):
    def fail(*args, **kwargs):
        raise failure("not on this processor")

    monkeypatch.setattr(private_ops, "prepack", fail)
    monkeypatch.setattr(private_ops, "OneDNNProducts", fail)
    monkeypatch.setattr(private_ops, "_softmax_backward_operator_", fail)
    assert not private_ops.can_prepack.__wrapped__(torch.float32)
    assert private_ops.largest_weight_code.__wrapped__() is None
    assert not private_ops.has_softmax_backward.__wrapped__(torch.float32)


def test_an_operator_that_computes_something_else_is_not_used(monkeypatch):
    monkeypatch.setattr(private_ops, "linear_prepacked", lambda x, *_: x.new_zeros(len(x), 48))
    monkeypatch.setattr(private_ops, "_softmax_backward_operator_", lambda gradient, _: gradient)
    assert not private_ops.can_prepack.__wrapped__(torch.float32)
    assert not private_ops.has_softmax_backward.__wrapped__(torch.float32)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [0, 1, 33])
def test_prepacked_weights_are_the_same_linear_map(dtype, n):
    if not private_ops.can_prepack(dtype):
        pytest.skip("oneDNN does not prepack this format on this processor")
    torch.manual_seed(0)
    weight, bias = torch.randn(48, 64, dtype=dtype), torch.randn(48, dtype=dtype)
    x = torch.randn(64, n).t().to(dtype)
    tolerance = 1e-5 if dtype == torch.float32 else 0.02
    packed = private_ops.prepack(weight)
    assert torch.equal(packed.to_dense(), weight)
    for b in (bias, None):
        found, expected = private_ops.linear_prepacked(x, packed, b), linear(x, weight, b)
        torch.testing.assert_close(found, expected, atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize("dtype", [*DTYPES, torch.float64])
@pytest.mark.parametrize("operator", [True, False], ids=["as probed", "fallback"])
def test_the_gradient_of_softmax_is_that_of_autograd(monkeypatch, dtype, operator):
    if not operator:
        monkeypatch.setattr(private_ops, "has_softmax_backward", lambda _: False)
    torch.manual_seed(0)
    scores = torch.randn(3, 40, 70, dtype=torch.float64, requires_grad=True)
    weights = scores.softmax(-1)
    gradient = torch.randn_like(weights)
    (expected,) = torch.autograd.grad(weights, scores, gradient)
    found = gradient.to(dtype)
    assert private_ops.softmax_backward_(found, weights.detach().to(dtype)) is found
    error = {torch.bfloat16: 0.02, torch.float32: 1e-6, torch.float64: 1e-14}[dtype]
    assert (found - expected).norm() < error * expected.norm()


def test_a_probe_computes_outside_of_the_modes_of_its_caller():
    with FakeTensorMode(), torch.autocast("cpu", torch.bfloat16), torch.inference_mode():
        found = private_ops.has_softmax_backward.__wrapped__(torch.float32)
        # The decorated probe runs the plain one in a thread of its own.
        decorated = private_ops.once(lambda: torch.ones(2).sum().item())
        assert decorated() == 2.0
    assert found or not private_ops.has_softmax_backward(torch.float32)


def test_private_operators_are_used_in_one_file_only():
    package = Path(nn.__file__).parents[1]
    private = re.compile(r"(?<!\")\btorch(\.\w+)*\.(_(?!_)\w+|ops\.)")
    users = [
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if private.search(path.read_text("utf-8"))
    ]
    assert users == ["nn/private_ops.py"]

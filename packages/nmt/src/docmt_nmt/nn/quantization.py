"""A system in the number format in which it translates.

`fp32` and `bf16` are the formats of all weights and states. `int8` rounds the weights and inputs of
linear layers to eight bits, keeps keys and values in bf16, and computes everything else in fp32.
For search on a CPU, `prepack_weights` lays out the weights of linear layers once in the blocks in
which the processor multiplies them.

Shapes: N tokens, K inputs, M outputs.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import TypeVar

import torch
from torch import Tensor, nn

from docmt_nmt.base.choices import Precision
from docmt_nmt.nn import private_ops
from docmt_nmt.nn.attention import MultiHeadAttention, ScopedAttention, SelfAttention
from docmt_nmt.nn.embeddings import Embedding
from docmt_nmt.nn.layers import FeedForward, Residual
from docmt_nmt.nn.native import operations
from docmt_nmt.nn.native.reference import MAX_INPUT_CODE

Module = TypeVar("Module", bound=nn.Module)
MakeLinear = Callable[[Tensor, Tensor | None], nn.Module]
"""Makes a linear layer of a weight, (M, K), and a bias, (M,)."""


def in_precision(module: Module, precision: Precision) -> Module:
    """The module itself for `fp32`, else a copy for search in this precision, without gradients.

    >>> linear = torch.nn.Linear(8, 8)
    >>> in_precision(linear, "fp32") is linear
    True
    """
    if precision == "fp32":
        return module
    copy = deepcopy(module).eval().requires_grad_(False)
    if precision == "bf16":
        return copy.bfloat16()
    _replace_linear_layers(copy, QuantizedLinear)
    for submodule in copy.modules():
        if isinstance(submodule, MultiHeadAttention):
            submodule.kv_dtype = torch.bfloat16
        if isinstance(submodule, Residual):
            submodule.at_once = True
        if isinstance(submodule, ScopedAttention):
            submodule.at_once = True
        if isinstance(submodule, FeedForward):
            inner: nn.Module = submodule.inner
            if isinstance(inner, QuantizedLinear):
                submodule.inner_relu = inner.relu
    return copy


def prepack_weights(module: Module) -> Module:
    """The module, with the weights of linear layers laid out as the processor multiplies them, if
    this is possible for all parameters. The module can no longer be trained; a copy of the module
    has plain linear layers again.

    >>> prepack_weights(torch.nn.Linear(8, 8))(torch.zeros(1, 8)).shape
    torch.Size([1, 8])
    """
    formats = {parameter.dtype for parameter in module.parameters()}
    on_cpu = all(parameter.device.type == "cpu" for parameter in module.parameters())
    if on_cpu and all(map(private_ops.can_prepack, formats)):
        _replace_linear_layers(module.eval().requires_grad_(False), PrepackedLinear)
    return module


def _replace_linear_layers(module: nn.Module, make: MakeLinear) -> None:
    """Replace every linear layer inside the module, and let a new one compute the logits of each
    embedding."""
    for submodule in list(module.modules()):
        if isinstance(submodule, SelfAttention):
            submodule.join_projections()
    replaced: dict[nn.Module, nn.Module] = {}
    for parent in list(module.modules()):
        # By every name, for two modules may share a linear layer.
        for name, child in parent._modules.items():
            if isinstance(child, nn.Linear):
                if child not in replaced:
                    replaced[child] = make(child.weight, child.bias)
                parent._modules[name] = replaced[child]
        if isinstance(parent, Embedding) and parent.output_projection is None:
            # Embeddings with the same table share the output projection.
            if parent.table not in replaced:
                replaced[parent.table] = DeferredLinear(partial(make, parent.table.weight, None))
            parent.output_projection = replaced[parent.table]


class DeferredLinear(nn.Module):
    """A linear layer made at the first call: few embedding tables are used to compute logits."""

    def __init__(self, make: Callable[[], nn.Module]) -> None:
        super().__init__()
        self.make = make
        self.linear: nn.Module | None = None

    def forward(self, x: Tensor) -> Tensor:
        """(N, K) to (N, M)"""
        if self.linear is None:
            self.linear = self.make()
        y: Tensor = self.linear(x)
        return y


class PrepackedLinear(nn.Module):
    """A linear layer with weights in the blocks of oneDNN. A search step has few rows, and would
    otherwise spend most of the time rearranging weights. The layer has no gradient.

    Args:
        weight: (M, K), in a format accepted by `private_ops.can_prepack`.
        bias: (M,) or None.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self.packed = private_ops.prepack(weight.detach())
        self.bias = None if bias is None else bias.detach().clone()

    def forward(self, x: Tensor) -> Tensor:
        """(N, K) to (N, M)"""
        return private_ops.linear_prepacked(x, self.packed, self.bias)

    @property
    def weight(self) -> Tensor:
        """(M, K), in rows again."""
        return self.packed.to_dense()

    def __reduce__(self) -> tuple[Callable[..., nn.Linear], tuple[Tensor, Tensor | None]]:
        """A copy is a plain linear layer: the blocks are valid on this processor only."""
        return _plain_linear, (self.weight, self.bias)


def _plain_linear(weight: Tensor, bias: Tensor | None) -> nn.Linear:
    """PyTorch's linear layer of a weight, (M, K), and a bias, (M,), without gradients."""
    linear = nn.Linear(weight.shape[1], weight.shape[0], bias=bias is not None, device="meta")
    linear.weight = nn.Parameter(weight, requires_grad=False)
    if bias is not None:
        linear.bias = nn.Parameter(bias, requires_grad=False)
    return linear


class QuantizedLinear(nn.Module):
    """A linear layer in eight bits. Weights are rounded once, with a scale for each output; inputs
    are rounded in each call, with a scale for each row. So no row depends on the others.

    Args:
        weight: (M, K) fp32.
        bias: (M,) fp32 or None.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        weight = weight.detach()
        # Without copies of the weight, which may be a whole table of embeddings.
        largest = torch.maximum(weight.amax(1), -weight.amin(1))
        scales = largest / private_ops.weight_code_limit()  # (M,)
        scales = scales.clamp_min(torch.finfo(weight.dtype).tiny)
        codes = (weight / scales[:, None]).round_().to(torch.int8)
        # An input is a code times the row's largest value over MAX_INPUT_CODE.
        self.products = private_ops.products(codes, scales / MAX_INPUT_CODE)
        self.bias = bias

    def forward(self, x: Tensor) -> Tensor:
        """(N, K) to (N, M)"""
        return operations.linear(x, self.products, self.bias)

    def relu(self, x: Tensor) -> Tensor:
        """ReLU of the outputs, (N, K) to (N, M), in one pass over them."""
        return operations.linear(x, self.products, self.bias, relu=True)

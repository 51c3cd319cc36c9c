"""A system in the number format it is to translate in: 32-bit or 16-bit floats, or weights and
activations of eight bits in the linear maps, keys and values of 16, and 32-bit floats everywhere
else.

Shapes: N rows, K inputs, M outputs.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Literal, TypeVar

import torch
from torch import Tensor, nn

from docmt.nn.layers import Embedding
from docmt.nn.mixers import Attention

Precision = Literal["fp32", "bf16", "int8"]
Module = TypeVar("Module", bound=nn.Module)

LARGEST = 127
"""The largest eight-bit number in use; the smallest is its negative."""


def in_precision(module: Module, precision: Precision) -> Module:
    """The module itself for `fp32`, else a copy that computes in that format and cannot learn."""
    if precision == "fp32":
        return module
    copy = deepcopy(module).eval().requires_grad_(False)
    if precision == "bf16":
        return copy.bfloat16()
    quantise(copy)
    for part in copy.modules():
        if isinstance(part, Attention):
            part.remembered = torch.bfloat16
    return copy


def quantise(module: nn.Module) -> None:
    """Give every linear map inside the module, and the scores of its embeddings, eight bits."""
    scorers: dict[nn.Module, QuantisedLinear] = {}
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            setattr(module, name, QuantisedLinear(child.weight, child.bias))
        elif isinstance(child, Embedding):
            # Embeddings that share a table share its scorer.
            if child.table not in scorers:
                scorers[child.table] = QuantisedLinear(child.table.weight)
            child.scorer = scorers[child.table]
        else:
            quantise(child)


class QuantisedLinear(nn.Module):
    """A linear map whose weights are rounded once, with a scale for each output, and whose inputs
    are rounded as they come, with a scale for each row: what a row becomes does not depend on the
    other rows."""

    def __init__(self, weight: Tensor, bias: Tensor | None = None) -> None:
        super().__init__()
        scales = (weight.abs().amax(1) / LARGEST).clamp_min(torch.finfo(weight.dtype).tiny)  # (M,)
        codes = (weight / scales[:, None]).round().to(torch.int8)
        self.codes = torch.ops.onednn.qlinear_prepack(codes, None)
        # A row's scale is its largest value; the 127th part of it belongs to a step.
        self.scales = scales / LARGEST
        self.zeros = torch.zeros(len(scales), dtype=torch.int32)
        self.bias = bias

    def forward(self, x: Tensor) -> Tensor:
        """(N, K) to (N, M)"""
        largest = x.abs().amax(1, keepdim=True).clamp_min_(1e-30)
        # Conversion cuts off, so half a step is added to round; 128 stands for zero.
        codes = (x * (LARGEST / largest)).add_(128.5).to(torch.uint8)
        y: Tensor = torch.ops.onednn.qlinear_pointwise(
            codes, 1.0, 128, self.codes, self.scales, self.zeros, None,
            1.0, 0, torch.float32, "none", [], "",
        )  # fmt: skip
        return y.mul_(largest) if self.bias is None else torch.addcmul(self.bias, y, largest)

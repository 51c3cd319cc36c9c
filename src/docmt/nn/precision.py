"""A system in the number format it is to translate in: 32-bit or 16-bit floats, or weights and
activations of eight bits in the linear maps, keys and values of 16, and 32-bit floats everywhere
else. On a CPU the weights of linear maps are laid out once as the processor multiplies them.

Shapes: N rows, K inputs, M outputs.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Literal, TypeVar

import torch
from torch import Tensor, nn

from docmt.nn.layers import Embedding
from docmt.nn.mixers import Attention

Precision = Literal["fp32", "bf16", "int8"]
Module = TypeVar("Module", bound=nn.Module)
LinearMap = Callable[[Tensor, Tensor | None], nn.Module]
"""Makes a linear map of a weight, (M, K), and a bias, (M,)."""

LARGEST = 127
"""The largest eight-bit number in use; the smallest is its negative."""


def in_precision(module: Module, precision: Precision) -> Module:
    """A copy of the module that computes in that format, as fast as the processor can, and cannot
    learn; or the module itself, if it does so already or, in `fp32`, nothing is gained by a copy.

    Raises:
        ValueError: the module was made for another format.
    """
    made_for = {part.precision for part in module.modules() if isinstance(part, Made)}
    if made_for:
        if made_for != {precision}:
            raise ValueError(
                f"a system made for {made_for.pop()} cannot be made one for {precision}"
            )
        return module
    linear = linear_map(module, precision)
    if linear is None and precision == "fp32":
        return module
    # What takes the place of linear maps is made of them: they need no copy.
    kept = {id(part): part for part in module.modules() if linear and isinstance(part, nn.Linear)}
    copy = deepcopy(module, kept)
    if linear is not None:
        exchange(copy, linear)
    copy = copy.eval().requires_grad_(False)
    if precision == "bf16":
        return copy.bfloat16()
    if precision == "int8":
        for part in copy.modules():
            if isinstance(part, Attention):
                part.remembered = torch.bfloat16
    return copy


def linear_map(module: nn.Module, precision: Precision) -> LinearMap | None:
    """What computes a linear map in this format on the module's device; None for PyTorch's own."""
    if precision == "int8":
        return QuantisedLinear
    on_cpu = all(parameter.device.type == "cpu" for parameter in module.parameters())
    available = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    if not on_cpu or not available:
        return None
    if precision == "fp32":
        return PackedLinear
    if torch.ops.mkldnn._is_mkldnn_bf16_supported():
        return partial(PackedLinear, precision=precision)
    return None


def exchange(module: nn.Module, linear: LinearMap) -> None:
    """Put others in the place of every linear map inside the module, and let one make the scores of
    its embeddings."""
    scorers: dict[nn.Module, nn.Module] = {}
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            setattr(module, name, linear(child.weight, child.bias))
        elif isinstance(child, Embedding):
            # Embeddings that share a table share its scorer.
            if child.table not in scorers:
                scorers[child.table] = linear(child.table.weight, None)
            child.scorer = scorers[child.table]
        else:
            exchange(child, linear)


class Made(nn.Module):
    """A linear map made for a number format.

    Attributes:
        precision: the name of the format.
    """

    precision: Precision


class PackedLinear(Made):
    """A linear map whose weights lie in the blocks in which oneDNN multiplies them, so that a step
    of search does not rearrange them anew for its few rows.

    Args:
        weight: (M, K).
        bias: (M,) or None.
        precision: the number format of weights, states and results, `fp32` or `bf16`.
    """

    def __init__(
        self, weight: Tensor, bias: Tensor | None, *, precision: Precision = "fp32"
    ) -> None:
        super().__init__()
        self.precision = precision
        dtype = torch.bfloat16 if precision == "bf16" else torch.float32
        self.blocks = torch.ops.mkldnn._reorder_linear_weight(weight.detach().to(dtype))
        self.bias = None if bias is None else bias.detach().to(dtype)

    def forward(self, x: Tensor) -> Tensor:
        """(N, K) to (N, M)"""
        y: Tensor = torch.ops.mkldnn._linear_pointwise(x, self.blocks, self.bias, "none", [], "")
        return y


class QuantisedLinear(Made):
    """A linear map whose weights are rounded once, with a scale for each output, and whose inputs
    are rounded as they come, with a scale for each row: what a row becomes does not depend on the
    other rows."""

    precision = "int8"

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
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

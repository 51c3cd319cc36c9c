"""A system in the number format it is to translate in: 32-bit or 16-bit floats, or weights and
activations of eight bits in the linear maps, keys and values of 16, and 32-bit floats everywhere
else. For search on a CPU the weights of linear maps are laid out once as the processor multiplies
them.

Shapes: N rows, K inputs, M outputs.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Literal, TypeVar

import torch
from torch import Tensor, nn

from docmt.nn.attention import MultiHeadAttention
from docmt.nn.layers import Embedding

Precision = Literal["fp32", "bf16", "int8"]
Module = TypeVar("Module", bound=nn.Module)
LinearMap = Callable[[Tensor, Tensor | None], nn.Module]
"""Makes a linear map of a weight, (M, K), and a bias, (M,)."""

LARGEST = 127
"""The largest eight-bit number in use; the smallest is its negative."""


def in_precision(module: Module, precision: Precision) -> Module:
    """The module itself for `fp32`, else a copy that computes in that format and cannot learn."""
    if precision == "fp32":
        return module
    copy = deepcopy(module).eval().requires_grad_(False)
    if precision == "bf16":
        return copy.bfloat16()
    exchange(copy, QuantizedLinear)
    for part in copy.modules():
        if isinstance(part, MultiHeadAttention):
            part.remembered = torch.bfloat16
    return copy


def pack(module: Module) -> Module:
    """The module, whose linear maps are laid out as the processor multiplies them, where that is
    known and faster. It can no longer learn; a copy of it has plain linear maps again."""
    if not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        return module
    known = {torch.float32}
    if torch.ops.mkldnn._is_mkldnn_bf16_supported():
        known.add(torch.bfloat16)
    if all(p.device.type == "cpu" and p.dtype in known for p in module.parameters()):
        exchange(module.eval().requires_grad_(False), PackedLinear)
    return module


def exchange(module: nn.Module, linear: LinearMap) -> None:
    """Put others in the place of every linear map inside the module, and let one make the scores of
    its embeddings."""
    made: dict[nn.Module, nn.Module] = {}
    for part in list(module.modules()):
        # By every name, for two parts may share a linear map.
        for name, child in part._modules.items():
            if isinstance(child, nn.Linear):
                if child not in made:
                    made[child] = linear(child.weight, child.bias)
                part._modules[name] = made[child]
        if isinstance(part, Embedding) and part.scorer is None:
            # Embeddings that share a table share its scorer.
            if part.table not in made:
                made[part.table] = AtFirstUse(partial(linear, part.table.weight, None))
            part.scorer = made[part.table]


class AtFirstUse(nn.Module):
    """A linear map that is not made before it is needed: few of the tables that could make scores
    do."""

    def __init__(self, make: Callable[[], nn.Module]) -> None:
        super().__init__()
        self.make = make
        self.made: nn.Module | None = None

    def forward(self, x: Tensor) -> Tensor:
        """(N, K) to (N, M)"""
        if self.made is None:
            self.made = self.make()
        y: Tensor = self.made(x)
        return y


class PackedLinear(nn.Module):
    """A linear map whose weights lie in the blocks in which oneDNN multiplies them, so that a step
    of search does not rearrange them anew for its few rows. It has no gradient.

    Args:
        weight: (M, K), in the number format of states and results.
        bias: (M,) or None.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self.blocks = torch.ops.mkldnn._reorder_linear_weight(weight.detach())
        self.bias = None if bias is None else bias.detach().clone()

    def forward(self, x: Tensor) -> Tensor:
        """(N, K) to (N, M)"""
        y: Tensor = torch.ops.mkldnn._linear_pointwise(x, self.blocks, self.bias, "none", [], "")
        return y

    @property
    def weight(self) -> Tensor:
        """(M, K), put in rows again."""
        rows: Tensor = self.blocks.to_dense()
        return rows

    def __reduce__(self) -> tuple[Callable[..., nn.Linear], tuple[Tensor, Tensor | None]]:
        """A copy is a plain linear map: blocks mean something on this processor alone."""
        return plain, (self.weight, self.bias)


def plain(weight: Tensor, bias: Tensor | None) -> nn.Linear:
    """PyTorch's own linear map of a weight, (M, K), and a bias, (M,), that does not learn."""
    linear = nn.Linear(weight.shape[1], weight.shape[0], bias=bias is not None, device="meta")
    linear.weight = nn.Parameter(weight, requires_grad=False)
    if bias is not None:
        linear.bias = nn.Parameter(bias, requires_grad=False)
    return linear


class QuantizedLinear(nn.Module):
    """A linear map whose weights are rounded once, with a scale for each output, and whose inputs
    are rounded as they come, with a scale for each row: what a row becomes does not depend on the
    other rows."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        weight = weight.detach()
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

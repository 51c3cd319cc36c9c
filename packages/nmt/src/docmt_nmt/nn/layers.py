"""Layers of an encoder or a decoder (Vaswani et al. 2017, section 3.1): lists of named sublayers.

A system adds to a layer by one more sublayer, or by a sublayer of another kind. A sublayer is a
module called with states and a view, mostly a `Residual` around another module.

Shapes: N tokens.
"""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn
from torch.nn.functional import gelu, relu, silu

from docmt_nmt.nn.choices import Activation, NormOrder
from docmt_nmt.nn.kernels.dropout import add_dropped
from docmt_nmt.nn.native import operations
from docmt_nmt.nn.views import View

ACTIVATIONS: dict[Activation, Callable[[Tensor], Tensor]] = {
    "relu": relu,
    "gelu": gelu,
    "swish": silu,
}


class Residual(nn.Module):
    """A module with dropout, the residual sum, and layer normalization of the sum (`post`), of the
    input (`pre`) or of the output before the sum (`output`).

    Args:
        sublayer: the module, called with states and a view.
        d_model: the size of the states.
        dropout: share of the output dropped in training.
        norm_order: the place of layer normalization.
    """

    def __init__(
        self, sublayer: nn.Module, d_model: int, *, dropout: float, norm_order: NormOrder
    ) -> None:
        super().__init__()
        self.sublayer = sublayer
        self.norm = nn.LayerNorm(d_model)
        self.dropout, self.norm_order = dropout, norm_order
        #: Whether the sum and its normalization may be rounded in another way than PyTorch's.
        self.at_once = False

    def forward(self, x: Tensor, view: View) -> Tensor:
        """(N, d_model) to (N, d_model)"""
        return self.add(x, self.branch(x, view))

    def branch(self, x: Tensor, view: View) -> Tensor:
        """Return the output of the module for x, (N, d_model), before the sum: (N, d_model)."""
        y: Tensor = self.sublayer(self.norm(x) if self.norm_order == "pre" else x, view)
        return self.norm(y) if self.norm_order == "output" else y

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """The residual sum of x and y, the output of `branch`, all (N, d_model)."""
        if self.at_once and self.norm_order == "post":
            return operations.add_norm(x, y, self.norm)
        x = add_dropped(x, y, self.dropout, self.training)
        return self.norm(x) if self.norm_order == "post" else x


class FeedForward(nn.Module):
    """Two linear layers with an activation in between.

    Args:
        d_model: the size of the outputs.
        ffn_dim: the size between the layers.
        activation: the activation.
        inputs: the size of the inputs; default: d_model.
    """

    def __init__(
        self,
        d_model: int,
        ffn_dim: int,
        activation: Activation = "relu",
        *,
        inputs: int | None = None,
    ) -> None:
        super().__init__()
        self.activation = ACTIVATIONS[activation]
        #: Computes ReLU of the inner layer at once, where an implementation of the layer can.
        self.inner_relu: Callable[[Tensor], Tensor] | None = None
        self.inner = nn.Linear(inputs or d_model, ffn_dim)
        self.outer = nn.Linear(ffn_dim, d_model)
        for linear in (self.inner, self.outer):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(self, x: Tensor, view: View | None = None) -> Tensor:  # noqa: ARG002
        """(N, inputs) to (N, d_model); a token sees itself alone, whatever the view."""
        if self.activation is relu and self.inner_relu is not None:
            return self.outer(self.inner_relu(x))
        hidden = self.inner(x)
        if self.activation is relu and not hidden.requires_grad:
            return self.outer(hidden.relu_())  # the largest states of a pass, no copy of them
        return self.outer(self.activation(hidden))


class Layer(nn.ModuleDict):
    """Named sublayers, applied one after the other."""

    def forward(self, x: Tensor, view: View) -> Tensor:
        """(N, d_model) to (N, d_model)"""
        for sublayer in self.values():
            x = sublayer(x, view)
        return x

    def inserted_after(self, name: str, **sublayers: nn.Module) -> Layer:
        """A layer of the same sublayers, with these after the one of this name."""
        parts: dict[str, nn.Module] = {}
        for own_name, sublayer in self.items():
            parts[own_name] = sublayer
            if own_name == name:
                parts |= sublayers
        return Layer(parts)

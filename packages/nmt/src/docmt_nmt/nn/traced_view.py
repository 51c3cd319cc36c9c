"""Views over tensors alone, from which graphs of a system are traced (`docmt_nmt.compiling`).

`TracedSource` is the view of an encoder, `TracedStep` the view of one decoding step. Bookkeeping
(positions, sentences, visible tokens) arrives as tensors, so a traced graph holds the equations of
the layers and no decision of the host. The layers are those of training and search: no equation is
written a second time.

Shapes: I instances, padded to L tokens; U units with B hypotheses each; H heads, D head dimension;
S slots of written tokens.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NoReturn

import torch
from torch import Tensor, nn

from docmt_nmt.nn.batch import SOURCE
from docmt_nmt.nn.choices import CountPositions, SequenceUnit
from docmt_nmt.nn.views import (
    KeysValues,
    KeyValueProjection,
    Positions,
    Reach,
    Scopes,
    Seen,
    Sequences,
    SourceKeys,
    SourceParts,
    View,
)

Named = Mapping[str, Tensor]


class NotTraceableError(Exception):
    """A system looks where no traced view can look; the text names the place."""


def give_names(system: nn.Module) -> None:
    """Give each module its name in the system. While a system is traced, proxies take the place of
    modules, so a module cannot be the key of a mapping."""
    for name, module in system.named_modules():
        module.traced_name = name


def name_of(owner: nn.Module) -> str:
    """The name given by `give_names`."""
    return str(owner.traced_name)


class _TracedView(View):
    """What both views have in common: the places that they cannot look at."""

    def __init__(self, positions: Tensor) -> None:
        self._positions = positions

    def positions(self, count_from: CountPositions) -> Positions:  # noqa: ARG002
        """The positions are given, counted as the system counts them."""
        return Positions(self._positions.flatten(), 0)

    def auxiliary(self, name: str) -> KeysValues | None:
        raise NotTraceableError(f"context encodings ({name})")

    def look(self, reach: Reach[Seen], x: Tensor) -> Seen:  # noqa: ARG002
        raise NotTraceableError(f"other tokens ({type(reach).__name__})")

    def source_as(self, name: str) -> Scopes:
        raise NotTraceableError(f"the encoding {name}")

    def sequences(self, unit: SequenceUnit = "sentence") -> Sequences:
        raise NotTraceableError(f"a recurrence over each {unit}")


class TracedSource(_TracedView):
    """The view of an encoder.

    Args:
        positions: (I, L) the position of each token.
        sentences: (I, L) the sentence of each token in the instance, from 0; -1 for padding.
    """

    def __init__(self, positions: Tensor, sentences: Tensor) -> None:
        super().__init__(positions)
        is_token = sentences[:, None, :] >= 0  # (I, 1, L)
        same = (sentences[:, :, None] == sentences[:, None, :]) & is_token  # (I, L, L)
        # Padding sees padding, so that no softmax is over nothing.
        padding = sentences[:, :, None] < 0
        self._own = Scopes(_Padded(_bias(same | padding)), _Padded(_bias(is_token | padding)))

    @property
    def own(self) -> Scopes:
        return self._own


class _Padded(KeysValues):
    """The tokens of padded instances, for themselves; `bias` is (I, 1, L, L)."""

    def __init__(self, bias: Tensor) -> None:
        self._bias = bias

    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:
        batch = self._bias.shape[0], self._bias.shape[3]
        keys, values = (_split(y, batch) for y in owner.keys_and_values(x))
        scores = _split(_scaled(q), batch).transpose(1, 2) @ keys.permute(0, 2, 3, 1)
        weights = (scores + self._bias).softmax(-1)  # (I, H, L, L)
        return (weights @ values.transpose(1, 2)).transpose(1, 2).flatten(0, 1)


class TracedStep(_TracedView):
    """The view of one new token of every hypothesis.

    Args:
        inputs: by name, with NAME for the name of an attention or a recurrence, and SCOPE for
            `sentence` or `instance`:

            - `positions`: (U, B) the position of each new token.
            - `source_SCOPE.bias`: (U, 1, B, L) of scores: 0 for the visible source tokens, else
              -inf; `source.keys.NAME`, `source.values.NAME`: (U, H, L, D).
            - `own_SCOPE.bias`: (U, 1, B, S) for the tokens written before;
              `own_SCOPE.keys.NAME`, `own_SCOPE.values.NAME`: (U, H, S, D).
            - `state_SCOPE.NAME`: (U, B, d) of a recurrence before the token.

        aligning: the names of the cross-attentions whose weights are put out.

    Attributes:
        outputs: by name: `new.own_SCOPE.keys.NAME`, `new.own_SCOPE.values.NAME`, (U, B, H, D), and
            `new.state_SCOPE.NAME`, (U, B, d), of the new tokens; `weights.NAME`, (U, B, H, L).
    """

    def __init__(self, inputs: Named, aligning: Collection[str] = ()) -> None:
        super().__init__(inputs["positions"])
        self.inputs, self.aligning = inputs, aligning
        self.outputs: dict[str, Tensor] = {}

    @property
    def own(self) -> Scopes:
        return Scopes(_Written(self, "own_sentence"), _Written(self, "own_instance"))

    def source_as(self, name: str) -> Scopes:
        if name != SOURCE:
            return super().source_as(name)
        return Scopes(
            _SourceTokens(self, "source_sentence"), _SourceTokens(self, "source_instance")
        )

    def sequences(self, unit: SequenceUnit = "sentence") -> Sequences:
        return _OneToken(self, unit)

    def by_unit(self, x: Tensor) -> Tensor:
        """Values of hypotheses, (U · B, ...), by unit: (U, B, ...)."""
        return _split(x, self._positions.shape)


class _Written(KeysValues):
    """The tokens written so far, in the scope of a bias, and the new token."""

    def __init__(self, view: TracedStep, scope: str) -> None:
        self._view, self._scope = view, scope

    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:
        view, scope, name = self._view, self._scope, name_of(owner)
        new_keys, new_values = map(view.by_unit, owner.keys_and_values(x))  # (U, B, H, D)
        view.outputs[f"new.{scope}.keys.{name}"] = new_keys
        view.outputs[f"new.{scope}.values.{name}"] = new_values
        queries = view.by_unit(_scaled(q))
        before = queries.transpose(1, 2) @ view.inputs[f"{scope}.keys.{name}"].transpose(2, 3)
        before = before + view.inputs[f"{scope}.bias"]  # (U, H, B, S)
        # A new token is visible to its own hypothesis alone: no product of matrices is needed, and
        # no copy of the keys of all tokens.
        itself = (queries * new_keys).sum(-1, keepdim=True).transpose(1, 2)  # (U, H, B, 1)
        weights = torch.cat([before, itself], -1).softmax(-1)
        attended = weights[..., :-1] @ view.inputs[f"{scope}.values.{name}"]  # (U, H, B, D)
        attended = attended + weights[..., -1:] * new_values.transpose(1, 2)
        return attended.transpose(1, 2).flatten(0, 1)


class _SourceTokens(KeysValues):
    """The encoded source, in the scope of a bias."""

    def __init__(self, view: TracedStep, scope: str) -> None:
        self._view, self._scope = view, scope

    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:  # noqa: ARG002
        view, name = self._view, name_of(owner)
        queries = view.by_unit(_scaled(q)).transpose(1, 2)  # (U, H, B, D)
        scores = queries @ view.inputs[f"source.keys.{name}"].transpose(2, 3)
        scores = scores + view.inputs[f"{self._scope}.bias"]
        weights = scores.softmax(-1)
        if name in view.aligning:
            view.outputs[f"weights.{name}"] = weights.transpose(1, 2)
        attended = weights @ view.inputs[f"source.values.{name}"]
        return attended.transpose(1, 2).flatten(0, 1)


class _OneToken(Sequences):
    """One token of every sentence or instance. At the beginning of either, the given state is of
    zeros."""

    def __init__(self, view: TracedStep, unit: SequenceUnit) -> None:
        self._view, self._unit = view, unit

    def in_time_order(self, x: Tensor) -> Tensor:
        return x

    def in_text_order(self, x: Tensor) -> Tensor:
        return x

    def by_sequence(self, states: list[Tensor]) -> list[Tensor]:
        return states

    def sizes(self) -> NoReturn:
        raise NotTraceableError("a recurrence by time steps")

    def time_steps(self, x: Tensor) -> Sequence[Tensor]:
        return [x]

    def source(
        self,
        owner: nn.Module,  # noqa: ARG002
        states: Tensor,  # noqa: ARG002
        parts: SourceParts | None = None,  # noqa: ARG002
    ) -> SourceKeys:
        raise NotTraceableError("a recurrence with attention")

    def state(self, owner: nn.Module) -> Tensor | None:
        return self._view.inputs[f"state_{self._unit}.{name_of(owner)}"].flatten(0, 1)

    def keep_state(self, owner: nn.Module, state: Tensor) -> None:
        self._view.outputs[f"new.state_{self._unit}.{name_of(owner)}"] = self._view.by_unit(state)


def _split(x: Tensor, sizes: Sequence[int]) -> Tensor:
    """x, (N, ...), with the first dimension in two of these sizes."""
    return x.view(*sizes, *x.shape[1:])


def _scaled(q: Tensor) -> Tensor:
    return q * q.shape[-1] ** -0.5


def _bias(seen: Tensor) -> Tensor:
    """The bias of scores for a mask, (I, ·, L): (I, 1, ·, L)."""
    zero = torch.zeros((), dtype=torch.float32)
    return torch.where(seen, zero, torch.full_like(zero, float("-inf")))[:, None]

"""Initial weights of attention and gates that are new in a system initialized from another run.

With random attention beyond the sentence, the first updates replace a part of every trained
attention by noise. The gradient closes the gates, and what is behind closed gates is not learned.
See docs/results/planted-cues.md for measurements.
"""

from __future__ import annotations

from collections.abc import Collection

import torch
from torch import Tensor, nn

from docmt_files.base.errors import InputError
from docmt_nmt.nn.gates import GateProjection
from docmt_nmt.recipes.training import InitializeSettings
from docmt_nmt.systems import System


def start_new_modules(
    system: System, loaded: Collection[str], settings: InitializeSettings
) -> None:
    """Set the weights of new attention and new gates, in place.

    Args:
        loaded: names of the parameters loaded from a run.
        settings: `new_attention` and `gate_bias`.

    Raises:
        InputError: the system has no new module that a setting applies to.
    """
    if settings.new_attention == "copy" and not copy_twins(system, loaded):
        raise _no_effect(
            "new_attention: copy",
            "no attention in the system is new and has a counterpart among the loaded weights",
        )
    if settings.gate_bias is not None:
        gates = new_gates(system, loaded)
        for gate in gates:
            gate.start_at(settings.gate_bias)
        if not gates:
            raise _no_effect(
                f"gate_bias: {settings.gate_bias:g}", "no gate in the system is new and has a bias"
            )


def copy_twins(system: System, loaded: Collection[str]) -> list[str]:
    """Copy loaded weights into the new modules that have a twin (`System.twins`).

    Returns:
        The names of the parameters with copied weights.
    """
    names = {module: name for name, module in system.named_modules()}
    state = system.state_dict()
    copies: dict[str, Tensor] = {}
    for module, twin in system.twins():
        for name in module.state_dict():
            own, other = f"{names[module]}.{name}", f"{names[twin]}.{name}"
            if own not in loaded and other in loaded and state[own].shape == state[other].shape:
                copies[own] = state[other]
    with torch.no_grad():
        for name, tensor in copies.items():
            state[name].copy_(tensor)
    return list(copies)


def new_gates(system: nn.Module, loaded: Collection[str]) -> list[GateProjection]:
    """The gates with a bias whose weights were not loaded."""
    return [
        module
        for name, module in system.named_modules()
        if isinstance(module, GateProjection)
        and module.bias is not None
        and f"{name}.weight" not in loaded
    ]


def _no_effect(setting: str, reason: str) -> InputError:
    """The error for a setting without effect."""
    return InputError(
        f"initialize.{setting} has no effect: {reason}",
        cure="Leave it out, or start from a run without this attention (initialize.leave_out)",
        parameters=("initialize",),
    )

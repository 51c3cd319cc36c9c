"""Adam with decoupled weight decay (Kingma and Ba 2015; Loshchilov and Hutter 2019) over groups of
parameters: new ones, loaded ones with a learning rate of their own, and frozen ones, which are in
no group (Bao et al. 2021, appendix C.1).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from typing import Any

import torch
from torch import nn

from docmt.errors import InputError
from docmt.recipes.schema import InitializeSettings, TrainingSettings
from docmt.wording import first_few, nearest

LOADED = "loaded"
"""The pattern of `start.freeze` that stands for all loaded parameters."""


def make_optimizer(
    system: nn.Module,
    training: TrainingSettings,
    start: InitializeSettings | None = None,
    loaded: Collection[str] = (),
) -> torch.optim.AdamW:
    """An optimizer over the parameters that are to be learned; the others no longer ask for a
    gradient.

    Each group has, besides what Adam needs, its `name`, which is `learning_rate` or
    `loaded_learning_rate`, and its `peak`, the rate at the end of warm-up.

    Args:
        system: whose parameters.
        training: the rates and Adam's settings.
        start: the loaded parameters' rate, and what is frozen.
        loaded: names of loaded parameters.

    Raises:
        InputError: a pattern of `start.freeze` fits no parameter, or nothing is left to learn.
    """
    names = parameter_names(system)
    frozen = frozen_names(start.freeze if start else (), [n for a in names for n in a], loaded)
    rate = training.learning_rate
    rate_loaded = start.loaded_learning_rate if start else None
    new: list[nn.Parameter] = []
    old: list[nn.Parameter] = []
    parameters = dict(system.named_parameters())
    for alike in names:
        parameter = parameters[alike[0]]
        if not frozen.isdisjoint(alike):
            parameter.requires_grad_(False)
        elif set(alike).isdisjoint(loaded):
            new.append(parameter)
        else:
            old.append(parameter)
    groups: list[dict[str, Any]] = [
        {"params": new, "name": "learning_rate", "peak": rate},
        {"params": old, "name": "loaded_learning_rate", "peak": rate_loaded or rate},
    ]
    groups = [group for group in groups if group["params"]]
    if not groups:
        raise InputError(
            "initialize.freeze leaves no parameter to learn", cure="Freeze fewer parameters"
        )
    return torch.optim.AdamW(
        groups,
        lr=training.learning_rate,
        betas=training.betas,
        eps=training.epsilon,
        weight_decay=training.weight_decay,
        fused=True,  # one pass over the weights instead of ten
    )


def parameter_names(system: nn.Module) -> list[list[str]]:
    """The names of each parameter, several where it is tied; the first is that under which
    `named_parameters` gives it."""
    alike: dict[int, list[str]] = {}
    for name, parameter in system.named_parameters(remove_duplicate=False):
        alike.setdefault(id(parameter), []).append(name)
    return list(alike.values())


def frozen_names(
    patterns: Sequence[str], names: Sequence[str], loaded: Collection[str]
) -> set[str]:
    """The names that patterns such as `encoder.*` fit.

    Raises:
        InputError: a pattern fits none.
    """
    frozen: set[str] = set()
    for pattern in patterns:
        fitting = (
            set(loaded) & set(names)
            if pattern == LOADED
            else {name for name in names if fnmatchcase(name, pattern)}
        )
        if not fitting:
            near = nearest(pattern, names, most=3, cutoff=0.3) or list(names)
            raise InputError(
                f"initialize.freeze: {pattern!r} fits no parameter",
                cure=f"Parameters are called {first_few(near)}; `*` stands for any part of a name",
            )
        frozen |= fitting
    return frozen


def set_rates(optimizer: torch.optim.Optimizer, factor: float) -> dict[str, float]:
    """Set each group's learning rate to this share of its peak; the rates by group."""
    for group in optimizer.param_groups:
        group["lr"] = factor * group["peak"]
    return {group["name"]: group["lr"] for group in optimizer.param_groups}

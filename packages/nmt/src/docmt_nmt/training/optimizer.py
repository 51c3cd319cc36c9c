"""The optimizer over groups of parameters: new ones, and loaded ones with a learning rate of their
own. Frozen ones are in no group (Bao et al. 2021, appendix C.1).

It is Adam with decoupled weight decay (Kingma and Ba 2015; Loshchilov and Hutter 2019), Adadelta
(Zeiler 2012), or stochastic gradient descent without momentum.

The schedule of the learning rate is a linear warm-up over w updates to a peak of 1, then one of

    inverse-sqrt    √(w / n)                               (Vaswani et al. 2017, Eq. 3, scaled)
    polynomial      ((d − n) / (d − w))^p, from d on 0     (fairseq's polynomial_decay)
    epoch           f^(e − e₁ + 1) from epoch e₁ on         (OpenNMT's learning_rate_decay)
    constant        1

for update n in epoch e.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from math import sqrt
from typing import Any

import torch
from torch import nn

from docmt_files.base.errors import InputError
from docmt_files.base.wording import first_few, nearest
from docmt_nmt.recipes.training import InitializeSettings, TrainingSettings

LOADED = "loaded"
"""The pattern of `initialize.freeze` for all loaded parameters."""


def make_optimizer(
    system: nn.Module,
    training: TrainingSettings,
    initialize: InitializeSettings | None = None,
    loaded: Collection[str] = (),
) -> torch.optim.Optimizer:
    """An optimizer over the trained parameters; frozen parameters stop requiring gradients.

    Each group has two more entries than the optimizer needs: `name`, either `learning_rate` or
    `loaded_learning_rate`, and `peak`, the learning rate at the end of warm-up.

    Args:
        training: the optimizer, the learning rate and further settings.
        initialize: the learning rate of loaded parameters, and which parameters are frozen.

    Raises:
        InputError: a pattern of `initialize.freeze` matches no parameter, or nothing is left to
            train.
    """
    tied_names = _tied_names(system)
    all_names = [name for names in tied_names for name in names]
    frozen = _frozen_names(initialize.freeze if initialize else (), all_names, loaded)
    rate = training.learning_rate
    loaded_rate = (initialize.loaded_learning_rate if initialize else None) or rate
    new_parameters: list[nn.Parameter] = []
    loaded_parameters: list[nn.Parameter] = []
    parameters = dict(system.named_parameters())
    for names in tied_names:
        parameter = parameters[names[0]]
        if not parameter.requires_grad:
            continue  # the system has a frozen part
        if not frozen.isdisjoint(names):
            parameter.requires_grad_(False)
        elif set(names).isdisjoint(loaded):
            new_parameters.append(parameter)
        else:
            loaded_parameters.append(parameter)
    groups: list[dict[str, Any]] = [
        {"params": new_parameters, "name": "learning_rate", "peak": rate},
        {"params": loaded_parameters, "name": "loaded_learning_rate", "peak": loaded_rate},
    ]
    groups = [group for group in groups if group["params"]]
    if not groups:
        raise InputError(
            "initialize.freeze leaves no parameter to train", cure="Freeze fewer parameters"
        )
    return _over_groups(groups, training)


def _over_groups(
    groups: Sequence[dict[str, Any]], training: TrainingSettings
) -> torch.optim.Optimizer:
    """The optimizer of these groups of parameters."""
    rate, decay = training.learning_rate, training.weight_decay
    if training.optimizer == "adadelta":
        return torch.optim.Adadelta(
            groups, lr=rate, rho=training.rho, eps=training.epsilon, weight_decay=decay
        )
    if training.optimizer == "sgd":
        return torch.optim.SGD(groups, lr=rate, weight_decay=decay)
    # Fused: one pass over the weights instead of ten.
    return torch.optim.AdamW(
        groups, lr=rate, betas=training.betas, eps=training.epsilon, weight_decay=decay, fused=True
    )


def moments(optimizer: torch.optim.Optimizer) -> tuple[str, ...]:
    """Names of the tensors kept by an optimizer for each parameter, in the parameter's shape."""
    if isinstance(optimizer, torch.optim.AdamW):
        return ("exp_avg", "exp_avg_sq")
    return ("square_avg", "acc_delta") if isinstance(optimizer, torch.optim.Adadelta) else ()


def set_learning_rates(optimizer: torch.optim.Optimizer, factor: float) -> dict[str, float]:
    """Set the learning rate of each group to a fraction of the peak. Returns the rates by group."""
    for group in optimizer.param_groups:
        group["lr"] = factor * group["peak"]
    return {group["name"]: group["lr"] for group in optimizer.param_groups}


def _tied_names(system: nn.Module) -> list[list[str]]:
    """The names of each parameter, several where it is tied; the first is the one under which
    `named_parameters` gives it."""
    tied: dict[int, list[str]] = {}
    for name, parameter in system.named_parameters(remove_duplicate=False):
        tied.setdefault(id(parameter), []).append(name)
    return list(tied.values())


def _frozen_names(
    patterns: Sequence[str], names: Sequence[str], loaded: Collection[str]
) -> set[str]:
    """Names matched by patterns such as `encoder.*`."""
    patterns_of_names = [pattern for pattern in patterns if pattern != LOADED]
    frozen = matching_names(patterns_of_names, names, "initialize.freeze")
    return frozen | (set(loaded) & set(names)) if LOADED in patterns else frozen


def matching_names(patterns: Sequence[str], names: Sequence[str], key: str) -> set[str]:
    """Names of the parameters matched by patterns, in which `*` stands for anything.

    Raises:
        InputError: a pattern of the recipe's key matches no name.
    """
    matched: set[str] = set()
    for pattern in patterns:
        matching = {name for name in names if fnmatchcase(name, pattern)}
        if not matching:
            similar = nearest(pattern, names, most=3, cutoff=0.3) or list(names)
            raise InputError(
                f"{key}: {pattern!r} matches no parameter",
                cure=f"Some parameters are {first_few(similar)}; `*` matches any part of a name",
            )
        matched |= matching
    return matched


def rate_factor(settings: TrainingSettings, step: int, epoch: int = 1) -> float:
    """The learning rate of an update, as a fraction of the peak.

    Args:
        step: the update, n, from 1.
        epoch: the epoch, e, from 1.
    """
    warmup = settings.warmup_steps
    if step < warmup:
        return step / warmup
    if settings.schedule == "inverse-sqrt":
        return sqrt(warmup / step)
    if settings.schedule == "polynomial":
        last = settings.decay_steps or settings.max_steps
        assert last is not None, "checked by the settings"
        remaining = max(0, last - step) / (last - warmup)
        return float(remaining**settings.decay_power)
    if settings.schedule == "epoch":
        return float(settings.decay_factor ** max(0, epoch - settings.decay_epoch + 1))
    return 1.0

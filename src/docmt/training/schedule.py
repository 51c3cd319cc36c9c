"""The schedule of the learning rate: linear warm-up over w updates to a peak of 1, then one of

    inverse-sqrt    √(w / n)                               (Vaswani et al. 2017, Eq. 3, scaled)
    polynomial      ((d − n) / (d − w))^p, from d on 0     (fairseq's polynomial_decay)
    epoch           f^(e − e₁ + 1) from epoch e₁ on         (OpenNMT's learning_rate_decay)
    constant        1

for update n in epoch e.
"""

from __future__ import annotations

from math import sqrt

from docmt.recipes.training import TrainingSettings


def rate_factor(settings: TrainingSettings, step: int, epoch: int = 1) -> float:
    """The learning rate of an update, as a fraction of its peak.

    Args:
        settings: the schedule and its numbers.
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

"""The learning rate schedule: linear warm-up, then the inverse square root of the update's number
(Vaswani et al. 2017, Eq. 3, scaled so that the peak is 1).

    factor(n) = min(n / w, √(w / n))
"""

from __future__ import annotations

from math import sqrt


def rate_factor(step: int, warmup_steps: int) -> float:
    """The learning rate of an update, as a fraction of its peak.

    Args:
        step: the update, n, from 1.
        warmup_steps: the update at which the peak is reached, w.
    """
    return min(step / warmup_steps, sqrt(warmup_steps / step))

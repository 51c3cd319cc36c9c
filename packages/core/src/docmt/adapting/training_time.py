"""`TrainingTime`: ends a training after some minutes, and shows how much time is left."""

from __future__ import annotations

import time
from collections.abc import Callable

_EVERY = 5
"""Updates between two times that are kept."""

Show = Callable[[float, float], None]
"""Called with the seconds of training so far, and the most."""


class TrainingTime:
    """The time of a training, over all its interruptions.

    Args:
        seconds: the most seconds.
        used: the seconds before the last interruption.
        keep: called with the seconds so far, now and then.
        show: called with the seconds so far and the most, before each update.
        clock: the clock.
    """

    def __init__(
        self,
        seconds: float,
        used: float,
        keep: Callable[[float], None],
        show: Show | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.seconds, self.used = seconds, used
        self._keep, self._show, self._clock = keep, show, clock
        self._last: float | None = None
        self._updates = 0

    def is_last(self, step: int) -> bool:
        """Count the time up to an update; returns whether the training ends with it."""
        del step
        now = self._clock()
        if self._last is not None:
            self.used += now - self._last
        self._last = now
        self._updates += 1
        if self._updates % _EVERY == 0:
            self._keep(self.used)
        if self._show is not None:
            self._show(min(self.used, self.seconds), self.seconds)
        return self.used >= self.seconds

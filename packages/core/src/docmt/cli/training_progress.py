"""The progress of a training in minutes, as `docmt adapt` shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_BETWEEN_LINES = 60.0
"""Seconds between two lines, where there is no terminal."""


@contextmanager
def training_progress(
    *, is_terminal: bool, note: Callable[[str], None]
) -> Iterator[Callable[[float, float], None]]:
    """Show how much time of a training is left at most. Yields a function of the seconds so far and
    the most: a bar on a terminal, or else a line now and then."""
    if not is_terminal:
        yield _lines(note)
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("training", total=None)

        def update(seconds: float, most: float) -> None:
            left = f"training, at most {duration(most - seconds)} left"
            bars.update(task, completed=seconds, total=most, description=left)

        yield update


def _lines(note: Callable[[str], None]) -> Callable[[float, float], None]:
    """A function that notes the time left, a minute after the last time."""
    last = 0.0

    def update(seconds: float, most: float) -> None:
        nonlocal last
        if seconds - last >= _BETWEEN_LINES:
            last = seconds
            note(f"docmt: training, at most {duration(most - seconds)} left")

    return update


def duration(seconds: float) -> str:
    """A time in words.

    >>> duration(45), duration(150)
    ('45 seconds', '3 minutes')
    """
    return f"{seconds:.0f} seconds" if seconds < 90 else f"{-(-seconds // 60):.0f} minutes"

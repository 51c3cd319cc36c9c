"""Progress on standard error while a run trains: a progress bar on a terminal, or else a
line now and then.
"""

from __future__ import annotations

import time

from rich import progress
from rich.console import Console

from docmt_nmt.contexts import ContextEncoders

SECONDS_BETWEEN_LINES = 30.0


class ProgressBar:
    """The progress of a run, shown until `close`.

    Args:
        max_steps: the most updates the run may take; None if there is no limit.
    """

    def __init__(self, visible: bool, *, max_steps: int | None) -> None:
        self.console = Console(stderr=True, quiet=not visible, highlight=False, soft_wrap=True)
        self.of_steps = "" if max_steps is None else f"/{max_steps:,}"
        self.bar = progress.Progress(
            progress.TextColumn("step {task.completed:,}" + self.of_steps),
            progress.BarColumn(),
            progress.TextColumn("{task.description}"),
            progress.TimeRemainingColumn(elapsed_when_finished=True),
            console=self.console,
            disable=not visible or not self.console.is_terminal,
        )
        self.task = self.bar.add_task("", total=max_steps)
        self.last_line = time.monotonic()
        self.bar.start()

    def update(self, step: int, loss: float, tokens_per_second: float) -> None:
        """Show the number of updates done, the loss and the speed."""
        now = time.monotonic()
        text = f"loss {loss:.3f} · {tokens_per_second:,.0f} tokens/s"
        self.bar.update(self.task, completed=step, description=text)
        if self.bar.disable and now - self.last_line >= SECONDS_BETWEEN_LINES:
            remaining = self.bar.tasks[0].time_remaining
            left = "" if remaining is None else f" · {format_duration(remaining)} left"
            self.print(f"step {step:,}{self.of_steps} · {text}{left}")
            self.last_line = now

    def show_preparation(self, phase: str, documents: int) -> None:
        """Show the current phase of the preparation of the corpus, at the first document."""
        if documents == 1:
            doing = "fitting the text pipeline" if phase == "fit" else f"encoding the {phase} split"
            self.print(f"preparing the corpus: {doing}")

    def show_encoding(self, block: str, documents: int) -> None:
        """Show which block's contexts are being encoded, by the first document."""
        if documents == 1:
            self.print(f"encoding contexts: {block}")

    def show_truncated(self, contexts: ContextEncoders | None) -> None:
        """Show the number of contexts truncated as allowed by the recipe."""
        for name, passages in (contexts.truncated() if contexts is not None else {}).items():
            self.print(f"{name}: {passages:,} contexts truncated to what the encoder can read")

    def print(self, text: str) -> None:
        """Print a line above the bar."""
        self.console.print(text, markup=False)

    def close(self) -> None:
        """Stop the bar."""
        self.bar.stop()


def format_duration(seconds: float) -> str:
    """A duration as `45 s`, `12 min` or `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"

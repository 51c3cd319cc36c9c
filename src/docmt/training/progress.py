"""What a person sees while a run trains: a bar on a terminal, now and then a line elsewhere. All of
it goes to standard error.
"""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich import progress
from rich.console import Console

from docmt.contexts import ContextEncoders

SECONDS_BETWEEN_LINES = 30.0


class Progress:
    """The progress of a run.

    Args:
        visible: whether anything is shown.
        steps: updates of the run at most.
    """

    def __init__(self, visible: bool, *, steps: int) -> None:
        self.console = Console(stderr=True, quiet=not visible, highlight=False, soft_wrap=True)
        self.bar = progress.Progress(
            progress.TextColumn("step {task.completed:,}/{task.total:,}"),
            progress.BarColumn(),
            progress.TextColumn("{task.description}"),
            progress.TimeRemainingColumn(elapsed_when_finished=True),
            console=self.console,
            disable=not visible or not self.console.is_terminal,
        )
        self.task = self.bar.add_task("", total=steps)
        self.steps = steps
        self.shown = time.monotonic()

    def update(self, step: int, loss: float, tokens_per_second: float) -> None:
        """Show where the run stands."""
        now = time.monotonic()
        text = f"loss {loss:.3f} · {tokens_per_second:,.0f} tokens/s"
        self.bar.update(self.task, completed=step, description=text)
        if self.bar.disable and now - self.shown >= SECONDS_BETWEEN_LINES:
            remaining = self.bar.tasks[0].time_remaining
            left = "" if remaining is None else f" · {spoken(remaining)} left"
            self.say(f"step {step:,}/{self.steps:,} · {text}{left}")
            self.shown = now

    def preparing(self, what: str, documents: int) -> None:
        """Show how far the preparation of the corpus is."""
        if documents == 1:
            doing = "learning the text pipeline" if what == "fit" else f"encoding the {what} split"
            self.say(f"preparing the corpus: {doing}")

    def encoding(self, block: str, documents: int) -> None:
        """Show what context encoders are busy with."""
        if documents == 1:
            self.say(f"encoding contexts: {block}")

    def cut(self, contexts: ContextEncoders | None) -> None:
        """Show how many contexts were cut because the recipe says so."""
        for name, passages in (contexts.cuts() if contexts is not None else {}).items():
            self.say(f"{name}: {passages:,} contexts cut to what the encoder reads")

    def say(self, text: str) -> None:
        """Show a line that stays."""
        self.console.print(text, markup=False)

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.bar.stop()


def spoken(seconds: float) -> str:
    """A time as `45 s`, `12 min` or `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"

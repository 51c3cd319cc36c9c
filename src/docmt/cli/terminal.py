"""What the commands tell the user beside their output: notes, errors and progress, on standard
error so that standard output holds nothing but results.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

USER_MISTAKE, INTERRUPTED, BROKEN_PIPE = 2, 130, 141
"""Exit codes; the last two are those of shells for SIGINT and SIGPIPE."""

Progress = Callable[[int, int], None]


def note(text: str) -> None:
    """Say something on standard error."""
    typer.echo(text, err=True)


def on_terminal() -> bool:
    """Whether somebody watches standard error."""
    return sys.stderr.isatty()


@contextmanager
def progress_bar(label: str) -> Iterator[Progress | None]:
    """A progress bar on standard error, called with what is done and what there is in all; None
    where standard error is no terminal."""
    if not on_terminal():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(label, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)

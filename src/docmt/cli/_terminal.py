"""Notes, errors and progress of all commands. They go to standard error, so that standard output
holds results only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from docmt.cli._options import name_options
from docmt.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

USER_MISTAKE, SUSPICIOUS, FAILED_POINTS, INTERRUPTED, BROKEN_PIPE = 2, 3, 4, 130, 141
"""Exit codes. With `--strict`, `SUSPICIOUS` says that translations have warnings; `FAILED_POINTS`
says that points of a sweep have failed. The last two are the ones that shells use for SIGINT and
SIGPIPE."""

_ReportProgress = Callable[[int, int], None]


_options: dict[str, str] = {}
"""The options of the running command, by their parameters."""


@contextmanager
def naming_options(options: Mapping[str, str]) -> Iterator[None]:
    """While a command runs, let notes and errors name its options where they mention parameters."""
    _options.update(options)
    try:
        yield
    except InputError as error:
        error.args = (name_options(str(error), options),)
        raise
    finally:
        _options.clear()


def note(text: str) -> None:
    """Print a message to standard error."""
    typer.echo(name_options(text, _options), err=True)


def on_terminal() -> bool:
    """Return whether standard error is a terminal."""
    return sys.stderr.isatty()


def output_console(width: int | None = None) -> Console:
    """A console on standard output, with the width of the terminal unless one is given. If the
    program that reads the output has ended, printing raises BrokenPipeError like any other writing;
    rich would exit with a code of its own."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Output(width=width)


@contextmanager
def progress_bar(label: str) -> Iterator[_ReportProgress | None]:
    """Show a progress bar on standard error. Yields a function of what is done and the total, or
    None if standard error is not a terminal."""
    if not on_terminal():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(label, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)

"""The command line. Each command is a thin file that calls the library; this module holds what
they share: how errors and interruptions end a command.

Only light modules are imported here: a command loads torch when it needs it.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from docmt import __version__
from docmt.cli._terminal import BROKEN_PIPE, INTERRUPTED, USER_MISTAKE, note
from docmt.cli.attention import attention
from docmt.cli.contrast import contrast
from docmt.cli.curves import curves
from docmt.cli.cxmi import cxmi
from docmt.cli.demo import demo
from docmt.cli.discourse import discourse
from docmt.cli.evaluate import evaluate
from docmt.cli.export import export
from docmt.cli.import_ import import_commands
from docmt.cli.plugins import plugins
from docmt.cli.prepare import prepare
from docmt.cli.recipes import recipe_commands
from docmt.cli.report import report
from docmt.cli.score import score
from docmt.cli.sweep import sweep
from docmt.cli.train import train
from docmt.cli.translate import translate
from docmt.cli.tune_alignment import tune_alignment
from docmt.errors import InputError

__all__ = ["main"]

# Threads spin while they wait for each other. Spinning briefly is as fast as the default, and many
# times faster while other programs run. OpenMP reads this when torch is loaded.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The codes by which the operating system says that a file cannot grow."""


class _Commands(TyperGroup):
    """The group of all commands, which end in the same way."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; report a user's mistake without a traceback.

        Raises:
            typer.Exit: with the exit code for what went wrong.
        """
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except InputError as error:
            note(f"docmt: {error}")
            raise typer.Exit(USER_MISTAKE) from None
        except KeyboardInterrupt:
            note("docmt: interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # The program that read our output has ended.
            _silence()
            raise typer.Exit(BROKEN_PIPE) from None
        except OSError as error:
            # Files have errors of their own, so this is about standard output.
            if error.errno not in _DISK_FULL:
                raise
            _silence()
            note(f"docmt: standard output: cannot be written ({error.strerror}). Free space.")
            raise typer.Exit(USER_MISTAKE) from None


def _silence() -> None:
    """Discard further output, or Python reports the same error again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


main = typer.Typer(
    name="docmt",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def _show_version(asked: bool) -> None:
    """Print the version and exit."""
    if asked:
        typer.echo(f"docmt {__version__}")
        raise typer.Exit


@main.callback()
def _docmt(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Train, run and evaluate document-level machine translation.

    `docmt demo` shows it on files that come with it. `docmt COMMAND --help` explains a command.
    """


main.command()(demo)
main.add_typer(recipe_commands, name="recipes")
main.command()(prepare)
main.command()(train)
main.command()(translate)
main.command()(tune_alignment)
main.command()(export)
main.command()(evaluate)
main.command()(discourse)
main.command()(score)
main.command()(contrast)
main.command()(cxmi)
main.command()(attention)
main.command()(curves)
main.command()(report)
main.command()(sweep)
main.add_typer(import_commands, name="import")
main.command()(plugins)

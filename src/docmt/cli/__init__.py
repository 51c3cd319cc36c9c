"""The command line. Each command is a thin file that calls the library; what they share, how
errors and interruptions end a command, is here.

Only light modules are imported up front: torch is loaded by the command that needs it.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from docmt import __version__
from docmt.cli.demo import demo
from docmt.cli.evaluate import evaluate
from docmt.cli.import_ import importing
from docmt.cli.prepare import prepare
from docmt.cli.recipes import recipes
from docmt.cli.terminal import BROKEN_PIPE, INTERRUPTED, USER_MISTAKE, note
from docmt.cli.train import train
from docmt.cli.translate import translate
from docmt.errors import InputError

# Threads that wait for each other spin. A short while is as fast as the default and, where other
# programs run, many times faster. OpenMP reads it when torch is loaded.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""How the operating system says that a file cannot grow."""


class Commands(TyperGroup):
    """The commands, with one way to end for all of them."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; a user's mistake is told without a traceback.

        Raises:
            typer.Exit: with the exit code of what went wrong.
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
            # Whoever read our output has left.
            silence()
            raise typer.Exit(BROKEN_PIPE) from None
        except OSError as error:
            # Files explain themselves; what is left is standard output.
            if error.errno not in NO_ROOM:
                raise
            silence()
            note(f"docmt: standard output: cannot be written ({error.strerror}). Free space.")
            raise typer.Exit(USER_MISTAKE) from None


def silence() -> None:
    """Write nothing more to standard output, or Python complains once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


main = typer.Typer(
    name="docmt",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def show_version(asked: bool) -> None:
    """Print the version and leave."""
    if asked:
        typer.echo(f"docmt {__version__}")
        raise typer.Exit


@main.callback()
def docmt(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Train, run and judge machine translation of whole documents.

    `docmt demo` shows all of it on a small corpus; `docmt COMMAND --help` explains a command.
    """


main.command()(demo)
main.add_typer(recipes, name="recipes")
main.command()(prepare)
main.command()(train)
main.command()(translate)
main.command()(evaluate)
main.add_typer(importing, name="import")

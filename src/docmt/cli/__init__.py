"""The command line. Each command is a thin file that calls the library; this module lists them, and
holds how errors and interruptions end a command.

A command's module is imported when the command is used, and loads torch only when it needs it.
"""

from __future__ import annotations

import atexit
import errno
import gc
import os
import sys
from functools import cache
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from docmt import __version__
from docmt.cli.options import options_by_parameter, with_options
from docmt.cli.terminal import BROKEN_PIPE, INTERRUPTED, USER_MISTAKE, naming_options, note
from docmt.ground import entry_points
from docmt.ground.errors import InputError

__all__ = ["COMMANDS", "load_command", "main"]

# Threads spin while they wait for each other. Spinning briefly is as fast as the default, and many
# times faster while other programs run. OpenMP reads this when torch is loaded.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The codes by which the operating system says that a file cannot grow."""

_BAD_PATH = (errno.ENAMETOOLONG, errno.EACCES, errno.ELOOP)
"""The codes by which the operating system refuses to look whether there is a file."""


class Entry(NamedTuple):
    """A command in the list of all commands.

    Attributes:
        panel: the heading under which `docmt --help` lists it.
        summary: what `docmt --help` says of it.
        module: its module in this package.
    """

    panel: str
    summary: str
    module: str


_USE, _TRAIN = "Translate and train", "Recipes and runs"

COMMANDS = {
    "translate": Entry(_USE, "Translate files as whole documents.", "translate"),
    "train": Entry(_USE, "Train the system of a recipe.", "train"),
    "evaluate": Entry(_USE, "Score a translation, and compare it with others.", "evaluate"),
    "serve": Entry(_USE, "Translate for other programs, and in a browser.", "serve"),
    "demo": Entry(_USE, "See what context changes, on files that come with docmt.", "demo"),
    "recipes": Entry(_TRAIN, "List the bundled recipes, and explain their keys.", "recipes"),
    "prepare": Entry(_TRAIN, "Prepare a corpus that several recipes share.", "prepare"),
    "import": Entry(_TRAIN, "Make a run of a checkpoint of another program.", "import_"),
    "export": Entry(_TRAIN, "Write what a run needs to translate.", "export"),
    "plugins": Entry(_TRAIN, "List what other installed packages add.", "plugins"),
}
"""The commands of docmt by name, in the order in which `docmt --help` lists them."""

_OF_RESEARCH = {
    "attention": "Show where a system looks.",
    "check-counts": "Compare a prepared corpus with the sizes that a paper prints.",
    "contrast": "Evaluate a system on contrastive suites.",
    "curves": "Draw the curves of trainings.",
    "cxmi": "Measure what context is worth to a system.",
    "discourse": "Measure pronouns, lexical consistency and discourse markers.",
    "judge": "Let a language model judge translations of documents.",
    "make-contrast": "Make a contrastive suite from a corpus.",
    "report": "Compare runs on one page.",
    "score": "Give the log-probability of translations.",
    "sweep": "Train a recipe along axes, and draw figures.",
    "tune-alignment": "Choose the attention that aligns words best.",
}
"""The commands of docmt-research, and what `docmt --help` says of them."""


@cache
def load_command(name: str) -> Any:
    """The command of this name, a `click.Command`, with its options.

    Raises:
        InputError: it is of another package, and cannot be used.
    """
    command = _command_object(name)
    if not isinstance(command, typer.Typer):
        function, command = command, typer.Typer(add_completion=False)
        command.command(name)(function)
    for info in command.registered_commands:
        info.cls = _Command
        assert info.callback is not None
        info.callback = with_options(info.callback)
    command.rich_markup_mode = "markdown"
    loaded = typer.main.get_command(command)
    loaded.name = name
    return loaded


def _command_object(name: str) -> Any:
    """The function or the `typer.Typer` of a command."""
    if name not in COMMANDS:
        loaded = entry_points.load("docmt.commands", name)
        assert loaded is not None, "only names of commands get here"
        return loaded[1]
    module = import_module(f"docmt.cli.{COMMANDS[name].module}")
    return getattr(module, "commands", None) or getattr(module, COMMANDS[name].module)


class _Command(TyperCommand):
    """A command whose messages name its options."""

    def invoke(self, ctx: Any) -> Any:
        with naming_options(options_by_parameter(self.params)):
            return super().invoke(ctx)


class _Group(TyperGroup):
    """A group of commands, which end in the same way."""

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
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            note("docmt: trained systems need the package torch. Run `pip install torch`.")
            raise typer.Exit(USER_MISTAKE) from None
        except KeyboardInterrupt:
            note("docmt: interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # The program that read our output has ended.
            _silence()
            raise typer.Exit(BROKEN_PIPE) from None
        except OSError as error:
            if error.errno in _BAD_PATH and isinstance(error.filename, str):
                problem = f"cannot be used ({error.strerror})"
                note(f"docmt: {InputError(problem, path=error.filename, cure='Check the path')}")
                raise typer.Exit(USER_MISTAKE) from None
            # Files have errors of their own, so this is about standard output.
            if error.errno not in _DISK_FULL:
                raise
            _silence()
            note(f"docmt: standard output: cannot be written ({error.strerror}). Free space.")
            raise typer.Exit(USER_MISTAKE) from None


class _AllCommands(_Group):
    """The group of all commands. It lists them without importing their modules, and looks for those
    of other packages only where no command of docmt is meant."""

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run the command line. Loading torch makes some 500,000 objects that live until the end:
        looking through them for garbage, again and again and when the process ends, would take a
        fifth of the time of a short command."""
        gc.set_threshold(50_000)
        atexit.register(gc.freeze)
        return super().main(*args, **settings)

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, (panel, summary, _) in COMMANDS.items():
            self.commands[name] = TyperCommand(name, help=summary, rich_help_panel=panel)

    def list_commands(self, ctx: Any) -> list[str]:
        of_docmt = super().list_commands(ctx)
        return [
            *of_docmt,
            *(name for name in entry_points.names("docmt.commands") if name not in of_docmt),
        ]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write plain text: what draws the help of a command takes longer to load than all that
        lists the commands."""
        super(TyperGroup, self).format_help(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands under the headings of their panels."""
        rows: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            rows.setdefault(command.rich_help_panel, []).append((name, command.help))
        for panel, commands in rows.items():
            with formatter.section(typer.style(panel, bold=True)):
                formatter.write_dl(commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is None:
            for plugin in entry_points.installed("docmt.commands"):
                if plugin.name == cmd_name:
                    summary = _OF_RESEARCH.get(cmd_name, "A command of this package.")
                    return TyperCommand(cmd_name, help=summary, rich_help_panel=plugin.package)
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] in _OF_RESEARCH and self.get_command(ctx, args[0]) is None:
            raise InputError(
                f"`docmt {args[0]}` is a command of docmt-research, which is not installed",
                cure="Install it with `pip install docmt-research`",
            )
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and load_command(command.name), rest


def _silence() -> None:
    """Discard further output, or Python reports the same error again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


main = typer.Typer(
    name="docmt",
    cls=_AllCommands,
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

    `docmt demo` shows it on files that come with it; `docmt COMMAND --help` explains a command.
    """

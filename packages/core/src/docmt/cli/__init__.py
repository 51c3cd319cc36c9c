"""The command line. Each command is a thin file calling the library; this module lists the
commands, and turns errors and interruptions into exit codes.

A command's module is imported when the command is used, and loads torch only when it needs torch.
"""

from __future__ import annotations

import atexit
import errno
import gc
import os
import sys
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from docmt import __version__
from docmt.cli.command_classes import ConfiguredCommand, ConfiguredGroup, pass_options
from docmt.cli.command_entry import RUNS, TRANSLATE, CommandEntry
from docmt.cli.options import with_options
from docmt.cli.terminal import BROKEN_PIPE, INTERRUPTED, USER_MISTAKE, note
from docmt_files.base import entry_points
from docmt_files.base.entry_points import Plugin
from docmt_files.base.errors import InputError
from docmt_nmt.base import plugin_groups
from docmt_nmt.base.extras import naming_extras
from docmt_nmt.base.known_packages import not_installed

__all__ = ["COMMANDS", "command_names", "load_command", "main"]

# Threads spin while they wait for each other. Spinning briefly is as fast as the default, and many
# times faster while other programs run. OpenMP reads this when torch is loaded.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")

# docmt has no plugins of pydantic, which would be looked for in the metadata of all packages.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The error codes of the operating system for a full disk or quota."""

_HELP_OPTIONS = dict.fromkeys(("-h", "--help")).keys()
"""The options that show the help of a command."""

_BAD_PATH = (errno.ENAMETOOLONG, errno.EACCES, errno.ELOOP)
"""The error codes of the operating system for paths it refuses to check."""


COMMANDS = {
    "translate": CommandEntry(
        TRANSLATE, "Translate files as whole documents.", "docmt.cli.translate:translate"
    ),
    "train": CommandEntry(TRANSLATE, "Train the system of a recipe.", "docmt.cli.train:train"),
    "evaluate": CommandEntry(
        TRANSLATE, "Score a translation, and compare it with others.", "docmt.cli.evaluate:evaluate"
    ),
    "suites": CommandEntry(
        TRANSLATE, "List published test sets, and how to score on them.", "docmt.cli.suites:suites"
    ),
    "review": CommandEntry(
        TRANSLATE, "Translate into files that a person edits.", "docmt.cli.review:review"
    ),
    "merge": CommandEntry(
        TRANSLATE, "Put an edited review into the translated file.", "docmt.cli.merge:merge"
    ),
    "terms": CommandEntry(
        TRANSLATE, "Propose terms and names of a file for a glossary.", "docmt.cli.terms:terms"
    ),
    "models": CommandEntry(
        TRANSLATE, "Get models of language pairs, and list them.", "docmt.cli.models:commands"
    ),
    "adapt": CommandEntry(
        TRANSLATE, "Adapt a model to your own translations.", "docmt.cli.adapt:adapt"
    ),
    "check": CommandEntry(
        TRANSLATE, "List what to look at in a translation.", "docmt.cli.check:check"
    ),
    "memory": CommandEntry(
        TRANSLATE, "Keep translations by people, to use them again.", "docmt.cli.memory:commands"
    ),
    "demo": CommandEntry(
        TRANSLATE,
        "See the effect of context, on files that come with docmt.",
        "docmt.cli.demo:demo",
    ),
    "recipes": CommandEntry(
        RUNS, "List the bundled recipes, and explain their keys.", "docmt.cli.recipes:commands"
    ),
    "prepare": CommandEntry(
        RUNS, "Prepare a corpus for several recipes.", "docmt.cli.prepare:prepare"
    ),
    "calibrate": CommandEntry(
        RUNS, "Learn which translations of a run are improbable.", "docmt.cli.calibrate:calibrate"
    ),
    "import": CommandEntry(
        RUNS,
        "Make a run from another program's checkpoint or a language model.",
        "docmt.cli.import_:commands",
    ),
    "export": CommandEntry(
        RUNS, "Copy a run for translation, without its log and corpus.", "docmt.cli.export:export"
    ),
    "compile": CommandEntry(
        TRANSLATE,
        "Compile a run, to translate sentences fast and without PyTorch.",
        "docmt.cli.compile_:compile_",
    ),
    "config": CommandEntry(
        TRANSLATE, "Show options that files and variables set.", "docmt.cli.config:config"
    ),
    "plugins": CommandEntry(
        RUNS, "List the plugins of other installed packages.", "docmt.cli.plugins:plugins"
    ),
}
"""The commands of docmt by name, in the order in which `docmt --help` lists them. Other packages
add theirs by the entry points `docmt.commands`."""

_PACKAGES = {
    **dict.fromkeys(("mcp", "serve"), "docmt-serve"),
    "tune-document-lm": "docmt-llm",
    **dict.fromkeys(
        (
            "attention",
            "check-counts",
            "contrast",
            "curves",
            "cxmi",
            "discourse",
            "judge",
            "log-probabilities",
            "make-contrast",
            "report",
            "sweep",
            "tune-alignment",
        ),
        "docmt-research",
    ),
}
"""The package of each command that is not here, for an error where it is not installed."""

_PACKAGES_IN_GROUPS = {
    "import": dict.fromkeys(("causal", "language-model", "t5"), "docmt-llm"),
    "recipes": {"profiles": "docmt-llm"},
}
"""The same for commands of a group, and for kinds of models that `import huggingface` takes."""


def command_names() -> list[str]:
    """The names of all commands, those of other packages last; nothing is imported."""
    others = entry_points.names(plugin_groups.COMMANDS)
    return [*COMMANDS, *(name for name in others if name not in COMMANDS and "." not in name)]


@cache
def load_command(name: str, *, documented: bool = True) -> Any:
    """The command of this name, a `click.Command` with options.

    Args:
        name: the name.
        documented: whether help texts of options are wanted; those of groups are always there.

    Raises:
        InputError: the command is from another package, and cannot be used.
    """
    command = _command_object(name)
    if isinstance(command, typer.Typer):
        documented = True  # The object is changed, and may be used again.
    else:
        function, command = command, typer.Typer(add_completion=False)
        command.command(name)(function)
    for point in entry_points.names(plugin_groups.COMMANDS):
        group, _, subcommand = point.partition(".")
        if group == name and subcommand:
            command.command(subcommand)(_command_object(point))
    for info in command.registered_commands:
        info.cls = ConfiguredCommand
        assert info.callback is not None, "it is a command"
        info.callback = with_options(info.callback, documented=documented)
    shared = command.registered_callback
    if shared is not None and shared.callback is not None:
        shared.callback = with_options(shared.callback)
    command.info.cls = _GroupOfPackages if name in _PACKAGES_IN_GROUPS else ConfiguredGroup
    command._add_completion = False  # It is installed by the group of all commands.
    command.rich_markup_mode = "markdown"
    loaded = typer.main.get_command(command)
    loaded.name = name
    return loaded


def _command_object(name: str) -> Any:
    """The function or the `typer.Typer` of a command."""
    if name in COMMANDS:
        found: Any = COMMANDS[name]
    else:
        loaded = entry_points.load(plugin_groups.COMMANDS, name)
        assert loaded is not None, "only names of commands get here"
        found = loaded[1]
    return load_object(found.object) if isinstance(found, CommandEntry) else found


def load_object(path: str) -> Any:
    """Import the object at `module:name`."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


class _GroupOfPackages(ConfiguredGroup):
    """A group of commands, of which some are in other packages."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        packages = _PACKAGES_IN_GROUPS[self.name or ""]
        if args and args[0] in packages and self.get_command(ctx, args[0]) is None:
            package, name = packages[args[0]], f"`docmt {self.name} {args[0]}`"
            if all(plugin.package != package for plugin in _all_plugins()):
                raise not_installed(package, f"{name} is")
            raise InputError(
                f"{name} is not a command",
                cure="Models of this kind are imported by `docmt import huggingface`",
            )
        return super().resolve_command(ctx, args)


def _all_plugins() -> list[Plugin]:
    """The commands of other packages."""
    return entry_points.installed(plugin_groups.COMMANDS)


class _Group(TyperGroup):
    """A group of commands with the same handling of errors."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; report a user's mistake without a traceback.

        Raises:
            typer.Exit: with the exit code of the error.
        """
        try:
            with naming_extras():
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
    """The group of all commands. It lists commands without importing their modules, and looks up
    commands of other packages only for unknown names."""

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run the command line. Loading torch makes some 500,000 objects with the lifetime of the
        process. Garbage collection over them, again and again and at exit, would take a fifth of
        the time of a short command."""
        gc.set_threshold(200_000)
        atexit.register(gc.freeze)
        return super().main(*args, **settings)

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, entry in COMMANDS.items():
            self.commands[name] = _listed(name, entry)

    def list_commands(self, ctx: Any) -> list[str]:
        del ctx
        return command_names()

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write plain text: the library for drawing help takes longer to load than the list of
        commands."""
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
            for plugin in entry_points.installed(plugin_groups.COMMANDS):
                if plugin.name == cmd_name:
                    return _listed(cmd_name, _entry_of(plugin))
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] in _PACKAGES and self.get_command(ctx, args[0]) is None:
            raise not_installed(_PACKAGES[args[0]], f"the command `docmt {args[0]}` is")
        name, command, rest = super().resolve_command(ctx, args)
        documented = ctx.resilient_parsing or not _HELP_OPTIONS.isdisjoint(rest)
        command = command and load_command(command.name, documented=documented)
        pass_options(ctx, name, command)
        return name, command, rest


def _listed(name: str, entry: CommandEntry) -> Any:
    """A command with the description alone."""
    return TyperCommand(name, help=entry.summary, rich_help_panel=entry.panel)


def _entry_of(plugin: Plugin) -> CommandEntry:
    """The entry of a command of another package, which may be a function alone, or fail."""
    try:
        loaded = entry_points.load(plugin_groups.COMMANDS, plugin.name)
    except InputError:
        loaded = None  # `docmt COMMAND` says why.
    if loaded is not None and isinstance(loaded[1], CommandEntry):
        return loaded[1]
    return CommandEntry(plugin.package, "A command of this package.", plugin.object)


def _silence() -> None:
    """Discard further output; otherwise Python reports the same error again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


main = typer.Typer(
    name="docmt",
    cls=_AllCommands,
    no_args_is_help=True,
    context_settings={"help_option_names": [*_HELP_OPTIONS]},
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
            "--version",
            "-V",
            callback=_show_version,
            is_eager=True,
            help="Print the version and exit.",
        ),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="The same as after the command.")
    ] = False,
) -> None:
    """Train, run and evaluate document-level machine translation.

    `docmt demo` shows it on files that come with it; `docmt COMMAND --help` explains a command.
    """

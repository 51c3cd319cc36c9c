"""Classes of click for docmt's commands and groups: with options that are set in a file or a
variable, with options of a group that reach its commands, and with options in place of parameters
in messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from docmt.cli.options import QUIET, options_by_parameter
from docmt.cli.terminal import inform, keep_quiet, naming_options
from docmt_files.base.errors import InputError

if TYPE_CHECKING:
    from docmt.cli.configuration import Setting

_SETTINGS = "docmt.settings"
"""Where a context keeps the settings that are in use."""


class ConfiguredCommand(TyperCommand):
    """A command with values from files and variables, and with option names in messages."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        _keep_defaults(self.params)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments.

        Raises:
            InputError: a file or a variable has a value that does not fit.
        """
        with _configured(self, ctx, args):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        quiet = ctx.params.get(QUIET, False)
        with naming_options(options_by_parameter(self.params)), keep_quiet(quiet):
            _note_settings(ctx)
            return super().invoke(ctx)


class ConfiguredGroup(TyperGroup):
    """A group of commands with options of its own, which reach its commands."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        _keep_defaults(self.params)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments.

        Raises:
            InputError: as of `ConfiguredCommand`.
        """
        with _configured(self, ctx, args):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        quiet = ctx.params.get(QUIET, False)
        with naming_options(options_by_parameter(self.params)), keep_quiet(quiet):
            _note_settings(ctx)
            return super().invoke(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        found = super().resolve_command(ctx, args)
        pass_options(ctx, found[0], found[1])
        return found


def pass_options(ctx: Any, name: str | None, command: Any) -> None:
    """Pass the options that a group was given on to one of its commands.

    Args:
        ctx: the context of the group.
        name: the name of the command.
        command: the command.

    Raises:
        InputError: the command has no such option.
    """
    if command is None or name is None:
        return
    theirs = {each.name: each for each in command.params}
    passed: dict[str, Any] = {}
    for own in ctx.command.params:
        value = ctx.params.get(own.name)
        if value is None or not _is_given(ctx, own.name):
            continue
        if own.name not in theirs and own.name != QUIET:
            option, path = max(own.opts, key=len), ctx.command_path
            raise InputError(
                f"{option} is an option of `{path}`, and not of `{path} {name}`",
                cure=f"See `{path} {name} --help`",
            )
        passed[own.name] = value
    if passed:
        ctx.default_map = {name: passed}


def _keep_defaults(parameters: Iterable[Any]) -> None:
    """Take defaults as they are. typer makes a validator of pydantic for each option, given or not,
    which takes a tenth of the time of a short command."""
    for parameter in parameters:
        if not parameter.required and parameter.callback is None:
            parameter.process_value = partial(_processed, parameter, parameter.process_value)


def _processed(parameter: Any, process: Callable[[Any, Any], Any], ctx: Any, value: Any) -> Any:
    """The value of a parameter, processed by typer unless it is the default."""
    source = ctx.get_parameter_source(parameter.name)
    if source is None or source.name != "DEFAULT":
        return process(ctx, value)
    is_list = parameter.multiple or parameter.nargs == -1
    return () if value is None and is_list else value


def _is_given(ctx: Any, name: str) -> bool:
    """True if a value comes from the command line, of this group or of the group before it."""
    source = ctx.get_parameter_source(name)
    if source is None or source.name == "COMMANDLINE":
        return source is not None
    return source.name == "DEFAULT_MAP" and name not in _settings(ctx)


@contextmanager
def _configured(command: Any, ctx: Any, args: list[str]) -> Iterator[None]:
    """Take options that the command line does not give from files and variables."""
    if ctx.resilient_parsing:  # completion, or documentation
        yield
        return
    from docmt.cli.configuration import does_not_fit, value_for

    settings = _settings_for(command, ctx, args)
    ctx.meta[_SETTINGS] = {**ctx.meta.get(_SETTINGS, {}), ctx.command_path: settings}
    values = {name: value_for(parameter, each) for name, (parameter, each) in settings.items()}
    ctx.default_map = {**values, **(ctx.default_map or {})}
    try:
        yield
    except typer.BadParameter as error:
        name = getattr(error.param, "name", "")
        known = settings.get(name)
        if known is None or ctx.get_parameter_source(name).name != "DEFAULT_MAP":
            raise
        raise does_not_fit(known[1], error.message) from None


def _settings_for(command: Any, ctx: Any, args: list[str]) -> dict[str, tuple[Any, Setting]]:
    """The settings for a command, with their parameters, by the names of the parameters.

    Raises:
        InputError: a file cannot be read, or has an unknown key.
    """
    from docmt.cli import command_names
    from docmt.cli.configuration import Configuration, option_names

    configuration = Configuration.load(command_names())
    if not any(configuration.layers):
        return {}
    options = option_names(command.params)
    own_opts, _, _ = command.make_parser(ctx).parse_args(args=list(args))
    given = {name for name, each in options.items() if own_opts.get(each.name) is not None}
    inherited = ctx.default_map or {}
    given |= {name for name, each in options.items() if each.name in inherited}
    known = set(options)
    for each in getattr(command, "commands", {}).values():
        known |= set(option_names(each.params))
    words = tuple(ctx.command_path.split()[1:])
    found = configuration.settings_of(words, known, given)
    return {options[each.name].name: (options[each.name], each) for each in found
            if each.name in options}  # fmt: skip


def _settings(ctx: Any) -> dict[str, tuple[Any, Setting]]:
    """The settings of the command of a context, by the names of the parameters."""
    found: dict[str, tuple[Any, Setting]] = ctx.meta.get(_SETTINGS, {}).get(ctx.command_path, {})
    return found


def _note_settings(ctx: Any) -> None:
    """Say which options come from files and variables."""
    if getattr(ctx, "invoked_subcommand", None) or getattr(ctx, "_protected_args", None):
        return  # the command says it
    by_place: dict[str, list[str]] = {}
    for parameter, setting in _settings(ctx).values():
        if setting.name != QUIET:
            option, value = f"--{setting.name}", ctx.params.get(parameter.name)
            text = option if value is True else f"{option} {_shown(value)}"
            by_place.setdefault(setting.place, []).append(text)
    if by_place:
        listed = "; ".join(f"{' '.join(texts)} ({place})" for place, texts in by_place.items())
        inform(f"docmt: with {listed}")


def _shown(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)

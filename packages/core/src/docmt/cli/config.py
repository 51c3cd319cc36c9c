"""`docmt config`: the options that files and variables set, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from docmt.cli.terminal import inform, note, print_json, print_table
from docmt_files.base.wording import as_sentence, did_you_mean

if TYPE_CHECKING:
    from docmt.cli.configuration import Configuration, Setting


def config(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object for other programs.")
    ] = False,
) -> None:
    """Show the options that `docmt.toml` and environment variables set, and where.

    `docmt.toml` is looked for in the folder where a command runs and in the user's folder, which
    this command names. A key is an option without its dashes, such as `to = "pt"`; under the name
    of a command in brackets, such as `[serve]`, all options of that command are keys. A variable is
    named after an option, such as DOCMT_TO. The command line comes before variables, they before
    the file in the folder, and it before the user's.

    Everyday options, which need no brackets: `to`, `from`, `model`, `run`, `glossary`, `memory`,
    `memory-threshold`, `memory-penalties`, `instructions`, `formality`, `consistent`, `rules`,
    `placeholders`, `skip-hidden`, `context`, `precision`, `processes`, `strict`, `quiet`.
    """
    from docmt.cli import command_names
    from docmt.cli.configuration import VARIABLES, Configuration, unknown_variables

    configuration = Configuration.load(command_names())
    settings = [*configuration.everyday(), *configuration.sections()]
    for setting in settings:
        _check(setting)
    for name in unknown_variables():
        meant = did_you_mean(name, VARIABLES)
        note(f"docmt: {name} is not a variable of docmt{f': {meant}' if meant else ''}")
    if as_json:
        print_json(_values(configuration, settings))
        return
    for file, whose in ((configuration.folder, "this folder"), (configuration.user, "the user")):
        found = "" if file.path.is_file() else " (there is none)"
        inform(f"docmt: file of {whose}: {file.path}{found}")
    rows = [(_option(each), _shown(each.value), _place(each)) for each in settings]
    if rows:
        print_table(("option", "value", "from"), rows)


def _check(setting: Setting) -> None:
    """Check a setting against the options of its command.

    Raises:
        InputError: there is no such command or option, or the value has another form.
    """
    from docmt.cli import load_command
    from docmt.cli.configuration import EVERYDAY, does_not_fit, option_names, unknown_key, value_for

    words = setting.command
    if not words:
        takers = EVERYDAY[setting.name] or ()
        words = ("translate",) if "translate" in takers else ("config",)
    found: Any = load_command(words[0])
    for word in words[1:]:
        commands = getattr(found, "commands", {})
        if word not in commands:
            meant = did_you_mean(word, sorted(commands))
            problem = f"{word!r} is not a command of `docmt {words[0]}`"
            raise setting.error(problem, as_sentence(meant) or None)
        found = commands[word]
    options = option_names(found.params)
    for each in getattr(found, "commands", {}).values():
        options = {**option_names(each.params), **options}
    if setting.name not in options:
        raise unknown_key(setting, options)
    parameter = options[setting.name]
    context: Any = typer.Context(found)
    context.default_map = {parameter.name: value_for(parameter, setting)}
    try:
        parameter.handle_parse_result(context, {}, [])
    except typer.BadParameter as error:
        raise does_not_fit(setting, error.message) from None


def _values(configuration: Configuration, settings: list[Setting]) -> dict[str, Any]:
    """The settings as plain values."""
    return {
        "folder": str(configuration.folder.path),
        "user": str(configuration.user.path),
        "settings": [
            {"command": " ".join(each.command), "option": f"--{each.name}", "value": each.value,
             "from": each.place, "line": each.line}
            for each in settings
        ],
    }  # fmt: skip


def _option(setting: Setting) -> str:
    command = "".join(f"{word} " for word in setting.command)
    return f"{command}--{setting.name}"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _place(setting: Setting) -> str:
    return setting.place if setting.line is None else f"{setting.place}, line {setting.line}"

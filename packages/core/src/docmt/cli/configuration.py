"""Options that a person sets once: in `docmt.toml`, in the folder where the command runs or in the
user's folder, and in environment variables.

    to = "pt"                       # an everyday option, of all commands that translate
    glossary = "terms.tsv"

    [serve]                         # options of one command
    port = 8080

The command line comes first, then the variables (`DOCMT_TO`), then the folder's file, then the
user's file. `docmt config` shows what is set, and where.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docmt_files.base.errors import InputError
from docmt_files.base.wording import as_sentence, did_you_mean
from docmt_files.storage.stored_files import read_stored

NAME = "docmt.toml"
"""Name of a configuration file."""

PREFIX = "DOCMT_"
"""Beginning of the variables."""

_TRANSLATING = frozenset({"translate", "review", "terms"})
_LEAVING = frozenset({*_TRANSLATING, "check", "merge"})

EVERYDAY: dict[str, frozenset[str] | None] = {
    "to": frozenset({*_TRANSLATING, "check"}),
    "from": frozenset({*_TRANSLATING, "check"}),
    "model": _TRANSLATING,
    "run": _TRANSLATING,
    "glossary": frozenset({*_TRANSLATING, "check"}),
    "memory": _TRANSLATING,
    "memory-threshold": _TRANSLATING,
    "memory-penalties": _TRANSLATING,
    "instructions": _TRANSLATING,
    "formality": _TRANSLATING,
    "consistent": _TRANSLATING,
    "rules": _LEAVING,
    "placeholders": _LEAVING,
    "skip-hidden": _LEAVING,
    "context": _TRANSLATING,
    "precision": _TRANSLATING,
    "processes": _TRANSLATING,
    "strict": _TRANSLATING,
    "quiet": None,
}
"""The everyday options, with the commands that take them; None for all commands."""

PATHS = frozenset({"run", "glossary", "memory", "rules"})
"""Everyday options that name files and folders."""

VARIABLES = {f"{PREFIX}{name.upper().replace('-', '_')}": name for name in EVERYDAY}
"""The variables, by the everyday options that they set."""

OTHER_VARIABLES = frozenset(
    f"{PREFIX}{name}" for name in ("MODELS", "GET", "NATIVE", "API_KEY", "API_KEY_FILE")
)
"""Variables of docmt that set no everyday option."""

_RIVALS = {"run": "model", "model": "run"}
"""An option in place of which another one may be given."""

_MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Setting:
    """A value that somebody has set.

    Attributes:
        name: the option without dashes, such as `memory-threshold`.
        value: the value.
        place: the file or the variable, as people name it.
        line: the line in the file, from 1; None for a variable.
        command: the words of the command whose section has it; empty for everyday options.
    """

    name: str
    value: Any
    place: str
    line: int | None = None
    command: tuple[str, ...] = ()

    def error(self, problem: str, cure: str | None = None) -> InputError:
        """An error about the value."""
        return InputError(problem, path=self.place, line=self.line, cure=cure)


@dataclass(frozen=True, slots=True)
class ConfigurationFile:
    """A configuration file.

    Attributes:
        path: the file, which need not exist.
        settings: the values in it.
    """

    path: Path
    settings: tuple[Setting, ...] = ()

    @classmethod
    def read(cls, path: Path, *, base: Path | None, commands: Collection[str]) -> ConfigurationFile:
        """Read a file, if there is one.

        Args:
            path: the file.
            base: folder of relative paths in it; None for the folder where the command runs.
            commands: the names of all commands.

        Raises:
            InputError: the file cannot be read, or has keys that are neither everyday options nor
                names of commands.
        """
        if not path.is_file():
            return cls(path)
        shown = str(path) if base is not None else path.name
        reader = _Reader(shown, _text(path, shown), base, commands)
        return cls(path, tuple(reader.settings()))


@dataclass(frozen=True)
class Configuration:
    """All that is set outside of the command line.

    Attributes:
        variables: the values of variables.
        folder, user: the file in the folder where the command runs, and the user's file.
    """

    variables: tuple[Setting, ...]
    folder: ConfigurationFile
    user: ConfigurationFile

    @classmethod
    def load(cls, commands: Collection[str]) -> Configuration:
        """Read the variables and both files.

        Args:
            commands: the names of all commands.

        Raises:
            InputError: a file cannot be read, or has an unknown key.
        """
        user = user_file()
        folder = Path(NAME)
        return cls(
            tuple(_variables(os.environ)),
            ConfigurationFile.read(folder, base=None, commands=commands),
            ConfigurationFile.read(user, base=user.parent, commands=commands),
        )

    @property
    def layers(self) -> tuple[tuple[Setting, ...], ...]:
        """The values, those that come first before the others."""
        return self.variables, self.folder.settings, self.user.settings

    def everyday(self) -> list[Setting]:
        """The everyday options that are set, each once, in the order of `EVERYDAY`."""
        found: dict[str, Setting] = {}
        for layer in self.layers:
            own = {each.name: each for each in layer if not each.command}
            rivals = {_RIVALS.get(name) for name in found}
            found.update({n: own[n] for n in own if n not in found and n not in rivals})
        return [found[name] for name in EVERYDAY if name in found]

    def sections(self) -> list[Setting]:
        """The options of single commands that are set, each once."""
        found: dict[tuple[tuple[str, ...], str], Setting] = {}
        for layer in self.layers:
            for each in layer:
                if each.command:
                    found.setdefault((each.command, each.name), each)
        return list(found.values())

    def settings_of(
        self, command: tuple[str, ...], options: Collection[str], given: Collection[str]
    ) -> list[Setting]:
        """The values for a command.

        Args:
            command: the words of the command, such as `models get`.
            options: the names of the options of the command.
            given: the names of the options that the command line gives.

        Raises:
            InputError: a section of the command has an unknown key.
        """
        found: dict[str, Setting] = {}
        for layer in self.layers:
            own = {each.name: each for each in layer if not each.command and _is_for(each, command)}
            for length in range(1, len(command) + 1):
                section = (each for each in layer if each.command == command[:length])
                for each in section:
                    if each.name in options:
                        own[each.name] = each
                    elif length == len(command):
                        raise unknown_key(each, options)
            rivals = {_RIVALS.get(name) for name in (*found, *given)}
            for name, each in own.items():
                if name in options and name not in (*found, *given, *rivals):
                    found[name] = each
        return list(found.values())


def user_file() -> Path:
    """The user's configuration file, which need not exist."""
    from platformdirs import user_config_path

    return user_config_path("docmt") / NAME


def unknown_key(setting: Setting, known: Collection[str]) -> InputError:
    """The error about a key that is not an option of the command."""
    command = " ".join(setting.command)
    meant = did_you_mean(setting.name, sorted(known))
    return setting.error(
        f"{setting.name!r} is not an option of `docmt {command}`",
        as_sentence(meant) or f"See `docmt {command} --help`",
    )


def does_not_fit(setting: Setting, message: str) -> InputError:
    """The error about a value that the option does not take, with click's message."""
    message = message.removeprefix("Value error, ").rstrip(".")
    return setting.error(f"{setting.name!r} does not fit: {message}")


def unknown_variables() -> list[str]:
    """The names of variables that begin like those of docmt, and are none of them."""
    return sorted(
        name
        for name in os.environ
        if name.startswith(PREFIX) and name not in VARIABLES and name not in OTHER_VARIABLES
    )


def option_names(parameters: Sequence[Any]) -> dict[str, Any]:
    """The options of a command, by all of their names without dashes.

    Args:
        parameters: click's parameters of the command.
    """
    return {
        name.removeprefix("--"): parameter
        for parameter in parameters
        if parameter.param_type_name == "option"
        for name in parameter.opts
        if name.startswith("--") and name not in ("--help", "--version")
    }


def value_for(parameter: Any, setting: Setting) -> Any:
    """The value of a setting in the form that the parameter takes.

    Raises:
        InputError: it has another form.
    """
    value = setting.value
    if isinstance(value, Mapping):
        raise setting.error(f"{setting.name!r} is a table", "Write a value")
    if parameter.multiple:
        if setting.line is None and setting.name in PATHS:
            value = str(value).split(os.pathsep)
        return [str(each) for each in value] if isinstance(value, list) else [str(value)]
    if parameter.nargs != 1:
        return value
    if isinstance(value, list):
        return ",".join(map(str, value))
    if getattr(parameter, "is_flag", False):
        return value
    if isinstance(value, bool):
        raise setting.error(f"{setting.name!r} is true or false", "Write a value")
    return str(value)


@dataclass
class _Reader:
    """Reads the text of a file."""

    shown: str
    text: str
    base: Path | None
    commands: Collection[str]
    _lines: dict[str, int] = field(default_factory=dict)

    def settings(self) -> Iterator[Setting]:
        """The values.

        Raises:
            InputError: the text is not TOML, or has an unknown key.
        """
        for key, value in self._values().items():
            name = key.replace("_", "-")
            if isinstance(value, dict) and key in self.commands:
                yield from self._section((key,), value)
                continue
            setting = Setting(name, self._whole(name, value), self.shown, self._line((), key))
            if name not in EVERYDAY:
                raise self._unknown(setting, key)
            yield setting

    def _section(self, command: tuple[str, ...], values: Mapping[str, Any]) -> Iterator[Setting]:
        for key, value in values.items():
            if isinstance(value, dict):
                yield from self._section((*command, key), value)
                continue
            name, line = key.replace("_", "-"), self._line(command, key)
            yield Setting(name, self._whole(name, value), self.shown, line, command)

    def _whole(self, name: str, value: Any) -> Any:
        """The value, with the folder of the file before relative paths."""
        if name not in PATHS:
            return value
        if isinstance(value, list):
            return [self._whole(name, each) for each in value]
        if not isinstance(value, str) or value.startswith("bundled:"):
            return value
        path = Path(value).expanduser()
        return str(path if self.base is None else self.base / path)

    def _values(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            line = re.search(r"line (\d+)", str(error))
            problem = f"is not valid TOML ({str(error).partition(' (at')[0]})"
            cure = 'Write lines such as to = "pt"'
            number = int(line[1]) if line else None
            raise InputError(problem, path=self.shown, line=number, cure=cure) from None

    def _line(self, command: Sequence[str], key: str) -> int:
        """The line of a key, as far as it is written in the usual way."""
        section = r"\.".join(map(re.escape, command))
        start = re.search(rf"^\s*\[\s*{section}\s*\]", self.text, re.MULTILINE) if command else None
        begin = start.end() if start else 0
        for pattern in (rf"^\s*\"?{re.escape(key)}\"?\s*=", rf"^\s*\[+\s*{re.escape(key)}\b"):
            if found := re.compile(pattern, re.MULTILINE).search(self.text, begin):
                return self.text.count("\n", 0, found.end()) + 1
        return 1

    def _unknown(self, setting: Setting, key: str) -> InputError:
        meant = did_you_mean(setting.name, sorted({*EVERYDAY, *self.commands}))
        problem = f"{key!r} is neither an everyday option nor a command"
        return setting.error(problem, as_sentence(meant) or "`docmt config --help` lists them")


def _text(path: Path, shown: str) -> str:
    """The text of a file.

    Raises:
        InputError: it cannot be read, or is not in UTF-8.
    """
    try:
        return read_stored(path, cure="Check its permissions").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("is not in UTF-8", path=shown, cure="Save it in UTF-8") from None


def _variables(environment: Mapping[str, str]) -> Iterator[Setting]:
    """The values of variables that are not empty."""
    for variable, name in VARIABLES.items():
        if value := environment.get(variable):
            yield Setting(name, value, variable)


def _is_for(setting: Setting, command: tuple[str, ...]) -> bool:
    """True if a command takes an everyday option."""
    commands = EVERYDAY[setting.name]
    return commands is None or command[0] in commands

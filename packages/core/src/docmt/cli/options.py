"""Options of commands from settings classes.

A command parameter of a settings class, annotated with `Options`, becomes one option per field: the
field's docstring is the help text, and the field's type and bounds are the option's. The command
receives settings made from the options.

    def translate(*, form: Annotated[Output, Options("Output")]) -> None: ...
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import MISSING, dataclass, field, fields
from inspect import Parameter, Signature
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import typer
from typer.models import OptionInfo, ParameterInfo

from docmt_files.base.messages import option_of
from docmt_nmt.base.field_docs import field_docs

_UNLIMITED = 1_000_000
"""Upper bounds from here on only catch typing errors, and help texts leave them out."""

QUIET = "quiet"
"""Name of the option for less on standard error, which all commands have."""

_QUIET_PARAMETER = Parameter(
    QUIET,
    Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            help="Write no notes and no progress to standard error: only errors, and warnings "
            "about what a translation has lost or may have wrong.",
        ),
    ],
)

_MENTION = re.compile(r"`([a-z][a-z0-9_.]*(?:(?:=|: )[^`\s]+)?)`")
"""A parameter in a help text, alone or with a value."""


@dataclass(frozen=True, slots=True)
class Options:
    """Marks a parameter as a group of options.

    Attributes:
        panel: the heading of the group in the help.
        fields_of: the settings class with the fields for options. The command then receives a
            mapping of the given values. Options for recipe keys override the recipe of a run.
        only: the fields with options. None: all.
        details: for some fields, an option with another name, placeholder or help text.
    """

    panel: str
    fields_of: type | None = None
    only: Collection[str] | None = None
    details: Mapping[str, OptionInfo] = field(default_factory=dict)

    def parameters(self, settings: type, *, documented: bool = True) -> Iterator[Parameter]:
        """The parameters of the group, one per option, with or without help texts."""
        settings = self.fields_of or settings
        docs = field_docs(settings) if documented else {}
        for name, annotation, default in _fields_of(settings):
            if self.only is not None and name not in self.only:
                continue
            help_text = docs.get(name, "")
            if _is_of_recipes(settings):
                help_text = _with_recipes_default(help_text)
                annotation, default = annotation | None, None
            option = _option(name, annotation, default, self.details.get(name))
            option.help = option.help or help_text
            option.rich_help_panel = self.panel
            yield Parameter(
                name,
                Parameter.KEYWORD_ONLY,
                default=_plain_default(default),
                annotation=Annotated[_plain_type(annotation), option],
            )

    def value(self, settings: type, given: Mapping[str, Any]) -> Any:
        """The value of the parameter, made from the values of the options."""
        values = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in given.items()
            if value is not None
        }
        return settings(**values) if self.fields_of is None else values


@dataclass(frozen=True, slots=True)
class DecoratorOptions(Options):
    """Marks a parameter as the options of decorators that installed packages offer. The command
    receives a mapping of the given values."""

    def parameters(
        self,
        settings: type,  # noqa: ARG002
        *,
        documented: bool = True,  # noqa: ARG002
    ) -> Iterator[Parameter]:
        from docmt_nmt.translators.decorator_options import decorator_options

        for name, offered in decorator_options().items():
            option = typer.Option(metavar=offered.metavar, help=offered.help)
            option.rich_help_panel = self.panel
            annotation = Annotated[str | None, option]
            default = offered.default
            yield Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)

    def value(self, settings: type, given: Mapping[str, Any]) -> Any:  # noqa: ARG002
        return {name: value for name, value in given.items() if value is not None}


def with_options(command: Callable[..., None], *, documented: bool = True) -> Callable[..., None]:
    """The command for typer: with one option per field of each group, with `--quiet`, and with
    options in place of parameters in help texts.

    Args:
        command: the function of the command.
        documented: whether help texts are wanted, which are read from the source of classes.
    """
    groups: dict[str, tuple[Options, type, list[str]]] = {}
    parameters: list[Parameter] = []
    hints = get_type_hints(command, include_extras=True)
    for parameter in inspect.signature(command).parameters.values():
        annotation = hints[parameter.name]
        metadata = getattr(annotation, "__metadata__", ())
        group = next((entry for entry in metadata if isinstance(entry, Options)), None)
        if group is None:
            parameters.append(parameter.replace(annotation=annotation))
            continue
        options = list(group.parameters(get_args(annotation)[0], documented=documented))
        groups[parameter.name] = group, get_args(annotation)[0], [o.name for o in options]
        parameters.extend(options)

    has_own_quiet = any(parameter.name == QUIET for parameter in parameters)
    if not has_own_quiet:
        parameters.append(_QUIET_PARAMETER)

    def run(**given: Any) -> None:
        if not has_own_quiet:
            given.pop(QUIET, None)
        for name, (group, settings, names) in groups.items():
            given[name] = group.value(settings, {option: given.pop(option) for option in names})
        command(**given)

    if documented:
        parameters = _speaking_of_options(parameters)
    run.__module__, run.__name__, run.__doc__ = (
        command.__module__,
        command.__name__,
        command.__doc__,
    )
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def options_by_parameter(parameters: Sequence[Any]) -> dict[str, str]:
    """The options of a command by parameter name. The library may use the plural for options given
    several times.

    Args:
        parameters: click's parameters of the command.
    """
    options = {}
    for parameter in parameters:
        if parameter.param_type_name == "option":
            options[parameter.name] = max(parameter.opts, key=len)
            if parameter.multiple:
                options.setdefault(f"{parameter.name}s", options[parameter.name])
    return options


def _with_options(text: str, options: Mapping[str, str]) -> str:
    """A help text of docmt with options in place of parameters."""

    def option(match: re.Match[str]) -> str:
        named = option_of(match[1], options)
        return match[0] if named is None else f"`{named}`"

    return _MENTION.sub(option, text)


def _speaking_of_options(parameters: Sequence[Parameter]) -> list[Parameter]:
    """Parameters with options in their help texts."""
    infos = {
        parameter.name: info
        for parameter in parameters
        for info in getattr(parameter.annotation, "__metadata__", ())
        if isinstance(info, OptionInfo)
    }
    options = {name: _declared_name(name, info) for name, info in infos.items()}
    result = []
    for parameter in parameters:
        plain, *metadata = get_args(parameter.annotation) or [parameter.annotation]
        changed = [copy(entry) for entry in metadata]
        for info in changed:
            if isinstance(info, ParameterInfo):
                info.help = _with_options(info.help or "", options)
        if isinstance(metadata[0] if metadata else None, ParameterInfo):
            parameter = parameter.replace(annotation=Annotated[(plain, *changed)])
        result.append(parameter)
    return result


def _declared_name(name: str, option: OptionInfo) -> str:
    """The name of an option, first among the declarations in `Annotated`."""
    declared = [option.default, *(option.param_decls or ())]
    names = [text for text in declared if isinstance(text, str)]
    longest = max(names, key=len, default=f"--{name.replace('_', '-')}")
    return longest.partition("/")[0]


def _is_of_recipes(settings: type) -> bool:
    """Return whether a class has recipe keys; `docmt_nmt.base.settings` takes long to load."""
    return hasattr(settings, "model_fields")


def _with_recipes_default(help_text: str) -> str:
    """The help of a key with the recipe's value as default."""
    help_text, _, default = help_text.partition(" Default: ")
    return f"{help_text} Default: the recipe's{f', or {default}' if default else '.'}"


def _option(name: str, annotation: Any, default: Any, detail: OptionInfo | None) -> OptionInfo:
    """The option of a field, without help."""
    declared = [entry for entry in _metadata(annotation) if isinstance(entry, OptionInfo)]
    option = copy(detail or next(iter(declared), None) or typer.Option())
    if _plain_type(annotation) is bool and default is False and option.default is ...:
        option.default = f"--{name.replace('_', '-')}"
    for bound in _metadata(annotation):
        for attribute, limit in (("ge", "min"), ("le", "max")):
            number = getattr(bound, attribute, None)
            if number is not None and number < _UNLIMITED:
                setattr(option, limit, number)
    if _plain_type(annotation) in (int, float, int | None, float | None):
        option.metavar = option.metavar or "NUMBER"
    return option


def _metadata(annotation: Any) -> Iterator[Any]:
    """Metadata of `Annotated` in a type or in the types of a union, fields unpacked."""
    for entry in getattr(annotation, "__metadata__", ()):
        yield from getattr(entry, "metadata", ()) or [entry]
    if get_origin(annotation) in (Union, UnionType, Annotated):
        for inner in get_args(annotation)[: 1 if get_origin(annotation) is Annotated else None]:
            yield from _metadata(inner)


def _plain_type(annotation: Any) -> Any:
    """A type for typer: without bounds, and a list for any sequence of any
    length."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _plain_type(inner[0])
    if origin in (Union, UnionType):
        types = {_plain_type(part): None for part in inner if part is not NoneType}
        optional = NoneType in inner
        chosen = str if str in types else next(iter(types))
        return chosen | None if optional else chosen
    if origin is tuple and Ellipsis not in inner and len(inner) > 1:
        return annotation
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return list[_plain_type(inner[0])]  # type: ignore[misc]  # built at run time
    return annotation


def _plain_default(default: Any) -> Any:
    """A default for typer."""
    if default is MISSING:
        return Parameter.empty
    return list(default) or None if isinstance(default, tuple) else default


def _fields_of(settings: type) -> Iterator[tuple[str, Any, Any]]:
    """Name, type and default of each field of a dataclass or of recipe keys."""
    hints = get_type_hints(settings, include_extras=True)
    if _is_of_recipes(settings):
        yield from ((name, hints[name], None) for name in settings.model_fields)  # type: ignore[attr-defined]
        return
    for entry in fields(settings):
        yield entry.name, hints[entry.name], entry.default

"""Recipes explained: a resolved recipe with each key's help as a comment, and the list of keys."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from docmt.recipes.recipe import Recipe
from docmt.settings import Settings, models_in

WIDTH = 96


class Key(NamedTuple):
    """One key of a recipe.

    Attributes:
        name: with its sections, as in an override.
        kind: the values it takes.
        default: its default as YAML; "" where it must be given.
        help: what it does.
    """

    name: str
    kind: str
    default: str
    help: str


def show(recipe: Recipe) -> str:
    """The resolved recipe as YAML; each key stands below its help as a comment."""
    return "\n".join(lines_of(recipe, WIDTH)).rstrip() + "\n"


def lines_of(settings: Settings, d_model: int) -> Iterator[str]:
    """The lines of one section, not indented."""
    for name, field in fields_of(type(settings)):
        value = getattr(settings, name)
        yield from textwrap.wrap(
            help_of(field), d_model, initial_indent="# ", subsequent_indent="# ",
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
        if isinstance(value, Settings):
            yield f"{name}:"
            yield from (f"  {line}" for line in lines_of(value, d_model - 2))
        elif isinstance(value, tuple) and value and isinstance(value[0], Settings):
            yield f"{name}:"
            for item in value:
                first, *rest = lines_of(item, d_model - 2)
                yield f"- {first}"
                yield from (f"  {line}" for line in rest)
        else:
            plain = settings.model_dump(mode="json", include={name})
            yield from dumped(name, plain[name])
        if isinstance(settings, Recipe):
            yield ""


def fields_of(model: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    """The fields of a section; the `name` by which its kind is chosen comes first."""
    return sorted(model.model_fields.items(), key=lambda item: item[0] != "name")


def dumped(name: str, value: Any) -> list[str]:
    """A key and its plain value as YAML; all but keys of keys stand on one line."""
    if isinstance(value, dict) and value:
        text = yaml.safe_dump({name: value}, sort_keys=False, allow_unicode=True, width=10_000)
        return text.splitlines()
    return [f"{name}: {inline(value)}"]


def inline(value: Any) -> str:
    """A plain value as YAML on one line."""
    text = yaml.safe_dump([value], default_flow_style=True, allow_unicode=True, width=10_000)
    return text.strip()[1:-1]


def help_of(field: FieldInfo) -> str:
    """A field's docstring on one line."""
    return " ".join((field.description or "").split())


def keys() -> list[Key]:
    """Every key a recipe may have, in the order a recipe shows them."""
    return list(keys_of([Recipe], ""))


def keys_of(models: list[type[BaseModel]], prefix: str) -> Iterator[Key]:
    """The keys of a section; of several kinds of it, where a name tells them apart."""
    seen = set()
    for model in models:
        for name, field in fields_of(model):
            if name in seen:
                continue
            seen.add(name)
            inner = models_in(field.annotation)
            owners = [m for m in models if name in m.model_fields]
            only = "" if owners == models else f" Only `{prefix}name: {tags_of(owners)}`."
            many = ".NAME" if get_origin(field.annotation) in (tuple, dict) and inner else ""
            if inner:
                yield Key(f"{prefix}{name}", "section", "", help_of(field))
                yield from keys_of(inner, f"{prefix}{name}{many}.")
            else:
                kind = kind_of(field.annotation)
                if name == "name" and len(models) > 1:
                    kind = tags_of(models)
                yield Key(f"{prefix}{name}", kind, default_of(field), help_of(field) + only)


def tags_of(models: list[type[BaseModel]]) -> str:
    """The names by which these kinds of a section are chosen."""
    return " | ".join(str(model.model_fields["name"].default) for model in models)


def default_of(field: FieldInfo) -> str:
    """A field's default as YAML, on one line."""
    if field.is_required():
        return ""
    value = field.get_default(call_default_factory=True)
    return inline(list(value) if isinstance(value, tuple) else value)


def kind_of(annotation: Any) -> str:
    """The values a type allows, in words."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return kind_of(inner[0])
    if origin is Literal:
        return " | ".join(map(str, inner))
    if origin in (Union, UnionType):
        return " or ".join(kind_of(part) for part in inner)
    if origin is tuple:
        return f"list of {kind_of(inner[0])}"
    if origin is dict:
        return "keys"
    words = {int: "integer", float: "number", bool: "true | false", str: "text", NoneType: "null"}
    return words[annotation]

"""Recipes explained: a resolved recipe with the help of each key as a comment, and a list of all
keys.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from docmt_nmt.base.field_docs import field_docs
from docmt_nmt.base.settings import MAX_NUMBER, Settings, models_below, tags_of
from docmt_nmt.recipes.base_recipe import BaseRecipe
from docmt_nmt.recipes.recipe import Recipe
from docmt_nmt.recipes.translator_kinds import engine_names, recipe_class_of
from docmt_nmt.recipes.yaml_source import as_one_line, dump_value
from docmt_nmt.systems import SYSTEMS, SystemSettings, settings_class, settings_classes

_WIDTH = 96

_BOUNDS = {Ge: ("ge", "≥"), Gt: ("gt", ">"), Le: ("le", "≤"), Lt: ("lt", "<")}
"""The attribute and the sign of each bound of a number."""

_TYPES = {int: "integer", float: "number", bool: "true | false", str: "text", NoneType: "null"}


class Key(NamedTuple):
    """One key of a recipe.

    Attributes:
        name: the key with its sections, as in an override.
        kind: the allowed values, in words; `section` for a section.
        default: the default as YAML; "" if the key is required.
        help: the explanation.
    """

    name: str
    kind: str
    default: str
    help: str


def keys(system: str | None = None) -> list[Key]:
    """Every key of a recipe, in the order of `show`. Systems of other packages are included once
    they are loaded.

    Args:
        system: only the keys of this system, also of another package; or of an engine, such as
            `language-model`, whose recipes have other sections.

    Raises:
        InputError: there is no such system.

    >>> next(key.default for key in keys("transformer") if key.name == "system.layers")
    '6'
    """
    if system is not None and system not in SYSTEMS and (engine := recipe_class_of(system)):
        own = engine.model_fields.keys() - BaseRecipe.model_fields.keys()
        every = _keys_of([engine], "")
        return [key for key in every if key.name.partition(".")[0] in own]
    if system is not None:
        return list(_keys_of([settings_class(system)], "system."))
    engines = (recipe_class_of(name) for name in engine_names())
    own_recipes = tuple(dict.fromkeys(recipe for recipe in engines if recipe is not None))
    return list(_recipe_keys(own_recipes, tuple(settings_classes())))


@cache
def _recipe_keys(
    engines: tuple[type[BaseRecipe], ...], _systems: tuple[type[Settings], ...]
) -> tuple[Key, ...]:
    """The keys of a recipe of any of these engines or systems, cached because writing defaults as
    YAML is slow."""
    return tuple(_keys_of([Recipe, *engines], ""))


def show(recipe: BaseRecipe) -> str:
    """The resolved recipe as YAML, with the help of each key as a comment above it.

    >>> from docmt_nmt.recipes import load
    >>> show(load("demo-sentence")).splitlines()[0]
    '# Purpose of the recipe, in one sentence.'
    """
    return "\n".join(_section_lines(recipe, _WIDTH)).rstrip() + "\n"


def _section_lines(settings: Settings, width: int) -> Iterator[str]:
    """The lines of one section, not indented."""
    for name, _ in _fields_of(type(settings)):
        value = getattr(settings, name)
        yield from textwrap.wrap(
            _help_of(type(settings), name),
            width,
            initial_indent="# ",
            subsequent_indent="# ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        if isinstance(value, Settings):
            yield f"{name}:"
            yield from (f"  {line}" for line in _section_lines(value, width - 2))
        elif isinstance(value, tuple) and value and isinstance(value[0], Settings):
            yield f"{name}:"
            for item in value:
                first, *rest = _section_lines(item, width - 2)
                yield f"- {first}"
                yield from (f"  {line}" for line in rest)
        else:
            plain = settings.model_dump(mode="json", include={name})
            yield from _key_lines(name, plain[name])
        if isinstance(settings, BaseRecipe):
            yield ""


def _key_lines(name: str, value: Any) -> list[str]:
    """A key and a plain value as YAML, on one line unless the value has keys itself."""
    if isinstance(value, dict) and value:
        return dump_value({name: value}, width=10_000).splitlines()
    return [f"{name}: {as_one_line(value)}"]


def _keys_of(models: Sequence[type[BaseModel]], prefix: str) -> Iterator[Key]:
    """The keys of a section. A section has several models if a key `name` chooses among them."""
    seen = set()
    # The help of whole sections says which recipes have them.
    trained = [model for model in models if issubclass(model, Recipe | SystemSettings)]
    for model in models:
        for name, field in _fields_of(model):
            if name in seen:
                continue
            seen.add(name)
            inner = models_below(models, name)
            owners = [m for m in models if name in m.model_fields]
            is_plain = not prefix or owners in (models, trained)
            only = "" if is_plain else f" Only `{prefix}name: {_tags(owners)}`."
            many = ".NAME" if get_origin(field.annotation) in (tuple, dict) and inner else ""
            if inner:
                yield Key(f"{prefix}{name}", "section", "", _help_of(model, name))
                yield from _keys_of(inner, f"{prefix}{name}{many}.")
            else:
                kind = _kind_of(field.annotation, field.metadata)
                if name == "name" and len(models) > 1:
                    kind = _tags(models)
                yield Key(f"{prefix}{name}", kind, _default_of(field), _help_of(model, name) + only)


def _fields_of(model: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    """The fields of a section; `name`, the choice of the section's model, comes first."""
    return sorted(model.model_fields.items(), key=lambda item: item[0] != "name")


def _tags(models: Sequence[type[BaseModel]]) -> str:
    """The values of `name` for these models."""
    return " | ".join(tag for model in models for tag in sorted(tags_of(model)))


def _help_of(model: type[BaseModel], name: str) -> str:
    """A field's docstring on one line."""
    return field_docs(model).get(name, "")


def _default_of(field: FieldInfo) -> str:
    """A field's default as YAML, on one line."""
    if field.is_required():
        return ""
    value = field.get_default(call_default_factory=True)
    return as_one_line(list(value) if isinstance(value, tuple) else value)


def _kind_of(annotation: Any, metadata: Sequence[Any] = ()) -> str:
    """The values of a type, in words, such as `integer ≥ 1 or null`."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kind_of(inner[0], inner[1:])
    if origin is Literal:
        return " | ".join(map(str, inner))
    if origin in (Union, UnionType):
        return " or ".join(_kind_of(part) for part in inner)
    if origin is tuple:
        return f"list of {_kind_of(inner[0]).replace('number', 'numbers')}"
    if origin is dict:
        return "keys"
    return _TYPES[annotation] + _bounds_of(metadata)


def _bounds_of(metadata: Sequence[Any]) -> str:
    """The bounds of a number, such as ` ≥ 0 and < 1`."""
    constraints = [
        constraint
        for item in metadata
        for constraint in (item.metadata if isinstance(item, FieldInfo) else [item])
    ]
    bounds = [
        f"{sign} {getattr(constraint, name):,}"
        for constraint in constraints
        for kind, (name, sign) in _BOUNDS.items()
        if isinstance(constraint, kind) and getattr(constraint, name) != MAX_NUMBER
    ]
    return f" {' and '.join(bounds)}" if bounds else ""

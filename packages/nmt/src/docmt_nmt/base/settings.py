"""The base of every settings class: typed, frozen, and strict about keys.

The docstring of a field is the help text, the comment in a written recipe and the documentation. An
unknown key is an error naming the nearest known key. A value without effect is an error, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Annotated, Any, ClassVar, Self, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from docmt_files.base.errors import InputError
from docmt_files.base.packaged_tables import read_table
from docmt_files.base.wording import nearest

MAX_NUMBER = 1_000_000_000
"""Maximum of keys without another limit on the number; a larger number is a mistake."""

PositiveInt = Annotated[int, Field(ge=1, le=MAX_NUMBER)]
"""A whole number from 1."""

NonNegativeInt = Annotated[int, Field(ge=0, le=MAX_NUMBER)]
"""A whole number from 0."""

PositiveFloat = Annotated[float, Field(gt=0, le=MAX_NUMBER)]
"""A number greater than 0."""

NonNegativeFloat = Annotated[float, Field(ge=0, le=MAX_NUMBER)]
"""A number from 0."""

LayerCount = Annotated[int, Field(ge=1, le=1000)]
"""A number of layers."""

LayerSize = Annotated[int, Field(ge=1, le=1_000_000)]
"""A size of a layer."""

Share = Annotated[float, Field(ge=0, lt=1)]
"""A fraction or a probability, less than 1."""

_SHOWN_CHARACTERS = 200
"""Number of characters of a wrong value shown in a message."""

Conditions = Mapping[str, Mapping[str, Sequence[Any]]]
"""For some keys, the required values of other keys."""

OTHER_NAMES: Mapping[str, str] = read_table("docmt_nmt.base", "other_names.toml")
"""Names of keys in other toolkits."""


class Settings(BaseModel):
    """A group of keys of a recipe."""

    # Most programs use few of the many settings classes, so each is built when it is first used.
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)

    only_with: ClassVar[Conditions] = {}
    """Keys that only have an effect with some values of other keys."""

    @model_validator(mode="after")
    def _reject_values_without_effect(self) -> Self:
        """Reject non-default values without effect. Defaults are exempt because resolved recipes
        list every key."""
        for key in self.only_with:
            value = getattr(self, key)
            default = type(self).model_fields[key].get_default(call_default_factory=True)
            unmet = self.unmet_conditions(key)
            if value != default and unmet:
                other, values = next(iter(unmet.items()))
                raise ValueError(
                    f"{key}: {as_yaml(value)} has no effect with {other}: "
                    f"{as_yaml(getattr(self, other))}; leave it out, or set {other} to "
                    f"{' or '.join(map(as_yaml, values))}"
                )
        return self

    @classmethod
    def alternatives(cls) -> Sequence[type[Settings]]:
        """The classes for a section of this type: this one, or several, chosen by a key `name`."""
        return [cls]

    @classmethod
    def is_ruled_out(cls, key: str, change: Mapping[str, Any]) -> bool:
        """Return whether an inherited key has no effect with the values of `change`, and is to be
        dropped."""
        return any(
            other in change and change[other] not in values
            for other, values in cls.only_with.get(key, {}).items()
        )

    @classmethod
    def without_ruled_out(
        cls, values: Mapping[str, Any], change: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The rest of an inherited section, before the keys of `change` replace the same keys."""
        return {k: value for k, value in values.items() if not cls.is_ruled_out(k, change)}

    def unmet_conditions(self, key: str) -> dict[str, Sequence[Any]]:
        """The keys whose values make this key ineffective, and the required values."""
        conditions = self.only_with.get(key, {})
        return {k: values for k, values in conditions.items() if getattr(self, k) not in values}

    @classmethod
    def read(cls, values: dict[str, Any], *, path: str | PathLike[str] | None = None) -> Self:
        """Validate plain values, for example from a YAML file.

        Raises:
            InputError: an unknown key (naming the nearest known one), a value of the wrong type or
                contradictory keys; all problems in one message.
        """
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            problems = "; ".join(describe(cls, problem) for problem in error.errors())
            raise InputError(problems, path=path) from None

    def to_json(self) -> str:
        """Write the values as indented JSON, which `read` reads."""
        return self.model_dump_json(indent=2) + "\n"


def differences(one: Settings, other: Settings) -> list[str]:
    """The keys in which two settings differ, with dots between the parts of a key.

    >>> class Size(Settings):
    ...     d_model: int = 512
    >>> differences(Size(), Size(d_model=128))
    ['d_model']
    """
    first, second = (flatten(settings.model_dump(mode="json")) for settings in (one, other))
    return [key for key in {**first, **second} if first.get(key) != second.get(key)]


def flatten(values: Any, prefix: str = "") -> dict[str, Any]:
    """Nested plain values by their dotted keys; a list is one value."""
    result: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict) and value:
            result.update(flatten(value, f"{prefix}{key}."))
        else:
            result[f"{prefix}{key}"] = value
    return result


def describe(model: type[BaseModel], problem: Any) -> str:
    """One validation problem as a sentence naming the key as the user writes it."""
    path, siblings = locate(model, problem["loc"])
    key = ".".join(path)
    if problem["type"] == "extra_forbidden":
        known = sorted({name for sibling in siblings for name in sibling.model_fields})
        other = OTHER_NAMES.get(path[-1])
        near = [other] if other in known else nearest(path[-1], known)
        hint = f", did you mean {near[0]!r}?" if near else f"; known keys: {', '.join(known)}"
        return f"unknown key {key!r}{hint}"
    if problem["type"] == "missing":
        return f"key {key!r} is missing"
    message = str(problem["msg"]).removeprefix("Value error, ")
    if not key:
        return message
    # Where a check is about a whole section, the message of the check names the keys; printing the
    # section would not help.
    whole = problem["type"] == "value_error" and isinstance(problem["input"], Mapping)
    return f"key {key!r}: {message}" + ("" if whole else f" (got {_shortened(problem['input'])})")


def _shortened(value: Any) -> str:
    """A value as a message shows it."""
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"


def locate(
    model: type[BaseModel], location: Sequence[str | int]
) -> tuple[list[str], list[type[BaseModel]]]:
    """The path of a key as the user writes it, without the tag of a member of a union, and the
    possible settings classes of the last key of the path."""
    models: list[type[BaseModel]] = [model]
    siblings, path = models, []
    for part in map(str, location):
        inner = models_below(models, part)
        tagged = [candidate for candidate in models if part in tags_of(candidate)]
        if tagged and not inner:
            models = tagged
        else:
            path.append(part)
            siblings, models = models, inner or models
    return path, siblings


def models_below(models: Sequence[type[BaseModel]], name: str) -> list[type[BaseModel]]:
    """The settings classes held by the key of this name."""
    return [
        inner
        for model in models
        if name in model.model_fields
        for inner in models_in(model.model_fields[name].annotation)
    ]


def holds_names(models: Sequence[type[BaseModel]], key: str) -> bool:
    """Return whether a key holds settings under names of the user's choice."""
    fields = [model.model_fields[key] for model in models if key in model.model_fields]
    return any(get_origin(field.annotation) is dict for field in fields)


def tags_of(model: type[BaseModel]) -> set[str]:
    """The values of a model's field `name`, which selects a member of a union."""
    field = model.model_fields.get("name")
    return {str(field.default)} if field is not None else set()


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """The settings classes mentioned in a type such as `Stage | None` or `list[Stage]`."""
    if isinstance(annotation, type) and issubclass(annotation, Settings):
        return list(annotation.alternatives())
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [m for inner in getattr(annotation, "__args__", ()) for m in models_in(inner)]


def as_yaml(value: Any) -> str:
    """A plain value as a recipe writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)

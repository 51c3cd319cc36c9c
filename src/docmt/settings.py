"""The base of every settings class: typed, frozen, and strict about its keys.

A field's docstring is its help text, its comment in a written recipe and its documentation.
An unknown key is an error that names the nearest known one, and so is a value without effect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from docmt.errors import InputError
from docmt.wording import did_you_mean

Conditions = Mapping[str, Mapping[str, Sequence[Any]]]
"""For some keys, the values that other keys must have."""


class Settings(BaseModel):
    """A group of keys of a recipe."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True, allow_inf_nan=False
    )

    only_with: ClassVar[Conditions] = {}
    """The keys that count only where others have one of some values."""

    @model_validator(mode="after")
    def values_count(self) -> Self:
        """A value without effect is an error. A default is none, as resolved recipes hold all."""
        for key in self.only_with:
            value = getattr(self, key)
            default = type(self).model_fields[key].get_default(call_default_factory=True)
            hindrances = self.hindrances(key)
            if value != default and hindrances:
                other, values = next(iter(hindrances.items()))
                raise ValueError(
                    f"{key}: {written(value)} has no effect with {other}: "
                    f"{written(getattr(self, other))}; leave it out, or set {other} to "
                    f"{' or '.join(map(written, values))}"
                )
        return self

    def hindrances(self, key: str) -> dict[str, Sequence[Any]]:
        """The keys by whose values this one does not count, and the values by which it would."""
        conditions = self.only_with.get(key, {})
        return {k: values for k, values in conditions.items() if getattr(self, k) not in values}

    @classmethod
    def read(cls, values: dict[str, Any], *, path: str | PathLike[str] | None = None) -> Self:
        """Validate plain values, for example those of a YAML file.

        Raises:
            InputError: an unknown key (naming the nearest known one), a value of the wrong kind
                or keys that do not fit each other; all problems in one message.
        """
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            problems = "; ".join(describe(cls, problem) for problem in error.errors())
            raise InputError(problems, path=path) from None


def written(value: Any) -> str:
    """A plain value as a recipe has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def describe(model: type[BaseModel], problem: Any) -> str:
    """One validation problem as a sentence that names the key as the user writes it."""
    location, beside = located(model, problem["loc"])
    key = ".".join(location)
    if problem["type"] == "extra_forbidden":
        known = sorted({name for candidate in beside for name in candidate.model_fields})
        hint = did_you_mean(location[-1], known)
        ending = f", {hint}" if hint else f"; known keys: {', '.join(known)}"
        return f"unknown key {key!r}{ending}"
    if problem["type"] == "missing":
        return f"key {key!r} is missing"
    message = str(problem["msg"]).removeprefix("Value error, ")
    if not key:
        return message
    # A whole section is no answer to what was given; its message names the keys.
    whole = problem["type"] == "value_error" and isinstance(problem["input"], Mapping)
    return f"key {key!r}: {message}" + ("" if whole else f" (got {problem['input']!r})")


def located(
    model: type[BaseModel], location: Sequence[str | int]
) -> tuple[list[str], list[type[BaseModel]]]:
    """The path of a key as the user writes it, without the tag by which a union's members are
    told apart, and the settings classes among whose keys the last part stands."""
    here: list[type[BaseModel]] = [model]
    beside, parts = here, []
    for part in map(str, location):
        inner = fields_inside(here, part)
        tagged = [candidate for candidate in here if part in tags_of(candidate)]
        if tagged and not inner:
            here = tagged
        else:
            parts.append(part)
            beside, here = here, inner or here
    return parts, beside


def fields_inside(models: list[type[BaseModel]], name: str) -> list[type[BaseModel]]:
    """The settings classes that a key of this name holds."""
    return [
        inner
        for model in models
        if name in model.model_fields
        for inner in models_in(model.model_fields[name].annotation)
    ]


def tags_of(model: type[BaseModel]) -> set[str]:
    """The values of a model's tag field `name`, by which a union tells its members apart."""
    field = model.model_fields.get("name")
    return {str(field.default)} if field is not None else set()


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """The settings classes mentioned in a type such as `Stage | None` or `list[Stage]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [m for inner in getattr(annotation, "__args__", ()) for m in models_in(inner)]

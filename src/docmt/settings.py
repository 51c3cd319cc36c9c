"""The base of every settings class: typed, frozen, and strict about its keys.

A field's docstring is its help text, its comment in a written recipe and its documentation.
An unknown key is an error that names the nearest known one.
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from docmt.errors import InputError


class Settings(BaseModel):
    """A group of keys of a recipe."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @classmethod
    def read(cls, values: dict[str, Any], *, path: str | Path | None = None) -> Self:
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


def describe(model: type[BaseModel], problem: Any) -> str:
    """One validation problem as a sentence that names the key as the user writes it."""
    location = [str(part) for part in problem["loc"]]
    key = ".".join(location)
    if problem["type"] == "extra_forbidden":
        known = keys_beside(model, location)
        near = get_close_matches(location[-1], known, n=1, cutoff=0.5)
        hint = f", did you mean {near[0]!r}?" if near else f"; known keys: {', '.join(known)}"
        return f"unknown key {key!r}{hint}"
    if problem["type"] == "missing":
        return f"key {key!r} is missing"
    message = problem["msg"].removeprefix("Value error, ")
    return f"key {key!r}: {message} (got {problem['input']!r})" if key else message


def keys_beside(model: type[BaseModel], location: list[str]) -> list[str]:
    """The keys that are known where an unknown one was found."""
    candidates: list[type[BaseModel]] = [model]
    for part in location[:-1]:
        inner: list[type[BaseModel]] = []
        for candidate in candidates:
            if part in candidate.model_fields:
                inner += models_in(candidate.model_fields[part].annotation)
        # A part that is no field is the tag of a union: the models stay the same.
        tagged = [c for c in candidates if part in tags_of(c)]
        candidates = inner or tagged or candidates
    return sorted({name for candidate in candidates for name in candidate.model_fields})


def tags_of(model: type[BaseModel]) -> set[str]:
    """The values of a model's tag field `name`, by which a union tells its members apart."""
    field = model.model_fields.get("name")
    return {str(field.default)} if field is not None else set()


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """The settings classes mentioned in a type such as `Stage | None` or `list[Stage]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [m for inner in getattr(annotation, "__args__", ()) for m in models_in(inner)]

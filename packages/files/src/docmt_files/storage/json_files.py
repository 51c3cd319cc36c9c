"""JSON from elsewhere, which may be damaged or hostile."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar

from docmt_files.base.errors import InputError
from docmt_files.storage.files import COPY_AGAIN, PathLike
from docmt_files.storage.stored_files import read_stored

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

Model = TypeVar("Model", bound="BaseModel")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def parse_json(text: str | bytes, **options: Any) -> Any:
    """The value of a JSON text, or of UTF-8 bytes of JSON, from anywhere.

    Args:
        options: as of `json.loads`.

    Raises:
        ValueError: it is not JSON, or is nested too deeply to be read. The error is a
            `json.JSONDecodeError`, except for bytes outside UTF-8 and numbers of thousands of
            digits.
    """
    try:
        return json.loads(text, **options)
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", "", 0) from None


def json_text(value: Any, *, indent: int | None = None) -> str:
    """Plain values as JSON for every reader: NaN and infinity, which JSON lacks, are null."""
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, indent=indent)
    # Half of a surrogate pair is no character, and only as an escape in a file.
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _finite(value: Any) -> Any:
    """A value with None in the place of infinite numbers and NaN."""
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def read_json(path: PathLike, *, cure: str = COPY_AGAIN) -> dict[str, Any]:
    """The object in a JSON file.

    Args:
        cure: the cure for a damaged file.

    Raises:
        InputError: the file is missing, not a regular file, too large, does not hold a JSON
            object, or half of a surrogate pair in one.
    """
    content = read_stored(path, cure=cure)
    try:
        state = parse_json(content)
    except ValueError as error:
        problem = f"is not valid JSON, or only part of it ({error})"
        raise InputError(problem, path=path, cure=cure) from None
    if not isinstance(state, dict):
        raise InputError("does not hold a JSON object", path=path, cure=cure)
    if _ESCAPED_SURROGATE.search(content) and _SURROGATE.search(
        json.dumps(state, ensure_ascii=False)
    ):
        raise InputError("holds text that is not Unicode", path=path, cure=cure)
    return state


def read_model(path: PathLike, model: type[Model], *, what: str, cure: str = COPY_AGAIN) -> Model:
    """The object in a JSON file as a model, which defines the contents.

    Args:
        model: a class of pydantic.
        what: a description of the file, for errors.
        cure: the cure for a damaged file.

    Raises:
        InputError: as of `read_json`; or the object is another one.
    """
    from pydantic import ValidationError  # `docmt --help` does without it

    state = read_json(path, cure=cure)
    try:
        return model.model_validate(state)
    except ValidationError as error:
        problem = f"is not {what} ({first_problem(error)})"
    raise InputError(problem, path=path, cure=cure)


def first_problem(error: ValidationError) -> str:
    """The first problem of an object, with the key it is about."""
    first = error.errors(include_url=False)[0]
    return ": ".join([*filter(None, [".".join(map(str, first["loc"]))]), first["msg"]])

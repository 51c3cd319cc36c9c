"""JSON from elsewhere, which may be damaged or hostile."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

from docmt.errors import InputError
from docmt.files import COPY_AGAIN, PathLike
from docmt.stored_files import read_stored


def parse_json(text: str | bytes, **options: Any) -> Any:
    """The value of a JSON text, or of its UTF-8 bytes, from anywhere.

    Args:
        options: as of `json.loads`.

    Raises:
        ValueError: it is not JSON, or is nested too deeply to be read; except for bytes that are
            not UTF-8 and numbers of thousands of digits, a `json.JSONDecodeError`.
    """
    try:
        return json.loads(text, **options)
    except RecursionError:
        raise json.JSONDecodeError("nested too deeply", "", 0) from None


def json_text(value: Any, *, indent: int | None = None) -> str:
    """Plain values as JSON for every reader: NaN and infinity, which JSON lacks, are null."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, indent=indent)


def _finite(value: Any) -> Any:
    """A value with None in the place of numbers that are not finite."""
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def read_json(path: PathLike, *, cure: str = COPY_AGAIN) -> dict[str, Any]:
    """The object in a JSON file.

    Args:
        cure: what to do if the file is damaged.

    Raises:
        InputError: the file is missing, not a regular file, too large, or does not hold a JSON
            object.
    """
    content = read_stored(path, cure=cure)
    try:
        state = parse_json(content)
    except ValueError as error:
        problem = f"is not valid JSON, or only part of it ({error})"
        raise InputError(problem, path=path, cure=cure) from None
    if not isinstance(state, dict):
        raise InputError("does not hold a JSON object", path=path, cure=cure)
    return state

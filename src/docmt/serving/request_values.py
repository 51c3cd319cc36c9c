"""Values of requests, which clients send as JSON, as a form, or in the URL."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.datastructures import UploadFile
from starlette.requests import Request

from docmt.serving.service_errors import ServiceError

_JSON_DEPTH = 20
"""How deeply values of JSON are nested at most; no API has more than three levels."""


class Values(Mapping[str, Any]):
    """The values of a request by name; those of forms and URLs are lists of texts and files.

    Args:
        values: the values.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Any:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def _one(self, name: str) -> Any:
        """A value; of forms and URLs, that which stands alone in its list."""
        value = self._values.get(name)
        return value[0] if isinstance(value, list) and len(value) == 1 else value

    def text(self, name: str, default: str | None = None) -> str | None:
        """A text, or the default where there is none.

        Raises:
            ServiceError: it is something else.
        """
        value = self._one(name)
        if value is None:
            return default
        if not isinstance(value, str):
            raise ServiceError(400, f"{name} must be a text")
        return value

    def texts(self, name: str) -> list[str]:
        """One text or a list of them; empty where there is none.

        Raises:
            ServiceError: it is something else.
        """
        value = self._values.get(name)
        values = [value] if isinstance(value, str) else value or []
        if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
            raise ServiceError(400, f"{name} must be a text or a list of texts")
        return values

    def number(self, name: str, default: int, *, most: int) -> int:
        """A whole number from 0, or the default where there is none.

        Raises:
            ServiceError: it is something else.
        """
        value = self._one(name)
        if value is None or value == "":
            return default
        if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 10:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
            raise ServiceError(400, f"{name} must be a number from 0 to {most}")
        return value

    def flag(self, name: str, *, default: bool = False) -> bool:
        """A truth value, or the default where there is none.

        Raises:
            ServiceError: it is something else.
        """
        value = self._one(name)
        if isinstance(value, str) and value.lower() in ("1", "true", "0", "false"):
            value = value.lower() in ("1", "true")
        if value is None or value == "":
            return default
        if not isinstance(value, bool):
            raise ServiceError(400, f"{name} must be true or false")
        return value

    def file(self, name: str) -> UploadFile | None:
        """An uploaded file, or None where there is none.

        Raises:
            ServiceError: it is something else.
        """
        value = self._one(name)
        if value is None:
            return None
        if not isinstance(value, UploadFile):
            raise ServiceError(400, f"{name} must be an uploaded file")
        return value


async def read_values(request: Request, *, max_part: int) -> Values:
    """The values of a request: those of its URL, and over them those of its body, a JSON object or
    a form.

    Args:
        request: the request; its body is read whole, so it must be limited.
        max_part: most bytes of a value in a form that is not a file.

    Raises:
        ServiceError: the body cannot be read.
    """
    values: dict[str, Any] = {
        name: request.query_params.getlist(name) for name in request.query_params
    }
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
        try:
            form = await request.form(max_part_size=max_part)
        except UnicodeError:
            raise ServiceError(400, "the form is not valid text") from None
        values |= {name: form.getlist(name) for name in form}
    elif body := await request.body():
        values |= _json_object(body)
    if _has_surrogates(values):
        raise ServiceError(400, "the request has half of a surrogate pair in a text")
    return Values(values)


def _json_object(body: bytes) -> dict[str, Any]:
    """The object that a body holds as JSON."""
    try:
        value = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise ServiceError(400, "the body is not valid JSON in UTF-8") from None
    if not isinstance(value, dict) or _deeper_than(value, _JSON_DEPTH):
        raise ServiceError(400, "the body must be a JSON object")
    return value


def _has_surrogates(value: Any) -> bool:
    """Return whether a text has half of a surrogate pair, which UTF-8 cannot have."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return True
        return False
    if isinstance(value, dict):
        return any(_has_surrogates(each) for pair in value.items() for each in pair)
    return isinstance(value, list) and any(map(_has_surrogates, value))


def _deeper_than(value: Any, levels: int) -> bool:
    """Return whether values are nested more deeply than this."""
    if levels < 0:
        return True
    inner: Sequence[Any] = ()
    if isinstance(value, dict):
        inner = list(value.values())
    elif isinstance(value, list):
        inner = value
    return any(_deeper_than(each, levels - 1) for each in inner)

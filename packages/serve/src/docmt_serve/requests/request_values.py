"""`read_values`: the values of a request, from the URL and the body.

A body is a form or a JSON object, in UTF-8. Size and number of values are limited, and the work is
linear in the size. Large bodies are parsed in threads, so other requests are answered meanwhile.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

from pydantic_core import from_json
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header
from starlette.requests import Request

from docmt_serve.requests.byte_budget import HeldBody
from docmt_serve.requests.form_parts import BodyLimits, FormParts
from docmt_serve.requests.service_errors import ServiceError

_MOST_JSON_VALUES = 1_000_000
"""Maximum number of commas and opening brackets of a JSON body, so of its values. Each value takes
up to 72 bytes of memory."""

_MOST_CONTENT_TYPE = 1000
"""Maximum characters of the header `Content-Type`."""

_CHARSETS = ("utf-8", "utf8", "us-ascii")


def url_values(request: Request, most: int) -> dict[str, Any]:
    """Values of the URL by name.

    Args:
        request: the request.
        most: maximum number of values.

    Raises:
        ServiceError: there are too many, or they are not in UTF-8.
    """
    return _urlencoded(request.scope["query_string"], most)


async def read_values(
    request: Request, limits: BodyLimits, held: HeldBody, on_file: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    """Read the values of the body of a request.

    Args:
        request: the request.
        limits: limits of the body.
        held: gets the bytes and the file.
        on_file: called with the values before a file, and raises an error to refuse the file.

    Raises:
        ServiceError: the body is too large, in a charset other than UTF-8, or neither a form nor a
            JSON object.
    """
    header = request.headers.get("content-type", "")
    if len(header) > _MOST_CONTENT_TYPE:
        raise ServiceError(415, "the header Content-Type is too long")
    kind, options = parse_options_header(header)
    charset = options.get(b"charset", b"utf-8").decode("latin-1").lower()
    if charset not in _CHARSETS:
        raise ServiceError(415, "the body must be in UTF-8")
    if kind == b"multipart/form-data":
        boundary = options.get(b"boundary", b"")
        return await _read_parts(request, boundary, limits, held, on_file)
    body = await _read_body(request, limits, held)
    if not body:
        return {}
    if kind == b"application/x-www-form-urlencoded":
        return await limits.run(partial(_urlencoded, body, limits.fields), len(body))
    if kind == b"application/json" or kind.endswith(b"+json"):
        return await limits.run(partial(_json_object, body), len(body))
    raise ServiceError(415, "send a form, or JSON with `Content-Type: application/json`")


async def _read_parts(
    request: Request,
    boundary: bytes,
    limits: BodyLimits,
    held: HeldBody,
    on_file: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    """Read a form of several parts."""
    try:
        parts = FormParts(boundary, limits, held, on_file)
        async for chunk in _chunks(request):
            await limits.run(partial(parts.write, chunk), len(chunk))
        return _by_name(parts.end())
    except FormParserError as error:
        raise ServiceError(400, f"the form is damaged ({error})") from None


async def _read_body(request: Request, limits: BodyLimits, held: HeldBody) -> bytes:
    """Read a body without files."""
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and int(length[:20]) > limits.text:
        raise _too_large(limits.text)
    body = bytearray()
    async for chunk in _chunks(request):
        held.take(len(chunk))
        body += chunk
        if len(body) > limits.text:
            raise _too_large(limits.text)
    return bytes(body)


async def _chunks(request: Request) -> AsyncIterator[bytes]:
    """The body of a request in pieces.

    Raises:
        ClientDisconnect: the client has gone.
    """
    async for chunk in request.stream():
        if chunk:
            yield chunk


def _too_large(most: int) -> ServiceError:
    return ServiceError(413, f"the body exceeds {most} bytes")


def _urlencoded(text: bytes, most: int) -> dict[str, Any]:
    """Values of a URL or an encoded form by name."""
    try:
        pairs = parse_qsl(
            text.decode(), keep_blank_values=True, errors="strict", max_num_fields=most
        )
    except UnicodeDecodeError:
        raise ServiceError(400, "the form is not valid UTF-8") from None
    except ValueError:
        raise ServiceError(400, f"there are more than {most} values") from None
    return _by_name(pairs)


def _json_object(body: bytes) -> dict[str, Any]:
    """The values of a JSON object by name."""
    if body.count(b",") + body.count(b"{") + body.count(b"[") > _MOST_JSON_VALUES:
        raise ServiceError(413, f"the body has more than {_MOST_JSON_VALUES} commas and brackets")
    try:
        values = from_json(body)
    except ValueError as error:
        raise ServiceError(400, f"the body is not valid JSON in UTF-8 ({error})") from None
    if not isinstance(values, dict):
        raise ServiceError(400, "the body must be a JSON object")
    return values


def _by_name(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Values by name; the values of a repeated name as a list."""
    several: dict[str, list[Any]] = {}
    for name, value in pairs:
        several.setdefault(name, []).append(value)
    return {name: each if len(each) > 1 else each[0] for name, each in several.items()}

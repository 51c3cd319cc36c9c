"""Errors of the service, and how an API answers with them."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from docmt.decoding.scheduler import CancelledError
from docmt.ground.errors import InputError, UnavailableError

Endpoint = Callable[[Request], Awaitable[Response]]
"""Answers a request."""

ErrorBody = Callable[[int, str], Any]
"""The body of an answer that says what went wrong, from the status and a message."""

_CLIENT_CLOSED = 499
"""The status of a request whose client is gone; nobody reads it."""

_log = logging.getLogger("docmt.serving")


class ServiceError(Exception):
    """Something that a request is answered with in place of what it asks for.

    Args:
        status: the HTTP status.
        message: what is wrong, and what to do.
        headers: headers of the answer.
    """

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, dict(headers or {})


def busy(message: str = "too many requests are waiting; try again later") -> ServiceError:
    """The error about a full queue."""
    return ServiceError(429, message, {"Retry-After": "2"})


def stopping() -> ServiceError:
    """The error about a service that takes on nothing more."""
    return ServiceError(503, "the service is stopping; try again later", {"Retry-After": "5"})


def no_space() -> ServiceError:
    """The error about a disk that is full."""
    return ServiceError(507, "there is no space to store it; try again later")


def unavailable(error: UnavailableError) -> ServiceError:
    """The error about a translator that cannot be used, such as one behind an endpoint that is not
    there. Why is in the log: it is for those who run the service, and no business of others."""
    _log.error("%s", error.problem)
    return ServiceError(
        503, "the translator cannot be used at the moment; try again later", {"Retry-After": "30"}
    )


def answering_errors(
    body: ErrorBody, statuses: Mapping[int, int] | None = None
) -> Callable[[Endpoint], Endpoint]:
    """Decorate an endpoint to answer with errors as its API does.

    Args:
        body: makes the body of such an answer.
        statuses: the API's own statuses in the place of some.
    """
    changed = statuses or {}

    def decorate(endpoint: Endpoint) -> Endpoint:
        @wraps(endpoint)
        async def answer(request: Request) -> Response:
            try:
                return await endpoint(request)
            except ServiceError as error:
                status, message, headers = error.status, error.message, error.headers
            except HTTPException as error:
                status, message, headers = (
                    error.status_code,
                    error.detail,
                    dict(error.headers or {}),
                )
            except UnavailableError as error:
                answered = unavailable(error)
                status, message, headers = answered.status, answered.message, answered.headers
            except InputError as error:
                status, message, headers = 400, str(error), {}
            except (CancelledError, ClientDisconnect):
                status, message, headers = _CLIENT_CLOSED, "cancelled", {}
            except Exception as error:
                # What a text looks like must not be in a log.
                _log.error("%s %s: %s", request.method, request.url.path, type(error).__name__)
                _log.debug("traceback", exc_info=True)
                status, message, headers = 500, "internal error", {}
            status = changed.get(status, status)
            return JSONResponse(body(status, message), status, headers)

        return answer

    return decorate

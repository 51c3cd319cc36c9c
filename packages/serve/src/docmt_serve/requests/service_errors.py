"""Errors of the service: a status, a message and headers."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from docmt_files.base.errors import InputError, UnavailableError
from docmt_serve.scheduler import CancelledError

_CLIENT_CLOSED = 499
"""Status after a client has disconnected. Nobody reads this answer."""

_log = logging.getLogger("docmt_serve")


class ServiceError(Exception):
    """An error to answer a request with.

    Args:
        status: HTTP status.
        message: the problem, and the cure where there is one.
        headers: headers of the answer.
    """

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, dict(headers or {})


def busy(message: str = "too many requests are waiting; try again later") -> ServiceError:
    """Error about a full queue."""
    return ServiceError(429, message, {"Retry-After": "2"})


def stopping() -> ServiceError:
    """Error about a service at the end."""
    return ServiceError(503, "the service is stopping; try again later", {"Retry-After": "5"})


def no_space() -> ServiceError:
    """Error about a full disk."""
    return ServiceError(507, "there is no space to store it; try again later")


def unavailable(error: UnavailableError) -> ServiceError:
    """Error about a translator out of reach, such as a language model behind a broken endpoint. The
    cause is for the operator and goes to the log only."""
    _log.error("%s", error.problem)
    return ServiceError(
        503, "the translator cannot be used at the moment; try again later", {"Retry-After": "30"}
    )


def service_error(error: Exception, request: Request) -> ServiceError:
    """The answer to a request after an exception.

    Args:
        error: the exception.
        request: the request.
    """
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, HTTPException):
        return ServiceError(error.status_code, error.detail, error.headers)
    if isinstance(error, UnavailableError):
        return unavailable(error)
    if isinstance(error, InputError):
        return ServiceError(400, str(error))
    if isinstance(error, CancelledError | ClientDisconnect):
        return ServiceError(_CLIENT_CLOSED, "cancelled")
    # The message may quote a text, which must not be in a log.
    _log.error("%s %s: %s", request.method, request.url.path, type(error).__name__)
    _log.debug("traceback", exc_info=True)
    return ServiceError(500, "internal error")

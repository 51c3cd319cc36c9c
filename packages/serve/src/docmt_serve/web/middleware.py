"""Middleware of the service: headers of all answers, counts of requests, and a time limit for
bodies.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docmt_serve.service.service_metrics import Metrics
from docmt_serve.service.service_settings import ServiceSettings

_CORS = {
    b"access-control-allow-origin": b"*",
    b"access-control-allow-headers": b"Authorization, Content-Type",
    b"access-control-expose-headers": b"Authorization, X-Docmt-Warnings",
    b"access-control-allow-methods": b"GET, POST, PUT, PATCH, DELETE",
    b"access-control-max-age": b"1728000",
}
"""CORS headers of LibreTranslate, which allow pages of other sites to use the service."""

_SAFE = {b"x-content-type-options": b"nosniff"}

_SILENCE = 20.0
"""Seconds without a byte of a body."""

_PERIOD = 30.0
"""Seconds in which a body that is not complete must have `_SLOWEST` bytes for each second."""

_SLOWEST = 10_000


class WithHeaders:
    """Adds headers to every answer, and answers preflight requests of browsers.

    Args:
        app: the application.
        private: prefixes of paths closed to pages of other sites.
    """

    def __init__(self, app: ASGIApp, private: Sequence[str]) -> None:
        self.app, self.private = app, tuple(private)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        common = _SAFE if scope["path"].startswith(self.private) else _SAFE | _CORS

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                added = [item for item in common.items() if item[0] not in present]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        if scope["method"] == "OPTIONS":
            await Response(status_code=200)(scope, receive, send_with_headers)
            return
        await self.app(scope, receive, send_with_headers)


class OwnNames:
    """Refuses requests that a page of another site may have sent through the browser of a user:
    those to an unknown host name, and those of another origin that change something.

    Args:
        app: the application.
        settings: settings of the service, with its names.
        private: prefixes of paths closed to pages of other sites.
    """

    def __init__(self, app: ASGIApp, settings: ServiceSettings, private: Sequence[str]) -> None:
        self.app, self.settings, self.private = app, settings, tuple(private)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        problem = self._problem(scope) if scope["type"] == "http" else None
        if problem is None:
            await self.app(scope, receive, send)
            return
        status, message = problem
        body = {"error": message, "message": message}
        await JSONResponse(body, status)(scope, receive, send)

    def _problem(self, scope: Scope) -> tuple[int, str] | None:
        """Status and message of the refusal of a request."""
        headers = Headers(scope=scope)
        host, origin = headers.get("host"), headers.get("origin")
        if host is not None and not self.settings.answers_to(_host_name(f"//{host}")):
            return 421, "the service does not know this host name; name it in `allowed_host`"
        is_change = scope["method"] not in ("GET", "HEAD", "OPTIONS")
        if origin is None or not is_change or not scope["path"].startswith(self.private):
            return None
        is_own = host is not None and origin.partition("://")[2] == host
        if is_own or _host_name(origin) in self.settings.allowed_host:
            return None
        return 403, "pages of other sites cannot change anything here"


def _host_name(url: str) -> str:
    """The host name of a URL; empty if there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


class Measured:
    """Counts requests, and measures their time.

    Args:
        app: the application.
        metrics: the counts.
        apis: names of the APIs by endpoint.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, apis: Mapping[Callable[..., Any], str]):
        self.app, self.metrics, self.apis = app, metrics, apis

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, status = monotonic(), 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            with self.metrics.request():
                await self.app(scope, receive, watched)
        finally:
            api = self.apis.get(scope.get("endpoint", self), "none")
            self.metrics.observe_request(api, status, monotonic() - start)


class PatientBodies:
    """Ends requests with very slow bodies, which only hold connections and memory.

    Args:
        app: the application.
        silence: seconds without a byte.
        period: seconds in which a body must bring `slowest` bytes for each second.
        slowest: bytes for each second.
    """

    def __init__(
        self,
        app: ASGIApp,
        silence: float = _SILENCE,
        period: float = _PERIOD,
        slowest: float = _SLOWEST,
    ) -> None:
        self.app, self.silence, self.period, self.slowest = app, silence, period, slowest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        # Only the time of waiting counts: the client need not pay for a busy service.
        waited, received, is_complete = 0.0, 0, False

        async def patient() -> Message:
            nonlocal waited, received, is_complete
            if is_complete:  # What comes now is that the client goes.
                return await receive()
            is_fast = received >= self.slowest * self.period
            if is_fast and waited >= self.period:
                waited, received, is_fast = 0.0, 0, False
            most = self.silence if is_fast else min(self.silence, self.period - waited)
            start = monotonic()
            try:
                message = await asyncio.wait_for(receive(), most)
            except TimeoutError:
                raise HTTPException(408, "the body of the request took too long") from None
            waited += monotonic() - start
            if message["type"] == "http.request":
                received += len(message.get("body", b""))
                is_complete = not message.get("more_body", False)
            return message

        await self.app(scope, patient, send)

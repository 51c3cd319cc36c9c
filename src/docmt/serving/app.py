"""`make_app`: the service as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docmt.serving import deepl, deepl_glossaries, jobs_api, libretranslate, openai_api, web_page
from docmt.serving.service import Service

_APIS = (libretranslate, deepl, deepl_glossaries, openai_api, jobs_api, web_page)

_CORS = {
    b"access-control-allow-origin": b"*",
    b"access-control-allow-headers": b"Authorization, Content-Type",
    b"access-control-expose-headers": b"Authorization",
    b"access-control-allow-methods": b"GET, POST, PUT, PATCH, DELETE",
    b"access-control-max-age": b"1728000",
}
"""Headers by which browsers let pages from elsewhere use the service, as LibreTranslate's."""


def make_app(service: Service) -> Starlette:
    """Make the application of a service, which it opens and closes.

    Args:
        service: answers its requests.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        with service:
            yield

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    return Starlette(
        routes=[
            *(route for api in _APIS for route in api.routes(service)),
            Route("/health", health),
        ],
        exception_handlers={HTTPException: _answer_error},
        middleware=[Middleware(_WithHeaders)],
        lifespan=lifespan,
    )


async def _answer_error(_: Request, error: Exception) -> Response:
    """Answer what no API does, as all of them would."""
    assert isinstance(error, HTTPException)
    body = {"error": error.detail, "message": error.detail}
    return JSONResponse(body, error.status_code, error.headers)


class _WithHeaders:
    """Adds the headers of every answer, and answers what browsers ask before a request."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                added = [item for item in _CORS.items() if item[0] not in present]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        if scope["method"] == "OPTIONS":
            await Response(status_code=200)(scope, receive, send_with_headers)
            return
        await self.app(scope, receive, send_with_headers)

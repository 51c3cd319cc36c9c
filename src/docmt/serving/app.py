"""`make_app`: the service as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from docmt.serving import (
    deepl,
    deepl_glossaries,
    jobs_api,
    libretranslate,
    openai_api,
    operations,
    web_page,
)
from docmt.serving.middleware import Measured, PatientBodies, WithHeaders
from docmt.serving.operations import spec_route
from docmt.serving.service import Service

_APIS = {
    "libretranslate": (libretranslate,),
    "deepl": (deepl, deepl_glossaries),
    "openai": (openai_api,),
    "jobs": (jobs_api,),
    "page": (web_page,),
    "operations": (operations,),
}
"""The modules of each API, which give its routes."""


def make_app(service: Service) -> Starlette:
    """Make the application of a service, which it opens and closes.

    Args:
        service: answers its requests.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        with service:
            yield

    by_api = {
        api: [route for module in modules for route in module.routes(service)]
        for api, modules in _APIS.items()
    }
    by_api["operations"].append(spec_route(by_api))
    apis = {route.endpoint: api for api, routes in by_api.items() for route in routes}
    # Glossaries that need no key are no business of pages from elsewhere.
    private = () if service.keys.keys is not None else ("/v2/glossar", "/v3/glossar")
    return Starlette(
        routes=[route for routes in by_api.values() for route in routes],
        exception_handlers={HTTPException: _answer_error},
        middleware=[
            Middleware(Measured, metrics=service.metrics, apis=apis),
            Middleware(WithHeaders, private=private),
            Middleware(PatientBodies),
        ],
        lifespan=lifespan,
    )


async def _answer_error(_: Request, error: Exception) -> Response:
    """Answer what no API does, as all of them would."""
    assert isinstance(error, HTTPException)
    body = {"error": error.detail, "message": error.detail}
    return JSONResponse(body, error.status_code, error.headers)

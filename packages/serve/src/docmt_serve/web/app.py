"""`make_app`: the service as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from docmt_serve.apis import (
    apertium,
    deepl,
    deepl_glossaries,
    deepl_styles,
    jobs_api,
    libretranslate,
    memories_api,
    models_api,
    openai_api,
    openai_responses,
    openapi,
    operations,
    web_page,
)
from docmt_serve.service.service import Service
from docmt_serve.web.middleware import Measured, OwnNames, PatientBodies, WithHeaders

_APIS = (
    libretranslate,
    apertium,
    deepl,
    deepl_glossaries,
    deepl_styles,
    memories_api,
    openai_api,
    openai_responses,
    jobs_api,
    models_api,
    web_page,
    operations,
)
"""Modules with the routes of an API."""

_PRIVATE = (
    "/v2/glossar",
    "/v3/glossar",
    "/v3/style_rules",
    "/v3/translation_memor",
    "/memories",
    "/models",
    "/suggest",
    "/v2/document",
    "/jobs",
    "/translate_file",
)
"""Prefixes of the paths of files, glossaries, style rules, translation memories and models."""


def make_app(service: Service) -> Starlette:
    """Make the application of a service. It opens and closes the service."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        with service:
            yield

    routes = [route for module in _APIS for route in module.routes(service)]
    routes.append(openapi.spec_route(service, routes))
    apis = {route.endpoint: route.api.name for route in routes}
    # Pages of other sites must not use what needs no key and is kept.
    needs_key = service.keys.keys is not None
    private = () if needs_key else _PRIVATE
    own_names = Middleware(OwnNames, settings=service.settings, private=private)
    return Starlette(
        routes=routes,
        exception_handlers={HTTPException: _answer_error},
        middleware=[
            Middleware(Measured, metrics=service.metrics, apis=apis),
            Middleware(WithHeaders, private=private),
            *([] if needs_key else [own_names]),
            Middleware(PatientBodies),
        ],
        lifespan=lifespan,
    )


async def _answer_error(_: Request, error: Exception) -> Response:
    """Answer an error outside all APIs, in the forms of all."""
    assert isinstance(error, HTTPException)
    body = {"error": error.detail, "message": error.detail}
    return JSONResponse(body, error.status_code, error.headers)

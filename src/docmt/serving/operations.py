"""What those who run the service ask it: whether it lives and is ready, its metrics, and what it
answers to.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import docmt
from docmt.serving.service import Service
from docmt.serving.service_errors import answering_errors

_answering_errors = answering_errors(lambda _, message: {"error": message})


def routes(service: Service) -> list[Route]:
    """The routes for those who run the service, except for `spec_route`.

    Args:
        service: answers.
    """

    async def health(_: Request) -> Response:
        """Say that the process lives."""
        return JSONResponse({"status": "ok"})

    async def ready(_: Request) -> Response:
        """Say whether the service translates; status 503 while it does not."""
        if service.is_ready:
            return JSONResponse({"status": "ready"})
        status = "stopping" if service.is_stopping else "not ready"
        return JSONResponse({"status": status}, 503)

    async def metrics(request: Request) -> Response:
        """Give counts in Prometheus' text format; with a key where keys are needed."""
        service.account_of(request)
        return Response(service.metrics.text(), headers={"Content-Type": CONTENT_TYPE_LATEST})

    return [
        Route("/health", health, methods=["GET"]),
        Route("/ready", ready, methods=["GET"]),
        Route("/metrics", _answering_errors(metrics), methods=["GET"]),
    ]


def spec_route(by_api: Mapping[str, Sequence[Route]]) -> Route:
    """The route that describes all routes, in the format of OpenAPI.

    Args:
        by_api: the routes of each API.
    """

    async def spec(_: Request) -> Response:
        """Describe all routes, in the format of OpenAPI."""
        return JSONResponse(description)

    own = Route("/spec", spec, methods=["GET"])
    paths: dict[str, dict[str, Any]] = {}
    for api, routes in ({**by_api, "operations": [*by_api["operations"], own]}).items():
        for route in routes:
            for method in sorted((route.methods or set()) - {"HEAD"}):
                paths.setdefault(route.path, {})[method.lower()] = _operation(route, api)
    description = {
        "openapi": "3.1.0",
        "info": {"title": "docmt", "version": docmt.__version__},
        "paths": paths,
    }
    return own


def _operation(route: Route, api: str) -> dict[str, Any]:
    """What a route does."""
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", route.path)
    ]
    summary = (inspect.getdoc(route.endpoint) or "").partition("\n\n")[0].replace("\n", " ")
    operation: dict[str, Any] = {"tags": [api], "summary": summary}
    if parameters:
        operation["parameters"] = parameters
    return operation | {"responses": {"default": {"description": "See the documentation."}}}

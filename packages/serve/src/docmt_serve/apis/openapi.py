"""`spec_route`: the description of all routes in the format of OpenAPI 3.1.

The schemas come from the request models, the same as validate requests, and from the types of
answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

import docmt
from docmt_serve.apis.api_routes import Api, ApiRoute, Call
from docmt_serve.requests.request_models import FileRequest
from docmt_serve.service.service import Service

Schemas = Mapping[tuple[Any, JsonSchemaMode], Mapping[str, Any]]
"""JSON Schemas by type and direction: `validation` for requests, `serialization` for answers."""

_FILE_FORMS = ("multipart/form-data",)
_FORMS = ("application/json", "application/x-www-form-urlencoded", *_FILE_FORMS)


def spec_route(service: Service, others: Sequence[ApiRoute]) -> ApiRoute:
    """The route for the description of all routes, itself included.

    Args:
        service: the service.
        others: the other routes.
    """

    @cache
    def description() -> dict[str, Any]:
        return describe([*others, route])

    async def spec(_: Call[None]) -> dict[str, Any]:
        """Describe all routes in the format of OpenAPI."""
        return description()

    api = Api("operations", service)
    route = ApiRoute(api, ["GET"], "/spec", spec, answers=dict[str, Any])
    return route


def describe(routes: Sequence[ApiRoute]) -> dict[str, Any]:
    """Describe routes as an OpenAPI document."""
    used: set[tuple[Any, JsonSchemaMode]] = set()
    for route in routes:
        used |= {(route.asks, "validation"), (route.answers, "serialization")}
    schemas, definitions = TypeAdapter.json_schemas(
        [(kind, mode, TypeAdapter(kind)) for kind, mode in used if kind is not None],
        ref_template="#/components/schemas/{model}",
    )
    components = definitions["$defs"]
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        for method in sorted((route.methods or set()) - {"HEAD"}):
            operation = _operation(route, method, schemas, components)
            paths.setdefault(route.path, {})[method.lower()] = operation
    return {
        "openapi": "3.1.0",
        "info": {"title": "docmt", "version": docmt.__version__},
        "paths": paths,
        "components": {
            "schemas": dict(sorted(components.items())),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"key": []}],
    }


def _operation(
    route: ApiRoute, method: str, schemas: Schemas, components: Mapping[str, Any]
) -> dict[str, Any]:
    """Describe a method of a route."""
    operation: dict[str, Any] = {
        "tags": [route.api.name],
        "operationId": re.sub(r"\W+", "_", f"{method.lower()}{route.path}").strip("_"),
        "summary": route.summary,
        "responses": _responses(route, schemas),
    }
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", route.path)
    ]
    if route.asks is not None:
        schema = schemas[route.asks, "validation"]
        values = components[schema["$ref"].rpartition("/")[2]]
        required = values.get("required", [])
        if method in ("GET", "DELETE"):
            parameters += [
                {"name": name, "in": "query", "required": name in required, "schema": each}
                for name, each in values.get("properties", {}).items()
            ]
        else:
            forms = _FILE_FORMS if issubclass(route.asks, FileRequest) else _FORMS
            content = {form: {"schema": schema} for form in forms}
            operation["requestBody"] = {"required": bool(required), "content": content}
    if parameters:
        operation["parameters"] = parameters
    return operation


def _responses(route: ApiRoute, schemas: Schemas) -> dict[str, Any]:
    """Describe the answers of a route: success and errors."""
    answer: dict[str, Any] = {"description": route.summary}
    if route.answers is not None:
        schema = schemas[route.answers, "serialization"]
        answer["content"] = {route.media_type: {"schema": schema}}
    elif route.status != 204:
        answer["content"] = {route.media_type: {}}
    error = {"schema": {"type": "object"}, "example": route.api.error_body(400, "the problem")}
    return {
        str(route.status): answer,
        "default": {"description": "Error", "content": {"application/json": error}},
    }

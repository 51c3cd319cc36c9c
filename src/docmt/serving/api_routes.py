"""`Api` and `ApiRoute`: typed requests in, typed answers out, errors in the form of each API."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from docmt.serving.request_models import FileRequest, RequestModel
from docmt.serving.service import Service
from docmt.serving.service_errors import service_error

_BODY_OVERHEAD = 65_536
"""Bytes that a body may have beside texts or files."""

_BYTES_PER_CHARACTER = 8

FILE = "application/octet-stream"
"""Media type of translated files."""

Handler = Callable[..., Awaitable[Any]]
"""Answers a request. With a request model, it is called with the request, the checked values and
the account; otherwise with the request alone."""


class Answer(BaseModel):
    """An answer of an API. Fields that are None are left out."""

    model_config = ConfigDict(use_attribute_docstrings=True, defer_build=True)


class ErrorAnswer(Answer):
    """An error."""

    error: str
    """The problem, and the cure where there is one."""


@dataclass(frozen=True, eq=False)
class Api:
    """An HTTP API of the service.

    Attributes:
        name: name in the metrics and in the OpenAPI description.
        service: the service.
        errors: form of errors, validated from the values `status`, `error` and `message`; the last
            two are the same.
        statuses: replacements for HTTP statuses of errors.
    """

    name: str
    service: Service
    errors: type[Answer] = ErrorAnswer
    statuses: Mapping[int, int] = field(default_factory=dict)


class ApiRoute(Route):
    """A route of an API.

    Args:
        api: the API.
        methods: HTTP methods.
        path: path, with the names of parameters in braces.
        handler: answers; the first sentence of the docstring is the summary of the route.
        asks: request model, if the handler needs values or an account.
        answers: type of the value that the handler returns. Default: the handler returns a
            response or nothing.
        status: HTTP status of the answer.
        media_type: media type of the answer.
        body_limit: maximum bytes of the body. Default: by the limits of the service.
    """

    def __init__(
        self,
        api: Api,
        methods: list[str],
        path: str,
        handler: Handler,
        *,
        asks: type[RequestModel] | None = None,
        answers: Any = None,
        status: int = 200,
        media_type: str = "application/json",
        body_limit: int | None = None,
    ) -> None:
        self.api, self.asks, self.answers = api, asks, answers
        self.status, self.media_type, self._handler = status, media_type, handler
        self.summary = (inspect.getdoc(handler) or "").partition("\n\n")[0].replace("\n", " ")
        self._adapter = None if answers is None else TypeAdapter(answers)
        if asks is not None and body_limit is None:
            settings = api.service.settings
            texts, files = _BYTES_PER_CHARACTER * settings.char_limit, settings.file_limit
            body_limit = _BODY_OVERHEAD + (files if issubclass(asks, FileRequest) else texts)
        super().__init__(
            path, self._answer, methods=methods, name=handler.__name__, max_body_size=body_limit
        )

    async def _answer(self, request: Request) -> Response:
        """Answer a request, also with an error."""
        api = self.api
        try:
            arguments = await api.service.read(request, self.asks) if self.asks else ()
            answer = await self._handler(request, *arguments)
        except Exception as error:
            told = service_error(error, request)
            status = api.statuses.get(told.status, told.status)
            values = {"status": status, "error": told.message, "message": told.message}
            body = api.errors.model_validate(values).model_dump()
            return JSONResponse(body, status, told.headers)
        if isinstance(answer, Response):
            return answer
        if self._adapter is None:
            return Response(status_code=self.status)
        body = self._adapter.dump_python(answer, mode="json", by_alias=True, exclude_none=True)
        return JSONResponse(body, self.status)

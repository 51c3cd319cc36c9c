"""`Api` and `ApiRoute`: typed requests in, typed answers out, errors in the form of each API."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from docmt.translating.texts import TranslatedText
from docmt_serve.requests.byte_budget import HeldBody
from docmt_serve.requests.request_models import RequestModel
from docmt_serve.requests.service_errors import service_error
from docmt_serve.service.service import Service

FILE = "application/octet-stream"
"""Media type of translated files."""

WARNINGS = "X-Docmt-Warnings"
"""Header with the warnings about an answer: for each the number of the text and of the sentence in
it, from 0, and the kind, such as `0.2 numbers`."""

_MOST_WARNINGS = 50
"""Maximum number of warnings in the header."""

M = TypeVar("M")


class Answer(BaseModel):
    """An answer of an API. Fields that are None are left out."""

    model_config = ConfigDict(use_attribute_docstrings=True, defer_build=True)


@dataclass(frozen=True, slots=True)
class Call(Generic[M]):
    """A request to an API.

    Attributes:
        request: the HTTP request.
        asked: the checked values; None if the route has no request model.
        account: account of the request; empty if no key is needed.
        headers: headers of the answer, set by the handler.
    """

    request: Request
    asked: M
    account: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def tell_warnings(self, translated: Sequence[TranslatedText]) -> None:
        """Set the header about warnings, for clients that do not ask for sentences."""
        told = [
            f"{text}.{sentence} {warning.kind}"
            for text, each in enumerate(translated)
            for sentence, pair in enumerate(each.sentences)
            for warning in pair.warnings
        ]
        more = len(told) - _MOST_WARNINGS
        if told:
            shown = [*told[:_MOST_WARNINGS], *([f"and {more} more"] if more > 0 else [])]
            self.headers[WARNINGS] = ", ".join(shown)


Handler = Callable[[Call[Any]], Awaitable[Any]]
"""Answers a request."""


@dataclass(frozen=True, eq=False)
class Api:
    """An HTTP API of the service.

    Attributes:
        name: name in the metrics and in the OpenAPI description.
        service: the service.
        error_body: makes the body of an error from the HTTP status and a message.
        statuses: replacements for HTTP statuses of errors.
    """

    name: str
    service: Service
    error_body: Callable[[int, str], Any] = lambda _, message: {"error": message}
    statuses: Mapping[int, int] = field(default_factory=dict)


class ApiRoute(Route):
    """A route of an API.

    Args:
        api: the API.
        methods: HTTP methods.
        path: path, with the names of parameters in braces.
        handler: answers; the first sentence of the docstring is the summary of the route.
        asks: request model, if the handler needs the values or the account.
        answers: type of the returned value. Default: the handler returns a response or nothing.
        status: HTTP status of the answer.
        media_type: media type of the answer.
        most_text: maximum bytes of the body, apart from a file. Default: by the limits of the
            service.
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
        most_text: int | None = None,
    ) -> None:
        self.api, self.asks, self.answers = api, asks, answers
        self.status, self.media_type, self._handler = status, media_type, handler
        self.summary = (inspect.getdoc(handler) or "").partition("\n\n")[0].replace("\n", " ")
        self._adapter = None if answers is None else TypeAdapter(answers)
        self._most_text = most_text or api.service.settings.text_bytes
        super().__init__(path, self._answer, methods=methods, name=handler.__name__)

    async def _answer(self, request: Request) -> Response:
        """Answer a request, also with an error."""
        service = self.api.service
        held = HeldBody(service.budgets.strangers)
        try:
            call: Call[Any] = Call(request, None)
            if self.asks is not None:
                read = await service.read(request, self.asks, held, self._most_text)
                call = Call(request, *read)
            answer = await self._handler(call)
        except Exception as error:
            told = service_error(error, request)
            status = self.api.statuses.get(told.status, told.status)
            return JSONResponse(self.api.error_body(status, told.message), status, told.headers)
        finally:
            held.release()
        if isinstance(answer, Response):
            return answer
        if self._adapter is None:
            return Response(status_code=self.status)
        body = self._adapter.dump_python(answer, mode="json", by_alias=True, exclude_none=True)
        return JSONResponse(body, self.status, call.headers)

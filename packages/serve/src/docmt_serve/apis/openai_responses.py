"""The responses API of OpenAI. As in its chat-completions API, the last message of the user is the
text, the model determines the languages, and a stream has the sentences as they are ready. No
response is kept, so none can be asked for later or continued.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, FailFast
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from docmt.translating.streaming import TextPart
from docmt.translating.texts import TextRequest
from docmt_files.storage.json_files import json_text
from docmt_serve.apis.api_routes import Api, ApiRoute, Call
from docmt_serve.apis.openai_api import (
    ChatMessage,
    Part,
    ResponseFormat,
    error_answer,
    text_of_user,
)
from docmt_serve.requests.identifiers import new_id
from docmt_serve.requests.request_models import Flag, RequestModel, Text, says
from docmt_serve.requests.service_errors import service_error
from docmt_serve.service.service import Service


def _as_messages(given: Any) -> Any:
    return [{"role": "user", "content": given}] if isinstance(given, str) else given


class TextSettings(Part):
    """The form of the text."""

    format: ResponseFormat = ResponseFormat()


class ResponsesRequest(
    RequestModel, json_schema_extra={"examples": [{"model": "en-de", "input": "Open the file."}]}
):
    """A request for a response."""

    without_effect: ClassVar[frozenset[str]] = frozenset(
        (
            "instructions", "max_output_tokens", "max_tool_calls", "metadata",
            "parallel_tool_calls", "prompt_cache_key", "prompt_cache_retention", "reasoning",
            "safety_identifier", "seed", "service_tier", "store", "stream_options", "temperature",
            "top_p", "truncation", "user",
        )
    )  # fmt: skip

    model: Text
    """Name of a run."""

    input: Annotated[
        tuple[ChatMessage, ...],
        FailFast(),
        BeforeValidator(_as_messages, json_schema_input_type=str | list[ChatMessage]),
    ]
    """The text, or messages of which the last of the user is the text."""

    stream: Flag = False
    """Answer with server-sent events."""

    text: Annotated[TextSettings, says("must have the format text")] = TextSettings()
    """Form of the answer."""


def routes(service: Service) -> list[ApiRoute]:
    """The routes of the API."""
    own = _Responses(service)
    api = Api("openai-responses", service, error_answer, {403: 401, 456: 429})
    route = partial(ApiRoute, api, answers=dict[str, Any])
    return [route(["POST"], "/v1/responses", own.create, asks=ResponsesRequest)]


class _Responses:
    def __init__(self, service: Service) -> None:
        self.service = service

    async def create(self, call: Call[ResponsesRequest]) -> dict[str, Any] | Response:
        """Translate the last message of the user."""
        asked, text = call.asked, text_of_user(call.asked.input)
        model = self.service.models.choose(None, None, asked.model)
        answer = _Answer(asked.model, text)
        if asked.stream:
            parts = self.service.stream(call.request, model, text, call.account)
            first = await anext(parts)  # An error before it is an answer of its own.
            events = _events(answer, first, parts, call.request)
            return StreamingResponse(events, 200, media_type="text/event-stream")
        (done,) = await self.service.translate(
            call.request, [model], TextRequest((text,)), call.account
        )
        call.tell_warnings([done])
        return answer.completed(done.text)


@dataclass(frozen=True, slots=True)
class _Answer:
    """The answer to a request, as its states have it.

    Attributes:
        model: the name of the model.
        asked: the text to translate.
        id, message_id: the ids of the response and of its message.
        created: the time of the request, in seconds since 1970.
    """

    model: str
    asked: str
    id: str = field(default_factory=lambda: f"resp_{new_id()}")
    message_id: str = field(default_factory=lambda: f"msg_{new_id()}")
    created: int = field(default_factory=lambda: int(time.time()))

    def state(self, status: str, **values: Any) -> dict[str, Any]:
        """The response in a state; what it does not have yet, or never has, is null or empty."""
        return {
            "id": self.id,
            "object": "response",
            "created_at": self.created,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "max_output_tokens": None,
            "metadata": {},
            "model": self.model,
            "output": [],
            "parallel_tool_calls": False,
            "previous_response_id": None,
            "store": False,
            "temperature": None,
            "text": {"format": {"type": "text"}},
            "tool_choice": "none",
            "tools": [],
            "top_p": None,
            "truncation": "disabled",
            "usage": None,
            **values,
        }

    def message(self, status: str, *content: dict[str, Any]) -> dict[str, Any]:
        """The message of the response."""
        return {
            "id": self.message_id,
            "type": "message",
            "role": "assistant",
            "status": status,
            "content": list(content),
        }

    def completed(self, translation: str, **values: Any) -> dict[str, Any]:
        """The whole response."""
        counts = len(self.asked.split()), len(translation.split())
        usage = {
            "input_tokens": counts[0],
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": counts[1],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": sum(counts),
        }
        output = [self.message("completed", _content(translation))]
        return self.state("completed", output=output, usage=usage, **values)


def _content(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


async def _events(
    answer: _Answer, first: TextPart, parts: AsyncIterator[TextPart], request: Request
) -> AsyncIterator[str]:
    """The answer as a stream of events, a delta for each part of the text. The last event has the
    whole response and the warnings: the header was sent before them. An error after the first part
    ends the stream as a failed response.

    Args:
        answer: the answer.
        first: the first part.
        parts: the other parts.
        request: the request.
    """
    number = -1

    def event(kind: str, **values: Any) -> str:
        nonlocal number
        number += 1
        told = {"type": f"response.{kind}", "sequence_number": number, **values}
        return f"event: response.{kind}\ndata: {json_text(told)}\n\n"

    at_output: dict[str, Any] = {"output_index": 0}
    at_content = {**at_output, "item_id": answer.message_id, "content_index": 0}
    yield event("created", response=answer.state("in_progress"))
    yield event("in_progress", response=answer.state("in_progress"))
    yield event("output_item.added", **at_output, item=answer.message("in_progress"))
    yield event("content_part.added", **at_content, part=_content(""))
    yield event("output_text.delta", **at_content, delta=first.text, logprobs=[])
    texts, warnings = [first.text], list(first.warnings)
    try:
        async for part in parts:
            texts.append(part.text)
            warnings += part.warnings
            yield event("output_text.delta", **at_content, delta=part.text, logprobs=[])
    except Exception as error:
        failed = service_error(error, request)
        told = {"code": "server_error", "message": failed.message}
        yield event("failed", response=answer.state("failed", error=told))
        return
    text = "".join(texts)
    yield event("output_text.done", **at_content, text=text, logprobs=[])
    yield event("content_part.done", **at_content, part=_content(text))
    yield event("output_item.done", **at_output, item=answer.message("completed", _content(text)))
    marks = [f"0.{each.sentence} {each.kind}" for each in warnings]
    more = {"warnings": marks} if marks else {}
    yield event("completed", response=answer.completed(text, **more))

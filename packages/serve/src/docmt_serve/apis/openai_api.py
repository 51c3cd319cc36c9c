"""The chat-completions API of OpenAI. The last message of the user is the text, and the model
determines the languages. Other messages are not read, and options of sampling have no effect. A
stream has the sentences as they are ready.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, FailFast
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from docmt.translating.streaming import TextPart
from docmt.translating.texts import TextRequest, TranslatedText
from docmt_files.storage.json_files import json_text
from docmt_serve.apis.api_routes import Api, ApiRoute, Call
from docmt_serve.apis.weblate import WeblateRequest
from docmt_serve.requests.identifiers import new_id
from docmt_serve.requests.request_models import Flag, RequestModel, Text, says
from docmt_serve.requests.service_errors import ServiceError, service_error
from docmt_serve.service.service import Service

_TEXTS = ("text", "input_text")
"""Types of parts of a message that are text, in chats and in requests for responses."""


class Part(RequestModel):
    """A part of a request; unknown names are ignored."""

    model_config = ConfigDict(extra="ignore")


class ContentPart(Part):
    """A part of a message."""

    type: Text = ""
    text: Text | None = None


def _as_parts(content: Any) -> Any:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


class ResponseFormat(Part):
    """The form of the answer."""

    type: Literal["text"] = "text"


class ChatMessage(Part):
    """A message of a chat."""

    role: Text = ""
    content: Annotated[
        tuple[ContentPart, ...],
        FailFast(),
        BeforeValidator(_as_parts, json_schema_input_type=str | list[ContentPart]),
    ] = ()


class ChatRequest(
    RequestModel,
    json_schema_extra={
        "examples": [
            {"model": "en-de", "messages": [{"role": "user", "content": "Open the file."}]}
        ]
    },
):
    """A chat."""

    without_effect: ClassVar[frozenset[str]] = frozenset(
        (
            "cache_prompt", "chat_template_kwargs", "frequency_penalty", "max_completion_tokens",
            "max_tokens", "metadata", "min_p", "parallel_tool_calls", "presence_penalty",
            "prompt_cache_key", "reasoning", "reasoning_effort", "repeat_penalty",
            "repetition_penalty", "safety_identifier", "seed", "service_tier", "stop", "store",
            "stream_options", "temperature", "thinking", "top_k", "top_p", "user", "verbosity",
        )
    )  # fmt: skip

    model: Text
    """Name of a run."""

    messages: Annotated[tuple[ChatMessage, ...], FailFast()]

    stream: Flag = False
    """Answer with server-sent events."""

    n: Literal[1] = 1
    """Number of answers."""

    response_format: Annotated[ResponseFormat, says("must have the type text")] = ResponseFormat()
    """Form of the answer."""


def text_of_user(messages: Sequence[ChatMessage]) -> str:
    """The text of the last message of the user.

    Raises:
        ServiceError: there is none, or the message has something else.
    """
    own = [message for message in messages if message.role == "user"]
    if not own:
        raise ServiceError(400, "there is no message of the user")
    parts = own[-1].content
    texts = [part.text for part in parts if part.type in _TEXTS and part.text is not None]
    if not parts or len(texts) < len(parts):
        raise ServiceError(400, "the content of a message must be text")
    return "\n".join(texts)


def error_answer(status: int, message: str) -> dict[str, Any]:
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def routes(service: Service) -> list[ApiRoute]:
    """The routes of the API."""
    own, api = _OpenAI(service), Api("openai", service, error_answer, {403: 401, 456: 429})
    route = partial(ApiRoute, api, answers=dict[str, Any])
    return [
        route(["GET"], "/v1/models", own.models, asks=RequestModel),
        route(["POST"], "/v1/chat/completions", own.chat, asks=ChatRequest),
    ]


class _OpenAI:
    def __init__(self, service: Service) -> None:
        self.service = service

    async def models(self, _: Call[RequestModel]) -> dict[str, Any]:
        """List models."""
        listed = [
            {"id": model.name, "object": "model", "created": 0, "owned_by": "docmt"}
            for model in self.service.models
        ]
        return {"object": "list", "data": listed}

    async def chat(self, call: Call[ChatRequest]) -> dict[str, Any] | Response:
        """Translate the last message of the user."""
        asked, text = call.asked, text_of_user(call.asked.messages)
        answer = {"id": f"chatcmpl-{new_id()}", "created": int(time.time()), "model": asked.model}
        if (of_weblate := WeblateRequest.of(text)) is not None:
            content = await self._strings(call, of_weblate)
        else:
            model = self.service.models.choose(None, None, asked.model)
            if asked.stream:
                parts = self.service.stream(call.request, model, text, call.account)
                first = await anext(parts)  # An error before it is an answer of its own.
                chunks = _chunks(answer, first, parts, call.request)
                return StreamingResponse(chunks, 200, media_type="text/event-stream")
            wanted = TextRequest((text,))
            (done,) = await self.service.translate(call.request, [model], wanted, call.account)
            call.tell_warnings([done])
            content = done.text
        if asked.stream:
            chunks = _chunks(answer, TextPart(content), None, call.request)
            return StreamingResponse(chunks, 200, call.headers, "text/event-stream")
        message = {"role": "assistant", "content": content}
        counts = len(text.split()), len(content.split())
        usage = dict(zip(("prompt_tokens", "completion_tokens"), counts, strict=True))
        return {
            **answer,
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {**usage, "total_tokens": sum(counts)},
        }

    async def _strings(self, call: Call[ChatRequest], wanted: WeblateRequest) -> str:
        """The answer to a request of Weblate."""
        languages = wanted.source_language, wanted.target_language
        model = self.service.models.choose(*languages, call.asked.model)
        translator = await run_in_threadpool(lambda: model.translator)
        follows = "instructions" in translator.gives
        translations: dict[int, TranslatedText] = {}
        for indices, texts in wanted.texts(follows_instructions=follows):
            models = [model] * len(indices)
            done = await self.service.translate(call.request, models, texts, call.account)
            translations.update(zip(indices, done, strict=True))
        ordered = [translations[index] for index in range(len(wanted.strings))]
        call.tell_warnings(ordered)
        return wanted.answer([each.text for each in ordered])


async def _chunks(
    answer: dict[str, Any], first: TextPart, parts: AsyncIterator[TextPart] | None, request: Request
) -> AsyncIterator[str]:
    """The answer as a stream of chunks, one for each part of the text, and the end, which has the
    warnings: the header was sent before them. An error after the first part ends it as an event.

    Args:
        answer: what all chunks have.
        first: the first part.
        parts: the other parts; None if there are none.
        request: the request.
    """

    def event(delta: dict[str, str], reason: str | None = None, **more: object) -> str:
        choices = [{"index": 0, "delta": delta, "finish_reason": reason}]
        chunk = {**answer, "object": "chat.completion.chunk", "choices": choices, **more}
        return f"data: {json_text(chunk)}\n\n"

    warnings = list(first.warnings)
    yield event({"role": "assistant", "content": first.text})
    try:
        if parts is not None:
            async for part in parts:
                warnings += part.warnings
                yield event({"content": part.text})
    except Exception as error:
        failed = service_error(error, request)
        yield f"data: {json_text(error_answer(failed.status, failed.message))}\n\n"
        return
    told = {"warnings": [f"0.{each.sentence} {each.kind}" for each in warnings]} if warnings else {}
    yield event({}, "stop", **told)
    yield "data: [DONE]\n\n"

"""The chat-completions API of OpenAI, for programs that only speak that: the last message of the
user is the text, the name of the model says from and into which language. Prompts are not read.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from docmt.serving.job import new_id
from docmt.serving.request_values import Values
from docmt.serving.service import Service
from docmt.serving.service_errors import ServiceError, answering_errors
from docmt.storage.json_files import json_text
from docmt.translating.texts import TextRequest


def _error(status: int, message: str) -> dict[str, Any]:
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


_answering_errors = answering_errors(_error, statuses={403: 401, 456: 429})


def routes(service: Service) -> list[Route]:
    """The routes of the API.

    Args:
        service: answers.
    """
    api = _OpenAI(service)
    most = 8 * service.settings.char_limit + 65_536
    chat = _answering_errors(api.chat)
    return [
        Route("/v1/models", _answering_errors(api.models), methods=["GET"]),
        Route("/v1/chat/completions", chat, methods=["POST"], max_body_size=most),
    ]


class _OpenAI:
    def __init__(self, service: Service) -> None:
        self.service = service

    async def models(self, request: Request) -> Response:
        """List models."""
        self.service.account_of(request)
        listed = [
            {"id": model.name, "object": "model", "created": 0, "owned_by": "docmt"}
            for model in self.service.models
        ]
        return JSONResponse({"object": "list", "data": listed})

    async def chat(self, request: Request) -> Response:
        """Translate the last message of the user."""
        values = await self.service.values(request)
        account = self.service.account_of(request)
        name = values.text("model")
        if not name:
            raise ServiceError(400, "model is missing")
        model = self.service.models.choose(None, None, name)
        text = _last_text(values)
        wanted = TextRequest((text,))
        (translated,) = await self.service.translate(request, model, wanted, account)
        answer = {"id": f"chatcmpl-{new_id()}", "created": int(time.time()), "model": name}
        if values.flag("stream"):
            return StreamingResponse(
                _chunks(answer, translated.text), media_type="text/event-stream"
            )
        message = {"role": "assistant", "content": translated.text}
        counts = len(text.split()), len(translated.text.split())
        usage = dict(zip(("prompt_tokens", "completion_tokens"), counts, strict=True))
        return JSONResponse(
            {
                **answer,
                "object": "chat.completion",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {**usage, "total_tokens": sum(counts)},
            }
        )


def _last_text(values: Values) -> str:
    """The text of the last message of the user."""
    messages = values.get("messages")
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        raise ServiceError(400, "messages must be a list of objects")
    for message in reversed(messages):
        if message.get("role") != "user":
            continue
        content = message.get("content")
        if isinstance(content, str):
            return content
        parts = content if isinstance(content, list) else [content]
        texts = [
            part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
            for part in parts
        ]
        if not all(isinstance(text, str) for text in texts):
            raise ServiceError(400, "the content of a message must be text")
        return "\n".join(text for text in texts if text is not None)
    raise ServiceError(400, "there is no message of the user")


async def _chunks(answer: dict[str, Any], text: str) -> AsyncIterator[str]:
    """The answer as a stream of one piece."""
    deltas: list[tuple[dict[str, str], str | None]] = [
        ({"role": "assistant", "content": text}, None),
        ({}, "stop"),
    ]
    for delta, reason in deltas:
        choices = [{"index": 0, "delta": delta, "finish_reason": reason}]
        chunk = {**answer, "object": "chat.completion.chunk", "choices": choices}
        yield f"data: {json_text(chunk)}\n\n"
    yield "data: [DONE]\n\n"

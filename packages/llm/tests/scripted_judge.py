"""A judge whose answers are written by the test."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from docmt_llm.chat_model import ChatAnswer, ChatModel, ChatRequest, ContextTooLongError


class ScriptedModel(ChatModel):
    """Answers with what a function gives for what it reads: plain values as JSON, or text.

    Attributes:
        requests: those that were made.
    """

    def __init__(self, answer: Callable[[dict[str, Any], ChatRequest], Any]) -> None:
        self._answer = answer
        self.requests: list[ChatRequest] = []

    @property
    def identity(self) -> dict[str, Any]:
        return {"model": "scripted", "temperature": 0.5}

    async def answer(self, request: ChatRequest) -> ChatAnswer:
        self.requests.append(request)
        data = json.loads(request.messages[-1].content.partition("\n")[0])
        value = self._answer(data, request)
        if isinstance(value, ContextTooLongError):
            raise value
        if isinstance(value, ChatAnswer):
            return value
        return ChatAnswer(value if isinstance(value, str) else json.dumps(value))

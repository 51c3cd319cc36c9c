"""Endpoints of scripted servers, as tests ask them."""

from __future__ import annotations

from typing import Any

from docmt_llm.chat_model import ChatMessage, ChatRequest
from docmt_llm.endpoints.endpoint import Endpoint
from docmt_llm.endpoints.event_loop import run
from docmt_llm.language_model_settings import LanguageModelSettings, PromptSettings

SCHEMA = {
    "type": "object",
    "properties": {"s1": {"type": "string"}},
    "required": ["s1"],
    "additionalProperties": False,
}


def request(text: str = "Good morning.", **keys: Any) -> ChatRequest:
    """A request with a system message and the user's."""
    messages = (ChatMessage("system", "Translate into German."), ChatMessage("user", text))
    return ChatRequest(messages, **{"max_tokens": 50, **keys})


def endpoint(url: str, dialect: str = "openai", *, wait: float = 0.001, **keys: Any) -> Endpoint:
    """The endpoint at a URL, which is asked again after a millisecond."""
    names = PromptSettings.model_fields
    settings = {name: keys.pop(name) for name in list(keys) if name in names}
    system = LanguageModelSettings.read({"url": url, "model": "m", "dialect": dialect, **keys})
    opened = Endpoint.open(system, PromptSettings.read({"timeout": 5, "retries": 3, **settings}))
    opened._client._first_wait = wait
    return opened


def ask(opened: Endpoint, *requests: ChatRequest) -> list[Any]:
    """The answers to requests that are sent at the same time; errors are raised."""

    async def ask_all() -> list[Any]:
        import asyncio

        return await asyncio.gather(*map(opened.answer, requests or (request(),)))

    return run(ask_all())

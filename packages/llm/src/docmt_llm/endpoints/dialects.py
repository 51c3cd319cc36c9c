"""Dialects: differences between chat endpoints in requests and answers.

All endpoints but Ollama's use OpenAI's chat completions. A schema is sent in the documented form of
each server: as `response_format` of the type `json_schema` (OpenAI, vLLM) or of the type
`json_object` with a schema (llama.cpp), or as `format` (Ollama's own API). Unlike Ollama's
imitation of OpenAI's API, Ollama's own API lets docmt set the context size and forbid truncation of
requests.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from docmt_files.storage.json_files import json_text, parse_json
from docmt_llm.chat_model import ChatAnswer, ChatMessage, ChatRequest, FinishReason, TokenUsage

Adjustment = Literal[
    "without schema",
    "without temperature",
    "without seed",
    "max_completion_tokens",
    "no system message",
]
"""A feature an endpoint or model rejects, so docmt leaves it out or writes it differently."""

_REASONS: Mapping[str, FinishReason] = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filter",
    "refusal": "filter",
}
"""Finish reasons other than an end set by the model."""

_WRAPPED = "answer"
"""The key of the object around another JSON value, for endpoints whose schemas must be objects."""

_THOUGHT = ("<think>", "</think>")


_NO_PENALTY = {"repeat_penalty": 1.0}
"""With the default repetition penalty of some servers, terms and names would become less probable
each time they are written."""


class NotAnAnswerError(ValueError):
    """A JSON value is not the answer to a chat."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters common to all requests.

    Attributes:
        model: the name of the model.
        temperature: the sampling temperature.
        max_context_tokens: the requested context size, for endpoints with such a parameter.
    """

    model: str
    temperature: float
    max_context_tokens: int | None = None


class DialectRules(Protocol):
    """The requests and answers of an endpoint."""

    @property
    @abstractmethod
    def path(self) -> str:
        """The path of requests below the base URL."""

    def base_url(self, url: str) -> str:
        """The base URL, given the URL in the recipe."""
        return url.rstrip("/")

    @abstractmethod
    def body(
        self, request: ChatRequest, parameters: Parameters, adjustments: frozenset[Adjustment]
    ) -> dict[str, Any]:
        """The JSON body of a request."""

    @abstractmethod
    def read(self, value: Any, request: ChatRequest, attempts: int) -> ChatAnswer:
        """The answer in a JSON response.

        Raises:
            NotAnAnswerError: the response has no answer.
        """


class ChatCompletions(DialectRules):
    """OpenAI's chat completions.

    Args:
        schema_form: the form of schemas in requests.
        wraps: whether schemas must describe objects, so other schemas are wrapped in one.
        more: further fields of every request.
    """

    def __init__(
        self,
        schema_form: Literal["json_schema", "json_object"] = "json_schema",
        *,
        wraps: bool = False,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        self._schema_form, self._wraps, self._more = schema_form, wraps, dict(more or {})

    @property
    def path(self) -> str:
        return "chat/completions"

    def body(
        self, request: ChatRequest, parameters: Parameters, adjustments: frozenset[Adjustment]
    ) -> dict[str, Any]:
        limit = "max_tokens"
        if "max_completion_tokens" in adjustments:
            limit = "max_completion_tokens"
        body: dict[str, Any] = {
            "model": parameters.model,
            "messages": plain_messages(request.messages, adjustments),
            limit: request.max_tokens,
            "temperature": parameters.temperature,
            "seed": request.seed,
            **self._more,
            **request.fields,
        }
        for key in ("temperature", "seed"):
            if f"without {key}" in adjustments:
                del body[key]
        if request.schema is not None and "without schema" not in adjustments:
            body["response_format"] = self._response_format(request.schema)
        return body

    def _response_format(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        if self._schema_form == "json_object":
            return {"type": "json_object", "schema": schema}
        if self._is_wrapped(schema):
            schema = {
                "type": "object",
                "properties": {_WRAPPED: schema},
                "required": [_WRAPPED],
                "additionalProperties": False,
            }
        named = {"name": "answer", "strict": True, "schema": schema}
        return {"type": "json_schema", "json_schema": named}

    def _is_wrapped(self, schema: Mapping[str, Any]) -> bool:
        return self._wraps and schema.get("type") != "object"

    def read(self, value: Any, request: ChatRequest, attempts: int) -> ChatAnswer:
        try:
            choice = value["choices"][0]
            message = choice["message"]
            text, reason = message.get("content"), choice.get("finish_reason")
            refused = message.get("refusal")
            usage = value.get("usage") or {}
        except (KeyError, IndexError, TypeError, AttributeError):
            raise NotAnAnswerError("an answer without choices") from None
        if not (text is None or isinstance(text, str)):
            raise NotAnAnswerError("an answer whose content is not text")
        finish = _REASONS.get(str(reason), "stop")
        if refused and not text:
            finish = "filter"
        text = without_thoughts(text or "", ended=finish == "stop")
        if request.schema is not None and self._is_wrapped(request.schema):
            text = _unwrapped(text)
        return ChatAnswer(text, finish, _usage(usage), attempts)


class Ollama(DialectRules):
    """Ollama's own interface."""

    @property
    def path(self) -> str:
        return "api/chat"

    def base_url(self, url: str) -> str:
        return url.rstrip("/").removesuffix("/v1")

    def body(
        self, request: ChatRequest, parameters: Parameters, adjustments: frozenset[Adjustment]
    ) -> dict[str, Any]:
        options: dict[str, Any] = {
            "temperature": parameters.temperature,
            "seed": request.seed,
            "num_predict": request.max_tokens,
            **_NO_PENALTY,
        }
        if parameters.max_context_tokens is not None:
            options["num_ctx"] = parameters.max_context_tokens
        body: dict[str, Any] = {
            "model": parameters.model,
            "messages": plain_messages(request.messages, adjustments),
            "stream": False,
            "think": False,
            # A request that is too long is an error, and never cut off.
            "truncate": False,
            "shift": False,
            "options": options,
        }
        if request.schema is not None and "without schema" not in adjustments:
            body["format"] = request.schema
        return body

    def read(self, value: Any, request: ChatRequest, attempts: int) -> ChatAnswer:
        del request
        try:
            text = value["message"]["content"]
            reason = value.get("done_reason")
        except (KeyError, TypeError, AttributeError):
            raise NotAnAnswerError("an answer without a message") from None
        if not isinstance(text, str):
            raise NotAnAnswerError("an answer whose content is not text")
        finish = _REASONS.get(str(reason), "stop")
        usage = TokenUsage(
            prompt=_count(value.get("prompt_eval_count")),
            completion=_count(value.get("eval_count")),
        )
        return ChatAnswer(without_thoughts(text, ended=finish == "stop"), finish, usage, attempts)


_NO_THOUGHTS = {"chat_template_kwargs": {"enable_thinking": False}}
"""Tells chat templates to disable thinking before the answer."""

DIALECTS: Mapping[str, DialectRules] = {
    "openai": ChatCompletions(wraps=True),
    "vllm": ChatCompletions(more=_NO_THOUGHTS),
    "llama.cpp": ChatCompletions("json_object", more=_NO_THOUGHTS | _NO_PENALTY),
    "ollama": Ollama(),
}
"""The dialects of endpoints, by their names in recipes."""


def plain_messages(
    messages: Sequence[ChatMessage], adjustments: frozenset[Adjustment] = frozenset()
) -> list[dict[str, Any]]:
    """Messages as plain values. For a model without system messages, each system message is put at
    the beginning of the next message."""
    plain: list[dict[str, Any]] = []
    before: list[str] = []
    for message in messages:
        if message.role == "system" and "no system message" in adjustments:
            before.append(message.content)
            continue
        text = replace(message, content="\n\n".join([*before, message.content]))
        plain.append({"role": message.role, "content": text.plain_content})
        before = []
    return plain


def without_thoughts(text: str, *, ended: bool) -> str:
    """An answer without the model's thoughts before it, where an endpoint includes them.

    Args:
        ended: whether the model ended the answer.
    """
    begin, end = _THOUGHT
    if not text.lstrip().startswith(begin):
        return text
    _, found, answer = text.partition(end)
    if not found:
        return text if ended else ""
    return answer.lstrip()


def _unwrapped(text: str) -> str:
    """The value in the object around an answer, as JSON; the text itself if there is no such
    object."""
    try:
        value = parse_json(text)
    except ValueError:
        return text
    if isinstance(value, dict) and value.keys() == {_WRAPPED}:
        return json_text(value[_WRAPPED])
    return text


def _usage(usage: Any) -> TokenUsage:
    """The tokens counted by an endpoint."""
    if not isinstance(usage, dict):
        return TokenUsage()
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    if cached is None:
        cached = usage.get("prompt_cache_hit_tokens")  # DeepSeek's name
    prompt = _count(usage.get("prompt_tokens"))
    return TokenUsage(prompt, min(_count(cached), prompt), _count(usage.get("completion_tokens")))


def _count(value: Any) -> int:
    """A number of tokens, or 0 for any other value."""
    return value if isinstance(value, int) and 0 <= value < 1 << 40 else 0

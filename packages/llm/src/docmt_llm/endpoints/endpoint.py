"""`Endpoint`: a large language model behind an HTTP endpoint as a `ChatModel`."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn, Self

from docmt_files.base.errors import InputError, UnavailableError
from docmt_llm.chat_model import (
    ChatAnswer,
    ChatMessage,
    ChatModel,
    ChatRequest,
    ContextTooLongError,
    TokenProbability,
)
from docmt_llm.endpoints.dialects import DIALECTS, Adjustment, NotAnAnswerError, Parameters
from docmt_llm.endpoints.endpoint_keys import find_key
from docmt_llm.endpoints.endpoint_log_probabilities import answer_log_probabilities
from docmt_llm.endpoints.http_client import HttpClient, RefusedError, Reply
from docmt_llm.language_model_settings import LanguageModelSettings, PromptSettings

_TOO_LONG = re.compile(
    r"context.?(length|size|window)|maximum (model|prompt|input) length|too many (input )?tokens|"
    r"(prompt|input|request)s? (is|are|was) too (long|large)|longer than the maximum|"
    r"exceeds? (the )?(available |maximum |max(imum)?_)?(context|number of tokens|token limit)|"
    r"greater than the context",
    re.IGNORECASE,
)
"""Messages of endpoints about requests too long for the model; the wording differs everywhere."""

_ADJUSTMENTS: Sequence[tuple[Adjustment, re.Pattern[str]]] = (
    ("max_completion_tokens", re.compile("max_completion_tokens", re.IGNORECASE)),
    ("no system message", re.compile(r"system (role|message|instruction|prompt)", re.IGNORECASE)),
    ("without temperature", re.compile("temperature", re.IGNORECASE)),
    ("without seed", re.compile(r"\bseed\b", re.IGNORECASE)),
    (
        "without schema",
        re.compile(
            r"response.?format|json.?(schema|object|mode)|\bschema|structured|guided|grammar|"
            r"\bformat\b",
            re.IGNORECASE,
        ),
    ),
)
"""Messages of endpoints about rejected features, with the adjustment for each."""

_LASTING = re.compile(
    "|".join(pattern.pattern for pattern in (_TOO_LONG, dict(_ADJUSTMENTS)["no system message"])),
    re.IGNORECASE,
)

_MAX_NOT_ANSWERS = 3
"""Maximum number of repeated requests after JSON responses without a chat answer."""


class Endpoint(ChatModel):
    """A model behind an endpoint.

    Args:
        system: the model and the URL.
        request: the settings of requests.
        client: sends requests to the base URL of the dialect.
    """

    def __init__(
        self, system: LanguageModelSettings, request: PromptSettings, client: HttpClient
    ) -> None:
        self._system, self._structured = system, request.structured
        self._rules = DIALECTS[system.dialect]
        self._client = client
        self._parameters = Parameters(system.model, request.temperature, system.max_context_tokens)
        self._adjustments: frozenset[Adjustment] = frozenset()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._system.url}, {self._system.model})"

    @classmethod
    def open(cls, system: LanguageModelSettings, request: PromptSettings) -> Self:
        """The model of a recipe. The key comes from the environment.

        Raises:
            InputError: the key cannot be used, or httpx2 is not installed.
        """
        assert system.url is not None, "recipes of endpoints have one"
        client = HttpClient(
            DIALECTS[system.dialect].base_url(system.url),
            find_key(system.key_variable),
            concurrency=request.concurrency,
            timeout=request.timeout,
            retries=request.retries,
            lasting=_LASTING,
        )
        return cls(system, request, client)

    @property
    def identity(self) -> Mapping[str, Any]:
        return {
            "dialect": self._system.dialect,
            "url": self._client.url,
            "model": self._system.model,
            "temperature": self._parameters.temperature,
            "max_context_tokens": self._parameters.max_context_tokens,
            "structured": self._structured,
        }

    @property
    def adjustments(self) -> frozenset[Adjustment]:
        """The features the endpoint has rejected so far."""
        return self._adjustments

    @property
    def gives_log_probabilities(self) -> bool:
        return self._system.dialect == "vllm"

    async def look_up(self, path: str) -> Any | None:
        """The JSON value at a path below the base URL, or at a URL; None if there is nothing.

        Raises:
            InputError: the endpoint cannot be reached, or asks for another key.
        """
        return await self._look_up(self._client.get(path))

    async def send(self, path: str, body: Any) -> Any | None:
        """Do as `look_up`, but send a JSON value."""
        return await self._look_up(self._client.post(path, body))

    async def _look_up(self, asked: Awaitable[Reply]) -> Any | None:
        try:
            return (await asked).value
        except RefusedError as refusal:
            if refusal.status in (401, 403):
                self._raise(refusal)
            return None

    async def answer(self, request: ChatRequest) -> ChatAnswer:
        attempts, adjustments = 0, self._adjustments
        for _ in range(_MAX_NOT_ANSWERS + 1 + len(_ADJUSTMENTS)):
            body = self._rules.body(request, self._parameters, adjustments)
            try:
                reply = await self._client.post(self._rules.path, body)
                answer = self._rules.read(reply.value, request, attempts + reply.attempts)
                self._adjustments |= adjustments
                return self._without_key(answer.within(request.max_tokens))
            except RefusedError as refusal:
                attempts += refusal.attempts
                adjustment = self._adjustment(refusal, request, adjustments)
                if adjustment is None:
                    self._raise(refusal)
                adjustments |= {adjustment}
            except NotAnAnswerError as error:
                attempts += reply.attempts
                reason = str(error)
        raise UnavailableError(
            f"{self._client.host} does not answer as a chat is answered: it gives {reason}",
            cure="Check the URL and system.dialect",
        )

    async def log_probabilities(
        self, messages: Sequence[ChatMessage], answer: str
    ) -> list[TokenProbability]:
        if not self.gives_log_probabilities:
            raise InputError(
                f"{self._client.host} (dialect {self._system.dialect}) does not give "
                "log-probabilities of given text",
                cure="Serve the model with vLLM (dialect: vllm), or run it in this process "
                "(dialect: transformers)",
            )
        try:
            return await answer_log_probabilities(
                self._client, self._parameters.model, messages, answer
            )
        except RefusedError as refusal:
            self._raise(refusal)

    async def close(self) -> None:
        await self._client.close()

    def _without_key(self, answer: ChatAnswer) -> ChatAnswer:
        """The answer; an answer with the endpoint's key counts as withheld."""
        key = self._client.key
        if key is None or not key.is_in(answer.text):
            return answer
        return replace(answer, text="", finish_reason="filter")

    def _adjustment(
        self, refusal: RefusedError, request: ChatRequest, tried: frozenset[Adjustment]
    ) -> Adjustment | None:
        """A change in the form of a request, with which the endpoint may not refuse the request
        again; None if the refusal has another reason."""
        if refusal.status not in (400, 422, 500, 501) or _is_too_long(refusal):
            return None
        can_lack_schema = request.schema is not None and self._structured != "schema"
        for adjustment, pattern in _ADJUSTMENTS:
            if adjustment in tried or (adjustment == "without schema" and not can_lack_schema):
                continue
            # Not all endpoints name the schema when they refuse one.
            if pattern.search(refusal.message) or adjustment == "without schema":
                return adjustment
        return None

    def _raise(self, refusal: RefusedError) -> NoReturn:
        """Raise the error for a refusal.

        Raises:
            ContextTooLongError: the request is too long.
            UnavailableError: further requests will be refused too.
            InputError: this request is refused.
        """
        if _is_too_long(refusal):
            raise ContextTooLongError(refusal.message)
        host, model = self._client.host, self._system.model
        said = f" ({refusal.message})" if refusal.message else ""
        if refusal.status in (401, 403):
            key = self._client.key
            variable = self._system.key_variable
            if key is None:
                raise UnavailableError(
                    f"{host} asks for a key{said}",
                    cure=f"Set the environment variable {variable}, or {variable}_FILE to a file "
                    "with the key",
                )
            raise UnavailableError(
                f"{host} refuses the key in {key.origin}{said}", cure="Correct the key"
            )
        if refusal.status == 404 and re.search("model", refusal.message, re.IGNORECASE):
            raise UnavailableError(
                f"{host} has no model {model!r}{said}",
                cure="Name one that it has as system.model in the run's recipe.yaml",
            )
        if refusal.status in (404, 405):
            raise UnavailableError(
                f"{host} has no chats at {self._client.url}/{self._rules.path} (HTTP status "
                f"{refusal.status}){said}",
                cure="Correct the URL, which most often ends in /v1",
            )
        if refusal.status in (402, 429):
            raise UnavailableError(
                f"{host} takes no more requests{said}", cure="Look at your account there"
            )
        cure = None
        if self._structured == "schema" and _ADJUSTMENTS[-1][1].search(refusal.message):
            cure = "Set request.structured: auto, which asks in words where a schema is refused"
        raise InputError(f"{host} refuses a request: HTTP status {refusal.status}{said}", cure=cure)


def _is_too_long(refusal: RefusedError) -> bool:
    """Return whether a request was refused because of its length."""
    said = f"{refusal.code} {refusal.message}"
    return refusal.status == 413 or (
        refusal.status in (400, 422, 500) and _TOO_LONG.search(said) is not None
    )

"""`ChatModel`: the interface of every large language model. Implementations are an endpoint with
the chat-completions protocol, and a causal model of `transformers` in this process.

A chat model answers one request at a time with text. Some models also give log-probabilities of a
given text. Everything above, from prompts to translated documents, knows only this module.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, runtime_checkable

from docmt_files.base.errors import InputError

Role = Literal["system", "user", "assistant"]
"""The speaker of a message."""

FinishReason = Literal["stop", "length", "filter"]
"""The reason why an answer ends: the model ended it, it reached the maximum number of tokens, or
the endpoint withheld all or some of it."""


_CHARACTERS_PER_TOKEN = 32
"""Maximum number of characters of a token, on average over an answer."""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of a chat.

    Attributes:
        role: the speaker.
        content: the text.
        languages: codes of the source and the target language beside the text, for chat templates
            that demand them.
    """

    role: Role
    content: str
    languages: tuple[str, str] | None = None

    @property
    def plain_content(self) -> str | list[dict[str, str]]:
        """The content as plain values: the text or, with languages, a list of one text."""
        if self.languages is None:
            return self.content
        codes = dict(zip(("source_lang_code", "target_lang_code"), self.languages, strict=True))
        return [{"type": "text", **codes, "text": self.content}]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request to a chat model.

    Attributes:
        messages: the chat so far; the last message is the user's.
        max_tokens: maximum number of tokens of the answer.
        schema: a JSON schema for the answer, a JSON text. Models with constrained decoding are
            forced to meet the schema; for others, the messages alone describe the form. None for
            plain text.
        seed: the sampling seed, for temperatures above 0.
        fields: further fields of the request to an endpoint.
    """

    messages: tuple[ChatMessage, ...]
    max_tokens: int
    schema: Mapping[str, Any] | None = None
    seed: int = 0
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """The number of tokens of requests, as the model counts them.

    Attributes:
        prompt: the tokens of the messages, cached tokens included.
        cached: the tokens of the messages in the model's cache.
        completion: the tokens of the answers.
    """

    prompt: int = 0
    cached: int = 0
    completion: int = 0

    def plus(self, other: TokenUsage) -> TokenUsage:
        """The sum of two counts."""
        return TokenUsage(
            self.prompt + other.prompt,
            self.cached + other.cached,
            self.completion + other.completion,
        )


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """The answer to a request.

    Attributes:
        text: the text of the answer, possibly empty.
        finish_reason: the reason why the answer ends.
        usage: the tokens of request and answer.
        attempts: the number of times the request was sent, 1 or more.
    """

    text: str
    finish_reason: FinishReason = "stop"
    usage: TokenUsage = TokenUsage()
    attempts: int = 1

    def within(self, max_tokens: int) -> ChatAnswer:
        """The answer, cut off if its text is longer than so many tokens can be, because the model
        or the endpoint does not keep to the maximum."""
        limit = max_tokens * _CHARACTERS_PER_TOKEN
        if len(self.text) <= limit:
            return self
        return replace(self, text=self.text[:limit], finish_reason="length")


@dataclass(frozen=True, slots=True)
class TokenProbability:
    """A token of a given text.

    Attributes:
        token: the text of the token.
        log_probability: the natural log-probability of the token, given all tokens before it.
    """

    token: str
    log_probability: float


class ContextTooLongError(Exception):
    """A request has too many tokens for the model's context. A shorter request may be answered."""


@runtime_checkable
class ChatModel(Protocol):
    """A large language model. It never changes, so several tasks may ask it at the same time."""

    @property
    @abstractmethod
    def identity(self) -> Mapping[str, Any]:
        """Everything answers depend on besides the request, as plain values: the endpoint, the name
        and the parameters of the model. It holds no key."""

    @property
    def gives_log_probabilities(self) -> bool:
        """True if `log_probabilities` works."""
        return False

    @abstractmethod
    async def answer(self, request: ChatRequest) -> ChatAnswer:
        """Answer a request. After a temporary failure, such as a busy endpoint, wait and try again.

        Raises:
            ContextTooLongError: the request is too long for the model.
            UnavailableError: there is no such endpoint or model, the key is wrong, or the endpoint
                fails again and again. The message never contains the key.
            InputError: the request is refused for another reason.
        """

    async def log_probabilities(
        self, messages: Sequence[ChatMessage], answer: str
    ) -> list[TokenProbability]:
        """The log-probability of each token of a given answer, the end token included.

        Args:
            messages: the chat before the answer.
            answer: the text.

        Raises:
            ContextTooLongError: messages and answer are too long for the model.
            InputError: the model does not give log-probabilities of given text, or one token covers
                the end of the messages and the beginning of the answer.
        """
        del messages, answer
        raise InputError("this model gives no log-probabilities of given text")

    def costs(self) -> list[str]:
        """The costs of all answers so far, in sentences; none if costs are not counted."""
        return []

    async def close(self) -> None:
        """Close connections."""

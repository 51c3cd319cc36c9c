"""`ChatModel`: what docmt asks of a large language model, whatever runs it. An endpoint that speaks
the chat-completions protocol is one, a causal model of `transformers` in this process another.

A chat model answers one request at a time with text, and some also give log-probabilities of text
that is not theirs. Everything above, from prompts to one sentence for one, knows only this module.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from docmt.ground.errors import InputError

Role = Literal["system", "user", "assistant"]
"""Who says a message of a chat."""

FinishReason = Literal["stop", "length", "filter"]
"""Why an answer ends: the model ended it, it reached the maximum number of tokens, or the endpoint
held (the rest of) it back."""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of a chat.

    Attributes:
        role: who says it.
        content: its text.
    """

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request to a chat model.

    Attributes:
        messages: the chat so far; the last message is the user's.
        max_tokens: the most tokens that the answer may have.
        schema: a JSON schema that the answer, a JSON text, must meet. Models that can be made to
            meet it are; others are told by the messages alone. None for plain text.
        seed: of sampling, where the temperature is above 0.
    """

    messages: tuple[ChatMessage, ...]
    max_tokens: int
    schema: Mapping[str, Any] | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens that requests took, as the model counts them.

    Attributes:
        prompt: of the messages, those of the cache included.
        cached: of these, tokens that the model had read before and kept.
        completion: of the answers.
    """

    prompt: int = 0
    cached: int = 0
    completion: int = 0

    def plus(self, other: TokenUsage) -> TokenUsage:
        """The tokens of both."""
        return TokenUsage(
            self.prompt + other.prompt,
            self.cached + other.cached,
            self.completion + other.completion,
        )


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """The answer to a request.

    Attributes:
        text: what the model says; it may be empty.
        finish_reason: why it ends.
        usage: the tokens of request and answer.
        attempts: how often the request was sent until it was answered, 1 or more.
    """

    text: str
    finish_reason: FinishReason = "stop"
    usage: TokenUsage = TokenUsage()
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class TokenScore:
    """A token of a given text.

    Attributes:
        token: its text.
        log_probability: its natural log-probability, given all before it.
    """

    token: str
    log_probability: float


class ContextTooLongError(Exception):
    """A request has more tokens than the model reads at once. A shorter one may be answered."""


@runtime_checkable
class ChatModel(Protocol):
    """A large language model. It never changes, so several tasks may ask it at a time."""

    @property
    @abstractmethod
    def identity(self) -> Mapping[str, Any]:
        """Everything that answers depend on besides the request, as plain values: the endpoint, the
        model's name, its parameters. It holds no key."""

    @property
    def scores_given_text(self) -> bool:
        """True if `score` works."""
        return False

    @abstractmethod
    async def answer(self, request: ChatRequest) -> ChatAnswer:
        """Answer a request. What passes, such as a busy endpoint, is waited for and tried again.

        Raises:
            ContextTooLongError: the request is too long for the model.
            UnavailableError: there is no such endpoint or model, the key is wrong, or the endpoint
                fails again and again. The message never has the key in it.
            InputError: the request is refused for another reason.
        """

    async def score(self, messages: Sequence[ChatMessage], answer: str) -> list[TokenScore]:
        """Score a given answer: the log-probability of each of its tokens, its end included.

        Args:
            messages: the chat before it.
            answer: the text.

        Raises:
            ContextTooLongError: both together are too long for the model.
            InputError: the model does not give log-probabilities of given text, or its tokens do
                not separate the messages from the answer.
        """
        del messages, answer
        raise InputError("this model gives no log-probabilities of given text")

    def costs(self) -> list[str]:
        """What answers have cost so far, in sentences; none if that is not counted."""
        return []

    async def close(self) -> None:
        """Close connections."""

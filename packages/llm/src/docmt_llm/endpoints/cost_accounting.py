"""`AccountedModel`: a language model with stored answers, counted tokens and a token budget."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from docmt_files.base.errors import UnavailableError
from docmt_files.base.wording import counted
from docmt_llm.answers.answer_store import AnswerStore, request_digest
from docmt_llm.chat_model import (
    ChatAnswer,
    ChatMessage,
    ChatModel,
    ChatRequest,
    TokenProbability,
    TokenUsage,
)
from docmt_llm.language_model_settings import BudgetSettings


class BudgetSpentError(UnavailableError):
    """The token budget is spent."""


@dataclass(slots=True)
class Account:
    """Requests, tokens and time of a model so far.

    Attributes:
        requests: the number of answered requests.
        sent_again: the number of repeated attempts before an answer.
        known: the number of requests with stored answers.
        usage: the tokens of requests and answers, without stored answers.
        began, ended: the times of the first request and of the last answer, in seconds of a
            monotonic clock.
    """

    requests: int = 0
    sent_again: int = 0
    known: int = 0
    usage: TokenUsage = field(default_factory=TokenUsage)
    began: float | None = None
    ended: float = 0.0

    def add(self, answer: ChatAnswer) -> None:
        """Count an answer."""
        self.requests += 1
        self.sent_again += answer.attempts - 1
        self.usage = self.usage.plus(answer.usage)
        self.ended = time.monotonic()

    @property
    def tokens(self) -> int:
        """The number of tokens of requests and answers."""
        return self.usage.prompt + self.usage.completion

    def sentence(self, budget: BudgetSettings) -> str:
        """The requests, tokens, time and price as one sentence."""
        usage = self.usage
        again = f" ({self.sent_again:,} sent again)" if self.sent_again else ""
        cached = f" ({usage.cached:,} cached)" if usage.cached else ""
        parts = [
            f"{counted(self.requests, 'request')}{again}",
            f"{usage.prompt:,} prompt tokens{cached}",
            f"{usage.completion:,} tokens of answers",
        ]
        if self.known:
            parts.insert(1, f"{counted(self.known, 'answer')} known from before")
        if self.began is not None:
            parts.append(f"{max(self.ended - self.began, 0.0):,.1f} s")
        price = budget.price_of(usage.prompt, usage.cached, usage.completion)
        if price is not None:
            parts.append(f"{price:,.4f} {budget.currency}")
        return ", ".join(parts)


class AccountedModel(ChatModel):
    """A model with an account.

    Args:
        model: the model to ask.
        budget: the token limit and the prices.
        answers: the store of answers; None to store none.
        notes: returns notes for the user about the way the model accepts requests, in sentences.
    """

    def __init__(
        self,
        model: ChatModel,
        budget: BudgetSettings,
        answers: AnswerStore | None = None,
        notes: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self.model, self.budget, self.answers, self._notes = model, budget, answers, notes
        self.account = Account()
        self._asking = 0
        self._answered = asyncio.Condition()

    @property
    def identity(self) -> Mapping[str, Any]:
        return self.model.identity

    @property
    def gives_log_probabilities(self) -> bool:
        return self.model.gives_log_probabilities

    async def answer(self, request: ChatRequest) -> ChatAnswer:
        """Answer a request, from the store if possible.

        Raises:
            BudgetSpentError: the budget is spent. Open requests are answered first, and their
                answers stored.
        """
        digest = request_digest(self.identity, request)
        if (known := self.find(digest)) is not None:
            self.account.known += 1
            return known
        await self._check_budget()
        if self.account.began is None:
            self.account.began = time.monotonic()
        self._asking += 1
        try:
            answer = await self.model.answer(request)
            if self.answers is not None:
                self.answers.add(digest, answer)
            self.account.add(answer)
        finally:
            self._asking -= 1
            async with self._answered:
                self._answered.notify_all()
        return answer

    def find(self, digest: str) -> ChatAnswer | None:
        """The stored answer to the request with this digest, or None."""
        return None if self.answers is None else self.answers.find(digest)

    async def _check_budget(self) -> None:
        """Wait until the budget allows another request. Each open request counts as the mean of the
        answered requests."""
        limit = self.budget.max_tokens_total
        if limit is None:
            return
        async with self._answered:
            await self._answered.wait_for(lambda: not self._asking or self._expected() < limit)
        if self._expected() < limit:
            return
        raise BudgetSpentError(
            f"{self.account.tokens:,} tokens are spent, and no more than {limit:,} may be "
            "(budget.max_tokens_total)",
            cure="Run the same command again, which goes on from here and may spend as many again, "
            "or raise the limit",
        )

    def _expected(self) -> float:
        """The number of tokens spent once all open requests are answered."""
        account = self.account
        return account.tokens + self._asking * account.tokens / max(account.requests, 1)

    async def log_probabilities(
        self, messages: Sequence[ChatMessage], answer: str
    ) -> list[TokenProbability]:
        return await self.model.log_probabilities(messages, answer)

    def costs(self) -> list[str]:
        """The costs of all answers so far, in sentences."""
        account = self.account
        if not account.requests and not account.known:
            return []
        sentences = [account.sentence(self.budget), *self._notes()]
        if self.answers is not None and self.answers.problem is not None:
            sentences.append(f"answers are not kept: {self.answers.problem}")
        return sentences

    async def close(self) -> None:
        await self.model.close()

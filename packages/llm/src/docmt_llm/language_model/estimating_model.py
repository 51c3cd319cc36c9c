"""`EstimatingModel` and `LenientChecks`: an estimate of the costs of translations by a language
model, without any request.

All requests are written as for a translation, with source sentences in place of unknown
translations. Tokens are estimated: a token for four bytes of text, and one and a half tokens of the
answer for each word of a sentence. Real tokenizers differ from this by a third and more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from docmt_files.base.wording import counted
from docmt_llm.answers.answer_checks import AnswerChecks, Candidate
from docmt_llm.answers.answer_store import request_digest
from docmt_llm.chat_model import ChatAnswer, ChatModel, ChatRequest, FinishReason, TokenUsage
from docmt_llm.endpoints.cost_accounting import AccountedModel
from docmt_llm.endpoints.request_shapes import MORE_TOKENS
from docmt_llm.prompting.prompt_context import Passage
from docmt_llm.prompting.sentence_task import SentenceTask

_BYTES_PER_TOKEN = 4
_TOKENS_PER_WORD = 1.5

_TOKENS_PER_MESSAGE = 4
"""The tokens for the role of a message."""


class EstimatingModel(ChatModel):
    """Gives stored answers, and counts the other requests without sending them.

    Args:
        model: the model to estimate for.
        max_tokens_factor: `request.max_tokens_factor`, to compute the number of words of a request.
    """

    def __init__(self, model: AccountedModel, max_tokens_factor: float) -> None:
        self._model, self._factor = model, max_tokens_factor
        self._counted: set[str] = set()
        self.requests = self.known = self.max_answer_tokens = 0
        self.usage = TokenUsage()

    @property
    def identity(self) -> Mapping[str, Any]:
        return self._model.identity

    async def answer(self, request: ChatRequest) -> ChatAnswer:
        digest = request_digest(self.identity, request)
        if (known := self._model.find(digest)) is not None:
            self.known += 1
            return known
        if self._model.answers is None or digest not in self._counted:
            self._counted.add(digest)
            self.requests += 1
            self.usage = self.usage.plus(self._estimate(request))
            self.max_answer_tokens += request.max_tokens
        return ChatAnswer("")

    def _estimate(self, request: ChatRequest) -> TokenUsage:
        """The tokens of a request and its answer."""
        prompt = sum(
            ceil(len(message.content.encode("utf-8", "replace")) / _BYTES_PER_TOKEN)
            + _TOKENS_PER_MESSAGE
            for message in request.messages
        )
        words = (request.max_tokens - MORE_TOKENS) / self._factor
        return TokenUsage(prompt, completion=ceil(words * _TOKENS_PER_WORD))

    async def close(self) -> None:
        """Nothing is open."""

    def costs(self) -> list[str]:
        """The estimated costs, in sentences."""
        usage, budget = self.usage, self._model.budget
        price = budget.price_of(usage.prompt, 0, usage.completion)
        parts = [
            counted(self.requests, "request"),
            f"about {usage.prompt:,} prompt tokens",
            f"about {usage.completion:,} tokens of answers",
        ]
        if self.known:
            parts.insert(1, f"{counted(self.known, 'answer')} known from before")
        if price is not None:
            parts.append(f"about {price:,.4f} {budget.currency}")
        costs = [f"nothing was sent; translating takes {', '.join(parts)}"]
        costs.append(
            "bad answers cost more: answers that go on to the maximum "
            f"(request.max_tokens_factor) are {self.max_answer_tokens:,} tokens, and a sentence is "
            "asked for up to four times alone; requests for consistent terms come on top"
        )
        limit = budget.max_tokens_total
        if limit is not None and usage.prompt + usage.completion > limit:
            costs.append(f"the budget is {limit:,} tokens, after which a command stops")
        return costs


@dataclass(frozen=True, slots=True)
class LenientChecks(AnswerChecks):
    """Checks of answers for an estimate: a missing answer counts as the source sentence."""

    def candidates(
        self,
        tasks: Sequence[SentenceTask],
        answers: Mapping[str, str],
        neighbors: Sequence[Passage],
        finish_reason: FinishReason,
        *,
        is_readable: bool,
    ) -> list[Candidate]:
        if not answers:
            return [Candidate(task.source, task.source) for task in tasks]
        return AnswerChecks.candidates(
            self, tasks, answers, neighbors, finish_reason, is_readable=is_readable
        )

"""`UnaskedModel` and `IndulgentChecks`: with them, a translator finds out what translations of a
language model would cost, without sending a request.

Documents go through all that writes requests, with their source sentences in place of translations
that are not known. Tokens are estimated: four bytes of text are a token, and an answer has one and
a half for each word of its sentences. Tokenizers differ by a third and more from that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from docmt.ground.wording import counted
from docmt.language_models.accounting import AccountedModel
from docmt.language_models.answer_checks import AnswerChecks, Candidate
from docmt.language_models.answer_store import request_digest
from docmt.language_models.chat import ChatAnswer, ChatModel, ChatRequest, FinishReason, TokenUsage
from docmt.language_models.prompt_context import PromptContext
from docmt.language_models.sentence_task import SentenceTask
from docmt.language_models.shapes import MORE_TOKENS

_BYTES_PER_TOKEN = 4
_TOKENS_PER_WORD = 1.5

_TOKENS_PER_MESSAGE = 4
"""The tokens that say whose a message is."""


class UnaskedModel(ChatModel):
    """Gives answers that are known, and counts requests that would be sent.

    Args:
        model: would answer.
        max_tokens_factor: `request.max_tokens_factor`, by which the words of a request are known.
    """

    def __init__(self, model: AccountedModel, max_tokens_factor: float) -> None:
        self._model, self._factor = model, max_tokens_factor
        self._counted: set[str] = set()
        self.requests = self.known = 0
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
        """What would be sent, in sentences."""
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
        costs.append("requests for what is answered badly, and for consistent terms, come on top")
        limit = budget.max_tokens_total
        if limit is not None and usage.prompt + usage.completion > limit:
            costs.append(f"the budget is {limit:,} tokens, after which a command stops")
        return costs


@dataclass(frozen=True, slots=True)
class IndulgentChecks(AnswerChecks):
    """Checks of answers that take the source sentence where there is no answer."""

    def candidates(
        self,
        tasks: Sequence[SentenceTask],
        answers: Mapping[str, str],
        context: PromptContext,
        finish_reason: FinishReason,
        *,
        is_readable: bool,
    ) -> list[Candidate]:
        if not answers:
            return [Candidate(task.source, task.source) for task in tasks]
        return AnswerChecks.candidates(
            self, tasks, answers, context, finish_reason, is_readable=is_readable
        )

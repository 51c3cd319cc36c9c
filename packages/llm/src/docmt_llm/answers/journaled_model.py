"""`JournaledModel`: a large language model with a journal of answers, so an interrupted translation
does not ask for them again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast, get_args

from docmt_llm.answers.answer_store import request_digest
from docmt_llm.chat_model import (
    ChatAnswer,
    ChatMessage,
    ChatModel,
    ChatRequest,
    FinishReason,
    TokenProbability,
)
from docmt_nmt.translators.translator import Journal


class JournaledModel(ChatModel):
    """A model with a journal.

    Args:
        model: answers requests missing from the journal.
        journal: stores each answer with a digest of the request. Answers are read only as far as
            needed, so a second translation with the same journal finds its own answers.
    """

    def __init__(self, model: ChatModel, journal: Journal) -> None:
        self._model, self._journal = model, journal
        self._known: dict[str, ChatAnswer] = {}

    @property
    def identity(self) -> Mapping[str, Any]:
        return self._model.identity

    async def answer(self, request: ChatRequest) -> ChatAnswer:
        digest = request_digest(self.identity, request)
        while digest not in self._known and (value := self._journal.next()) is not None:
            try:
                known, text, reason = map(str, value)
            except (TypeError, ValueError):
                self._journal.discard()
                break
            if reason in get_args(FinishReason):
                self._known[known] = ChatAnswer(text, cast("FinishReason", reason))
        if digest in self._known:
            return self._known[digest]
        answer = await self._model.answer(request)
        self._journal.add([digest, answer.text, answer.finish_reason])
        return answer

    async def log_probabilities(
        self, messages: Sequence[ChatMessage], answer: str
    ) -> list[TokenProbability]:
        return await self._model.log_probabilities(messages, answer)

    async def close(self) -> None:
        await self._model.close()

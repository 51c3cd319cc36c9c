"""Shapes of requests to a large language model, by which every sentence gets an answer of its own.

`OneSentence` asks for the translation of one sentence, as one JSON string: whatever the model
answers, it is for this sentence. `Batch` asks for several, under ids: a JSON schema has one
required key for each id and allows no others, so a model that is made to meet it can drop or add
none. Without a schema, answers are taken by their ids, never by their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Literal, Protocol

import regex

from docmt.language_models.answer_reading import read_object, read_string
from docmt.language_models.chat import ChatAnswer, ChatMessage, ChatRequest
from docmt.language_models.prompt_context import PromptContext
from docmt.language_models.prompts import Prompts
from docmt.language_models.sentence_task import SentenceTask
from docmt.storage.json_files import json_text

MORE_TOKENS = 64
"""Tokens that an answer may have besides those for the words of its sentences."""

_WORD = regex.compile(
    r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}"
    r"\p{Script=Lao}\p{Script=Myanmar}]|[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]"
)
"""A word, a punctuation mark, or a character of a script without spaces between words."""


class Shape(Protocol):
    """How sentences are asked for."""

    def request(self, tasks: Sequence[SentenceTask], context: PromptContext) -> ChatRequest:
        """The request for the translations of some sentences."""

    def read(self, answer: ChatAnswer, tasks: Sequence[SentenceTask]) -> Mapping[str, str] | None:
        """The translations that an answer has, by the ids of the sentences; None if it has not the
        form that was asked for."""

    def correction(
        self, task: SentenceTask, context: PromptContext, translation: str, faults: Sequence[str]
    ) -> ChatRequest:
        """The request to correct the translation of one sentence, given what is wrong with it in
        phrases."""


@dataclass(frozen=True, slots=True)
class RequestWriter:
    """Writes requests.

    Attributes:
        prompts: the prompts.
        structured: whether the model is made to meet a schema.
        max_tokens_factor: tokens that an answer may have for each word of its sentences.
        seed: of sampling.
    """

    prompts: Prompts
    structured: Literal["auto", "schema", "none"]
    max_tokens_factor: float
    seed: int

    def request(
        self, messages: Sequence[ChatMessage], text: str, schema: Mapping[str, Any] | None = None
    ) -> ChatRequest:
        """A request.

        Args:
            messages: the chat.
            text: what the answer translates; the longer it is, the longer the answer may be.
            schema: what the answer must meet.
        """
        words = max(len(_WORD.findall(text)), len(text.encode("utf-8", "replace")) // 12)
        max_tokens = ceil(self.max_tokens_factor * words) + MORE_TOKENS
        schema = None if self.structured == "none" else schema
        return ChatRequest(tuple(messages), max_tokens, schema, self.seed)

    def correction(
        self, request: ChatRequest, answer: str, faults: Sequence[str], key: str | None
    ) -> ChatRequest:
        """The request to correct an answer.

        Args:
            request: the request for one sentence that was answered.
            answer: the answer, as it should have been written.
            faults: what is wrong with it, in phrases.
            key: the id of the sentence, if the answer has one.
        """
        asked = self.prompts.messages("correct", faults=faults, id=key)
        messages = (*request.messages, ChatMessage("assistant", answer), *asked)
        return replace(request, messages=messages)


@dataclass(frozen=True, slots=True)
class OneSentence:
    """One sentence a request; the answer is one JSON string.

    Attributes:
        writer: writes requests.
    """

    writer: RequestWriter

    def request(self, tasks: Sequence[SentenceTask], context: PromptContext) -> ChatRequest:
        (task,) = tasks
        data = {**context.data, **task.demands, "sentence": task.sentence.text}
        messages = self.writer.prompts.messages("sentence", data=data)
        # Not all endpoints take a schema of a text that is not in an object, and none is needed.
        schema = {"type": "string"} if self.writer.structured == "schema" else None
        return self.writer.request(messages, task.sentence.text, schema)

    def read(self, answer: ChatAnswer, tasks: Sequence[SentenceTask]) -> Mapping[str, str] | None:
        (task,) = tasks
        text = read_string(answer.text, is_complete=answer.finish_reason == "stop")
        return None if text is None else {task.id: text}

    def correction(
        self, task: SentenceTask, context: PromptContext, translation: str, faults: Sequence[str]
    ) -> ChatRequest:
        request = self.request([task], context)
        return self.writer.correction(request, json_text(translation), faults, None)


@dataclass(frozen=True, slots=True)
class Batch:
    """Several sentences a request; the answer is one JSON object.

    Attributes:
        writer: writes requests.
    """

    writer: RequestWriter

    def request(self, tasks: Sequence[SentenceTask], context: PromptContext) -> ChatRequest:
        ids = [task.id for task in tasks]
        demands: dict[str, dict[str, Any]] = {}
        for task in tasks:
            for key, value in task.demands.items():
                demands.setdefault(key, {})[task.id] = value
        sentences = {task.id: task.sentence.text for task in tasks}
        data = {**context.data, **demands, "sentences": sentences}
        messages = self.writer.prompts.messages("batch", data=data, ids=ids)
        text = " ".join(["s1 :", *(f"{task.id} : {task.sentence.text}" for task in tasks)])
        return self.writer.request(messages, text, schema_of(ids))

    def read(self, answer: ChatAnswer, tasks: Sequence[SentenceTask]) -> Mapping[str, str] | None:
        return read_object(answer.text, {task.id: task.sentence.text for task in tasks})

    def correction(
        self, task: SentenceTask, context: PromptContext, translation: str, faults: Sequence[str]
    ) -> ChatRequest:
        request = self.request([task], context)
        answer = json_text({task.id: translation})
        return self.writer.correction(request, answer, faults, task.id)


def schema_of(ids: Sequence[str]) -> dict[str, Any]:
    """The JSON schema of an object with one text for each id and nothing else."""
    return {
        "type": "object",
        "properties": {key: {"type": "string"} for key in ids},
        "required": list(ids),
        "additionalProperties": False,
    }

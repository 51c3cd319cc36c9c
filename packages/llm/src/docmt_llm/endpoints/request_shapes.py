"""Shapes of requests to a large language model, for one translation of each sentence.

`OneSentence` asks for the translation of one sentence, as one JSON string: every answer belongs to
this sentence. `SentenceBatch` asks for several sentences under ids. Its JSON schema has one
required key for each id and allows no others, so constrained decoding can neither drop nor add a
sentence. Without a schema, answers are matched by id, never by order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Literal, Protocol

import regex

from docmt_files.storage.json_files import json_text
from docmt_llm.answers.answer_reading import read_object, read_string
from docmt_llm.chat_model import ChatAnswer, ChatMessage, ChatRequest
from docmt_llm.prompting.prompt_context import PromptContext
from docmt_llm.prompting.prompts import Prompts
from docmt_llm.prompting.sentence_task import SentenceTask

MORE_TOKENS = 64
"""Tokens of an answer in addition to the tokens for the words of the sentences."""

_WORD = regex.compile(
    r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}"
    r"\p{Script=Lao}\p{Script=Myanmar}]|[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]"
)
"""A word, a punctuation mark, or a character of a script without spaces between words."""


_STRING = {"type": "string"}
"""The schema of one text."""


class Shape(Protocol):
    """The shape of requests for sentences."""

    def request(self, tasks: Sequence[SentenceTask], context: PromptContext) -> ChatRequest:
        """The request for the translations of some sentences."""

    def read(self, answer: ChatAnswer, tasks: Sequence[SentenceTask]) -> Mapping[str, str] | None:
        """The translations in an answer, by sentence id; None if the answer does not have the
        requested form."""

    @property
    def corrects(self) -> bool:
        """True if the model can be asked to correct a translation."""
        return True

    def correction(
        self, task: SentenceTask, context: PromptContext, translation: str, faults: Sequence[str]
    ) -> ChatRequest:
        """The request to correct the translation of one sentence, given its faults in phrases."""


@dataclass(frozen=True, slots=True)
class RequestWriter:
    """Writes requests.

    Attributes:
        prompts: the prompts.
        structured: whether a schema constrains the answers.
        max_tokens_factor: maximum number of tokens of an answer per word of the sentences.
        seed: the sampling seed.
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
            text: the text to translate, from which the maximum length of the answer is computed.
            schema: the schema of the answer.
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
            request: the answered request for one sentence.
            answer: the answer in the requested form.
            faults: the faults of the answer, in phrases.
            key: the id of the sentence, or None for an answer without ids.
        """
        asked = self.prompts.messages("correct", faults=faults, id=key)
        messages = (*request.messages, ChatMessage("assistant", answer), *asked)
        return replace(request, messages=messages)


@dataclass(frozen=True, slots=True)
class OneSentence(Shape):
    """One sentence per request; the answer is one JSON string.

    Attributes:
        writer: writes requests.
    """

    writer: RequestWriter

    def request(self, tasks: Sequence[SentenceTask], context: PromptContext) -> ChatRequest:
        (task,) = tasks
        data = {**context.data, **task.demands, "sentence": task.sentence.text}
        prompts = self.writer.prompts
        turns = [
            (prompts.messages("sentence", data={"sentence": source})[-1], json_text(target))
            for source, target in context.turns
        ]
        messages = _after(turns, prompts.messages("sentence", data=data))
        return self.writer.request(messages, task.sentence.text, _STRING)

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
class SentenceBatch(Shape):
    """Several sentences per request; the answer is one JSON object.

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
        prompts = self.writer.prompts
        turns = []
        if context.turns:
            sides = zip(*context.turns, strict=True)
            source, target = ({f"b{n}": text for n, text in enumerate(s, 1)} for s in sides)
            said = prompts.messages("batch", data={"sentences": source}, ids=list(source))
            turns = [(said[-1], json_text(target))]
        messages = _after(turns, prompts.messages("batch", data=data, ids=ids))
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


def _after(
    turns: Sequence[tuple[ChatMessage, str]], messages: Sequence[ChatMessage]
) -> list[ChatMessage]:
    """The messages of a request after earlier turns of the user and the model."""
    *system, asked = messages
    said = [one for user, answer in turns for one in (user, ChatMessage("assistant", answer))]
    return [*system, *said, asked]


def schema_of(ids: Sequence[str]) -> dict[str, Any]:
    """The JSON schema of an object with one text for each id and nothing else."""
    return {
        "type": "object",
        "properties": {key: {"type": "string"} for key in ids},
        "required": list(ids),
        "additionalProperties": False,
    }

"""What a large language model is asked about a document beside its translations: the proper nouns
of a sentence, and the earlier sentences that help with the next.

The mechanisms are those of DelTA (Wang et al. 2024): proper-noun records keep the first translation
of each name, and a long-term memory recalls sentences from further back than those just before. Our
reading where the published program leaves room: a name counts if the sentence has it and the
translation has the translation of it, so that a model cannot invent records, and if it is not in
lower case; and a sentence that is
given as one just before is not recalled as well.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import regex

from docmt_files.base.languages import primary_language
from docmt_llm.answers.answer_reading import read_object, read_pairs
from docmt_llm.chat_model import ChatAnswer, ChatRequest, ContextTooLongError
from docmt_llm.endpoints.request_counts import RequestCounts
from docmt_llm.endpoints.request_shapes import RequestWriter, schema_of
from docmt_llm.prompting.prompt_context import Passage
from docmt_llm.prompting.prompts import PromptName
from docmt_nmt.text.word_lists import FUNCTION_WORDS

_PAIRS = {"type": "object", "additionalProperties": {"type": "string"}}
"""The schema of names with their translations."""

_MAX_NAMES = 200
"""Maximum number of names of a document."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks the model about a document.

    Attributes:
        ask: returns the answer to a request.
        writer: writes requests.
        counts: counts the requests.
    """

    ask: Callable[[ChatRequest], Awaitable[ChatAnswer]]
    writer: RequestWriter
    counts: RequestCounts

    async def answer(
        self, name: PromptName, text: str, schema: Mapping[str, Any], **values: Any
    ) -> str:
        """The answer to a request; empty if there is none, or it is cut off.

        Args:
            name: the kind of request.
            text: a text as long as the answer.
            schema: the schema of the answer.
            values: the values of the prompt.
        """
        messages = self.writer.prompts.messages(name, **values)
        try:
            answer = await self.ask(self.writer.request(messages, text, schema))
        except ContextTooLongError:
            return ""
        self.counts.requests += 1
        return answer.text if answer.finish_reason == "stop" else ""

    async def names(self, source: str, target: str) -> dict[str, str]:
        """The proper nouns of a sentence with their translations, as the model names them."""
        data = Passage(source, target).data
        found = read_pairs(await self.answer("names", source, _PAIRS, data=data))
        return {
            name: translation
            for name, translation in found.items()
            if _is_name(name) and translation and name in source and translation in target
        }

    async def recalled(self, sentences: Mapping[str, str], query: str, most: int) -> list[str]:
        """The ids of so many sentences that help to translate another, as the model chooses."""
        keys = [str(number) for number in range(1, most + 1)]
        data = {"sentences": sentences, "sentence": query}
        text = " : ".join([*keys, *list(sentences)[:most]])
        answer = await self.answer("recall", text, schema_of(keys), data=data, keys=keys)
        chosen = read_object(answer, dict.fromkeys(keys, "")) or {}
        return [key for key in sentences if key in chosen.values()]


def _is_name(text: str) -> bool:
    """True if a text may be a name: of several characters, and not all in lower case."""
    return len(text) > 1 and (text != text.lower() or text == text.upper())


@dataclass(slots=True)
class NameRecords:
    """The first translation of each name of a document."""

    _first: dict[str, str] = field(default_factory=dict)

    def add(self, pairs: Mapping[str, str]) -> None:
        """Add names with their translations; names that are there keep theirs."""
        for name, translation in pairs.items():
            if len(self._first) < _MAX_NAMES:
                self._first.setdefault(name, translation)

    def find(self, *sentences: str) -> tuple[Passage, ...]:
        """The names in some sentences, in the order of their records."""
        return tuple(
            Passage(name, translation)
            for name, translation in self._first.items()
            if any(name in sentence for sentence in sentences)
        )


def most_alike(sentences: Mapping[str, str], query: str, most: int, language: str) -> list[str]:
    """The ids of so many sentences that share the rarest words with another. Function words do not
    count, nor does a sentence without a common word.

    >>> most_alike({"s1": "The harbor was full.", "s2": "It was late."}, "Which harbor?", 1, "en")
    ['s1']
    """
    left_out = FUNCTION_WORDS.get(primary_language(language), frozenset())
    words = {key: _words(text) - left_out for key, text in sentences.items()}
    wanted = _words(query)
    having = {word: sum(word in own for own in words.values()) for word in wanted}
    weights = {key: sum(1 / having[word] for word in own & wanted) for key, own in words.items()}
    order = {key: number for number, key in enumerate(sentences)}
    # Of two that are alike, the nearer one.
    alike = sorted(sentences, key=lambda key: (weights[key], order[key]), reverse=True)
    return sorted((key for key in alike[:most] if weights[key]), key=order.__getitem__)


def _words(text: str) -> set[str]:
    """The words of a text in lower case."""
    return set(regex.findall(r"[\p{L}\p{M}\p{N}]+", text.lower()))


def recall_candidates(
    source: Sequence[str], targets: Sequence[str | None], start: int, window: int, before: int
) -> dict[int, str]:
    """The translated sentences that can be recalled for the sentence at an index, by index.

    Args:
        source, targets: the sentences and the translations known so far.
        start: the index.
        window: the number of sentences before it that are remembered.
        before: the number of sentences just before it, which are given anyway.
    """
    indices = range(max(start - window, 0), max(start - before, 0))
    return {i: source[i] for i in indices if source[i].strip() and targets[i] is not None}

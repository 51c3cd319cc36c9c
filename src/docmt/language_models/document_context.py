"""`DocumentContext`: the context of sentences while a document is translated: surrounding
sentences, headings, names and a summary.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from docmt.language_models.answer_reading import read_object
from docmt.language_models.chat_model import ChatAnswer, ChatRequest, ContextTooLongError
from docmt.language_models.misplaced_text import REACH
from docmt.language_models.name_translations import NameTranslations
from docmt.language_models.prompt_context import Passage, PromptContext
from docmt.language_models.refusals import Refusals
from docmt.language_models.request_counts import RequestCounts
from docmt.language_models.request_shapes import RequestWriter, schema_of
from docmt.recipes.language_model_settings import PromptContextSettings

_MAX_SUMMARY = 4000
"""Maximum number of characters of a summary. A longer text is not used."""

_SUMMARY_TEXT = "word " * 60
"""A text of the length of a summary, to size the answer."""


class DocumentContext:
    """The sentences of a document and the translations known so far.

    Args:
        source: the sentences.
        headings: the level of each heading, from 1, by sentence index.
        known: given translations of all sentences, if any, used as they are; None for a sentence
            still to be translated.
        settings: the context the model reads.
        languages: the codes of the source and of the target language.
    """

    def __init__(
        self,
        source: Sequence[str],
        headings: Mapping[int, int],
        known: Sequence[str | None] | None,
        settings: PromptContextSettings,
        languages: tuple[str, str],
    ) -> None:
        self._source, self._settings, self._languages = source, settings, languages
        self._targets: list[str | None] = [None] * len(source)
        self._headings = _headings_above(len(source), headings if settings.headings else {})
        self._names = NameTranslations(languages)
        self._summary: Passage | None = None
        for index, target in enumerate(known or ()):
            if target is not None:
                self.add(index, target)

    def add(self, index: int, target: str) -> None:
        """Add the translation of a sentence."""
        self._targets[index] = target
        if self._settings.translations and self._settings.names:
            self._names.add(self._source[index], target)

    def around(self, start: int, end: int) -> PromptContext:
        """The context of the sentences with indices from `start` to `end` − 1."""
        settings = self._settings
        before = range(max(start - settings.sentences_before, 0), start)
        after = self._source[end : end + settings.sentences_after]
        return PromptContext(
            before=tuple(self._passage(i) for i in before if self._source[i].strip()),
            after=tuple(sentence for sentence in after if sentence.strip()),
            headings=tuple(self._passage(i) for i in self._headings[start]),
            names=self._names.find(*self._source[start:end]),
            summary=self._summary,
        )

    def neighbors(self, start: int, end: int) -> list[Passage]:
        """The sentences around the sentences with indices from `start` to `end` − 1, with the
        translations known so far, whether or not the model reads them."""
        before = range(max(start - REACH, 0), start)
        after = range(end, min(end + REACH, len(self._source)))
        return [Passage(self._source[i], self._targets[i]) for i in (*before, *after)]

    def _passage(self, index: int) -> Passage:
        target = self._targets[index] if self._settings.translations else None
        return Passage(self._source[index], target)

    async def summarize(
        self,
        start: int,
        end: int,
        writer: RequestWriter,
        ask: Callable[[ChatRequest], Awaitable[ChatAnswer]],
        counts: RequestCounts,
    ) -> None:
        """Ask the model for a new summary, after some more sentences. Without a usable answer, the
        previous summary stays.

        Args:
            start, end: the indices of the first of these sentences, and after the last.
            writer: writes the request.
            ask: returns the answer to a request.
            counts: counts the request.
        """
        both = self._settings.summary == "both"
        keys = ["source", "target"] if both else ["source"]
        passages = [
            Passage(self._source[index], self._targets[index] if both else None).data
            for index in range(start, end)
            if self._source[index].strip()
        ]
        data: dict[str, Any] = {"sentences": passages}
        if self._summary is not None:
            data = {"summary": self._summary.data, **data}
        messages = writer.prompts.messages("summary", data=data, both=both)
        request = writer.request(messages, _SUMMARY_TEXT, schema_of(keys))
        try:
            answer = await ask(request)
        except ContextTooLongError:
            return
        counts.requests += 1
        texts = read_object(answer.text, dict.fromkeys(keys, "")) or {}
        summary = [" ".join(texts.get(key, "").split()) for key in keys]
        refusals = Refusals((self._languages[1], self._languages[0]))
        if answer.finish_reason == "stop" and all(
            text and len(text) <= _MAX_SUMMARY and not refusals.find("", text) for text in summary
        ):
            self._summary = Passage(*summary)


def _headings_above(sentences: int, levels: Mapping[int, int]) -> list[tuple[int, ...]]:
    """For each sentence, the indices of the headings above it, the highest level first. Consecutive
    sentences of the same heading level are one heading."""
    above: list[tuple[int, ...]] = []
    open_: list[int] = []
    for index in range(sentences):
        level = levels.get(index, 0)
        goes_on = level and levels.get(index - 1) == level
        if level and not goes_on:
            open_ = [i for i in open_ if levels[i] < level]
        above.append(tuple(i for i in open_ if i != index))
        if level:
            open_.append(index)
    return above

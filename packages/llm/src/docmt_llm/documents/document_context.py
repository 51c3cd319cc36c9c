"""`DocumentContext`: the context of sentences while a document is translated: surrounding
sentences, headings, names and a summary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from docmt_llm.answers.answer_reading import read_object
from docmt_llm.answers.misplaced_text import REACH
from docmt_llm.answers.refusals import Refusals
from docmt_llm.documents.document_memory import Asker, NameRecords, most_alike, recall_candidates
from docmt_llm.endpoints.request_shapes import schema_of
from docmt_llm.language_model_settings import PromptContextSettings
from docmt_llm.prompting.name_translations import NameTranslations
from docmt_llm.prompting.prompt_context import Passage, PromptContext

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
        self._records = NameRecords()
        self._summary: Passage | None = None
        for index, target in enumerate(known or ()):
            if target is not None:
                self.add(index, target)

    def add(self, index: int, target: str) -> None:
        """Add the translation of a sentence."""
        self._targets[index] = target
        settings = self._settings
        if settings.translations and settings.names and settings.names_from == "counts":
            self._names.add(self._source[index], target)

    def around(self, start: int, end: int, recalled: Sequence[int] = ()) -> PromptContext:
        """The context of the sentences with indices from `start` to `end` − 1.

        Args:
            recalled: the indices of sentences from further back.
        """
        settings = self._settings
        names = self._records if settings.names_from == "model" else self._names
        before = range(max(start - settings.sentences_before, 0), start)
        after = self._source[end : end + settings.sentences_after]
        return PromptContext(
            before=tuple(self._passage(i) for i in before if self._source[i].strip()),
            after=tuple(sentence for sentence in after if sentence.strip()),
            headings=tuple(self._passage(i) for i in self._headings[start]),
            names=names.find(*self._source[start:end]),
            summary=self._summary,
            recalled=tuple(self._passage(i) for i in recalled if i < start),
            is_chat=settings.turns,
        )

    async def recall(self, start: int, end: int, asker: Asker) -> list[int]:
        """The indices of earlier sentences that help with the sentences from `start` to `end` − 1,
        by common words or by the choice of the model. As many as are wanted, or fewer, need no
        choice."""
        settings = self._settings
        most = settings.recalled_sentences
        if not most or not settings.translations:
            return []
        candidates = recall_candidates(
            self._source, self._targets, start, settings.recall_window, settings.sentences_before
        )
        if len(candidates) <= most:
            return list(candidates)
        by_id = {f"s{index + 1}": text for index, text in candidates.items()}
        query = " ".join(self._source[start:end])
        if settings.recall_by == "model":
            chosen = await asker.recalled(by_id, query, most)
        else:
            chosen = most_alike(by_id, query, most, self._languages[0])
        return [index for index, key in zip(candidates, by_id, strict=True) if key in chosen]

    async def record_names(self, index: int, asker: Asker) -> None:
        """Ask the model for the names of a translated sentence, if it is to name them."""
        settings, target = self._settings, self._targets[index]
        is_asked = settings.translations and settings.names and settings.names_from == "model"
        if is_asked and target is not None:
            self._records.add(await asker.names(self._source[index], target))

    def neighbors(self, start: int, end: int) -> list[Passage]:
        """The sentences around the sentences with indices from `start` to `end` − 1, with the
        translations known so far, whether or not the model reads them."""
        before = range(max(start - REACH, 0), start)
        after = range(end, min(end + REACH, len(self._source)))
        return [Passage(self._source[i], self._targets[i]) for i in (*before, *after)]

    def _passage(self, index: int) -> Passage:
        target = self._targets[index] if self._settings.translations else None
        return Passage(self._source[index], target)

    async def summarize(self, start: int, end: int, asker: Asker) -> None:
        """Ask the model for a new summary, after some more sentences. Without a usable answer, the
        previous summary stays.

        Args:
            start, end: the indices of the first of these sentences, and after the last.
            asker: asks the model.
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
        answer = await asker.answer("summary", _SUMMARY_TEXT, schema_of(keys), data=data, both=both)
        texts = read_object(answer, dict.fromkeys(keys, "")) or {}
        summary = [" ".join(texts.get(key, "").split()) for key in keys]
        refusals = Refusals((self._languages[1], self._languages[0]))
        if all(
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

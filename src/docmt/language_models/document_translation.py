"""`DocumentTranslation`: the way of a document through a large language model, sentence by sentence
or some at a time, in order where translations are read.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from docmt.data.translation_checks import check_translation
from docmt.ground.documents import Alternative, Document, SentenceWarning, Translation
from docmt.language_models.answer_checks import AnswerChecks
from docmt.language_models.chat import ChatAnswer, ChatRequest
from docmt.language_models.document_context import DocumentContext
from docmt.language_models.event_loop import for_each
from docmt.language_models.faults import FAULTS
from docmt.language_models.ladder import Ladder, Outcome
from docmt.language_models.request_counts import RequestCounts
from docmt.language_models.sentence_task import SentenceTask
from docmt.language_models.shapes import Batch, OneSentence, RequestWriter, Shape
from docmt.recipes.language_model_settings import PromptContextSettings, PromptSettings


@dataclass(frozen=True, slots=True)
class Means:
    """What documents are translated with.

    Attributes:
        ask: gives the answer to a request.
        writer: writes requests.
        checks: what is wrong with answers.
        context: what the model reads besides sentences.
        settings: how it is asked.
        languages: the codes of the source and of the target language.
    """

    ask: Callable[[ChatRequest], Awaitable[ChatAnswer]]
    writer: RequestWriter
    checks: AnswerChecks
    context: PromptContextSettings
    settings: PromptSettings
    languages: tuple[str, str]

    @property
    def shape(self) -> Shape:
        """How sentences are asked for."""
        kind = OneSentence if self.settings.shape == "sentence" else Batch
        return kind(self.writer)

    @property
    def group_size(self) -> int:
        """The most sentences of a request."""
        return 1 if self.settings.shape == "sentence" else self.settings.batch_sentences


@dataclass(slots=True)
class DocumentTranslation:
    """A document on its way.

    Attributes:
        document: the document.
        tasks: its sentences that are to be translated, by their indices in ascending order. The
            others have no words, or keep their translations.
        headings: the level of each sentence that is a heading, by its index.
        known: translations of all sentences that are read instead of those that are made.
        keeps_known: whether sentences that are not to be translated have these translations, and
            not their source.
        means: what it is translated with.
        on_outcome: called after each sentence.
        counts: what was asked.
    """

    document: Document
    tasks: Mapping[int, SentenceTask]
    headings: Mapping[int, int]
    known: Sequence[str] | None
    keeps_known: bool
    means: Means
    on_outcome: Callable[[], None]
    counts: RequestCounts = field(default_factory=RequestCounts)
    _outcomes: dict[int, Outcome] = field(default_factory=dict, init=False)

    async def run(self) -> None:
        """Translate it."""
        means = self.means
        context = DocumentContext(
            self.document.source, self.headings, self.known, means.context, means.languages
        )
        if self.known is None:
            for index, sentence in enumerate(self.document.source):
                if index not in self.tasks:
                    context.add(index, sentence)
        is_ordered = means.context.translations and self.known is None

        async def translate(group: Sequence[SentenceTask]) -> None:
            ladder = Ladder(means.ask, means.shape, means.checks, context.around, self.counts)
            async for outcome in ladder.translate(group):
                self._outcomes[outcome.index] = outcome
                if self.known is None and not outcome.is_kept:
                    context.add(outcome.index, outcome.text)
                self.on_outcome()

        for start, end in self._sections():
            most = 1 if is_ordered else means.settings.concurrency
            await for_each(translate, self._groups(start, end), most)
            if end < len(self.document):
                await context.summarize(start, end, means.writer, means.ask, self.counts)

    def translation(self) -> Translation:
        """The translated document, after `run`."""
        source = self.document.source
        target = [sentence if sentence.strip() else "" for sentence in source]
        if self.keeps_known and self.known is not None:
            target = list(self.known)
        for index, outcome in self._outcomes.items():
            target[index] = outcome.text
        document = Document(self.document.id, source).translated(target)
        scores = (0.0,) * len(target)
        groups = {task.index: len(group) for group in self._all_groups() for task in group[:1]}
        inside = {task.index for group in self._all_groups() for task in group[1:]}
        return Translation(
            document,
            scores,
            chunks=tuple(groups.get(i, 1) for i in range(len(target)) if i not in inside),
            truncated=(),
            alternatives=(Alternative(tuple(target), scores),),
            warnings=tuple(self._warnings(document)),
            codes={
                index: outcome.codes
                for index, outcome in sorted(self._outcomes.items())
                if outcome.codes is not None
            },
        )

    def _warnings(self, document: Document) -> Iterator[SentenceWarning]:
        """What a reader should look at."""
        usual: dict[int, list[SentenceWarning]] = {}
        for warning in check_translation(document, self.means.checks.thresholds):
            usual.setdefault(warning.sentence, []).append(warning)
        for index, outcome in sorted(self._outcomes.items()):
            if outcome.is_kept:
                words = " and ".join(FAULTS[fault.kind].words for fault in outcome.faults)
                detail = f"the model gave answers {words}"
                yield SentenceWarning(index, "not-translated", detail)
                continue
            for kind in ("codes", "terms"):
                details = [fault.detail for fault in outcome.faults if fault.kind == kind]
                if details:
                    yield SentenceWarning(index, kind, "; ".join(details))
            found = usual.get(index, [])
            yield from found
            copied = any(fault.kind == "copied" for fault in outcome.faults)
            if copied and all(warning.kind != "copy" for warning in found):
                yield SentenceWarning(index, "copy", "the same as the source")

    def _sections(self) -> list[tuple[int, int]]:
        """The sentences after which the summary is written anew, as the first of each section and
        one more than its last; all of the document if there is no summary."""
        size = len(self.document)
        settings = self.means.context
        if settings.summary == "off" or self.known is not None:
            return [(0, size)]
        return list(pairwise([*range(0, size, settings.summary_sentences), size]))

    def _groups(self, start: int, end: int) -> Iterator[list[SentenceTask]]:
        """The sentences of a section that are asked for at once. Where one between them keeps its
        translation, another group begins."""
        group: list[SentenceTask] = []
        for index in range(start, end):
            task = self.tasks.get(index)
            if task is not None:
                group.append(task)
            ends = task is None and self.keeps_known
            if group and (len(group) == self.means.group_size or ends):
                yield group
                group = []
        if group:
            yield group

    def _all_groups(self) -> Iterator[list[SentenceTask]]:
        for start, end in self._sections():
            yield from self._groups(start, end)

"""`DocumentTranslation`: the translation of one document by a large language model, one or several
sentences at a time. Where the model reads earlier translations, sentences are translated in order.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise

from docmt_files.base.documents import Document, SentenceWarning, WarningKind
from docmt_llm.answers.answer_checks import AnswerChecks
from docmt_llm.answers.answer_faults import FAULTS, Fault
from docmt_llm.answers.misplaced_text import find_shared_text
from docmt_llm.chat_model import ChatAnswer, ChatRequest
from docmt_llm.documents.answer_retries import AnswerRetries, Outcome
from docmt_llm.documents.document_context import DocumentContext
from docmt_llm.documents.document_memory import Asker
from docmt_llm.endpoints.event_loop import for_each
from docmt_llm.endpoints.profile_shape import PlainSentence
from docmt_llm.endpoints.profiles import Profile
from docmt_llm.endpoints.request_counts import RequestCounts
from docmt_llm.endpoints.request_shapes import OneSentence, RequestWriter, SentenceBatch, Shape
from docmt_llm.language_model_settings import PromptContextSettings, PromptSettings
from docmt_llm.prompting.sentence_task import SentenceTask
from docmt_nmt.base.translations import TranslatedSentence, Translation, warnings_by_sentence
from docmt_nmt.translators.checks.translation_checks import check_translation


@dataclass(frozen=True, slots=True)
class TranslationSetup:
    """The model, the prompts and the settings of a translation.

    Attributes:
        ask: returns the answer to a request.
        writer: writes requests.
        checks: finds the faults of answers.
        context: the context the model reads.
        settings: the settings of requests.
        languages: the codes of the source and of the target language.
        profile: the profile of a model that is made for translating.
        has_template: whether the server has the chat template of such a model.
    """

    ask: Callable[[ChatRequest], Awaitable[ChatAnswer]]
    writer: RequestWriter
    checks: AnswerChecks
    context: PromptContextSettings
    settings: PromptSettings
    languages: tuple[str, str]
    profile: Profile | None = None
    has_template: bool = True

    @property
    def shape(self) -> Shape:
        """The shape of requests for sentences."""
        if self.profile is not None:
            return PlainSentence(self.writer, self.profile, self.languages, self.has_template)
        kind = OneSentence if self.settings.shape == "sentence" else SentenceBatch
        return kind(self.writer)

    @property
    def group_size(self) -> int:
        """Maximum number of sentences per request."""
        is_one = self.settings.shape == "sentence" or self.profile is not None
        return 1 if is_one else self.settings.batch_sentences


@dataclass(slots=True)
class DocumentTranslation:
    """The translation of a document.

    Attributes:
        document: the document.
        tasks: the sentences to translate, by index in ascending order. Other sentences have no
            words, or keep their translations.
        headings: the level of each heading, by sentence index.
        known: given translations of all sentences. The model reads them in place of the new
            translations. None for a sentence that continues the translations before it.
        keeps_known: whether the other sentences keep their known translations; if not, their source
            stays.
        setup: the model, the prompts and the settings.
        on_outcome: called after each sentence.
        counts: counts of requests.
    """

    document: Document
    tasks: Mapping[int, SentenceTask]
    headings: Mapping[int, int]
    known: Sequence[str | None] | None
    keeps_known: bool
    setup: TranslationSetup
    on_outcome: Callable[[], None]
    counts: RequestCounts = field(default_factory=RequestCounts)
    _outcomes: dict[int, Outcome] = field(default_factory=dict, init=False)

    @property
    def _reads_new(self) -> bool:
        """True if the model reads new translations."""
        return self.known is None or None in self.known

    async def run(self) -> None:
        """Translate the document."""
        setup = self.setup
        context = DocumentContext(
            self.document.source, self.headings, self.known, setup.context, setup.languages
        )
        if self.known is None:
            for index, sentence in enumerate(self.document.source):
                if index not in self.tasks:
                    context.add(index, sentence)
        is_ordered = setup.context.translations and self._reads_new
        asker = Asker(setup.ask, setup.writer, self.counts)

        async def translate(group: Sequence[SentenceTask]) -> None:
            recalled = await context.recall(group[0].index, group[-1].index + 1, asker)
            retries = AnswerRetries(
                setup.ask,
                setup.shape,
                setup.checks,
                partial(context.around, recalled=recalled),
                context.neighbors,
                self.counts,
                setup.settings.batch_probes,
            )
            async for outcome in retries.translate(group):
                self._outcomes[outcome.index] = outcome
                is_read = self.known is None or self.known[outcome.index] is None
                if is_read and not outcome.is_kept:
                    context.add(outcome.index, outcome.text)
                    await context.record_names(outcome.index, asker)
                self.on_outcome()

        for start, end in self._sections():
            most = 1 if is_ordered else setup.settings.concurrency
            await for_each(translate, self._groups(start, end), most)
            if end < len(self.document):
                await context.summarize(start, end, asker)

    def translation(self) -> Translation:
        """The translated document, after `run`."""
        source = self.document.source
        target = [sentence if sentence.strip() else "" for sentence in source]
        if self.keeps_known and self.known is not None:
            pairs = zip(self.known, target, strict=True)
            target = [own if known is None else known for known, own in pairs]
        for index, outcome in self._outcomes.items():
            target[index] = outcome.text
        groups = {task.index: len(group) for group in self._all_groups() for task in group[:1]}
        inside = {task.index for group in self._all_groups() for task in group[1:]}
        translation = Translation(
            self.document.id,
            tuple(map(TranslatedSentence, source, target)),
            chunks=tuple(groups.get(i, 1) for i in range(len(target)) if i not in inside),
        )
        found = dict(self._warnings(translation.document))
        return translation.with_sentences(
            replace(sentence, warnings=found.get(index, ()), codes=self._codes(index))
            for index, sentence in enumerate(translation.sentences)
        )

    def _codes(self, index: int) -> tuple[int, ...]:
        """The offsets of the inline codes in the translation of a sentence, if they are known."""
        outcome = self._outcomes.get(index)
        return outcome.codes if outcome is not None and outcome.codes is not None else ()

    def _warnings(self, document: Document) -> Iterator[tuple[int, tuple[SentenceWarning, ...]]]:
        """Warnings for a reader about each sentence that has been translated."""
        checks = self.setup.checks
        usual = warnings_by_sentence(
            check_translation(document, checks.thresholds, checks.languages), len(document)
        )
        shared = self._shared_text(document)
        for index, outcome in self._outcomes.items():
            yield index, tuple(_warnings(outcome, usual[index], shared.get(index, ())))

    def _shared_text(self, document: Document) -> dict[int, list[Fault]]:
        """The faults of translations with text of a sentence near them, by sentence index."""
        assert document.target is not None
        translated = {
            index: document.target[index]
            for index in self.tasks
            if index in self._outcomes and not self._outcomes[index].is_kept
        }
        faults: dict[int, list[Fault]] = {}
        for index, fault in find_shared_text(dict(enumerate(document.source)), translated):
            faults.setdefault(index, []).append(fault)
        return faults

    def _sections(self) -> list[tuple[int, int]]:
        """The first and last index (exclusive) of each section. A new summary is written after
        every section but the last. Without summaries, the document is one section."""
        size = len(self.document)
        settings = self.setup.context
        if settings.summary == "off" or not self._reads_new:
            return [(0, size)]
        return list(pairwise([*range(0, size, settings.summary_sentences), size]))

    def _groups(self, start: int, end: int) -> Iterator[list[SentenceTask]]:
        """The sentences of each request in a section. A sentence with a kept translation ends a
        group."""
        group: list[SentenceTask] = []
        for index in range(start, end):
            task = self.tasks.get(index)
            if task is not None:
                group.append(task)
            ends = task is None and self.keeps_known
            if group and (len(group) == self.setup.group_size or ends):
                yield group
                group = []
        if group:
            yield group

    def _all_groups(self) -> Iterator[list[SentenceTask]]:
        for start, end in self._sections():
            yield from self._groups(start, end)


def _warnings(
    outcome: Outcome, usual: Sequence[SentenceWarning], shared: Sequence[Fault]
) -> Iterator[SentenceWarning]:
    """The warnings about a sentence.

    Args:
        outcome: the outcome of the requests for it.
        usual: the warnings of checks for every translator.
        shared: the faults of text that belongs to a sentence near it.
    """
    if outcome.is_kept:
        words = " and ".join(FAULTS[fault.kind].words for fault in outcome.faults)
        yield SentenceWarning("not-translated", f"the model gave answers {words}")
        return
    kinds = {warning.kind for warning in usual}
    details: dict[WarningKind, list[str]] = {}
    for fault in (*outcome.faults, *shared):
        kind = fault.rule.warning
        if kind is not None and kind not in kinds:
            details.setdefault(kind, []).append(fault.detail)
    for found, of_kind in details.items():
        yield SentenceWarning(found, "; ".join(dict.fromkeys(of_kind)))
    yield from usual

"""`LanguageModelTranslator`: documents in, translated documents out, by a large language model.

Several documents are translated at a time, with as many concurrent requests as the recipe allows.
Where the model reads its own translations, the sentences of a document are translated in order.
Every source sentence gets exactly one target sentence (`answer_retries`), from an answer for this
sentence alone or from the text under the sentence's id; otherwise it stays untranslated, with a
warning.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self
from weakref import WeakKeyDictionary

from docmt_files import has_word
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.messages import Message
from docmt_files.base.wording import counted
from docmt_llm.answers.answer_checks import AnswerChecks
from docmt_llm.answers.journaled_model import JournaledModel
from docmt_llm.chat_model import ChatAnswer, ChatModel, ChatRequest
from docmt_llm.documents.document_translation import DocumentTranslation, TranslationSetup
from docmt_llm.endpoints.cost_accounting import AccountedModel
from docmt_llm.endpoints.event_loop import for_each, run, with_heartbeat
from docmt_llm.endpoints.profiles import Profile
from docmt_llm.endpoints.request_counts import SharedCounts
from docmt_llm.endpoints.request_shapes import RequestWriter
from docmt_llm.language_model.estimating_model import EstimatingModel, LenientChecks
from docmt_llm.language_model_settings import PromptContextSettings, PromptSettings
from docmt_llm.prompting.placeholders import Placeholders, can_be_placeholders
from docmt_llm.prompting.prompt_context import Passage
from docmt_llm.prompting.prompts import Prompts
from docmt_llm.prompting.sentence_task import SentenceTask
from docmt_nmt.base.translations import Translation
from docmt_nmt.translators.language_set import LanguageSet
from docmt_nmt.translators.requests import Revision, SentenceIndex, TranslationRequest
from docmt_nmt.translators.term_uses import find_uses
from docmt_nmt.translators.translator import (
    CostMeter,
    Feature,
    Journal,
    Plan,
    ProgressCallback,
    Translator,
    check_instructions,
    digest_of_translation,
    planned,
)

_NO_EFFECT = ("concurrency", "timeout", "retries", "keep_answers", "prompts")
"""Keys of the section `request` without an effect on translations; the texts of `prompts` count,
not the folder."""

_NOTHING_ASKED: dict[str, Any] = {"instructions": "", "formality": "default", "descriptions": []}

_HEARTBEAT = 1.0
"""Seconds between repeated calls of the progress callback. The callback may end the translation,
even while an endpoint does not answer."""


@dataclass(frozen=True, eq=False)
class LanguageModelTranslator(Translator):
    """Translates documents with a large language model. It never changes; threads may share it.

    Attributes:
        model: the model.
        language_codes: the codes of the source and of the target language.
        context: the context the model reads besides the sentences to translate.
        request: the settings of requests.
        prompts: docmt's prompts, or the prompts of `request.prompts`.
        checks: the checks of answers.
        all_languages: the codes of all languages of the run; none if it is of one pair.
        profile: the profile of a model that is made for translating.
        has_template: whether the server has the chat template of such a model.
        counts: the requests since the last call of `notes`.
        slots: the limit on concurrent requests of each event loop, the same for all pairs.
    """

    model: ChatModel
    language_codes: tuple[str, str]
    context: PromptContextSettings
    request: PromptSettings
    prompts: Prompts
    checks: AnswerChecks
    all_languages: tuple[str, ...] = ()
    profile: Profile | None = None
    has_template: bool = True
    counts: SharedCounts = field(default_factory=SharedCounts)
    slots: MutableMapping[asyncio.AbstractEventLoop, asyncio.Semaphore] = field(
        default_factory=WeakKeyDictionary, repr=False
    )

    @classmethod
    def of(
        cls,
        model: ChatModel,
        languages: tuple[str, str],
        context: PromptContextSettings | None = None,
        request: PromptSettings | None = None,
        all_languages: tuple[str, ...] = (),
        profile: Profile | None = None,
        *,
        has_template: bool = True,
    ) -> Self:
        """The translator of a model, with the prompts of the settings.

        Raises:
            InputError: the prompts cannot be used.
        """
        request = request or PromptSettings()
        return cls(
            model,
            languages,
            context or PromptContextSettings(),
            request,
            Prompts(languages, request.prompts),
            AnswerChecks.of(languages),
            all_languages,
            profile,
            has_template,
        )

    @property
    def languages(self) -> tuple[str, str]:
        return self.language_codes

    @property
    def language_set(self) -> LanguageSet:
        if not self.all_languages:
            return super().language_set
        return LanguageSet(self.all_languages, self.all_languages)

    def between(self, source: str, target: str) -> Self:
        pair = self.language_set.pair(source, target)
        if not self.all_languages or pair == self.languages:
            return self
        return replace(
            self,
            language_codes=pair,
            prompts=self.prompts.between(*pair),
            checks=AnswerChecks.of(pair),
            counts=SharedCounts(),
        )

    @property
    def gives(self) -> frozenset[Feature]:
        features: set[Feature] = {"sentences", "words", "revisions", "contexts"}
        if self.profile is None and self.prompts.show_instructions(self.request.shape):
            features.add("instructions")
        return frozenset(features)

    def can_keep(self, sentence: str, words: Sequence[str]) -> bool:
        del sentence
        return can_be_placeholders(words)

    def plan(self, request: TranslationRequest) -> Plan:
        if request.n_best > 1:
            raise InputError(
                "a language model gives one translation of each sentence",
                cure="Leave out `n_best`",
                parameters=("n_best",),
            )
        check_instructions(self, request)
        cautions = []
        if request.glossary is not None and self.profile is not None and not self.profile.terms:
            cautions.append(
                f"{self.profile.name} cannot be told the terms of the glossary; sentences without "
                "are marked"
            )
        elif request.glossary is not None:
            cautions.append(
                "a language model is asked for the terms of the glossary, and once more where they "
                "are missing, but cannot be made to write them; sentences without are marked"
            )
        return Plan(request, tuple(cautions))

    def fingerprint(self, request: TranslationRequest) -> str | None:
        settings = self.request.model_dump()
        glossary = request.glossary
        values = {
            "model": dict(self.model.identity),
            "languages": self.languages,
            "prompts": self.prompts.digest,
            **({"profile": repr(self.profile)} if self.profile is not None else {}),
            "context": self.context.model_dump(),
            "request": {key: settings[key] for key in settings if key not in _NO_EFFECT},
            "terms": list(map(str, glossary.terms)) if glossary is not None else [],
            "sentences": [repr(document.sentences) for document in request.sources],
        }
        asked = {"instructions": request.instructions, "formality": request.formality}
        if any(asked.values()) and asked != _NOTHING_ASKED:
            values["asked"] = asked
        documents = [*request.plain_documents, *(request.contexts or ())]
        if request.contexts is None:
            documents = [Document(each.id, each.source) for each in documents]
        return digest_of_translation(values, documents)

    @property
    def meter(self) -> CostMeter | None:
        is_counted = isinstance(self.model, AccountedModel | EstimatingModel)
        return _Meter(self) if is_counted else None

    def notes(self, request: TranslationRequest, translations: Sequence[Translation]) -> list[str]:
        del request
        counts = self.counts.take()
        sentences = sum(len(translation.document) for translation in translations)
        first = (
            f"{counted(len(translations), 'document')}, {counted(sentences, 'sentence')}, "
            f"translated with {counted(counts.requests, 'answer')} of the model"
        )
        return [Message(first, kind="counts"), *counts.notes()]

    def translate(
        self,
        request: TranslationRequest | Plan | Sequence[Document],
        *,
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        plan = planned(self, request)
        model = self.model if journal is None else JournaledModel(self.model, journal)
        return run(self._translate(plan.request, model, progress))

    async def _translate(
        self, request: TranslationRequest, model: ChatModel, progress: ProgressCallback | None
    ) -> list[Translation]:
        """Translate documents, several at a time."""
        slots = self._slots()

        async def ask(asked: ChatRequest) -> ChatAnswer:
            async with slots:
                answer = await model.answer(asked)
            return answer.within(asked.max_tokens)

        settings = self.request
        prompts = self.prompts.with_instructions(request.instructions, request.formality)
        writer = RequestWriter(
            prompts, settings.structured, settings.max_tokens_factor, settings.seed
        )
        setup = TranslationSetup(
            ask,
            writer,
            self.checks,
            self.context,
            settings,
            self.languages,
            self.profile,
            self.has_template,
        )
        translations: dict[int, Translation] = {}
        done, total = 0, request.size

        def advance(sentences: int = 1) -> None:
            nonlocal done
            done += sentences
            if progress is not None and sentences:
                progress(done, total)

        async def translate(owner: int) -> None:
            tasks = self._tasks(request, owner)
            advance(len(request.sources[owner]) - len(tasks))
            document = _translation(request, owner, tasks, setup, advance)
            try:
                await document.run()
            finally:
                self.counts.add(document.counts)
            translations[owner] = document.translation()

        owners = range(len(request.sources))
        all_translated = for_each(translate, owners, settings.concurrency)
        if progress is None:
            await all_translated
        else:
            await with_heartbeat(all_translated, lambda: progress(done, total), _HEARTBEAT)
        return [translations[owner] for owner in range(len(request.sources))]

    def _slots(self) -> asyncio.Semaphore:
        """The limit on concurrent requests, common to all translations of all threads."""
        loop = asyncio.get_running_loop()  # a forked process has another
        if loop not in self.slots:
            self.slots[loop] = asyncio.Semaphore(self.request.concurrency)
        return self.slots[loop]

    def _tasks(self, request: TranslationRequest, owner: int) -> Mapping[int, SentenceTask]:
        """The sentences of a document to translate: sentences with words and, in a revision, only
        the revised sentences."""
        glossary = request.glossary
        if glossary is not None:
            glossary = glossary.normalized(self.normalize)
        revision = request.revision
        tasks = {}
        for index, given in enumerate(request.sources[owner].sentences):
            source, words, similar = given.text, given.protected, given.similar
            if not has_word(source) or (revision and (owner, index) not in revision.sentences):
                continue
            required = revision.required.get((owner, index), ()) if revision else ()
            sentence = Placeholders.of(source, words, given.codes)
            tasks[index] = SentenceTask(
                index,
                sentence,
                tuple(find_uses(glossary, source, words)) if glossary is not None else (),
                tuple(map(tuple, required)),
                Passage(similar.source, similar.target) if similar is not None else None,
                _to_correct(revision, (owner, index), sentence),
                given.note,
            )
        return tasks


def _to_correct(
    revision: Revision | None, index: SentenceIndex, sentence: Placeholders
) -> str | None:
    """The known translation of a sentence, if it is to be corrected."""
    if revision is None or not revision.corrected:
        return None
    target = (revision.known[index[0]].target or ())[index[1]]
    return sentence.marked(target, revision.known_codes.get(index, ()))


@dataclass(frozen=True, slots=True)
class _Meter(CostMeter):
    """The costs of a language model."""

    translator: LanguageModelTranslator

    def spent(self) -> list[str]:
        return self.translator.model.costs()

    def estimator(self) -> Translator:
        translator = self.translator
        if not isinstance(translator.model, AccountedModel):
            return translator  # an estimator already
        model = EstimatingModel(translator.model, translator.request.max_tokens_factor)
        checks = LenientChecks.of(translator.languages)
        return replace(translator, model=model, checks=checks, counts=SharedCounts())


def _translation(
    request: TranslationRequest,
    owner: int,
    tasks: Mapping[int, SentenceTask],
    setup: TranslationSetup,
    on_outcome: Any,
) -> DocumentTranslation:
    """The translation of one document of a request, not yet run."""
    revision, known = request.revision, request.contexts
    if revision is not None:
        known = known or revision.known
    targets: Sequence[str | None] | None = known[owner].target if known is not None else None
    if targets is not None and revision is not None and revision.continued:
        targets = [None if index in tasks else text for index, text in enumerate(targets)]
    document = request.sources[owner]
    headings = {i: each.heading for i, each in enumerate(document.sentences) if each.heading}
    return DocumentTranslation(
        document.plain, tasks, headings, targets, revision is not None, setup, on_outcome
    )

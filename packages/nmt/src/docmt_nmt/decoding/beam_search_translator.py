"""`BeamSearchTranslator`: documents in, translated documents out, by a system of docmt.

A document is encoded and cut, by its source alone, into the instances its system was trained on, at
sentence boundaries and nowhere else (`translation_plan`); these are searched in batches
(`instance_search`), and every source sentence gets exactly one target sentence, unless the
sentences of an instance are joined (`instances.join_sentences`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Self, Unpack

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike
from docmt_nmt.base.extras import has_torch
from docmt_nmt.base.translations import Translation
from docmt_nmt.data import InstanceSettings
from docmt_nmt.decoding.assembling import SlidingWindow, translated_sentences, without_empty
from docmt_nmt.decoding.compiled_choice import chosen_compiled
from docmt_nmt.decoding.compiled_system import CompiledSystem
from docmt_nmt.decoding.deferred_system import DeferredSystem
from docmt_nmt.decoding.instance_search import InstanceSearch, SearchBatch
from docmt_nmt.decoding.literal_finder import LiteralFinder
from docmt_nmt.decoding.plan_search import PlanSearch
from docmt_nmt.decoding.processes import check_processes
from docmt_nmt.decoding.search_notes import search_notes
from docmt_nmt.decoding.translation_plan import SearchPlan, make_plan, requires_words
from docmt_nmt.recipes.merging import merge_section
from docmt_nmt.recipes.search import SearchOverrides, SearchSettings
from docmt_nmt.runs.bundled import DEFAULT
from docmt_nmt.runs.open_run import open_trained
from docmt_nmt.runs.trained_run import TrainedRun
from docmt_nmt.text import EncodedDocument, Pipeline
from docmt_nmt.translators.checks.translation_checks import CheckThresholds
from docmt_nmt.translators.language_set import LanguageSet
from docmt_nmt.translators.repairs import translate
from docmt_nmt.translators.requests import TranslationRequest
from docmt_nmt.translators.translator import (
    Feature,
    Journal,
    Plan,
    ProgressCallback,
    Translator,
    check_instructions,
    digest_of_translation,
    request_of,
)

if TYPE_CHECKING:
    import torch

    from docmt_nmt.contexts import ContextDocument, ContextEncoders
    from docmt_nmt.systems import System


@dataclass(frozen=True, eq=False)
class BeamSearchTranslator(Translator):
    """Translates documents with a trained system. It never changes; threads may share it. `of`
    makes one from a run, and `build` from a system.

    Attributes:
        system: the system, in eval mode and in the precision of the search; of a compiled run, to
            be loaded when it is needed (`eager`).
        pipeline: its text pipeline.
        instances: how documents are cut.
        search: how translations are found.
        contexts: the encoders that the system attends to, if there are any.
        thresholds: thresholds of warnings; default: `CheckThresholds.default`.
        run: the run that it was loaded from, if it was.
        first_pass: the translator of the target context that the system reads, where the search
            names one (`search.first_pass`).
        search_batch: searches batches; default: this translator does.
        processes: the number of processes that search, None for as many as are fastest.
        precision_note: a note about a precision, or a compiled form, that was chosen.
        compiled: the compiled form of the run, if small batches are searched in it.

    Raises:
        InputError: the search does not fit the system or the instances.
    """

    system: System | DeferredSystem
    pipeline: Pipeline
    instances: InstanceSettings
    search: SearchSettings
    contexts: ContextEncoders | None = None
    thresholds: CheckThresholds | None = None
    run: TrainedRun | None = None
    first_pass: BeamSearchTranslator | None = None
    search_batch: SearchBatch | None = None
    processes: int | None = 1
    precision_note: str = ""
    compiled: CompiledSystem | None = None

    def __post_init__(self) -> None:
        self.search.check(self.instances, self.system.writing_order)

    @classmethod
    def build(
        cls,
        system: System,
        pipeline: Pipeline,
        instances: InstanceSettings,
        search: SearchSettings,
        contexts: ContextEncoders | None = None,
        thresholds: CheckThresholds | None = None,
        run: TrainedRun | None = None,
    ) -> Self:
        """Make the translator of a system, which is put in eval mode; where the search is of
        another precision than `fp32`, of a copy of the system.

        Raises:
            InputError: the search does not fit the system or the instances, or the run that is to
                make the first pass cannot be used.
        """
        # They need torch.
        from docmt_nmt.nn import in_precision
        from docmt_nmt.nn.fastest_precision import chosen_precision

        search.check(instances, system.writing_order)
        precision, note = chosen_precision(system, search.precision)
        first_pass = None
        if search.first_pass is not None:
            device = next(system.parameters()).device
            first_pass = cls.load(search.first_pass, device=str(device))
        return cls(
            in_precision(system, precision).eval(),
            pipeline,
            instances,
            search.model_copy(update={"precision": precision}),
            contexts,
            thresholds,
            run,
            first_pass,
            precision_note=note,
        )

    @classmethod
    def load(
        cls,
        run: PathLike = DEFAULT,
        *,
        device: str | None = None,
        **overrides: Unpack[SearchOverrides],
    ) -> Self:
        """Load the translator of a run directory.

        Args:
            run: the directory. Default: the bundled model.
            device, overrides: as for `of`.

        Raises:
            InputError: the directory is not a trained run, or an override is not valid.

        >>> BeamSearchTranslator.load(beam_size=2).languages
        ('en', 'de')
        """
        return cls.of(open_trained(run), device=device, **overrides)

    @classmethod
    def of(
        cls, loaded: TrainedRun, *, device: str | None = None, **overrides: Unpack[SearchOverrides]
    ) -> Self:
        """Make the translator of a run.

        Args:
            loaded: the run.
            device: where to compute; default: a GPU if there is one.
            overrides: keys of the recipe's `search` section, such as `beam_size=1`; None keeps the
                value of the recipe.

        Raises:
            InputError: the run has no weights that fit it, or an override is not valid.
        """
        given = {key: value for key, value in overrides.items() if value is not None}
        if not has_torch():
            given.setdefault("precision", "auto")  # There may be one form alone.
        search_settings = loaded.recipe.search.model_dump()
        settings = SearchSettings.read(merge_section(search_settings, given, [SearchSettings]))
        compiled, note = chosen_compiled(loaded.directory, settings, device)
        if compiled is None:
            translator = cls._eagerly(loaded, settings, device)
            notes = [text for text in (translator.precision_note, note) if text]
            return replace(translator, precision_note="; ".join(notes))
        return cls.over(compiled, loaded, settings, note)

    @classmethod
    def over(
        cls, compiled: CompiledSystem, loaded: TrainedRun, settings: SearchSettings, note: str = ""
    ) -> Self:
        """Make the translator of a run over the compiled form.

        Args:
            compiled: the compiled form.
            loaded: the run.
            settings: the search, whose precision is that of the compiled form.
            note: a note for the user.
        """
        settings = settings.model_copy(update={"precision": compiled.manifest.precision})
        return cls(
            DeferredSystem(lambda: cls._eagerly(loaded, settings, "cpu").eager),
            loaded.pipeline,
            loaded.recipe.instances,
            settings,
            thresholds=loaded.thresholds(),
            run=loaded,
            precision_note=note,
            compiled=compiled,
        )

    @classmethod
    def _eagerly(cls, loaded: TrainedRun, settings: SearchSettings, device: str | None) -> Self:
        """The translator of a run by PyTorch alone; arguments as for `of`."""
        # They need torch.
        from docmt_nmt.contexts import ContextEncoders
        from docmt_nmt.nn import prepack_weights
        from docmt_nmt.nn.devices import chosen_device
        from docmt_nmt.recipes.recipe import check_contexts
        from docmt_nmt.runs.system_run import SystemRun

        if not isinstance(loaded, SystemRun):
            loaded = SystemRun.load(loaded.directory)
        device = chosen_device(device)
        if settings.precision == "int8" and device != "cpu":
            raise InputError("precision int8 needs a CPU", cure="Set device cpu, or precision bf16")
        check_contexts(loaded.recipe.model_copy(update={"search": settings}))
        contexts = ContextEncoders.of(loaded.recipe.system, loaded.pipeline.special_tokens, device)
        translator = cls.build(
            loaded.system(device),
            loaded.pipeline,
            loaded.recipe.instances,
            settings,
            contexts,
            loaded.thresholds(),
            loaded,
        )
        return replace(translator, system=prepack_weights(translator.eager))

    @property
    def eager(self) -> System:
        """The system of PyTorch, which is loaded now if it was not needed before."""
        return self.system.loaded if isinstance(self.system, DeferredSystem) else self.system

    def searching_by(self, search_batch: SearchBatch) -> Self:
        """A translator with the same system whose batches another one searches, such as together
        with the batches of other requests (`scheduler.ScheduledRequest.search_batch`)."""
        first_pass = self.first_pass and self.first_pass.searching_by(search_batch)
        return replace(self, search_batch=search_batch, first_pass=first_pass)

    def searching_in(self, processes: int | None) -> Self:
        """A translator with the same system that searches its batches in several processes of one
        thread each, or in as many as are fastest if there is no number
        (`docmt_nmt.decoding.processes`). They are forked, so other threads of this process should
        hold no locks.

        Raises:
            InputError: so many processes cannot search.
        """
        if processes is not None:
            check_processes(processes, self.device)
        first_pass = self.first_pass and self.first_pass.searching_in(processes)
        return replace(self, processes=processes, first_pass=first_pass)

    @property
    def languages(self) -> tuple[str, str]:
        return self.pipeline.languages[0], self.pipeline.languages[1]

    @property
    def language_set(self) -> LanguageSet:
        tokens = self.pipeline.language_tokens
        if tokens is None:
            return super().language_set
        return LanguageSet(tuple(tokens.sources), tuple(tokens.targets))

    def between(self, source: str, target: str) -> Self:
        pair = self.language_set.pair(source, target)
        if self.pipeline.language_tokens is None or pair == self.languages:
            return self
        pipeline = self.pipeline.between(*pair)
        is_same = pipeline.special_tokens == self.pipeline.special_tokens
        return replace(self, pipeline=pipeline, thresholds=self.thresholds if is_same else None)

    @property
    def device(self) -> torch.device | str:
        """Return where the system computes."""
        if isinstance(self.system, DeferredSystem):
            return "cpu"
        return next(self.system.parameters()).device

    @property
    def window(self) -> SlidingWindow | None:
        """The window that slides over documents, if one does."""
        return SlidingWindow.of(self.instances, self.search)

    @property
    def gives(self) -> frozenset[Feature]:
        gives: set[Feature] = {"alternatives", "revisions", "contexts", "attention"}
        if not self.instances.join_sentences:
            gives.add("sentences")
        if self.window is not None:
            gives.add("positions")
        if requires_words(self.search):
            gives.add("words")
        return frozenset(gives)

    def can_keep(self, sentence: str, words: Sequence[str]) -> bool:
        found = self._literals.find(sentence, words)
        return found is not None and (found.copied or bool(found.stand_ins))

    @cached_property
    def _literals(self) -> LiteralFinder:
        return LiteralFinder(self.pipeline, marks_only=self.instances.join_sentences)

    def normalize(self, text: str) -> str:
        return self.pipeline.normalize(text)

    def fingerprint(self, request: TranslationRequest) -> str | None:
        if self.run is None:
            return None
        documents = [*request.plain_documents, *(request.contexts or ())]
        if not self.search.oracle and request.contexts is None:
            documents = [Document(each.id, each.source) for each in documents]
        return digest_of_translation(self._identity(request), documents)

    def notes(self, request: TranslationRequest, translations: Sequence[Translation]) -> list[str]:
        del request
        truncated = {} if self.contexts is None else self.contexts.truncated()
        notes = search_notes(translations, self.pipeline, self.instances, self.search, truncated)
        return [*notes, self.precision_note] if self.precision_note else notes

    def plan(self, request: TranslationRequest) -> SearchPlan:
        check_instructions(self, request)
        return make_plan(request, self.pipeline, self.encode, self.instances, self.search)

    def translate(
        self,
        request: TranslationRequest | Plan | Sequence[Document],
        *,
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        prepared = request if isinstance(request, SearchPlan) else self.plan(request_of(request))
        contexts = prepared.request.contexts
        if contexts is None:
            contexts = self._contexts(prepared, journal)
        return prepared.with_word_warnings(self._search(prepared, contexts, progress, journal))

    def _contexts(self, plan: SearchPlan, journal: Journal | None) -> Sequence[Document]:
        """The documents with the translations that are read as target context: in a revision, the
        known translations."""
        revision = plan.request.revision
        if revision is not None:
            return revision.known
        return self.target_context(plan.request.plain_documents, plan, journal)

    def target_context(
        self,
        documents: Sequence[Document],
        plan: SearchPlan | None = None,
        journal: Journal | None = None,
    ) -> Sequence[Document]:
        """Return documents with the translations that are their target context, where it is read.

        Raises:
            InputError: references are to be read, and a document has none.
        """
        if self.contexts is None or not self.contexts.reads_target:
            return documents
        if self.search.oracle:
            for document in documents:
                if document.target is None:
                    raise InputError(
                        f"document {document.id!r} has no translation to read as context",
                        cure="Set search.oracle: false, or give documents their references",
                    )
            return documents
        # Without a target, the blocks that read it are left out.
        alone = [Document(document.id, document.source) for document in documents]
        if self.first_pass is not None:
            translations = translate(self.first_pass, alone, journal=journal)
        else:
            plan = plan or self.plan(TranslationRequest(alone))
            translations = self._search(plan, alone, None, journal)
        return [translation.document for translation in translations]

    def encode(self, document: Document) -> EncodedDocument:
        """Encode the document's sentences that are not empty.

        Raises:
            InputError: a sentence has more than `search.max_sentence_tokens` tokens.
        """
        encoded = self.pipeline.encode(without_empty(document))
        limit = self.search.max_sentence_tokens
        for index, ids in zip(translated_sentences(document), encoded.source, strict=True):
            if len(ids) > limit:
                raise InputError(
                    f"document {document.id!r}: sentence {index + 1:,} has {len(ids):,} tokens, "
                    f"more than {limit:,} (search.max_sentence_tokens)",
                    cure="If it is several sentences, put them on lines of their own; if it is "
                    "data, take it out",
                )
        return encoded

    def context_document(
        self, document: Document, encoded: EncodedDocument | None = None
    ) -> ContextDocument:
        """Return a document as context encoders read it.

        Args:
            encoded: its source as token ids, if it has no target and is encoded already.
        """
        from docmt_nmt.contexts import ContextDocument  # which imports torch

        filled = without_empty(document)
        if encoded is None or filled.target is not None:
            encoded = self.pipeline.encode(filled)
        return ContextDocument(filled.source, filled.target, encoded)

    @property
    def _native(self) -> list[str]:
        """The library of `docmt_nmt.nn.native` in use: another one may round in another way."""
        if self.search.precision != "int8" or isinstance(self.system, DeferredSystem):
            return []
        from docmt_nmt.nn.native.choice import library_name  # It needs torch.

        return [f"native {library_name()}"]

    @cached_property
    def _run_identity(self) -> list[str]:
        """The identity of the run, which takes as long as the translation of a short file."""
        assert self.run is not None
        from docmt_nmt.decoding.fingerprint import run_identity

        return run_identity(self.run)

    def _identity(self, request: TranslationRequest) -> list[str]:
        """Return what a translation depends on besides its documents."""
        nothing = TranslationRequest(())
        first = self.first_pass._identity(nothing) if self.first_pass is not None else []
        encoders = {} if self.contexts is None else self.contexts.encoders
        terms = request.glossary.terms if request.glossary is not None else ()
        protected = sorted(
            (sentence.text, *sentence.protected)
            for document in request.sources
            for sentence in document.sentences
            if sentence.protected
        )
        return [
            *self._run_identity,
            *self._native,
            *(self.languages if self.pipeline.language_tokens is not None else ()),
            str(self.search),
            str(self.device),
            version("torch") if self.compiled is None or has_torch() else "",
            *([] if self.compiled is None else self.compiled.identity),
            "writes literals as stand-ins",
            *(encoder.fingerprint for _, encoder in sorted(encoders.items())),
            *first,
            *map(str, (*terms, *protected)),
            *([str(request.n_best)] if request.n_best > self.search.beam_size else []),
        ]

    def _search(
        self,
        plan: SearchPlan,
        contexts: Sequence[Document],
        progress: ProgressCallback | None,
        journal: Journal | None,
    ) -> list[Translation]:
        """Translate what a plan wants, given its documents with target context."""
        pairs = zip(plan.documents, contexts, strict=True)
        read = [
            self.context_document(context, planned.encoded) if self.contexts is not None else None
            for planned, context in pairs
        ]
        thresholds = self.thresholds or CheckThresholds.default(self.pipeline.languages)
        return PlanSearch(plan, self._searcher(plan), read, thresholds).translate(progress, journal)

    def _searcher(self, plan: SearchPlan) -> InstanceSearch:
        return InstanceSearch(
            self.system,
            self.pipeline,
            plan.settings,
            self.contexts,
            plan.terms,
            self.search_batch,
            self.processes,
            self.compiled,
        )

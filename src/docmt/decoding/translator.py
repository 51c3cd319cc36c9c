"""`BeamSearchTranslator`: documents in, translated documents out, by a system of docmt.

A document is encoded and cut, by its source alone, into the instances its system was trained on, at
sentence boundaries and nowhere else (`translation_plan`); these are searched in batches
(`instance_search`), and every source sentence gets exactly one target sentence, unless the
sentences of an instance are joined (`instances.join_sentences`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self, Unpack

import torch

from docmt.bundled_models import DEFAULT
from docmt.contexts import ContextDocument, ContextEncoders
from docmt.data import Instance, InstanceSettings
from docmt.data.translation_checks import CheckThresholds
from docmt.decoding.assembling import (
    SlidingWindow,
    assemble,
    join_chunks,
    translated_sentences,
    without_empty,
)
from docmt.decoding.beam_search import Hypothesis
from docmt.decoding.fingerprint import run_identity
from docmt.decoding.glossary_terms import GlossaryTerms
from docmt.decoding.instance_search import InstanceSearch, SearchBatch, SearchedInstance
from docmt.decoding.missing_characters import KeptWords, Restoring, keep_missing
from docmt.decoding.processes import check_processes
from docmt.decoding.search_notes import search_notes
from docmt.decoding.translation_plan import SearchPlan, make_plan, revised_instances, with_known
from docmt.documents import Document, Translation
from docmt.errors import InputError
from docmt.files import PathLike
from docmt.formats import Output
from docmt.glossaries import Glossary
from docmt.nn import in_precision, prepack_weights
from docmt.nn.fastest_precision import fastest_precision
from docmt.recipes.merging import merge_section
from docmt.recipes.recipe import check_contexts
from docmt.recipes.search import SearchOverrides, SearchSettings
from docmt.requests import (
    Journal,
    Plan,
    ProgressCallback,
    TranslationRequest,
    Translator,
    digest_of_translation,
)
from docmt.runs import Run
from docmt.systems import System
from docmt.text import EncodedDocument, Pipeline


@dataclass(frozen=True, eq=False)
class BeamSearchTranslator(Translator):
    """Translates documents with a trained system. It never changes; threads may share it.

    Attributes:
        system: the system, which is put in eval mode; where the search is of another precision
            than `fp32`, a copy of the one that was given.
        pipeline: its text pipeline.
        instances: how documents are cut.
        search: how translations are found.
        contexts: the encoders that the system attends to, if there are any.
        thresholds: what warnings are based on; default: `CheckThresholds.default`.
        run: the run that it was loaded from, if it was.
        first_pass: translates the documents whose translations the system reads as target context,
            if the search says so (`search.first_pass`).

    Raises:
        InputError: the search does not fit the system or the instances, or the run that is to make
            the first pass cannot be used.
    """

    system: System
    pipeline: Pipeline
    instances: InstanceSettings
    search: SearchSettings
    contexts: ContextEncoders | None = None
    thresholds: CheckThresholds | None = None
    run: Run | None = None
    first_pass: BeamSearchTranslator | None = field(init=False, default=None)
    _search_batch: SearchBatch | None = field(init=False, default=None)
    _processes: int | None = field(init=False, default=1)
    _precision_note: str = field(init=False, default="")

    def __post_init__(self) -> None:
        search, system = self.search, self.system
        search.check(self.instances, system)
        precision, note = search.precision, ""
        if precision == "auto":
            precision, gain = fastest_precision(system)
            search = search.model_copy(update={"precision": precision})
            faster = f"{gain:.1f} times as fast as fp32" if gain > 1 else "the fastest"
            note = f"computed in {precision}, {faster} on this processor"
        values: dict[str, object] = {
            "system": in_precision(system, precision).eval(),
            "search": search,
            "_precision_note": note,
        }
        if search.first_pass is not None:
            values["first_pass"] = type(self).load(search.first_pass, device=str(self.device))
        for name, value in values.items():
            object.__setattr__(self, name, value)

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

        >>> BeamSearchTranslator.load(beam_size=2).translate_text("Open the file.")
        'Öffnen Sie die Datei.'
        """
        return cls.of(Run.load(run), device=device, **overrides)

    @classmethod
    def of(
        cls, loaded: Run, *, device: str | None = None, **overrides: Unpack[SearchOverrides]
    ) -> Self:
        """Make the translator of a run.

        Args:
            loaded: the run.
            device: where to compute; default: a GPU if there is one.
            overrides: keys of the recipe's `search` section, such as `beam_size=1`; None keeps what
                the recipe says.

        Raises:
            InputError: the run has no weights that fit it, or an override is not valid.
        """
        device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        given = {key: value for key, value in overrides.items() if value is not None}
        search_settings = loaded.recipe.search.model_dump()
        settings = SearchSettings.read(merge_section(search_settings, given, [SearchSettings]))
        if settings.precision == "int8" and device != "cpu":
            raise InputError("precision int8 needs a CPU", cure="Set device cpu, or precision bf16")
        check_contexts(loaded.recipe.model_copy(update={"search": settings}))
        contexts = ContextEncoders.of(loaded.recipe.system, loaded.pipeline.special_tokens, device)
        translator = cls(
            loaded.system(device),
            loaded.pipeline,
            loaded.recipe.instances,
            settings,
            contexts,
            loaded.thresholds(),
            loaded,
        )
        object.__setattr__(translator, "system", prepack_weights(translator.system))
        return translator

    def searching_by(self, search_batch: SearchBatch) -> Self:
        """Return a translator with the same system that has its batches searched by this, such as
        together with those of other requests (`docmt.decoding.scheduler.Lane.search_batch`)."""
        other = copy(self)
        object.__setattr__(other, "_search_batch", search_batch)
        if self.first_pass is not None:
            object.__setattr__(other, "first_pass", self.first_pass.searching_by(search_batch))
        return other

    def searching_in(self, processes: int | None) -> Self:
        """Return a translator with the same system that searches its batches in several processes
        of one thread each, or in as many as are fastest if there is no number
        (`docmt.decoding.processes`). They are forked, so other threads of this process should hold
        no locks.

        Raises:
            InputError: so many processes cannot search.
        """
        if processes is not None:
            check_processes(processes, self.device)
        other = copy(self)
        object.__setattr__(other, "_processes", processes)
        if self.first_pass is not None:
            object.__setattr__(other, "first_pass", self.first_pass.searching_in(processes))
        return other

    @property
    def languages(self) -> tuple[str, str]:
        return self.pipeline.languages[0], self.pipeline.languages[1]

    @property
    def device(self) -> torch.device:
        """Return where the system computes."""
        return next(self.system.parameters()).device

    @property
    def window(self) -> SlidingWindow | None:
        """The window that slides over documents, if one does."""
        return SlidingWindow.of(self.instances, self.search)

    @property
    def requires_words(self) -> bool:
        return self.search.method == "beam" and self.search.beam_size > 1

    def can_keep(self, sentence: str, words: Sequence[str]) -> bool:
        return self._no_terms.can_keep(sentence, words)

    @cached_property
    def _no_terms(self) -> GlossaryTerms:
        return GlossaryTerms(Glossary(()), self.pipeline, self.search)

    def _kept(self, request: TranslationRequest) -> dict[str, KeptWords]:
        """Return what is kept of the sentences that have something which the vocabulary lacks."""
        glossary, can_write = request.glossary, self.pipeline.can_write
        if self.requires_words:
            terms = self._no_terms
            if glossary is not None:
                terms = GlossaryTerms(glossary, self.pipeline, self.search)
            can_write = terms.can_keep
        marks_only = self.instances.join_sentences
        return keep_missing(request, self.pipeline, can_write, marks_only=marks_only)

    def normalize(self, text: str) -> str:
        return self.pipeline.normalize(text)

    def check_output(self, output: Output) -> None:
        kind = self.instances.kind
        if self.instances.join_sentences and output.kind != "jsonl":
            raise InputError(
                f"`output_format` {output.kind} needs a translation of each sentence, and this run "
                "translates whole instances freely (instances.join_sentences)",
                cure="Set `output_format` jsonl, which holds a text for each instance",
            )
        if output.positions and kind != "window":
            raise InputError(
                f"`positions` needs a run with instances.kind window, and this one has {kind}",
                cure="Leave it out",
            )
        if output.positions and self.window is None:
            raise InputError("`positions` needs sliding windows", cure="Set `windows` sliding")

    def fingerprint(self, request: TranslationRequest) -> str | None:
        if self.run is None:
            return None
        documents = [*request.documents, *(request.contexts or ())]
        if not self.search.oracle and request.contexts is None:
            documents = [Document(each.id, each.source) for each in documents]
        return digest_of_translation(self._identity(request), documents)

    def notes(self, request: TranslationRequest, translations: Sequence[Translation]) -> list[str]:
        del request
        truncated = {} if self.contexts is None else self.contexts.truncated()
        notes = search_notes(translations, self.pipeline, self.instances, self.search, truncated)
        return [*notes, self._precision_note] if self._precision_note else notes

    def plan(self, request: TranslationRequest) -> SearchPlan:
        settings = self.search
        if settings.beam_size < request.n_best:
            settings = SearchSettings.read(settings.model_dump() | {"beam_size": request.n_best})
        terms, kept = None, self._kept(request)
        must_have = self.requires_words and any(each.stand_ins for each in kept.values())
        if request.has_terms or must_have or (request.revision and request.revision.required):
            glossary = request.glossary or Glossary(())
            terms = GlossaryTerms(glossary, self.pipeline, settings, request.protected, kept)
        special_tokens = self.pipeline.special_tokens
        return make_plan(
            request, self.encode, self.instances, special_tokens, settings, terms, kept
        )

    def translate(
        self,
        request: TranslationRequest | Sequence[Document],
        *,
        plan: Plan | None = None,
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        request = TranslationRequest.of(request)
        if request.consistent:
            raise InputError(
                "terms are made consistent above translators",
                cure="Call docmt.translate(translator, request)",
            )
        prepared = plan if isinstance(plan, SearchPlan) else self.plan(request)
        if request.revision is not None:
            return self._revise(prepared, request.contexts or request.revision.known, journal)
        contexts = request.contexts
        if contexts is None:
            contexts = self.target_context(request.documents, prepared, journal)
        return self._search(prepared, contexts, progress, journal)

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
            translations = self.first_pass.translate(alone, journal=journal)
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
        filled = without_empty(document)
        if encoded is None or filled.target is not None:
            encoded = self.pipeline.encode(filled)
        return ContextDocument(filled.source, filled.target, encoded)

    def _identity(self, request: TranslationRequest) -> list[str]:
        """Return what a translation depends on besides its documents."""
        assert self.run is not None
        nothing = TranslationRequest(())
        first = self.first_pass._identity(nothing) if self.first_pass is not None else []
        encoders = {} if self.contexts is None else self.contexts.encoders
        terms = request.glossary.terms if request.glossary is not None else ()
        protected = sorted((sentence, *words) for sentence, words in request.protected.items())
        return [
            *run_identity(self.run),
            str(self.search),
            str(self.device),
            torch.__version__,
            "keeps what the vocabulary lacks",
            *(encoder.fingerprint for _, encoder in sorted(encoders.items())),
            *first,
            *map(str, (*terms, *protected)),
            *(["consistent"] if request.consistent else []),
            *([str(request.n_best)] if request.n_best > self.search.beam_size else []),
        ]

    def _search(
        self,
        plan: SearchPlan,
        contexts: Sequence[Document],
        progress: ProgressCallback | None,
        journal: Journal | None,
    ) -> list[Translation]:
        """Translate all instances of a plan, given its documents with target context."""
        searched = self._searched(plan, contexts)
        hypotheses: list[Sequence[Hypothesis]] = [()] * len(searched)
        sizes = [1 if self.window else one.instance.own.document_sentences for one in searched]
        total = plan.request.sentences
        done = total - sum(sizes)
        with closing(self._searcher(plan).run(searched, journal)) as found:
            for batch, results in found:
                for index, best in zip(batch, results, strict=True):
                    hypotheses[index] = best
                    done += sizes[index]
                if progress is not None:
                    progress(done, total)
        return self._assemble(plan, searched, hypotheses)

    def _revise(
        self, plan: SearchPlan, contexts: Sequence[Document], journal: Journal | None
    ) -> list[Translation]:
        """Translate the instances of a plan that have sentences which are wanted anew."""
        searched = self._searched(plan, contexts)
        again = revised_instances(
            plan,
            searched,
            self.pipeline,
            self.window,
            begins_with_given=self.system.writing_order.in_one_pass,
        )
        hypotheses = [[Hypothesis.empty(len(one.instance.own.source))] for one in searched]
        indices = sorted(again)
        revised = [again[index] for index in indices]
        with closing(self._searcher(plan).run(revised, journal)) as found:
            for batch, results in found:
                for index, best in zip(batch, results, strict=True):
                    number = indices[index]
                    given = again[number].instance.given - searched[number].instance.given
                    hypotheses[number] = [each.after_empty(given) for each in best]
        translations = self._assemble(plan, searched, hypotheses)
        revision = plan.request.revision
        assert revision is not None, "the plan of a revision"
        return [
            with_known(translation, known)
            for translation, known in zip(translations, revision.known, strict=True)
        ]

    def _searcher(self, plan: SearchPlan) -> InstanceSearch:
        return InstanceSearch(
            self.system,
            self.pipeline,
            plan.settings,
            self.contexts,
            plan.terms,
            self._search_batch,
            self._processes,
        )

    def _searched(self, plan: SearchPlan, contexts: Sequence[Document]) -> list[SearchedInstance]:
        """The instances of a plan as they are searched."""
        searched: list[SearchedInstance] = []
        for owner, (planned, context) in enumerate(zip(plan.documents, contexts, strict=True)):
            read = None
            if self.contexts is not None:
                read = self.context_document(context, planned.encoded)
            for index, instance in enumerate(planned.instances):
                constraints = planned.constraints[index] if planned.constraints else None
                searched.append(SearchedInstance(owner, instance, read, constraints))
        return searched

    def _assemble(
        self,
        plan: SearchPlan,
        searched: Sequence[SearchedInstance],
        hypotheses: Sequence[Sequence[Hypothesis]],
    ) -> list[Translation]:
        """The translations of documents from the hypotheses of all of their instances."""
        documents = plan.request.documents
        chunks: list[list[tuple[Instance, Sequence[Hypothesis]]]] = [[] for _ in documents]
        for one, best in zip(searched, hypotheses, strict=True):
            chunks[one.owner].append((one.instance.own, best))
        thresholds = self.thresholds or CheckThresholds.default(self.pipeline.languages)
        translations = []
        decode = self.pipeline.decode_sentence
        for document, chunks_of_document in zip(documents, chunks, strict=True):
            source, kept = Document(document.id, document.source), plan.kept
            if self.instances.join_sentences:
                source = join_chunks(source, [instance for instance, _ in chunks_of_document])
                kept = self._kept(TranslationRequest([source]))
            restoring = Restoring(source.source, kept)
            translations.append(
                assemble(source, chunks_of_document, decode, thresholds, restoring, self.window)
            )
        return translations

"""`Translator`: documents in, translated documents out.

A document is cut into the instances its system was trained on, at sentence boundaries and nowhere
else; these are searched in batches (`instance_search`), and every source sentence gets exactly one
target sentence, unless the sentences of an instance are joined (`instances.join_sentences`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Self, Unpack

import torch

from docmt.contexts import ContextDocument, ContextEncoders
from docmt.data import Instance, InstanceSettings, cut, overlapping, sliding_windows
from docmt.data.translation_checks import CheckThresholds
from docmt.decoding.assembling import assemble_documents, translated_sentences, without_empty
from docmt.decoding.beam_search import Hypothesis
from docmt.decoding.document_checks import check_documents, check_sentence_lengths
from docmt.decoding.glossary_terms import GlossaryTerms
from docmt.decoding.instance_search import InstanceSearch, SearchedInstance
from docmt.documents import Document, Translation
from docmt.errors import InputError
from docmt.files import PathLike
from docmt.glossaries import Glossary
from docmt.models import DEFAULT
from docmt.nn import in_precision, prepack_weights
from docmt.recipes.merging import merge_section
from docmt.recipes.recipe import check_contexts
from docmt.recipes.search import SearchOverrides, SearchSettings
from docmt.runs import Run
from docmt.systems import System
from docmt.text import EncodedDocument, Pipeline
from docmt.translating.journal import Journal, fingerprint, run_identity

ProgressCallback = Callable[[int, int], None]
"""Called with the sentences translated so far and the sentences in all."""


class Translator:
    """Translates documents with a trained system.

    Args:
        system: the system; it is put in eval mode for the search and back afterwards. Where the
            search is of another precision than `fp32`, a copy translates.
        pipeline: its text pipeline.
        instances: how documents are cut.
        search: how translations are found.
        contexts: the encoders that the system attends to, if there are any.
        thresholds: what warnings are based on; default: `CheckThresholds.default`.

    Attributes:
        run: the run that it was loaded from, if it was.
        terms: the terms of the glossary and the protected words that it writes, if there are any.
        consistent: whether terms that recur in a document are translated alike.

    Raises:
        InputError: the search does not fit the system or the instances, or the run that is to make
            the first pass cannot be used.
    """

    def __init__(
        self,
        system: System,
        pipeline: Pipeline,
        instances: InstanceSettings,
        search: SearchSettings,
        contexts: ContextEncoders | None = None,
        thresholds: CheckThresholds | None = None,
    ) -> None:
        search.check(instances, one_pass=system.one_pass, recurrent=system.recurrent)
        self.system = in_precision(system, search.precision)
        self.pipeline, self.instances, self.search = pipeline, instances, search
        self.contexts = contexts
        self.run: Run | None = None
        self.terms: GlossaryTerms | None = None
        self._glossary: Glossary | None = None
        self.consistent = False
        self.thresholds = thresholds or CheckThresholds.default(pipeline.languages)
        self._first_pass = None
        if search.first_pass is not None:
            self._first_pass = type(self).load(search.first_pass, device=str(self.device))

    @classmethod
    def load(
        cls,
        run: PathLike = DEFAULT,
        *,
        device: str | None = None,
        **overrides: Unpack[SearchOverrides],
    ) -> Self:
        """The translator of a run directory.

        Args:
            run: the directory. Default: the bundled model.
            device: where to compute; default: a GPU if there is one.
            overrides: keys of the recipe's `search` section, such as `beam_size=1`; None keeps what
                the recipe says.

        Raises:
            InputError: the directory is not a trained run, or an override is not valid.
        """
        loaded = Run.load(run)
        device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        given = {key: value for key, value in overrides.items() if value is not None}
        own = loaded.recipe.search.model_dump()
        settings = SearchSettings.read(merge_section(own, given, [SearchSettings]))
        if settings.precision == "int8" and device != "cpu":
            raise InputError("precision int8 needs a CPU", cure="Set device cpu, or precision bf16")
        check_contexts(loaded.recipe.model_copy(update={"search": settings}))
        contexts = ContextEncoders.of(loaded.recipe.system, loaded.pipeline.special_tokens, device)
        instances = loaded.recipe.instances
        made = cls(
            loaded.system(device),
            loaded.pipeline,
            instances,
            settings,
            contexts,
            loaded.thresholds(),
        )
        made.system = prepack_weights(made.system)
        made.run = loaded
        return made

    def widen_beam(self, n_best: int) -> None:
        """Make the beam wide enough to find so many translations of each document.

        Raises:
            InputError: the search method finds one translation only.
        """
        if self.search.beam_size < n_best:
            values = self.search.model_dump() | {"beam_size": n_best}
            self.search = SearchSettings.read(values)

    def use_glossary(self, glossary: Glossary) -> None:
        """Write the terms of a glossary in every sentence that has them.

        Raises:
            InputError: the search method cannot.
        """
        self._glossary = glossary
        self.protect({})

    def protect(self, words: Mapping[str, Sequence[str]]) -> None:
        """Write words that stand in sentences as they are, such as placeholders, instead of those
        that were protected before.

        Args:
            words: for some sentences, by their texts, words that they have; each is written as
                often as it is given.

        Raises:
            InputError: the search method cannot.
        """
        self.terms = None
        if words or self._glossary is not None:
            glossary = self._glossary or Glossary(())
            self.terms = GlossaryTerms(glossary, self.pipeline, self.search, words)

    def use_consistent_terms(self) -> None:
        """Translate terms that recur in a document alike. `Translation.terms` then has those that
        were translated in several ways at first.

        Raises:
            InputError: the search method cannot, or the system has no attention to align words by.
        """
        # Loaded here: it aligns with a translator.
        from docmt.translating.consistent_terms import check_consistency

        check_consistency(self)
        self.consistent = True

    def check_terms(self, documents: Sequence[Document]) -> None:
        """Check that the terms of the glossary can be written in the translations of documents.

        Raises:
            InputError: one cannot; it names the sentence and the term.
        """
        if self.terms is not None:
            for document in documents:
                self.terms.constraints(document, [i.own for i in self.cut(document)])

    @property
    def writes_terms(self) -> bool:
        """Whether its search can write terms."""
        return self.search.method == "beam" and self.search.beam_size > 1

    @property
    def device(self) -> torch.device:
        """Where the system computes."""
        return next(self.system.parameters()).device

    def translate(
        self,
        documents: Sequence[Document],
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        """Translate documents. Targets that they have are ignored, unless the search is to read
        them as target context.

        An empty sentence is translated by an empty sentence and takes no part in the rest. Where
        the sentences of an instance are joined, a translated document has a text for each instance
        on both sides, and `Document.joined` says how many sentences each was joined from.

        Args:
            documents: the documents.
            progress: called with the sentences translated so far and the sentences in all.
            journal: keeps what is found, and gives what an interrupted translation of the same
                documents found. Only a translator that was loaded from a run uses it.

        Raises:
            InputError: `documents` is not a sequence of documents, a document has no sentences, or
                lacks a translation that is to be read.
        """
        check_documents(documents)
        if journal is not None:
            if self.run is None:
                journal = None
            else:
                journal.begin(self.fingerprint(documents))
        if self.consistent:
            from docmt.translating.consistent_terms import translate_consistently

            return translate_consistently(self, documents, progress, journal)
        return self._translate_in_context(documents, progress, journal)

    def fingerprint(self, documents: Sequence[Document]) -> str:
        """What stays the same as long as the translation of these documents does.

        Raises:
            InputError: the translator was not loaded from a run.
        """
        if self.run is None:
            raise InputError("a translator that was not loaded from a run has no fingerprint")
        return fingerprint(self._identity(), documents)

    def _identity(self) -> list[str]:
        """What a translation depends on beside its documents."""
        assert self.run is not None
        first = self._first_pass._identity() if self._first_pass is not None else []
        contexts = {} if self.contexts is None else self.contexts.encoders
        return [
            *run_identity(self.run),
            str(self.search),
            str(self.device),
            torch.__version__,
            *(encoder.fingerprint for _, encoder in sorted(contexts.items())),
            *first,
            *([] if self.terms is None else map(str, self.terms.identity)),
            *(["consistent"] if self.consistent else []),
        ]

    def _translate_in_context(
        self,
        documents: Sequence[Document],
        progress: ProgressCallback | None,
        journal: Journal | None,
    ) -> list[Translation]:
        """Translate documents, after their target context if it is read."""
        contexts = self.with_target_context(documents, journal)
        return self._translate(documents, contexts, progress, journal)

    def _translate(
        self,
        documents: Sequence[Document],
        contexts: Sequence[Document],
        progress: ProgressCallback | None,
        journal: Journal | None,
    ) -> list[Translation]:
        """Translate documents; `contexts` are the same, with the target context where it is
        read."""
        searched = self.searched(documents, contexts)
        found = self.search_instances(searched, sum(map(len, documents)), progress, journal)
        return self.assemble(documents, searched, found)

    def searched(
        self, documents: Sequence[Document], contexts: Sequence[Document]
    ) -> list[SearchedInstance]:
        """The instances of documents, as they are searched; `contexts` are the same documents with
        their target context."""
        searched: list[SearchedInstance] = []
        for owner, (document, context) in enumerate(zip(documents, contexts, strict=True)):
            read = None if self.contexts is None else self.context_document(context)
            instances = self.cut(document)
            own = [instance.own for instance in instances]
            terms = self.terms.constraints(document, own) if self.terms is not None else None
            for index, instance in enumerate(instances):
                constraints = terms[index] if terms is not None else None
                searched.append(SearchedInstance(owner, instance, read, constraints))
        return searched

    def assemble(
        self,
        documents: Sequence[Document],
        searched: Sequence[SearchedInstance],
        found: Sequence[Sequence[Hypothesis]],
    ) -> list[Translation]:
        """The translations of documents from the hypotheses of all of their instances."""
        chunks: list[list[tuple[Instance, Sequence[Hypothesis]]]] = [[] for _ in documents]
        for one, best in zip(searched, found, strict=True):
            chunks[one.owner].append((one.instance.own, best))
        return assemble_documents(
            documents,
            chunks,
            self.pipeline.decode_sentence,
            self.thresholds,
            joined=self.instances.join_sentences,
            window=self.window,
            window_position=self.search.window_position,
        )

    def encode(self, document: Document) -> EncodedDocument:
        """The document's sentences that are not empty, as token ids.

        Raises:
            InputError: a sentence has more than `search.max_sentence_tokens` tokens.
        """
        encoded = self.pipeline.encode(without_empty(document))
        numbers = translated_sentences(document)
        check_sentence_lengths(document, encoded, numbers, self.search.max_sentence_tokens)
        return encoded

    def cut(self, document: Document) -> list[Instance]:
        """What is searched of a document: its chunks, or a window for each of its sentences.

        Raises:
            InputError: as of `encode`.
        """
        encoded = self.encode(document)
        if self.slides:
            return sliding_windows(encoded, self.instances)
        settings, special_tokens = self.instances.disjoint, self.pipeline.special_tokens
        if self.search.overlap:
            return overlapping(encoded, settings, special_tokens, self.search.overlap)
        return cut(encoded, settings, special_tokens)

    def search_instances(
        self,
        searched: Sequence[SearchedInstance],
        sentences: int,
        progress: ProgressCallback | None,
        journal: Journal | None,
        terms: GlossaryTerms | None = None,
    ) -> list[Sequence[Hypothesis]]:
        """The hypotheses of instances.

        Args:
            searched: the instances.
            sentences: how many sentences the documents have, empty ones included.
            progress, journal: as of `translate`.
            terms: what makes constraints of terms; default: the translator's, if it has a glossary.
        """
        found: list[Sequence[Hypothesis]] = [()] * len(searched)
        sizes = [1 if self.slides else one.instance.own.document_sentences for one in searched]
        done = sentences - sum(sizes)
        training = self.system.training
        self.system.eval()
        search = InstanceSearch(
            self.system, self.pipeline, self.search, self.contexts, terms or self.terms
        )
        try:
            for batch, results in search.run(searched, journal):
                for index, hypotheses in zip(batch, results, strict=True):
                    found[index] = hypotheses
                    done += sizes[index]
                if progress is not None:
                    progress(done, sentences)
        finally:
            self.system.train(training)
        return found

    @property
    def slides(self) -> bool:
        """Whether a window slides over the document."""
        return self.search.windows == "sliding"

    @property
    def window(self) -> int | None:
        """The size of a window that slides over the document, in sentences, if one does."""
        return self.instances.window if self.slides else None

    def with_target_context(
        self, documents: Sequence[Document], journal: Journal | None = None
    ) -> Sequence[Document]:
        """The documents with the translations that are their target context, where it is read.

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
        if self._first_pass is not None:
            found = self._first_pass._translate_in_context(alone, None, journal)
        else:
            found = self._translate(alone, alone, None, journal)
        return [translation.document for translation in found]

    def context_document(self, document: Document) -> ContextDocument:
        """A document as context encoders read it."""
        filled = without_empty(document)
        return ContextDocument(filled.source, filled.target, self.pipeline.encode(filled))

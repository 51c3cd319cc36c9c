"""`Translator`: documents in, translated documents out.

A document is cut into the instances its system was trained on, at sentence boundaries and nowhere
else; instances of all documents are searched together, the longest first, and every source
sentence gets exactly one target sentence, unless the sentences of an instance are joined
(`instances.join_sentences`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, Unpack

import torch

from docmt.contexts import ContextDocument, ContextEncoders
from docmt.data import Instance, InstanceSettings, cut, sliding_windows
from docmt.data.collate import collate_source
from docmt.data.translation_checks import CheckThresholds
from docmt.decoding.batching import batches_by_length
from docmt.decoding.beam_search import Hypothesis
from docmt.decoding.checks import check_documents
from docmt.decoding.glossary_terms import GlossaryTerms, Sentences
from docmt.decoding.journal import Journal, fingerprint, run_identity
from docmt.decoding.limits import limits
from docmt.decoding.parallel import search_in_parallel
from docmt.decoding.sampling import Sampling
from docmt.decoding.searching import search
from docmt.decoding.translations import (
    assemble,
    join_chunks,
    translated_sentences,
    without_empty,
)
from docmt.documents import Document, Translation
from docmt.errors import InputError
from docmt.files import PathLike
from docmt.glossaries import Glossary
from docmt.nn import in_precision, prepack_weights
from docmt.recipes.merging import merge_section
from docmt.recipes.recipe import check_contexts
from docmt.recipes.search import SearchOverrides, SearchSettings
from docmt.runs import Run
from docmt.systems import EncoderDecoder, System
from docmt.text import EncodedDocument, Pipeline

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
        terms: the terms of the glossary that it uses, if it uses one.

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
        self.thresholds = thresholds or CheckThresholds.default(pipeline.languages)
        self._first_pass = None
        if search.first_pass is not None:
            self._first_pass = type(self).load(search.first_pass, device=str(self.device))

    @classmethod
    def load(
        cls, run: PathLike, *, device: str | None = None, **overrides: Unpack[SearchOverrides]
    ) -> Self:
        """The translator of a run directory.

        Args:
            run: the directory.
            device: where to compute; default: a GPU if there is one.
            overrides: keys of the recipe's `search` section, such as `beam_size=1`; None keeps what
                the recipe says.

        Raises:
            InputError: the directory is not a trained run, or an override is not valid.
        """
        loaded = Run.load(Path(run))
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
            loaded.system(device), loaded.pipeline, instances, settings, contexts,
            loaded.thresholds(),
        )  # fmt: skip
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
        self.terms = GlossaryTerms(glossary, self.pipeline, self.search)

    def check_terms(self, documents: Sequence[Document]) -> None:
        """Check that the terms of the glossary can be written in the translations of documents.

        Raises:
            InputError: one cannot; it names the sentence and the term.
        """
        if self.terms is not None:
            for document in documents:
                self.terms.constraints(document, self._cut(self.encode(document)))

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
            *run_identity(self.run), str(self.search), str(self.device), torch.__version__,
            *(encoder.fingerprint for _, encoder in sorted(contexts.items())), *first,
            *([] if self.terms is None else map(str, self.terms.glossary.terms)),
        ]  # fmt: skip

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
        encoded = [self.encode(document) for document in documents]
        owners, instances = [], []
        constraints: list[Sentences] = []
        for owner, document in enumerate(encoded):
            own = self._cut(document)
            owners += [owner] * len(own)
            instances += own
            if self.terms is not None:
                constraints += self.terms.constraints(documents[owner], own)
        locations = []
        if self.contexts is not None:
            read = [self.context_document(document) for document in contexts]
            pairs = zip(owners, instances, strict=True)
            locations = [(read[owner], instance.first) for owner, instance in pairs]
        found: list[Sequence[Hypothesis]] = [()] * len(instances)
        total = sum(len(document) for document in documents)
        done = total - sum(len(document.source) for document in encoded)
        training = self.system.training
        self.system.eval()
        try:
            for batch, results in self._search_in_batches(
                instances, locations, constraints, journal
            ):
                for index, hypotheses in zip(batch, results, strict=True):
                    found[index] = hypotheses
                    done += 1 if self.slides else instances[index].document_sentences
                if progress is not None:
                    progress(done, total)
        finally:
            self.system.train(training)
        chunks: list[list[tuple[Instance, Sequence[Hypothesis]]]] = [[] for _ in documents]
        for owner, instance, best in zip(owners, instances, found, strict=True):
            chunks[owner].append((instance, best))
        window = self.instances.window if self.slides else None
        sources = [Document(document.id, document.source) for document in documents]
        if self.instances.join_sentences:
            cut_documents = zip(sources, chunks, strict=True)
            sources = [
                join_chunks(source, [i for i, _ in parts]) for source, parts in cut_documents
            ]
        return [
            assemble(
                source, parts, self.pipeline.decode_sentence, self.thresholds,
                window=window, window_position=self.search.window_position,
            )
            for source, parts in zip(sources, chunks, strict=True)
        ]  # fmt: skip

    def encode(self, document: Document) -> EncodedDocument:
        """The document's sentences that are not empty, as token ids.

        Raises:
            InputError: a sentence has more than `search.max_sentence_tokens` tokens.
        """
        encoded = self.pipeline.encode(without_empty(document))
        limit = self.search.max_sentence_tokens
        for number, ids in zip(translated_sentences(document), encoded.source, strict=True):
            if len(ids) > limit:
                raise InputError(
                    f"document {document.id!r}: sentence {number + 1:,} has {len(ids):,} tokens, "
                    f"more than {limit:,} (search.max_sentence_tokens)",
                    cure="If it is several sentences, put them on lines of their own; if it is "
                    "data, take it out",
                )
        return encoded

    def _cut(self, document: EncodedDocument) -> list[Instance]:
        """What is searched of a document: its chunks, or a window for each of its sentences."""
        if self.slides:
            return sliding_windows(document, self.instances)
        return cut(document, self.instances.disjoint, self.pipeline.special_tokens)

    def _search_in_batches(
        self,
        instances: Sequence[Instance],
        locations: Sequence[tuple[ContextDocument, int]],
        constraints: Sequence[Sentences],
        journal: Journal | None,
    ) -> Iterator[tuple[list[int], Sequence[Sequence[Hypothesis]]]]:
        """Search instances in batches, or take their hypotheses from the journal. Yields the
        indices of a batch and the hypotheses of each.

        Args:
            instances: all instances.
            locations: for each instance the document and the first sentence of its context, if
                context is read.
            constraints: for each instance what its sentences must contain, with a glossary.
            journal: where batches are kept, if there are several.
        """
        in_order = self.system.one_pass or self.system.reads_translations > 0
        batches = list(batches_by_length(
            instances, self.search, self.pipeline.special_tokens, one_pass=in_order
        ))  # fmt: skip
        if len(batches) == 1:
            journal = None
        for batch in batches:
            together = [instances[index] for index in batch]
            if journal is not None:
                kept = journal.next([len(instance.source) for instance in together])
                if kept is not None:
                    yield batch, kept
                    continue
            if self.contexts is not None:
                inputs = self.contexts.auxiliary_inputs([locations[index] for index in batch])
                pairs = zip(together, inputs, strict=True)
                together = [replace(i, auxiliary=auxiliary) for i, auxiliary in pairs]
            results = self._search(together, [constraints[index] for index in batch if constraints])
            if journal is not None:
                journal.add(results)
            yield batch, results

    def _search(
        self, instances: Sequence[Instance], constraints: Sequence[Sentences]
    ) -> list[list[Hypothesis]]:
        """The best hypotheses of each instance, best first; `constraints` are those of each, with a
        glossary."""
        special_tokens, settings = self.pipeline.special_tokens, self.search
        source = collate_source(instances, special_tokens)
        keys: dict[str, Any] = {
            "length_penalty": settings.length_penalty, **limits(source, self.pipeline, settings),
        }  # fmt: skip
        on_device = source.to(self.device)
        terms = None if self.terms is None else self.terms.of_batch(constraints)
        if settings.method != "parallel":
            return search(
                self.system, on_device, special_tokens, beam_size=settings.beam_size,
                sampling=Sampling.of(settings, instances), terms=terms, **keys,
            )  # fmt: skip
        assert isinstance(self.system, EncoderDecoder)
        results = search_in_parallel(
            self.system, on_device, special_tokens, max_passes=settings.max_passes, **keys
        )
        return [[result.hypothesis] for result in results]

    @property
    def slides(self) -> bool:
        """Whether a window slides over the document."""
        return self.search.windows == "sliding"

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

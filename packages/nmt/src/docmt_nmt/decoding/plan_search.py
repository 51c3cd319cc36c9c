"""`PlanSearch`: search for the instances of a plan, and translations from the hypotheses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from docmt_files.base.documents import Document, Sentence
from docmt_nmt.base.translations import Translation
from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.data import Instance
from docmt_nmt.decoding.assembling import assemble, join_chunks
from docmt_nmt.decoding.beams import Hypothesis
from docmt_nmt.decoding.instance_search import InstanceSearch, SearchedInstance
from docmt_nmt.decoding.literal_finder import find_literals
from docmt_nmt.decoding.literals import Restoring
from docmt_nmt.decoding.translation_plan import SearchPlan, revised_instances, with_known
from docmt_nmt.translators.checks.translation_checks import CheckThresholds
from docmt_nmt.translators.translator import Journal, ProgressCallback

if TYPE_CHECKING:
    # It needs torch.
    from docmt_nmt.contexts import ContextDocument


@dataclass(frozen=True)
class PlanSearch:
    """Translates the documents of a plan.

    Attributes:
        plan: the plan.
        searcher: the search for instances.
        read: each document for context encoders; None where there are none.
        thresholds: the thresholds of warnings.
    """

    plan: SearchPlan
    searcher: InstanceSearch
    read: Sequence[ContextDocument | None]
    thresholds: CheckThresholds

    def translate(
        self, progress: ProgressCallback | None = None, journal: Journal | None = None
    ) -> list[Translation]:
        """Translate the request of the plan: all sentences, or the sentences of the revision."""
        searched = self._searched()
        if self.plan.request.revision is not None:
            return self._revise(searched, journal)
        window = self.plan.window
        sizes = [1 if window else one.instance.own.document_sentences for one in searched]
        total = self.plan.request.size
        done = total - sum(sizes)
        hypotheses: list[Sequence[Hypothesis]] = [()] * len(searched)
        with closing(self.searcher.run(searched, journal)) as found:
            for batch, results in found:
                for index, best in zip(batch, results, strict=True):
                    hypotheses[index] = best
                    done += sizes[index]
                if progress is not None:
                    progress(done, total)
        return list(self._assembled(searched, hypotheses))

    def _revise(
        self, searched: Sequence[SearchedInstance], journal: Journal | None
    ) -> list[Translation]:
        """Translate the instances with sentences of the revision."""
        plan, searcher = self.plan, self.searcher
        order = searcher.system.writing_order
        again = revised_instances(
            plan,
            searched,
            searcher.pipeline,
            begins_with_given=order.in_one_pass,
            alone=order is WritingOrder.ALONE and plan.window is None,
        )
        hypotheses = [[Hypothesis.empty(len(one.instance.own.source))] for one in searched]
        indices = sorted(again)
        revised = [again[index] for index in indices]
        with closing(searcher.run(revised, journal)) as found:
            for batch, results in found:
                for index, best in zip(batch, results, strict=True):
                    number = indices[index]
                    given = again[number].instance.given - searched[number].instance.given
                    hypotheses[number] = [each.after_empty(given) for each in best]
        revision = plan.request.revision
        assert revision is not None, "the plan of a revision"
        translations = self._assembled(searched, hypotheses)
        return [
            with_known(translation, known)
            for translation, known in zip(translations, revision.known, strict=True)
        ]

    def _searched(self) -> list[SearchedInstance]:
        """The instances of the plan, for search."""
        searched: list[SearchedInstance] = []
        for owner, (planned, read) in enumerate(zip(self.plan.documents, self.read, strict=True)):
            for index, instance in enumerate(planned.instances):
                constraints = planned.constraints[index] if planned.constraints else None
                searched.append(SearchedInstance(owner, instance, read, constraints))
        return searched

    def _assembled(
        self, searched: Sequence[SearchedInstance], hypotheses: Sequence[Sequence[Hypothesis]]
    ) -> Iterator[Translation]:
        """The translations of the documents from the hypotheses of all instances."""
        plan, pipeline = self.plan, self.searcher.pipeline
        documents = plan.request.sources
        chunks: list[list[tuple[Instance, Sequence[Hypothesis]]]] = [[] for _ in documents]
        for one, best in zip(searched, hypotheses, strict=True):
            chunks[one.owner].append((one.instance.own, best))
        decode = pipeline.decode_sentence
        languages = pipeline.languages[0], pipeline.languages[1]
        revised = None if plan.request.revision is None else plan.request.revision.sentences
        for owner, (document, planned, of_document) in enumerate(
            zip(documents, plan.documents, chunks, strict=True)
        ):
            source, literals = Document(document.id, document.source), planned.literals
            if plan.instances.join_sentences:
                source = join_chunks(source, [instance for instance, _ in of_document])
                texts = list(map(Sentence, source.source))
                literals = find_literals(texts, None, pipeline, marks_only=True)
            restoring = Restoring(literals)
            yield assemble(
                source,
                of_document,
                decode,
                self.thresholds,
                languages,
                restoring,
                plan.window,
                checked=None
                if revised is None
                else {index for of, index in revised if of == owner},
            )

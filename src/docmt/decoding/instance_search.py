"""`InstanceSearch`: the instances of documents are searched in batches.

Instances that do not overlap are independent of each other, and batches hold those of all documents
of like length. Those that overlap (`search.overlap`) begin with sentences whose translations the
instance before has given, so the first instances of all documents are searched, then the second
ones, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from docmt.contexts import ContextDocument, ContextEncoders
from docmt.data import Instance
from docmt.data.collate import collate_source
from docmt.decoding.batching import batches_by_length
from docmt.decoding.beam_search import Hypothesis
from docmt.decoding.glossary_terms import GlossaryTerms, Sentences
from docmt.decoding.limits import limits
from docmt.decoding.parallel import search_in_parallel
from docmt.decoding.sampling import Sampling
from docmt.decoding.searching import search
from docmt.recipes.search import SearchSettings
from docmt.requests import Journal
from docmt.systems import EncoderDecoder, System
from docmt.text import Pipeline

Tokens = Sequence[Sequence[int]]
"""Sentences as token ids, without special tokens."""


@dataclass(frozen=True, slots=True)
class SearchedInstance:
    """An instance that is to be translated.

    Attributes:
        owner: the index of its document.
        instance: the instance. Its first sentences may have a translation that is given
            (`Instance.given`), which is that in the instances of the document before it.
        context: the document as context encoders read it, if there are any.
        constraints: what each of its own sentences must contain; nothing without a glossary.
        known: the translations of its first sentences; default: those found in the instances before
            it, which are searched first.
    """

    owner: int
    instance: Instance
    context: ContextDocument | None = None
    constraints: Sentences | None = None
    known: Tokens | None = None

    @property
    def own_source(self) -> Tokens:
        """The sentences that it translates."""
        return self.instance.own.source

    @property
    def waits(self) -> bool:
        """True if it is searched after the instances before it."""
        return self.instance.given > 0 and self.known is None


class InstanceSearch:
    """Searches instances in batches.

    Args:
        system: in eval mode.
        pipeline: its text pipeline.
        settings: the recipe's `search` section.
        contexts: the encoders that the system attends to, if there are any.
        terms: the terms of a glossary, if there is one.
    """

    def __init__(
        self,
        system: System,
        pipeline: Pipeline,
        settings: SearchSettings,
        contexts: ContextEncoders | None = None,
        terms: GlossaryTerms | None = None,
    ) -> None:
        self.system, self.pipeline, self.settings = system, pipeline, settings
        self.contexts, self.terms = contexts, terms

    def run(
        self, searched: Sequence[SearchedInstance], journal: Journal | None = None
    ) -> Iterator[tuple[list[int], Sequence[Sequence[Hypothesis]]]]:
        """Search instances, or take their hypotheses from the journal. Yields the indices of a
        batch and the hypotheses of each, best first: of its own sentences.

        Args:
            searched: the instances, those of a document in its order.
            journal: where batches are kept, if there are several.
        """
        batches = list(self._batches(searched))
        if len(batches) == 1:
            journal = None
        overlap = any(one.waits for one in searched)
        best: dict[int, list[Sequence[int]]] = {one.owner: [] for one in searched}
        for batch in batches:
            together = [searched[index] for index in batch]
            results: Sequence[Sequence[Hypothesis]] | None = None
            if journal is not None:
                results = _kept(journal, together)
            if results is None:
                given = [
                    _last(best[one.owner], one.instance.given) if one.known is None else one.known
                    for one in together
                ]
                results = self.search_batch(together, given)
                if journal is not None:
                    journal.add([[each.values for each in best] for best in results])
            for one, hypotheses in zip(together, results, strict=True):
                best[one.owner] += hypotheses[0].sentences if overlap else ()
            yield batch, results

    def _batches(self, searched: Sequence[SearchedInstance]) -> Iterator[list[int]]:
        """The indices of the instances that are searched together, in order."""
        in_order = self.system.one_pass or self.system.reads_translations > 0
        for indices in _rounds(searched):
            instances = [searched[index].instance for index in indices]
            for batch in batches_by_length(
                instances, self.settings, self.pipeline.special_tokens, one_pass=in_order
            ):
                yield [indices[index] for index in batch]

    def search_batch(
        self, searched: Sequence[SearchedInstance], given: Sequence[Tokens]
    ) -> list[list[Hypothesis]]:
        """The best hypotheses of instances that are searched together, best first.

        Args:
            searched: the instances.
            given: for each the translations of its first sentences.
        """
        special_tokens, settings = self.pipeline.special_tokens, self.settings
        instances = [one.instance for one in searched]
        if self.contexts is not None:
            locations = [(one.context, one.instance.first) for one in searched if one.context]
            inputs = self.contexts.auxiliary_inputs(locations)
            pairs = zip(instances, inputs, strict=True)
            instances = [replace(i, auxiliary=auxiliary) for i, auxiliary in pairs]
        source = collate_source(instances, special_tokens)
        device = next(self.system.parameters()).device
        keys: dict[str, Any] = {
            "length_penalty": settings.length_penalty,
            "given": given,
            **limits(source, self.pipeline, settings),
        }
        if settings.method == "parallel":
            assert isinstance(self.system, EncoderDecoder)
            results = search_in_parallel(
                self.system,
                source.to(device),
                special_tokens,
                max_passes=settings.max_passes,
                **keys,
            )
            found = [[result.hypothesis] for result in results]
        else:
            terms = None if self.terms is None else self._terms(searched)
            found = search(
                self.system,
                source.to(device),
                special_tokens,
                beam_size=settings.beam_size,
                sampling=Sampling.of(settings, instances),
                terms=terms,
                **keys,
            )
        pairs_of_found = zip(found, instances, strict=True)
        return [[h.without_first(i.given) for h in own] for own, i in pairs_of_found]

    def _terms(self, searched: Sequence[SearchedInstance]) -> Any:
        """The constraints of all sentences, of which those that are given have none."""
        assert self.terms is not None
        return self.terms.of_batch(
            [
                [*([] for _ in range(one.instance.given)), *(one.constraints or [])]
                for one in searched
            ]
        )


def _kept(journal: Journal, together: Sequence[SearchedInstance]) -> list[list[Hypothesis]] | None:
    """The hypotheses of instances that a journal has kept; None if they must be searched."""
    values = journal.next()
    if values is None:
        return None
    sizes = [len(one.own_source) for one in together]
    try:
        results = [[Hypothesis.of_values(each) for each in best] for best in values]
        fits = len(results) == len(sizes) and all(
            best and all(len(each.sentences) == size for each in best)
            for best, size in zip(results, sizes, strict=True)
        )
    except (TypeError, ValueError):
        fits = False
    if fits:
        return results
    journal.discard()
    return None


def _last(sentences: list[Sequence[int]], count: int) -> Tokens:
    """The last sentences of those that have been translated."""
    return sentences[len(sentences) - count :]


def _rounds(searched: Sequence[SearchedInstance]) -> list[list[int]]:
    """The indices of the instances that are independent of each other: all or, where they overlap,
    the first ones of all documents, the second ones, …"""
    if not any(one.waits for one in searched):
        return [list(range(len(searched)))]
    rounds: list[list[int]] = []
    before: dict[int, int] = {}
    for index, one in enumerate(searched):
        number = before[one.owner] = before.get(one.owner, -1) + 1
        if number == len(rounds):
            rounds.append([])
        rounds[number].append(index)
    return rounds

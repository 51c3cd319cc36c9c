"""`InstanceSearch`: the instances of documents are searched in batches.

Instances that do not overlap are independent of each other, and batches hold those of all documents
of like length. Those that overlap (`search.overlap`) begin with sentences whose translations the
instance before has given, so the first instances of all documents are searched, then the second
ones, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, starmap
from typing import Any, Protocol

import torch

from docmt.contexts import ContextDocument, ContextEncoders
from docmt.data import Instance
from docmt.data.collate import collate_source
from docmt.decoding.beam_search import search
from docmt.decoding.beams import Hypothesis
from docmt.decoding.glossary_terms import GlossaryTerms, Sentences
from docmt.decoding.limits import limits
from docmt.decoding.processes import (
    Results,
    Search,
    SearchProcesses,
    can_share,
    fair_share,
    process_count,
)
from docmt.decoding.sampling import Sampling
from docmt.decoding.term_constraints import TermConstraints
from docmt.ground.special_tokens import SpecialTokens
from docmt.recipes.search import SearchSettings
from docmt.systems import System
from docmt.text import Pipeline
from docmt.translators.translator import Journal

Tokens = Sequence[Sequence[int]]
"""Sentences as token ids, without special tokens."""


_SHORT = 300
"""Most source tokens of what is searched in a short time."""


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


class SearchBatch(Protocol):
    """Searches a batch: by itself (`InstanceSearch.search_batch`), or with the instances of other
    requests (`docmt.decoding.scheduler`)."""

    def __call__(
        self,
        search: InstanceSearch,
        searched: Sequence[SearchedInstance],
        given: Sequence[Tokens],
        /,
    ) -> list[list[Hypothesis]]: ...


@dataclass(frozen=True, eq=False)
class InstanceSearch:
    """Searches instances in batches.

    Attributes:
        system: in eval mode.
        contexts: the encoders that the system attends to, if there are any.
        terms: the terms of a glossary, if there is one.
        by: what searches a batch. Default: itself.
        processes: how many processes search batches (`docmt.decoding.processes`). Default: as many
            as are fastest.
    """

    system: System
    pipeline: Pipeline
    settings: SearchSettings
    contexts: ContextEncoders | None = None
    terms: GlossaryTerms | None = None
    by: SearchBatch | None = None
    processes: int | None = 1

    def run(
        self, searched: Sequence[SearchedInstance], journal: Journal | None = None
    ) -> Generator[tuple[list[int], Results], None, None]:
        """Search instances, or take their hypotheses from the journal. Yields the indices of a
        batch and the hypotheses of each, best first: of its own sentences.

        Args:
            searched: the instances, those of a document in its order.
            journal: where batches are kept, if there are several.
        """
        rounds = list(self._rounds_of_batches(searched))
        batches = [batch for together in rounds for batch in together]
        if len(batches) == 1:
            journal = None
        overlap = any(one.waits for one in searched)
        best: dict[int, list[Sequence[int]]] = {one.owner: [] for one in searched}

        def search_batch(number: int, given: Sequence[Tokens]) -> Results:
            together = [searched[index] for index in batches[number]]
            return (self.by or InstanceSearch.search_batch)(self, together, given)

        number = 0
        with self._searching(search_batch, max(map(len, rounds), default=0)) as search_all:
            for round_ in rounds:
                kept = list(_all_kept(journal, [[searched[i] for i in batch] for batch in round_]))
                wanted = [
                    (index, [_given_to(searched[i], best[searched[i].owner]) for i in batch])
                    for index, batch in enumerate(round_, start=number)
                ]
                number += len(round_)
                found = _adding(journal, search_all(wanted[len(kept) :]))
                for batch, results in zip(round_, chain(kept, found), strict=True):
                    for index, hypotheses in zip(batch, results, strict=True):
                        owner = searched[index].owner
                        best[owner] += hypotheses[0].sentences if overlap else ()
                    yield batch, results

    @contextmanager
    def _searching(
        self, search_batch: Search, batches: int
    ) -> Iterator[Callable[[Sequence[tuple[int, Any]]], Iterator[Results]]]:
        """Yields what searches batches that do not depend on each other, in this process or in
        several.

        Args:
            search_batch: searches one.
            batches: the most that do not depend on each other.
        """
        number = process_count(self.processes, batches) if self._can_share else 1
        if number < 2:
            yield partial(starmap, search_batch)
            return
        with SearchProcesses(search_batch, number) as processes:
            yield processes.run

    def _rounds_of_batches(self, searched: Sequence[SearchedInstance]) -> Iterator[list[list[int]]]:
        """The indices of the instances that are searched together, in rounds; batches of a round do
        not depend on each other."""
        for indices in _rounds(searched):
            instances = [searched[index].instance for index in indices]
            batches = batches_by_length(
                instances,
                self.settings,
                self.pipeline.special_tokens,
                one_pass=self._one_pass,
                threads=torch.get_num_threads() if self._can_share else 1,
            )
            yield [[indices[index] for index in batch] for batch in batches]

    @property
    def _device(self) -> torch.device:
        return next(self.system.parameters()).device

    @property
    def _can_share(self) -> bool:
        """True if processes can share the batches."""
        return self.by is None and can_share(self._device)

    @property
    def _one_pass(self) -> bool:
        """True if an instance has the hypotheses of one sentence at a time."""
        order = self.system.writing_order
        return order.in_one_pass or order.in_order

    def shares_batches_with(self, other: InstanceSearch) -> bool:
        """Return whether instances of both can be searched together."""
        return (
            self.system is other.system
            and self.settings == other.settings
            and self.contexts is other.contexts
            and self.terms is other.terms
        )

    def fits_into_a_batch(self, searched: Sequence[SearchedInstance]) -> bool:
        """Return whether instances keep to the settings' limits of what is searched together."""
        instances = [one.instance for one in searched]
        batches = batches_by_length(
            instances, self.settings, self.pipeline.special_tokens, one_pass=self._one_pass
        )
        return len(list(batches)) == 1

    def takes_long(self, searched: Sequence[SearchedInstance]) -> bool:
        """Return whether the search of instances takes so long that others should not wait for
        it."""
        return sum(len(tokens) for one in searched for tokens in one.own_source) > _SHORT

    def search_batch(
        self, searched: Sequence[SearchedInstance], given: Sequence[Tokens]
    ) -> list[list[Hypothesis]]:
        """The best hypotheses of instances that are searched together, best first.

        Args:
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
        hypotheses = search(
            self.system,
            source.to(self._device),
            special_tokens,
            beam_size=settings.beam_size,
            sampling=Sampling.of(settings, instances),
            terms=self._terms(searched),
            given=given,
            **limits(source, self.pipeline, settings),
        )
        pairs_of_found = zip(hypotheses, instances, strict=True)
        return [[h.without_first(i.given) for h in group] for group, i in pairs_of_found]

    def _terms(self, searched: Sequence[SearchedInstance]) -> TermConstraints | None:
        """The constraints of all sentences, of which those that are given have none."""
        if self.terms is None:
            return None
        return self.terms.of_batch(
            [
                [*([] for _ in range(one.instance.given)), *(one.constraints or [])]
                for one in searched
            ]
        )


def _all_kept(
    journal: Journal | None, batches: Sequence[Sequence[SearchedInstance]]
) -> Iterator[Results]:
    """The hypotheses of the batches that a journal has kept, which are the first ones."""
    for together in batches:
        results = None if journal is None else _kept(journal, together)
        if results is None:
            return
        yield results


def _adding(journal: Journal | None, found: Iterable[Results]) -> Iterator[Results]:
    """The hypotheses of batches, each kept in the journal."""
    for results in found:
        if journal is not None:
            journal.add([[each.values for each in best] for best in results])
        yield results


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


def _given_to(one: SearchedInstance, before: Tokens) -> Tokens:
    """The translations that an instance begins with, after those found in its document."""
    return before[len(before) - one.instance.given :] if one.known is None else one.known


def _rounds(searched: Sequence[SearchedInstance]) -> list[list[int]]:
    """The indices of instances in rounds; those of a round are independent of each other."""
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


def batches_by_length(
    instances: Sequence[Instance],
    settings: SearchSettings,
    special_tokens: SpecialTokens,
    *,
    one_pass: bool = True,
    threads: int = 1,
) -> Iterator[list[int]]:
    """The indices of the instances that are searched together: of like length, the longest first,
    within the settings' `max_hypotheses` and `batch_tokens`.

    Args:
        one_pass: whether an instance has the hypotheses of one sentence at a time, in systems that
            write it in one pass or in order; else all of its sentences have theirs at once.
        threads: how many processes of one thread each can share the batches, which are cut for
            them.
    """
    most = settings.max_hypotheses
    if threads > 1:
        units = len(instances) if one_pass else sum(len(i.source) for i in instances)
        most = min(most, fair_share(units * settings.beam_size, threads))
    overhead = special_tokens.source_overhead
    sizes = [sum(len(s) + overhead for s in (*i.context, *i.source)) for i in instances]
    batch: list[int] = []
    longest = units = 0
    for index in sorted(range(len(instances)), key=lambda index: -sizes[index]):
        more = 1 if one_pass else len(instances[index].source)
        tokens, hypotheses = (len(batch) + 1) * longest, (units + more) * settings.beam_size
        if batch and (tokens > settings.batch_tokens or hypotheses > most):
            yield batch
            batch, units = [], 0
        if not batch:
            longest = sizes[index]
        batch.append(index)
        units += more
    if batch:
        yield batch

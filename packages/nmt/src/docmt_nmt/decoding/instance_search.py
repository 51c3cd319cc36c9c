"""`InstanceSearch`: search for the translations of instances, in batches.

Instances without overlap are independent of each other, and a batch holds instances of like length
from all documents. An instance with overlap (`search.overlap`) begins with sentences translated in
the instance before, so the first instances of all documents are searched, then the second ones, and
so on.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, chain, starmap
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from docmt_nmt.data import Instance
from docmt_nmt.decoding.batches import (
    batches_by_length,
    batches_to_refill,
    open_at_once,
    within_scores,
)
from docmt_nmt.decoding.beams import Hypothesis
from docmt_nmt.decoding.compiled_choice import searches_compiled
from docmt_nmt.decoding.compiled_search import search_compiled
from docmt_nmt.decoding.compiled_system import CompiledSystem
from docmt_nmt.decoding.deferred_system import DeferredSystem
from docmt_nmt.decoding.glossary_terms import GlossaryTerms, Sentences
from docmt_nmt.decoding.limits import limits
from docmt_nmt.decoding.processes import (
    Results,
    Search,
    SearchProcesses,
    can_share,
    process_count,
    thread_count,
)
from docmt_nmt.decoding.term_constraints import TermConstraints
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.text import Pipeline
from docmt_nmt.translators.translator import Journal

if TYPE_CHECKING:
    import torch

    from docmt_nmt.contexts import ContextDocument, ContextEncoders
    from docmt_nmt.decoding.sampling import Sampling
    from docmt_nmt.systems import System

Tokens = Sequence[Sequence[int]]
"""Sentences as token ids, without special tokens."""


_BEAM_OF_TERMS = SearchSettings().beam_size
"""Hypotheses of an instance with terms where others have one: greedy search does not leave its own
words for those of a term."""

_SHORT = 300
"""The maximum number of source tokens of a short search."""


@dataclass(frozen=True, slots=True)
class SearchedInstance:
    """An instance to translate.

    Attributes:
        owner: the index of the document.
        instance: the instance. The first sentences may have given translations (`Instance.given`),
            from the instances before in the document.
        context: the document for context encoders, if there are any.
        constraints: the constraints of each own sentence; None without a glossary.
        known: the translations of the first sentences; default: the results of the instances
            before, which are searched first.
        only: the indices of the sentences of the instance to translate, in systems that write each
            sentence alone; None for all.
    """

    owner: int
    instance: Instance
    context: ContextDocument | None = None
    constraints: Sentences | None = None
    known: Tokens | None = None
    only: tuple[int, ...] | None = None

    @property
    def own_source(self) -> Tokens:
        """The sentences to translate, without the given ones."""
        return self.instance.own.source

    @property
    def waits(self) -> bool:
        """True if the search waits for the instances before."""
        return self.instance.given > 0 and self.known is None


class SearchBatch(Protocol):
    """Searches a batch: by itself (`InstanceSearch.search_batch`), or with the instances of other
    requests."""

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
        system: in eval mode, or to be loaded when it is needed.
        contexts: the context encoders of the system, if there are any.
        terms: the terms of a glossary, if there is one.
        by: the search of a batch. Default: `search_batch` of this class.
        processes: the number of processes for batches (`docmt_nmt.decoding.processes`); None for
            the fastest number.
        compiled: the compiled form of the system, if small batches are searched in it.
    """

    system: System | DeferredSystem
    pipeline: Pipeline
    settings: SearchSettings
    contexts: ContextEncoders | None = None
    terms: GlossaryTerms | None = None
    by: SearchBatch | None = None
    processes: int | None = 1
    compiled: CompiledSystem | None = None

    def run(
        self, searched: Sequence[SearchedInstance], journal: Journal | None = None
    ) -> Generator[tuple[list[int], Results], None, None]:
        """Search instances, or take hypotheses from the journal. Yields the indices of a batch, and
        for each instance the hypotheses of the own sentences, best first.

        Args:
            searched: the instances, in the order of each document.
            journal: the journal of batches, if there are several.
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
        """Yields a function to search independent batches, in this process or in several.

        Args:
            search_batch: searches one batch.
            batches: the maximum number of independent batches.
        """
        number = process_count(self.processes, batches) if self._can_share else 1
        if number < 2:
            yield partial(starmap, search_batch)
            return
        with SearchProcesses(search_batch, number) as processes:
            yield processes.run

    def _rounds_of_batches(self, searched: Sequence[SearchedInstance]) -> Iterator[list[list[int]]]:
        """Batches of instances, by index, in rounds; the batches of a round are independent."""
        for indices in _rounds(searched):
            together: list[list[int]] = []
            for settings, group in self._by_beam_size([searched[index] for index in indices]):
                instances = [searched[indices[index]].instance for index in group]
                batches = self._batches(instances, settings)
                together += [[indices[group[index]] for index in batch] for batch in batches]
            yield together

    def _batches(
        self, instances: Sequence[Instance], settings: SearchSettings
    ) -> Iterator[list[int]]:
        """Independent batches of instances, by index."""
        special_tokens = self.pipeline.special_tokens
        threads = thread_count() if self._can_share else 1
        settings = self._within_scores(settings)
        if self._refills:
            return batches_to_refill(instances, settings, special_tokens, threads=threads)
        return batches_by_length(
            instances, settings, special_tokens, one_pass=self._one_pass, threads=threads
        )

    def _within_scores(self, settings: SearchSettings) -> SearchSettings:
        return within_scores(settings, len(self.pipeline.target_vocabulary))

    @property
    def _refills(self) -> bool:
        """True if the next instance of a batch takes the place of a finished one: in eight bits,
        where the results are the same in any batch, to the bit."""
        if not (self.by is None and self.settings.precision == "int8"):
            return False
        if not self.system.refills_batches:
            return False
        from docmt_nmt.nn.native.choice import library  # It needs torch.

        return library() is not None

    def _by_beam_size(
        self, searched: Sequence[SearchedInstance]
    ) -> Iterator[tuple[SearchSettings, list[int]]]:
        """The instances, by index, that have the same number of hypotheses, and the settings with
        this number."""
        of_terms = [index for index, one in enumerate(searched) if any(one.constraints or ())]
        if self.settings.beam_size > 1 or not of_terms:
            yield self.settings, list(range(len(searched)))
            return
        yield self.settings.model_copy(update={"beam_size": _BEAM_OF_TERMS}), of_terms
        if others := sorted(set(range(len(searched))) - set(of_terms)):
            yield self.settings, others

    @property
    def _eager(self) -> System:
        """The system of PyTorch."""
        return self.system.loaded if isinstance(self.system, DeferredSystem) else self.system

    @property
    def _device(self) -> torch.device | str:
        if isinstance(self.system, DeferredSystem):
            return "cpu"
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

    def is_compiled(self, searched: Sequence[SearchedInstance]) -> bool:
        """Return whether instances are searched in the compiled form, which threads may share."""
        return self.compiled is not None and searches_compiled(self.settings, len(searched))

    def shares_batches_with(self, other: InstanceSearch) -> bool:
        """Return whether instances of both can be searched together."""
        return (
            self.system is other.system
            and self.pipeline.special_tokens == other.pipeline.special_tokens
            and self.compiled is other.compiled
            and self.settings == other.settings
            and self.contexts is other.contexts
            and self.terms is other.terms
        )

    def fits_into_a_batch(self, searched: Sequence[SearchedInstance]) -> bool:
        """Return whether instances keep to the limits of one batch in the settings."""
        instances = [one.instance for one in searched]
        settings, _ = next(self._by_beam_size(searched))
        batches = batches_by_length(
            instances,
            self._within_scores(settings),
            self.pipeline.special_tokens,
            one_pass=self._one_pass,
        )
        return len(list(batches)) == 1

    def takes_long(self, searched: Sequence[SearchedInstance]) -> bool:
        """Return whether a search is so long that others should not wait for it."""
        return sum(len(tokens) for one in searched for tokens in one.own_source) > _SHORT

    def search_batch(
        self, searched: Sequence[SearchedInstance], given: Sequence[Tokens]
    ) -> list[list[Hypothesis]]:
        """Search a batch of instances: the hypotheses of each, best first.

        Args:
            searched: the instances.
            given: for each instance the translations of the first sentences.
        """
        results: list[list[Hypothesis]] = [[]] * len(searched)
        for settings, group in self._by_beam_size(searched):
            found = self._search_alike(
                [searched[index] for index in group],
                [given[index] for index in group] if given else (),
                settings,
            )
            for index, hypotheses in zip(group, found, strict=True):
                results[index] = hypotheses[: self.settings.beam_size]
        return results

    def _search_alike(
        self,
        searched: Sequence[SearchedInstance],
        given: Sequence[Tokens],
        settings: SearchSettings,
    ) -> list[list[Hypothesis]]:
        """Search a batch of instances with the same number of hypotheses."""
        special_tokens = self.pipeline.special_tokens
        instances = [one.instance for one in searched]
        lengths = [len(sentence) for one in instances for sentence in one.source]
        keys: dict[str, Any] = {
            "beam_size": settings.beam_size,
            "sampling": _sampling(settings, instances),
            "terms": self._terms(searched),
            "given": given,
            **limits(lengths, self.pipeline, settings),
        }
        if self.compiled is not None and searches_compiled(settings, len(instances)):
            sources = [instance.source for instance in instances]
            hypotheses = search_compiled(
                self.compiled, sources, special_tokens, shortlist=settings.shortlist, **keys
            )
        else:
            at_once = open_at_once(self._within_scores(settings)) if self._refills else None
            hypotheses = self._search_eagerly(searched, instances, {**keys, "at_once": at_once})
        pairs_of_found = zip(hypotheses, instances, strict=True)
        return [[h.without_first(i.given) for h in group] for group, i in pairs_of_found]

    def _search_eagerly(
        self,
        searched: Sequence[SearchedInstance],
        instances: Sequence[Instance],
        keys: dict[str, Any],
    ) -> list[list[Hypothesis]]:
        """Search a batch by PyTorch; `keys` are for `beam_search.search`."""
        # They need torch.
        from docmt_nmt.data.collate import collate_source
        from docmt_nmt.decoding.beam_search import search

        special_tokens = self.pipeline.special_tokens
        if self.contexts is not None:
            locations = [(one.context, one.instance.first) for one in searched if one.context]
            inputs = self.contexts.auxiliary_inputs(locations)
            pairs = zip(instances, inputs, strict=True)
            instances = [replace(i, auxiliary=auxiliary) for i, auxiliary in pairs]
        source = collate_source(instances, special_tokens).to(self._device)
        return search(
            self._eager, source, special_tokens, sentences=_sentences_of(searched), **keys
        )

    def _terms(self, searched: Sequence[SearchedInstance]) -> TermConstraints | None:
        """The constraints of all sentences; given sentences have none."""
        if self.terms is None:
            return None
        return self.terms.of_batch(
            [
                [*([] for _ in range(one.instance.given)), *(one.constraints or [])]
                for one in searched
            ]
        )


def _sentences_of(searched: Sequence[SearchedInstance]) -> NDArray[np.int64] | None:
    """The indices of the sentences to translate among those of all instances; None for all."""
    if all(one.only is None for one in searched):
        return None
    sizes = [len(one.instance.source) for one in searched]
    chosen = []
    for one, size, end in zip(searched, sizes, accumulate(sizes), strict=True):
        positions = range(size) if one.only is None else one.only
        chosen += [end - size + position for position in positions]
    return np.array(chosen, np.int64)


def _sampling(settings: SearchSettings, instances: Sequence[Instance]) -> Sampling | None:
    """The sampling of instances; None for beam search."""
    if settings.method != "sampling":
        return None
    # It needs torch.
    from docmt_nmt.decoding.sampling import Sampling

    return Sampling.of(settings, instances)


def _all_kept(
    journal: Journal | None, batches: Sequence[Sequence[SearchedInstance]]
) -> Iterator[Results]:
    """The hypotheses of the batches in a journal, which are the first ones."""
    for together in batches:
        results = None if journal is None else _kept(journal, together)
        if results is None:
            return
        yield results


def _adding(journal: Journal | None, found: Iterable[Results]) -> Iterator[Results]:
    """The hypotheses of batches, each added to the journal."""
    for results in found:
        if journal is not None:
            journal.add([[each.values for each in best] for best in results])
        yield results


def _kept(journal: Journal, together: Sequence[SearchedInstance]) -> list[list[Hypothesis]] | None:
    """The hypotheses of instances in a journal; None if the journal has none."""
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
    """The given translations of an instance, from the translations of the document so far."""
    return before[len(before) - one.instance.given :] if one.known is None else one.known


def _rounds(searched: Sequence[SearchedInstance]) -> list[list[int]]:
    """The indices of instances in rounds; the instances of a round are independent."""
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

"""`ContextSearch`: greedy search in context that begins with the translations of sentences alone.

Greedy search takes the most probable token after those before. A known translation whose tokens are
all the most probable ones, each after the known ones before it, is what the search would find. So
one pass over all known translations tells which sentences keep them in context, and only the others
are searched. The pass gives the log-probabilities of the known translations in context as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch

from docmt.in_context.candidate_scores import forced_sentences
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.data.collate import collate_source
from docmt_nmt.decoding.batches import within_scores
from docmt_nmt.decoding.beam_search import joined
from docmt_nmt.decoding.beams import Beams, Hypothesis
from docmt_nmt.decoding.instance_search import InstanceSearch, SearchedInstance, Tokens
from docmt_nmt.decoding.limits import limits
from docmt_nmt.decoding.literals import Literals
from docmt_nmt.decoding.search_loop import decode_units
from docmt_nmt.decoding.translation_plan import SearchPlan
from docmt_nmt.nn import BeamState
from docmt_nmt.systems import System

_GROUP_TOKENS = 2**14
"""Source tokens encoded at once."""

SentenceKey = tuple[int, int]
"""The index of a document, and that of a sentence among those that are not empty."""


class FoundInContext(NamedTuple):
    """The translation of a sentence in context.

    Attributes:
        tokens: the token ids, without special tokens.
        log_probability: of the translation in context, EOS included, in nats.
        of_known: that of the known translation, in context.
    """

    tokens: tuple[int, ...]
    log_probability: float
    of_known: float


class ContextSearch:
    """Searches the batches (`instance_search.SearchBatch`) of a plan, in a system that writes each
    sentence alone. Only few sentences of a batch may be left to search, and a step costs nearly as
    much for few as for many, so those of all batches are searched together.

    Args:
        system: in eval mode.
        plan: the plan.
        wanted: the sentences to translate, by the indices of the document and of the sentence among
            those that are not empty.
        known: for each document the translation of each sentence alone, as search writes it
            (`as_written`).

    Attributes:
        found: what was found for sentences of greedy searches without terms, by the same indices.
    """

    def __init__(
        self,
        system: System,
        plan: SearchPlan,
        wanted: Collection[SentenceKey],
        known: Sequence[Sequence[str]],
    ) -> None:
        self._system, self._plan, self._wanted, self._known = system, plan, wanted, known
        self._made: dict[SentenceKey, Hypothesis] = {}
        self.found: dict[SentenceKey, FoundInContext] = {}

    def __call__(
        self,
        search: InstanceSearch,
        searched: Sequence[SearchedInstance],
        given: Sequence[Tokens],
        /,
    ) -> list[list[Hypothesis]]:
        settings, order = search.settings, self._system.writing_order
        is_greedy = settings.method == "beam" and settings.beam_size == 1
        if not is_greedy or search.terms is not None or order is not WritingOrder.ALONE:
            return search.search_batch(searched, given)
        if not self._made:
            for group in self._groups():
                self._search(search, group)
        empty = Hypothesis.empty(1)
        return [joined([[self._made.get(key, empty)] for key in _keys(one)]) for one in searched]

    def _groups(self) -> Iterator[list[SearchedInstance]]:
        """The instances with wanted sentences, in groups to compute together."""
        group: list[SearchedInstance] = []
        tokens = 0
        for owner, planned in enumerate(self._plan.documents):
            for instance in planned.instances:
                one = SearchedInstance(owner, instance)
                if not any(key in self._wanted for key in _keys(one)):
                    continue
                size = sum(map(len, instance.source))
                if group and tokens + size > _GROUP_TOKENS:
                    yield group
                    group, tokens = [], 0
                group.append(one)
                tokens += size
        if group:
            yield group

    @torch.inference_mode()
    def _search(self, search: InstanceSearch, group: Sequence[SearchedInstance]) -> None:
        """Search the wanted sentences of a group."""
        system, pipeline = self._system, search.pipeline
        special_tokens = pipeline.special_tokens
        source = collate_source([one.instance for one in group], special_tokens)
        memory = system.encode(source.to(next(system.parameters()).device))
        every = [key for one in group for key in _keys(one)]
        keys = {number: key for number, key in enumerate(every) if key in self._wanted}
        known = {
            number: pipeline.encode_sentence(self._known[owner][index], "target")
            for number, (owner, index) in keys.items()
        }
        of_search = limits(
            [len(sentence) for one in group for sentence in one.instance.source],
            pipeline,
            search.settings,
        )
        forced = forced_sentences(
            system, memory, [known.get(number) for number in range(len(every))], special_tokens
        )
        totals = dict(zip(known, forced.sums.tolist(), strict=True))
        most, never = np.asarray(of_search["max_lengths"]), set(of_search.get("banned", ()))
        kept = {
            number: _hypothesis(tokens, totals[number], special_tokens)
            for (number, tokens), is_greedy in zip(known.items(), forced.is_greedy, strict=True)
            if is_greedy and 0 < len(tokens) < most[number] and not never & set(tokens)
        }
        others = sorted(keys.keys() - kept.keys(), key=lambda number: -len(known[number]))
        at_once = within_scores(search.settings, len(pipeline.target_vocabulary)).max_hypotheses
        for begin in range(0, len(others), at_once):
            # Of like length, so that few steps are for few sentences.
            numbers = np.sort(np.array(others[begin : begin + at_once], np.int64))
            state = BeamState(memory, 1, special_tokens, one_pass=False, sentences=numbers)
            beams = Beams(state, special_tokens, positions=system.target_positions, **of_search)
            found = decode_units(system, state, beams)
            kept |= {number: best for number, (best,) in zip(numbers.tolist(), found, strict=True)}
        for number, key in keys.items():
            (tokens,), (value,) = kept[number].sentences, kept[number].log_probabilities
            self._made[key] = kept[number]
            self.found[key] = FoundInContext(tokens, value, totals[number])


def as_written(translation: str, literals: Literals | None) -> str:
    """A translation with stand-ins in the place of literals, as search wrote it. Where a literal is
    there in another way, the translation is found by search instead.

    >>> as_written("Rāhula veio.", Literals("Rāhula came.", "%1 came.", ((0, 6),), ("%1",)))
    '%1 veio.'
    """
    if literals is not None:
        for word, stand_in in zip(literals.words, literals.stand_ins, strict=False):
            translation = translation.replace(word, stand_in, 1)
    return translation


def _keys(one: SearchedInstance) -> list[SentenceKey]:
    """The document and the index in it of each sentence of an instance."""
    first = one.instance.first
    return [(one.owner, first + position) for position in range(len(one.instance.source))]


def _hypothesis(
    tokens: Sequence[int], log_probability: float, special_tokens: SpecialTokens
) -> Hypothesis:
    """A known translation that greedy search finds."""
    length = len(tokens) + special_tokens.target_overhead - 1
    score = log_probability / length
    return Hypothesis((tuple(tokens),), (log_probability,), (False,), score)

"""`ContextSearch`: greedy search in context that begins with the translations of sentences alone.

Greedy search takes the most probable token after those before. A known translation whose tokens are
all the most probable ones, each after the known ones before it, is what the search would find. So
one pass over all known translations tells which sentences keep them in context, and only the others
are searched. The pass gives the log-probabilities of the known translations in context as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch

from docmt.in_context.candidate_scores import forced_sentences
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.data.collate import collate_source
from docmt_nmt.decoding.beam_search import joined
from docmt_nmt.decoding.beams import Beams, Hypothesis
from docmt_nmt.decoding.instance_search import InstanceSearch, SearchedInstance, Tokens
from docmt_nmt.decoding.limits import limits
from docmt_nmt.decoding.literals import Literals
from docmt_nmt.decoding.search_loop import decode_units
from docmt_nmt.nn import BeamState
from docmt_nmt.systems import System


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
    """Searches batches (`instance_search.SearchBatch`) in a system that writes each sentence alone.

    Args:
        system: in eval mode.
        known: for each document the translation of each sentence alone, as search writes it
            (`as_written`).

    Attributes:
        found: what was found for sentences of greedy searches without terms, by the indices of the
            document and of the sentence among those that are not empty.
    """

    def __init__(self, system: System, known: Sequence[Sequence[str]]) -> None:
        self._system, self._known = system, known
        self.found: dict[tuple[int, int], FoundInContext] = {}

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
        return self._search(search, searched)

    @torch.inference_mode()
    def _search(
        self, search: InstanceSearch, searched: Sequence[SearchedInstance]
    ) -> list[list[Hypothesis]]:
        """Search a batch; arguments and result as of `InstanceSearch.search_batch`."""
        system, pipeline = self._system, search.pipeline
        special_tokens = pipeline.special_tokens
        source = collate_source([one.instance for one in searched], special_tokens)
        memory = system.encode(source.to(next(system.parameters()).device))
        keys = _sentences(searched)
        known = {
            number: pipeline.encode_sentence(self._known[owner][index], "target")
            for number, (owner, index) in keys.items()
        }
        of_search = limits(
            [len(sentence) for one in searched for sentence in one.instance.source],
            pipeline,
            search.settings,
        )
        forced = forced_sentences(
            system,
            memory,
            [known.get(number) for number in range(len(memory.source.sentences))],
            special_tokens,
        )
        totals = dict(zip(known, forced.sums.tolist(), strict=True))
        most, never = np.asarray(of_search["max_lengths"]), set(of_search.get("banned", ()))
        kept = {
            number: _hypothesis(tokens, totals[number], special_tokens)
            for (number, tokens), is_greedy in zip(known.items(), forced.is_greedy, strict=True)
            if is_greedy and 0 < len(tokens) < most[number] and not never & set(tokens)
        }
        others = np.array([number for number in keys if number not in kept], np.int64)
        if len(others):
            state = BeamState(memory, 1, special_tokens, one_pass=False, sentences=others)
            beams = Beams(state, special_tokens, positions=system.target_positions, **of_search)
            found = decode_units(system, state, beams)
            kept |= {number: best for number, (best,) in zip(others.tolist(), found, strict=True)}
        for number, key in keys.items():
            (tokens,), (value,) = kept[number].sentences, kept[number].log_probabilities
            self.found[key] = FoundInContext(tokens, value, totals[number])
        empty = Hypothesis.empty(1)
        return [
            joined([[kept.get(number, empty)] for number in range(first, last)])
            for first, last in pairwise(source.first_sentences.tolist())
        ]


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


def _sentences(searched: Sequence[SearchedInstance]) -> dict[int, tuple[int, int]]:
    """The sentences to translate, by their indices in the batch: the indices of the document and
    of the sentence in it."""
    found: dict[int, tuple[int, int]] = {}
    begin = 0
    for one in searched:
        size = len(one.instance.source)
        for position in range(size) if one.only is None else sorted(one.only):
            found[begin + position] = one.owner, one.instance.first + position
        begin += size
    return found


def _hypothesis(
    tokens: Sequence[int], log_probability: float, special_tokens: SpecialTokens
) -> Hypothesis:
    """A known translation that greedy search finds."""
    length = len(tokens) + special_tokens.target_overhead - 1
    score = log_probability / length
    return Hypothesis((tuple(tokens),), (log_probability,), (False,), score)

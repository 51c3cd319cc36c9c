"""Beam search over a system of PyTorch, which writes packed instances token by token.

`search_loop` has the loop. A unit is decoded in one loop: an instance or, in systems that write
each sentence on its own, a sentence. `System.writing_order` says how the sentences of an instance
are decoded:

- `ONE_PASS`: all in one loop.
- `ALONE`: all at once, each with hypotheses of its own.
- `IN_ORDER`: the first sentences of all instances at once, then the second ones, given the best
  translations of the first, and so on.
- `AFTER_DRAFTS`: all at once, twice; the second time given the first translations of all others.
- `CORRECTING`: `IN_ORDER`, given drafts of the same sentences by `System.draft_system`.

Shapes: S source sentences, B hypotheses of each unit, R of all units, V tokens of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import mean
from typing import Any, Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.data.collate import pack_translations
from docmt_nmt.decoding.beams import Beams, Hypothesis
from docmt_nmt.decoding.limits import SearchLimits
from docmt_nmt.decoding.sampling import Sampling
from docmt_nmt.decoding.search_loop import decode_units, kind_of_beams
from docmt_nmt.decoding.term_constraints import TermConstraints
from docmt_nmt.nn import BeamState, Memory
from docmt_nmt.nn.batch import Packed, TranslatedSentences
from docmt_nmt.systems.system import System

Integers = NDArray[np.int64]


@torch.inference_mode()
def search(
    system: System,
    source: Packed,
    special_tokens: SpecialTokens,
    *,
    beam_size: int,
    sampling: Sampling | None = None,
    terms: TermConstraints | None = None,
    given: Sequence[Sequence[Sequence[int]]] = (),
    sentences: Integers | None = None,
    at_once: int | None = None,
    **limits: Unpack[SearchLimits],
) -> list[list[Hypothesis]]:
    """Translate packed instances.

    Args:
        system: in eval mode.
        beam_size: B; 1 is greedy search. With `sampling`, the number of samples.
        sampling: the distribution and the seeds of samples; default: beam search.
        terms: the terms of each target sentence, no longer than the maximum length of the sentence;
            not with `sampling`. Default: none.
        given: for each instance the translations of the first sentences, as token ids, which every
            hypothesis begins with at no cost; only in one-pass systems. Default: none.
        sentences: the indices of the source sentences to translate; all others get empty
            hypotheses. Only in systems that write each sentence alone. Default: all.
        at_once: the maximum number of instances that are written at once; the next one takes the
            place of a finished one. Only for a system that `refills_batches`. Default: all.
        limits: see `SearchLimits`.

    Returns:
        For each instance B finished hypotheses (fewer where fewer exist), best first; or B
        independent samples, in the order of drawing. Drafts for correction are found by beam search
        in any case.

    Raises:
        InputError: the system's logits are not finite.
    """
    order = system.writing_order
    assert at_once is None or system.refills_batches, "no state of a reach"
    drafts: list[list[Hypothesis]] | None = None
    if system.draft_system is not None:
        source, drafts = with_drafts(
            system.draft_system, source, special_tokens, beam_size=beam_size, terms=terms, **limits
        )
        if sampling is not None:
            # The first sentences are not corrected, and are drawn as well.
            sampling = sampling.by_sentence(source)
            drafts = search(
                system.draft_system,
                source.by_sentence,
                special_tokens,
                beam_size=beam_size,
                sampling=sampling,
                **limits,
            )

    def decode(state: BeamState) -> list[list[Hypothesis]]:
        begins, positions = given if order.in_one_pass else (), system.target_positions
        kind = kind_of_beams(sampling, terms)
        beams = kind(state, special_tokens, positions=positions, given=begins, **limits)
        return decode_units(system, state, beams)

    memory = system.encode(source)
    if order.in_one_pass:
        return decode(BeamState(memory, beam_size, special_tokens, at_once=at_once))
    assert not any(given), "sentences are written on their own"
    if order.in_order:

        def decode_sentences(memory: Memory, sentences: Integers) -> list[list[Hypothesis]]:
            return decode(
                BeamState(memory, beam_size, special_tokens, one_pass=False, sentences=sentences)
            )

        hypotheses = _decode_in_order(system, memory, special_tokens, decode_sentences, drafts)
    else:
        if order is WritingOrder.AFTER_DRAFTS:
            drafting = BeamState(memory, 1, special_tokens, one_pass=False)
            beams = Beams(drafting, special_tokens, positions=system.target_positions, **limits)
            drafts = decode_units(system, drafting, beams)
            read = _read(system, memory, special_tokens, np.arange(len(drafts)), drafts)
            memory = system.with_translations(memory, _translations(memory, [read]))
        assert sentences is None or order is WritingOrder.ALONE, "no other sentence is read"
        state = BeamState(memory, beam_size, special_tokens, one_pass=False, sentences=sentences)
        hypotheses = decode(state)
        if sentences is not None:
            found = dict(zip(sentences.tolist(), hypotheses, strict=True))
            everything = range(len(source.sentences))
            hypotheses = [found.get(index, [Hypothesis.empty(1)]) for index in everything]
    return [
        joined(hypotheses[first:last]) for first, last in pairwise(source.first_sentences.tolist())
    ]


def with_drafts(
    draft_system: System, source: Packed, special_tokens: SpecialTokens, **keys: Any
) -> tuple[Packed, list[list[Hypothesis]]]:
    """The source with drafts for a correcting system, and the hypotheses of the draft system."""
    drafts = search(draft_system, source.by_sentence, special_tokens, **keys)
    return replace(source, draft=_best_of(drafts, special_tokens, source.tokens.device)), drafts


def _decode_in_order(
    system: System,
    memory: Memory,
    special_tokens: SpecialTokens,
    decode_sentences: Callable[[Memory, Integers], list[list[Hypothesis]]],
    drafts: Sequence[list[Hypothesis]] | None = None,
) -> list[list[Hypothesis]]:
    """Decode all source sentences, the k-th sentences of all instances at once, given the best
    hypotheses of the sentences before.

    Args:
        decode_sentences: decodes these source sentences, given the translations in the memory.
        drafts: the drafts of all source sentences, for a correcting system, which leaves the first
            sentence of an instance as it is.
    """
    first, last = memory.source.first_sentences[:-1], memory.source.first_sentences[1:]
    written: list[list[Hypothesis]] = [[] for _ in range(len(memory.source.sentences))]
    read: list[tuple[Integers, Packed, Tensor]] = []
    for k in range(int((last - first).max(initial=0))):
        sentences = (first + k)[first + k < last]
        if drafts is not None and k == 0:
            results = [drafts[sentence] for sentence in sentences.tolist()]
        else:
            known = _translations(memory, read)
            given = system.with_translations(memory, known, sentences)
            results = decode_sentences(given, sentences)
        for sentence, hypotheses in zip(sentences.tolist(), results, strict=True):
            written[sentence] = hypotheses
        if len(followed := (first + k)[first + k + 1 < last]):
            read = [*read, _read(system, memory, special_tokens, followed, written)]
            read = read[-system.sentences_back :]
    return written


def _read(
    system: System,
    memory: Memory,
    special_tokens: SpecialTokens,
    sentences: Integers,
    hypotheses: Sequence[Sequence[Hypothesis]],
) -> tuple[Integers, Packed, Tensor]:
    """Let a system read the best translations of these source sentences.

    Returns:
        The sentences, the translations, and the states of the translations, (N, d).
    """
    best = [hypotheses[sentence] for sentence in sentences.tolist()]
    target = _best_of(best, special_tokens, memory.states.device)
    states = system.read_translations(target, memory.sentences_alone(sentences))
    return sentences, target, states


def _best_of(
    by_sentence: Sequence[Sequence[Hypothesis]], special_tokens: SpecialTokens, device: torch.device
) -> Packed:
    """The best hypothesis of each sentence, packed, a sentence per instance."""
    best = [[hypotheses[0].sentences[0]] for hypotheses in by_sentence]
    return pack_translations(best, special_tokens).to(device)


def _translations(
    memory: Memory, read: Sequence[tuple[Integers, Packed, Tensor]]
) -> TranslatedSentences | None:
    """The results of `_read`, as one value."""
    if not read:
        return None
    first = np.zeros(len(memory.source.sentences), np.int64)
    lengths = np.zeros_like(first)
    begin = 0
    for sentences, target, _ in read:
        tokens = target.sentences.host_lengths
        lengths[sentences] = tokens
        first[sentences] = begin + tokens.cumsum() - tokens
        begin += int(tokens.sum())
    return TranslatedSentences(
        torch.cat([states for _, _, states in read]),
        first,
        lengths,
        np.concatenate([target.host_tokens for _, target, _ in read]),
    )


def joined(sentences: Sequence[Sequence[Hypothesis]]) -> list[Hypothesis]:
    """The hypotheses of an instance from the hypotheses of sentences: the k-th joins the k-th of
    each sentence, or the last of a sentence with fewer. The score is the mean."""
    depth = max(map(len, sentences))
    made = []
    for k in range(depth):
        chosen = [hypotheses[min(k, len(hypotheses) - 1)] for hypotheses in sentences]
        made.append(
            Hypothesis(
                tuple(h.sentences[0] for h in chosen),
                tuple(h.log_probabilities[0] for h in chosen),
                tuple(h.truncated[0] for h in chosen),
                mean(h.score for h in chosen),
            )
        )
    return made

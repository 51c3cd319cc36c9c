"""Search from left to right: hypotheses of packed instances, by beams (`beam_search`) or drawn at
random (`sampling`).

Systems that write each sentence on its own are searched for all sentences at once, each with its
own hypotheses, unless they read the translations of the sentences before: then the first sentences
of all instances are searched at once, then the second ones, given the best translations of the
first, and so on. For systems that read drafts of all other sentences, all are searched twice. For
systems that correct drafts, these are found first, each sentence alone.

Shapes: S source sentences, B hypotheses of each unit, R of all units, V tokens of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from itertools import pairwise
from statistics import mean
from typing import Any, Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt.data.collate import pack_translations
from docmt.decoding.beams import Beams, Hypothesis, filling_gaps
from docmt.decoding.constrained_beams import ConstrainedBeams
from docmt.decoding.limits import SearchLimits
from docmt.decoding.sampling import Samples, Sampling
from docmt.decoding.term_constraints import TermConstraints
from docmt.ground.special_tokens import SpecialTokens
from docmt.nn import BeamState, Memory
from docmt.nn.batch import Packed, TranslatedSentences
from docmt.systems.system import System, WritingOrder

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
    **limits: Unpack[SearchLimits],
) -> list[list[Hypothesis]]:
    """Translate packed instances.

    Args:
        system: in eval mode.
        beam_size: B; 1 is greedy search. With `sampling`, how many translations are drawn.
        sampling: how translations are drawn at random; default: beam search.
        terms: what each sentence's translation must contain, which is not longer than its maximum
            length; not with `sampling`. Default: nothing.
        given: for each instance the translations of its first sentences, which it begins with at no
            cost, as token ids; only for systems that write an instance in one pass. Default: none.
        limits: see `SearchLimits`.

    Returns:
        For each instance its B finished hypotheses (fewer where fewer exist), best first; or B
        independent samples, in the order in which they were drawn. Drafts that are to be corrected
        are found by beam search in any case.

    Raises:
        InputError: the system's logits are not finite.
    """
    order = system.writing_order
    drafts: list[list[Hypothesis]] | None = None
    if system.draft_system is not None:
        source, drafts = with_drafts(
            system.draft_system, source, special_tokens, beam_size=beam_size, terms=terms, **limits
        )
        if sampling is not None:
            # What is not corrected is drawn as well.
            sampling = sampling.by_sentence(source)
            drafts = search(
                system.draft_system,
                source.by_sentence,
                special_tokens,
                beam_size=beam_size,
                sampling=sampling,
                **limits,
            )

    def write(state: BeamState) -> list[list[Hypothesis]]:
        kind: Callable[..., Beams] = Beams
        if sampling is not None:
            kind = partial(Samples, sampling)
        elif terms is not None:
            kind = partial(ConstrainedBeams, terms)
        begins, positions = given if order.in_one_pass else (), system.target_positions
        beams = kind(state, special_tokens, positions=positions, given=begins, **limits)
        return _write(system, state, beams)

    memory = system.encode(source)
    if order.in_one_pass:
        return write(BeamState(memory, beam_size, special_tokens))
    assert not any(given), "sentences are written on their own"
    if order.in_order:

        def write_sentences(memory: Memory, sentences: Integers) -> list[list[Hypothesis]]:
            return write(
                BeamState(memory, beam_size, special_tokens, one_pass=False, sentences=sentences)
            )

        hypotheses = _write_in_order(system, memory, special_tokens, write_sentences, drafts)
    else:
        if order is WritingOrder.AFTER_DRAFTS:
            drafting = BeamState(memory, 1, special_tokens, one_pass=False)
            beams = Beams(drafting, special_tokens, positions=system.target_positions, **limits)
            drafts = _write(system, drafting, beams)
            read = _read(system, memory, special_tokens, np.arange(len(drafts)), drafts)
            memory = system.with_translations(memory, _translations(memory, [read]))
        hypotheses = write(BeamState(memory, beam_size, special_tokens, one_pass=False))
    return [
        _joined(hypotheses[first:last]) for first, last in pairwise(source.first_sentences.tolist())
    ]


_between_steps: ContextVar[Callable[[], None]] = ContextVar("between_steps", default=lambda: None)


@contextmanager
def calling_between_steps(function: Callable[[], None]) -> Iterator[None]:
    """Call a function before each step of the searches in this context, such as one that searches
    something else in between; what it raises ends the search."""
    token = _between_steps.set(function)
    try:
        yield
    finally:
        _between_steps.reset(token)


def with_drafts(
    draft_system: System, source: Packed, special_tokens: SpecialTokens, **keys: Any
) -> tuple[Packed, list[list[Hypothesis]]]:
    """The source with the drafts that a system reads to correct them, and what was found."""
    drafts = search(draft_system, source.by_sentence, special_tokens, **keys)
    return replace(source, draft=_best_of(drafts, special_tokens, source.tokens.device)), drafts


def _write(system: System, state: BeamState, beams: Beams) -> list[list[Hypothesis]]:
    """Write all units of a state to their ends."""
    between_steps = _between_steps.get()
    while True:
        between_steps()
        logits = system.step(beams.last, state)  # (R, V)
        parents, unfinished = beams.extend(logits.float())
        if not len(unfinished):
            return beams.results()
        if state.beam_size > 1:
            state.select(parents)
        if len(unfinished) < len(state.units):
            order = filling_gaps(unfinished)
            state.keep(order)
            beams.keep(order)


def _write_in_order(
    system: System,
    memory: Memory,
    special_tokens: SpecialTokens,
    write_sentences: Callable[[Memory, Integers], list[list[Hypothesis]]],
    drafts: Sequence[list[Hypothesis]] | None = None,
) -> list[list[Hypothesis]]:
    """The hypotheses of all source sentences, the k-th ones of all instances at once, given the
    first hypotheses of those before them.

    Args:
        write_sentences: writes these source sentences, given what the memory has.
        drafts: of all source sentences, for a system that corrects them; the first sentences of
            instances are not corrected.
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
            results = write_sentences(system.with_translations(memory, known, sentences), sentences)
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
        The sentences, their translations, and the states of these, (N, d).
    """
    best = [hypotheses[sentence] for sentence in sentences.tolist()]
    target = _best_of(best, special_tokens, memory.states.device)
    states = system.read_translations(target, memory.sentences_alone(sentences))
    return sentences, target, states


def _best_of(
    by_sentence: Sequence[Sequence[Hypothesis]], special_tokens: SpecialTokens, device: torch.device
) -> Packed:
    """The best hypothesis of each sentence, packed, each an instance of its own."""
    best = [[hypotheses[0].sentences[0]] for hypotheses in by_sentence]
    return pack_translations(best, special_tokens).to(device)


def _translations(
    memory: Memory, read: Sequence[tuple[Integers, Packed, Tensor]]
) -> TranslatedSentences | None:
    """All that `_read` has given."""
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


def _joined(sentences: Sequence[Sequence[Hypothesis]]) -> list[Hypothesis]:
    """The hypotheses of an instance made of those of its sentences: the k-th is made of the k-th of
    each, or of the last of one that has fewer. Its score is their mean."""
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

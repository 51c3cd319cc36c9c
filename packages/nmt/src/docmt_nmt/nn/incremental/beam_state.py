"""`BeamState`: the decoding state of beam search.

A unit is written in one pass: an instance or, in systems that write each sentence on its own, a
sentence.

Shapes: U open units with B hypotheses each, R = U · B hypotheses (hypothesis r belongs to open unit
r // B), I instances, S source sentences.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.nn.batch import Memory
from docmt_nmt.nn.incremental.incremental_view import IncrementalView
from docmt_nmt.nn.incremental.open_hypotheses import OpenHypotheses
from docmt_nmt.nn.incremental.source_sharing import SourceSharing
from docmt_nmt.nn.incremental.source_window import SourceWindow
from docmt_nmt.nn.incremental.token_tree import TokenTree
from docmt_nmt.nn.recording import Looked
from docmt_nmt.nn.transfer import to_device


class BeamState(IncrementalView, OpenHypotheses):
    """The state of all open hypotheses.

    Args:
        memory: the encoded instances, all open at first.
        beam_size: B.
        special_tokens: the tokens around target sentences.
        one_pass: whether a unit is an instance; else it is a sentence.
        sentences: the indices of the source sentences to translate, where a unit is a sentence;
            default: all.
        at_once: the maximum number of open units, where a unit is an instance; the others wait.
            Default: all.

    Sentences are those of `memory.source.sentences`, instances those of `memory.source`.
    """

    def __init__(
        self,
        memory: Memory,
        beam_size: int,
        special_tokens: SpecialTokens,
        *,
        one_pass: bool = True,
        sentences: ArrayLike | None = None,
        at_once: int | None = None,
    ) -> None:
        source = memory.source
        device = memory.states.device
        if one_pass:
            first, last = source.first_sentences[:-1], source.first_sentences[1:] - 1
        else:
            everything = np.arange(len(source.sentences))
            first = everything if sentences is None else np.asarray(sentences, np.int64)
            last = first
        self.first_sentences = source.first_sentences
        instances = np.searchsorted(source.first_sentences, first, side="right") - 1
        self.open(first, last, instances, beam_size, special_tokens, at_once=at_once)
        sharing = SourceSharing(self.open_instances, device)
        super().__init__(memory, sharing, SourceWindow(source.sentences, len(self.units)))
        size = len(self.units), beam_size, device
        self.sentences = TokenTree(*size, looked=Looked("self", "group"), view=self)
        self.instances = TokenTree(*size, looked=Looked("self", "global"), view=self)

    def advance(self, tokens: ArrayLike) -> None:
        begins, written = self.sentence_ended, self.position + 1
        self.follow(tokens)
        begin = begins.reshape(-1, self.beam_size)
        self.sentences.forget(begin)
        for cache in self._caches():
            cache.advance(begin, written.reshape(begin.shape))
        self.window.move(self.sentence.reshape(-1, self.beam_size))

    def select(self, parents: ArrayLike) -> None:
        """Reorder the hypotheses: hypothesis r continues `parents[r]`, (R,), of the same unit."""
        chosen = np.asarray(parents)
        self.pick(chosen)
        beams = chosen.reshape(-1, self.beam_size) % self.beam_size
        for cache in self._caches():
            cache.select(beams)

    def keep(self, units: ArrayLike) -> None:
        """Keep these open units, by index among the open units, and forget the others. A unit with
        the same index as before costs nothing."""
        kept = np.asarray(units)
        self.keep_open(kept)
        for cache in self._caches():
            cache.keep(kept)
        self.keep_units(kept)

    def renew(self, places: ArrayLike) -> None:
        """Give the places of these finished units, by index among the open units, to the next
        waiting ones."""
        renewed = np.asarray(places)
        self.open_next(renewed)
        for cache in (self.sentences, self.instances):
            cache.renew(renewed)
        self.renew_units(renewed, self.open_instances[renewed])
        if self.recurrent:
            begun = to_device(self.hypotheses_of(renewed), self.device)
            for state in self.recurrent.values():
                state[begun] = 0.0

    def pick(self, hypotheses: NDArray[np.int64]) -> None:
        super().pick(hypotheses)
        if self.recurrent:
            index = to_device(hypotheses, self.device)
            self.recurrent = {owner: state[index] for owner, state in self.recurrent.items()}

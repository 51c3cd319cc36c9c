"""`BeamState`: the decoding state of beam search.

A unit is written in one pass: an instance or, in systems that write each sentence on its own, a
sentence.

Shapes: U open units with B hypotheses each, R = U · B hypotheses (hypothesis r belongs to open unit
r // B), I instances, S source sentences.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from docmt.ground.special_tokens import SpecialTokens
from docmt.nn.batch import Memory
from docmt.nn.incremental.incremental_view import IncrementalView
from docmt.nn.incremental.source_sharing import SourceSharing
from docmt.nn.incremental.source_window import SourceWindow
from docmt.nn.incremental.token_tree import TokenTree
from docmt.nn.recording import Looked
from docmt.nn.transfer import to_device


class BeamState(IncrementalView):
    """The state of all open hypotheses, with the source sentence and the position of each: group
    tags follow the generated text (Bao et al. 2021, section 4.3).

    Args:
        memory: the encoded instances, all open at first.
        beam_size: B.
        special_tokens: the tokens around target sentences.
        one_pass: whether a unit is an instance; else it is a sentence.
        sentences: the indices of the source sentences to translate, where a unit is a sentence;
            default: all.

    Attributes:
        sentence: (R,) the index of the hypothesis' sentence in `memory.source.sentences`; at first,
            the index before the unit's first sentence.
        sentence_ended: (R,) True if the last token ended a sentence; the next token begins one.
        last_sentence: (U,) the last sentence of each open unit.
        units: (U,) the index of each open unit among all units.
        open_instances: (U,) the index of each unit's instance in the memory.

    All are arrays of the host.
    """

    def __init__(
        self,
        memory: Memory,
        beam_size: int,
        special_tokens: SpecialTokens,
        *,
        one_pass: bool = True,
        sentences: ArrayLike | None = None,
    ) -> None:
        source = memory.source
        device = memory.states.device
        if one_pass:
            first, self.last_sentence = source.first_sentences[:-1], source.first_sentences[1:] - 1
        else:
            everything = np.arange(len(source.sentences))
            first = everything if sentences is None else np.asarray(sentences, np.int64)
            self.last_sentence = first
        self.beam_size, self.special_tokens = beam_size, special_tokens
        self.units = np.arange(len(first))
        self.open_instances = np.searchsorted(source.first_sentences, first, side="right") - 1
        sharing = SourceSharing(self.open_instances, device)
        super().__init__(memory, sharing, SourceWindow(source.sentences, len(self.units)))
        self.sentence = first.repeat(beam_size) - 1
        self.position = np.full_like(self.sentence, -1)
        self.sentence_ended = np.ones(len(self.sentence), np.bool_)
        size = len(self.units), beam_size, device
        self.sentences = TokenTree(*size, looked=Looked("self", "group"), view=self)
        self.instances = TokenTree(*size, looked=Looked("self", "global"), view=self)

    def advance(self, tokens: ArrayLike) -> None:
        begins, written = self.sentence_ended, self.position + 1
        self.sentence = self.sentence + begins
        self.position = np.where(begins, 0, self.position + 1)
        # A token that opens a sentence may be the one that ends it.
        inside = self.position >= len(self.special_tokens.target_opening)
        self.sentence_ended = (np.asarray(tokens) == self.special_tokens.target_end) & inside
        self.length += 1
        begin = begins.reshape(-1, self.beam_size)
        self.sentences.forget(begin)
        for cache in self._caches():
            cache.advance(begin, written.reshape(begin.shape))
        self.window.move(self.sentence.reshape(-1, self.beam_size))

    def select(self, parents: ArrayLike) -> None:
        """Reorder the hypotheses: hypothesis r continues `parents[r]`, (R,), of the same unit."""
        chosen = np.asarray(parents)
        self._pick(chosen)
        beams = chosen.reshape(-1, self.beam_size) % self.beam_size
        for cache in self._caches():
            cache.select(beams)

    def keep(self, units: ArrayLike) -> None:
        """Keep these open units, by index among the open units, and forget the others. A unit with
        the same index as before costs nothing."""
        kept = np.asarray(units)
        self._pick(self.hypotheses_of(kept))
        self.units, self.open_instances = self.units[kept], self.open_instances[kept]
        self.last_sentence = self.last_sentence[kept]
        for cache in self._caches():
            cache.keep(kept)
        self.keep_units(kept)

    def _pick(self, hypotheses: NDArray[np.int64]) -> None:
        """Keep the bookkeeping of these hypotheses."""
        self.sentence, self.position = self.sentence[hypotheses], self.position[hypotheses]
        self.sentence_ended = self.sentence_ended[hypotheses]
        if self.recurrent:
            index = to_device(hypotheses, self.device)
            self.recurrent = {owner: state[index] for owner, state in self.recurrent.items()}

    def hypotheses_of(self, units: NDArray[np.int64]) -> NDArray[np.int64]:
        """The indices of the hypotheses of these open units."""
        return (units[:, None] * self.beam_size + np.arange(self.beam_size)).reshape(-1)

"""`Previous`: a sentence before each token's own, where sentences are written in order
(Miculicich et al. 2018, "Document-Level Neural Machine Translation with Hierarchical Attention
Networks").

Shapes: U open units with B hypotheses each, R = U · B hypotheses, L tokens of the longest previous
sentence, H heads, D head dimension.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt_nmt.nn.batch import Memory
from docmt_nmt.nn.full_pass import FullPass, OverSpans
from docmt_nmt.nn.incremental import IncrementalView
from docmt_nmt.nn.incremental.cached import attend_cached, for_cached, padding_masks, seen_weights
from docmt_nmt.nn.incremental.source_window import SourceWindow
from docmt_nmt.nn.recording import Looked
from docmt_nmt.nn.spans import Spans, padded
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.nn.views import KeysValues, KeyValueProjection, Reach, View


@dataclass(frozen=True)
class Previous(Reach[KeysValues]):
    """The sentence so many before each token's own; none where its instance begins later. Step by
    step its states are what `System.read_translations` gave.

    Attributes:
        distance: 1 for the sentence before.
    """

    distance: int

    def full_pass(self, view: FullPass, x: Tensor) -> KeysValues:
        spans, first = view.packed.sentences, view.packed.first_sentences
        sentences = np.arange(len(spans))
        begin = first[np.searchsorted(first, sentences, side="right") - 1]
        there = sentences - self.distance >= begin
        looked_at = sentences[there] - self.distance
        lengths = np.zeros_like(sentences)
        lengths[there] = spans.host_lengths[looked_at]
        index = to_device(spans.tokens_of(looked_at), x.device)
        keys = Spans.of(lengths.tolist(), x.device)
        return OverSpans(spans, keys, x[index], looked=self._looked, view=view)

    def step(self, view: IncrementalView, x: Tensor) -> KeysValues:  # noqa: ARG002
        return view.kept(
            self,
            lambda: PreviousTranslation(
                view.memory, view.window, self.distance, looked=self._looked, view=view
            ),
        )

    @property
    def _looked(self) -> Looked:
        return Looked(f"previous-{self.distance}", "group")


class PreviousTranslation(KeysValues):
    """The translation of the sentence that stands so many before the one being written.

    Args:
        memory: the encoded instances, with the translations that are known.
        window: the source sentence of each unit; a unit is one sentence.
        distance: 1 for the sentence before.
        looked, view: for recording, as of `OverSpans`.
    """

    def __init__(
        self, memory: Memory, window: SourceWindow, distance: int, *, looked: Looked, view: View
    ) -> None:
        self._memory, self._window, self._distance = memory, window, distance
        self._looked, self._recorder = looked, view.view_recorder
        self._sentences: NDArray[np.int64] | None = None
        self._padded: dict[KeyValueProjection, tuple[Tensor, Tensor]] = {}
        self._masks: dict[torch.dtype, tuple[Tensor, Tensor]] = {}

    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:  # noqa: ARG002
        self._follow_window()
        if owner not in self._padded:
            self._padded[owner] = self._pad(owner)
        keys, values = self._padded[owner]
        if keys.dtype not in self._masks:
            self._masks[keys.dtype] = padding_masks(self._lengths, keys)
        bias, has_keys = self._masks[keys.dtype]
        if (recorder := self._recorder.active) is not None and recorder.wants_weights:
            seen = np.arange(keys.shape[3]) < self._lengths[:, None]
            by_unit = seen[:, None].repeat(len(q) // len(seen), axis=1)
            recorder.add_weights(self._looked, owner, seen_weights(q, keys, by_unit))
        return attend_cached(q, keys, values, bias, has_keys=has_keys)

    def has_keys(self, x: Tensor) -> Tensor:
        self._follow_window()
        return to_device((self._lengths > 0).repeat(len(x) // len(self._lengths)), x.device)

    def _follow_window(self) -> None:
        """Find the previous sentences, if those that are being written have changed."""
        sentences = self._window.first
        if self._sentences is not None and np.array_equal(sentences, self._sentences):
            return
        self._sentences, self._padded, self._masks = sentences, {}, {}
        first = self._memory.source.first_sentences
        begin = first[np.searchsorted(first, sentences, side="right") - 1]
        previous = sentences - self._distance
        translations = self._memory.translations
        if translations is None:
            self._first = self._lengths = np.zeros_like(sentences)
        else:
            self._first = translations.first[previous]
            self._lengths = np.where(previous >= begin, translations.lengths[previous], 0)

    def _pad(self, owner: KeyValueProjection) -> tuple[Tensor, Tensor]:
        """Keys, (U, H, D, L), and values, (U, H, L, D), padded to the longest."""
        translations = self._memory.translations
        states = self._memory.states if translations is None else translations.states
        index, _ = padded(self._first, self._lengths)
        picked = states[to_device(index.reshape(-1), states.device)]
        projected = owner.cached_keys_values(picked)  # (2, U · L, H, D)
        return for_cached(projected.view(2, *index.shape, *projected.shape[2:]))

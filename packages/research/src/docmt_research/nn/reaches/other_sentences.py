"""`OtherSentences`: the sentences of each token's instance apart from its own (Maruf et al. 2019,
"Selective Attention for Context-aware Neural Machine Translation"); while a sentence is written,
their translations as they are known.

Shapes: U open units with B hypotheses each, R = U · B hypotheses; I instances that they read, with
up to S sentences of up to L tokens; H heads, D head dimension.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt_nmt.nn.batch import Memory, Packed
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.incremental import IncrementalView
from docmt_nmt.nn.incremental.source_sharing import SourceSharing
from docmt_nmt.nn.incremental.source_window import SourceWindow
from docmt_nmt.nn.spans import padded
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.nn.views import KeysValues, KeyValueProjection, Reach
from docmt_research.nn.selective import (
    ReadSentences,
    SelectiveAttention,
    SentenceBucket,
    bucket_sentences,
)


@dataclass(frozen=True)
class OtherSentences(Reach[KeysValues]):
    """The sentences of each token's instance apart from its own, for `SelectiveAttention`. Step by
    step their states are what `System.read_translations` gave.

    Attributes:
        past_only: True if only sentences before the token's own are seen.
    """

    past_only: bool = False

    def full_pass(self, view: FullPass, x: Tensor) -> KeysValues:
        return OtherPackedSentences(view.packed, x, past_only=self.past_only)

    def step(self, view: IncrementalView, x: Tensor) -> KeysValues:  # noqa: ARG002
        return view.kept(
            self,
            lambda: OtherTranslations(
                view.memory, view.sharing, view.window, past_only=self.past_only
            ),
        )


class OtherPackedSentences(KeysValues):
    """A query sees all sentences of its instance apart from its own.

    Args:
        packed: the sentences.
        states: (N, d) or (N, 2d) what keys and values are made of.
        past_only: whether only sentences before the query's own are seen.
    """

    def __init__(self, packed: Packed, states: Tensor, *, past_only: bool) -> None:
        self._packed, self._states, self._past_only = packed, states, past_only

    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:  # noqa: ARG002
        """Queries, (N, H', D), of a `SelectiveAttention`: (N, H, D)."""
        assert isinstance(owner, SelectiveAttention)
        sentences, attended = self._packed.sentences, []
        for first, last in pairwise(self._packed.first_sentences.tolist()):
            begin, end = sentences.host_offsets[[first, last]].tolist()
            buckets, order = bucket_sentences(sentences.host_lengths[first:last], q.device)
            own_sentence, others = (
                sentences.index[begin:end, None],
                to_device(order + first, q.device),
            )
            seen = others < own_sentence if self._past_only else others != own_sentence
            read = owner.read(self._states[begin:end], buckets)
            looked = owner.find(q[begin:end].transpose(0, 1)[None], read, seen[None])
            attended.append(looked[0].transpose(0, 1))
        return torch.cat(attended)

    def has_keys(self, x: Tensor) -> Tensor:
        packed, first = self._packed, self._packed.first_sentences
        sizes = np.diff(first)
        if self._past_only:
            there = np.arange(len(packed.sentences)) > first[:-1].repeat(sizes)
        else:
            there = (sizes > 1).repeat(sizes)
        return to_device(there, x.device)[packed.sentences.index]


class OtherTranslations(KeysValues):
    """The known translations of the sentences of each unit's instance, apart from its own. They
    are read once for all units of an instance.

    Args:
        memory: the encoded instances, with the translations that are known.
        sharing: which unit reads which instance.
        window: the source sentence of each unit; a unit is one sentence.
        past_only: whether only sentences before the unit's own are seen.
    """

    def __init__(
        self, memory: Memory, sharing: SourceSharing, window: SourceWindow, *, past_only: bool
    ) -> None:
        self._memory, self._sharing, self._window = memory, sharing, window
        self._past_only = past_only
        self._longest = int(np.diff(memory.source.first_sentences).max())
        self._read: dict[KeyValueProjection, list[ReadSentences]] = {}
        self._grouped: Tensor | None = None
        self._there: Tensor | None = None

    def attend(self, q: Tensor, x: Tensor, owner: KeyValueProjection) -> Tensor:  # noqa: ARG002
        """Queries, (R, H', D), of a `SelectiveAttention`, in all other sentences: (R, H, D)."""
        assert isinstance(owner, SelectiveAttention)
        translations = self._memory.translations
        if translations is None:
            return q.new_zeros(len(q), owner.heads, q.shape[2])
        if owner not in self._read:
            self._read[owner] = owner.read(translations.states, [self._bucket()])
        units = len(self._sharing)
        beam_size = len(q) // units
        if self._grouped is None:
            seen = to_device(self._seen(), q.device)[:, None, None].expand(-1, beam_size, -1, -1)
            self._grouped = self._sharing.group(seen)[:, 0]  # (I, ·, S)
        grouped = self._sharing.group(q.view(units, beam_size, *q.shape[1:]))  # (I, H', ·, D)
        attended = owner.find(grouped, self._read[owner], self._grouped)
        return self._sharing.ungroup(attended, beam_size).flatten(0, 1)

    def has_keys(self, x: Tensor) -> Tensor:
        if self._memory.translations is None:
            return torch.zeros(len(x), dtype=torch.bool, device=x.device)
        if self._there is None:
            there = self._seen().any(axis=1).repeat(len(x) // len(self._sharing))
            self._there = to_device(there, x.device)
        return self._there

    def keep_instances(self, instances: NDArray[np.int64]) -> None:
        """Forget all but these instances, given by their indices among those that are read, and
        follow the units that are still open."""
        self._grouped = self._there = None
        for owner, read in self._read.items():
            if not np.array_equal(instances, np.arange(len(read[0].are_words))):
                index = to_device(instances, read[0].keys.device)
                self._read[owner] = [sentences.select(index) for sentences in read]

    def _sentences(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """(I, S) the source sentences of each instance, and whether there are so many and their
        translations are known."""
        assert self._memory.translations is not None
        first = self._memory.source.first_sentences
        first_own, end = (
            edge[self._sharing.instances][:, None] for edge in (first[:-1], first[1:])
        )
        sentences = first_own + np.arange(self._longest)
        there = sentences < end
        sentences = np.where(there, sentences, first_own)
        return sentences, there & (self._memory.translations.lengths[sentences] > 0)

    def _bucket(self) -> SentenceBucket:
        """Return where the words of all translations lie."""
        translations = self._memory.translations
        assert translations is not None
        sentences, known = self._sentences()
        lengths = np.where(known, translations.lengths[sentences], 0)
        rows = padded(translations.first[sentences], lengths)
        device = translations.states.device
        return SentenceBucket(*(to_device(rows_of_one, device) for rows_of_one in rows))

    def _seen(self) -> NDArray[np.bool_]:
        """(U, S) which sentences each unit sees."""
        sentences, known = self._sentences()
        of_units, first_own = self._sharing.instance_of, self._window.first[:, None]
        others = sentences[of_units]
        seen = others < first_own if self._past_only else others != first_own
        return seen & known[of_units]

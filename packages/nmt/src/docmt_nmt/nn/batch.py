"""Packed sequences: all tokens of a batch in one flat sequence, no padding, with two offset tables:
where sentences begin, and where instances begin.

Shapes: N tokens of a packed sequence, S sentences, I instances.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt_nmt.nn.spans import Spans
from docmt_nmt.nn.transfer import to_device, together_to_device

IGNORED = -100
"""The label of a position without a prediction of the next token."""


class Encoded(NamedTuple):
    """Encoded states, as attention sees them.

    Attributes:
        states: (N, d_model)
        spans: the states of each instance; a span may be empty.
    """

    states: Tensor
    spans: Spans

    def to(self, device: torch.device | str) -> Encoded:
        """A copy on another device."""
        return Encoded(self.states.to(device, non_blocking=True), self.spans.to(device))


@dataclass(frozen=True, eq=False)
class Packed:
    """One side of a batch.

    Attributes:
        tokens: (N,) int64 token ids.
        sentences: S spans, each within one instance.
        instances: I spans.
        context: of a source, the context sentences around each instance: as many instances, some of
            them empty.
        auxiliary: of a source, the context encodings of each instance, by name; for an encoder
            trained with the system, the token ids to encode.
        draft: of a source, a draft translation of each sentence, between the special tokens of the
            target side, for systems that correct drafts.
        on_host: (N,) the token ids on the host, where they were packed there.
        following: of a source, the number of context sentences after each instance; empty if no
            instance has any.
        position_offsets: (I,) the position of the first token of each instance, on the host; None
            if all begin at 0.
    """

    tokens: Tensor
    sentences: Spans
    instances: Spans
    context: Packed | None = None
    auxiliary: Mapping[str, Encoded | Packed] = field(default_factory=dict)
    draft: Packed | None = None
    on_host: NDArray[np.int64] | None = None
    following: Sequence[int] = ()
    position_offsets: NDArray[np.int64] | None = None

    @cached_property
    def host_tokens(self) -> NDArray[np.int64]:
        """(N,) the token ids, on the host. Only where they are not there yet does this wait for the
        device."""
        return self.tokens.cpu().numpy() if self.on_host is None else self.on_host

    @property
    def positions(self) -> Tensor:
        """(N,) the position of each token in the instance, from 0."""
        return self.instances.positions

    @cached_property
    def first_sentences(self) -> NDArray[np.int64]:
        """(I + 1,) the sentence each instance begins with, then the number of sentences; on the
        host."""
        return np.searchsorted(self.sentences.host_offsets, self.instances.host_offsets)

    @property
    def in_last_sentence(self) -> Tensor:
        """(N,) which tokens lie in the last sentence of their instance, to which the others are
        context."""
        last = np.zeros(len(self.sentences), np.bool_)
        last[self.first_sentences[1:][np.diff(self.first_sentences) > 0] - 1] = True
        return to_device(last, self.tokens.device)[self.sentences.index]

    def with_context(self, most: int | None = None) -> tuple[Packed, NDArray[np.int64]]:
        """The batch with the context of each instance around it, as one instance.

        Args:
            most: the maximum number of tokens of an instance; of a longer context, the farthest
                sentences are left out.

        Returns:
            The packed sequence, and the positions of the own tokens in it: (N,), on the host.
        """
        context = self.context
        assert context is not None, "instances are packed with their context"
        # All sentences, context sentences first, and the sentences of each instance with context.
        offsets = context.instances.total + self.sentences.host_offsets[1:]
        every = Spans(np.concatenate([context.sentences.host_offsets, offsets]))
        read: list[NDArray[np.int64]] = []
        for index in range(len(self.instances)):
            around = np.arange(*context.first_sentences[index : index + 2])
            own_sentences = len(context.sentences) + np.arange(
                *self.first_sentences[index : index + 2]
            )
            here = len(around) - (self.following[index] if self.following else 0)
            before, after = around[:here], around[here:]
            if most is not None:
                limit = most - int(every.host_lengths[own_sentences].sum())
                before, after = _nearest(before, after, every.host_lengths, limit)
            read.append(np.concatenate([before, own_sentences, after]))
        sentences = np.concatenate(read)
        tokens = every.tokens_of(sentences)
        device = self.tokens.device
        lengths = every.host_lengths
        row = Packed(
            torch.cat([context.tokens, self.tokens])[to_device(tokens, device)],
            Spans.of(lengths[sentences].tolist(), device),
            Spans.of([int(lengths[of_one].sum()) for of_one in read], device),
            position_offsets=self.position_offsets,
        )
        return row, np.flatnonzero(tokens >= context.instances.total)

    @property
    def by_sentence(self) -> Packed:
        """The sentences, each an instance of its own, without context, encodings and drafts."""
        return Packed(self.tokens, self.sentences, self.sentences)

    def to(self, device: torch.device | str) -> Packed:
        """A copy of the packed sequence on another device, sent in one transfer (states of frozen
        encoders in another)."""
        device = torch.device(device)
        return self._rebuilt(device, iter(together_to_device(self._tensors(), device)))

    def _parts(self) -> list[Packed]:
        """The packed sequences inside this one: contexts, encodings, drafts."""
        packed = [part for part in self.auxiliary.values() if isinstance(part, Packed)]
        return [part for part in (self.context, self.draft) if part is not None] + packed

    def _tensors(self) -> list[Tensor]:
        """Return the tensors to send."""
        tensors = [self.tokens, self.sentences.offsets, self.instances.offsets]
        return tensors + [tensor for part in self._parts() for tensor in part._tensors()]

    def _rebuilt(self, device: torch.device, sent: Iterator[Tensor]) -> Packed:
        """The packed sequence made of sent tensors, in the order of `_tensors`."""
        tokens = next(sent)
        sentences, instances = (
            Spans(spans.host_offsets, device, sent=next(sent))
            for spans in (self.sentences, self.instances)
        )
        context, draft = (
            None if part is None else part._rebuilt(device, sent)
            for part in (self.context, self.draft)
        )
        auxiliary = {
            name: part._rebuilt(device, sent) if isinstance(part, Packed) else part.to(device)
            for name, part in self.auxiliary.items()
        }
        return replace(
            self,
            tokens=tokens,
            sentences=sentences,
            instances=instances,
            context=context,
            auxiliary=auxiliary,
            draft=draft,
        )


def _nearest(
    before: NDArray[np.int64], after: NDArray[np.int64], lengths: NDArray[np.int64], limit: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The sentences nearest to an instance, before and after it, with no more than `limit` tokens
    together; of two equally near sentences, the one before comes first."""
    distances = np.concatenate([np.arange(len(before), 0, -1), np.arange(len(after)) + 1])
    order = np.argsort(distances, kind="stable")
    sentences = np.concatenate([before, after])
    kept = np.sort(order[np.cumsum(lengths[sentences[order]]) <= limit])
    return sentences[kept[kept < len(before)]], sentences[kept[kept >= len(before)]]


@dataclass(frozen=True, eq=False)
class Batch:
    """Instances to learn from.

    Attributes:
        source: the source side.
        target: the input of the decoder: every sentence with its BOS and EOS.
        labels: (N_target,) the token to predict after each position. `IGNORED` where the next token
            is given (after an EOS, and within the opening of a sentence) and in sentences that only
            pad a window.
    """

    source: Packed
    target: Packed
    labels: Tensor

    def to(self, device: torch.device | str) -> Batch:
        """A copy on another device, sent in one transfer."""
        device = torch.device(device)
        tensors = [*self.source._tensors(), *self.target._tensors(), self.labels]
        sent = iter(together_to_device(tensors, device))
        return Batch(
            self.source._rebuilt(device, sent), self.target._rebuilt(device, sent), next(sent)
        )


class TranslatedSentences(NamedTuple):
    """The states of the translations of source sentences, for the other sentences.

    Attributes:
        states: (N, d) the states from `System.read_translations`.
        first: (S,) the index of the first state of each source sentence.
        lengths: (S,) the number of states of each source sentence; 0 for an unknown translation.
        tokens: (N,) the token of each state, decoder input with BOS and EOS, for systems that read
            words.

    All but the states are of the host.
    """

    states: Tensor
    first: NDArray[np.int64]
    lengths: NDArray[np.int64]
    tokens: NDArray[np.int64] | None = None


SOURCE = "source"
"""The name of the source among the encodings."""


@dataclass(frozen=True, eq=False)
class Memory:
    """Encodings of a batch of instances.

    Attributes:
        source: the packed source.
        states: (N, d_model) the output of the encoder.
        auxiliary: other encodings of these instances, by name.
        projected: keys and values, (2, N, H, D), by attention and name, made when the first step of
            decoding needs them.
        translations: the known translations of source sentences, in systems that write sentences in
            order or read drafts of the other sentences.
    """

    source: Packed
    states: Tensor
    auxiliary: Mapping[str, Encoded] = field(default_factory=dict)
    projected: dict[tuple[object, str], Tensor] = field(default_factory=dict)
    translations: TranslatedSentences | None = None

    def encoded(self, name: str = SOURCE) -> Encoded:
        """Return the encodings of this name."""
        if name == SOURCE:
            return Encoded(self.states, self.source.instances)
        return self.auxiliary[name]

    def sentences_alone(self, sentences: NDArray[np.int64]) -> Memory:
        """The states of these source sentences, (n,) indices, each sentence an instance of its
        own."""
        spans = self.source.sentences
        index = to_device(spans.tokens_of(sentences), spans.device)
        alone = Spans.of(spans.host_lengths[sentences].tolist(), spans.device)
        return Memory(Packed(self.source.tokens[index], alone, alone), self.states[index])

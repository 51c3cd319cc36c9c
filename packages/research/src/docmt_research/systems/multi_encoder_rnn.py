"""RNNSearch with a second encoder for the sentences before, which writes their translations too
(Bawden et al. 2018, "Evaluating Discourse Phenomena in Neural Machine Translation", s-hier-to-2).

An encoder reads the last sentence of an instance, h^(1), and another one the sentences before it,
h^(2). The decoder attends to each, and a second attention weighs what it has found (Libovický and
Helcl 2017, section 3.2):

    c_i^(k) = AdditiveAttention_k(s_{i−1}, h^(k))
    e_i^(k) = v_bᵀ tanh(W_b s_{i−1} + U_b^(k) c_i^(k) + b_b),  β_i^(k) = softmax_k(e_i^(k))
    c_i     = Σ_k β_i^(k) U_c^(k) c_i^(k)

The rest is RNNSearch, which starts from the mean of the mean states of both encoders:

    s_0 = tanh(W_s ½ (mean_j h_j^(1) + mean_j h_j^(2)) + b_s)

and writes all sentences of the instance, one after the other, with one state. Of an instance of one
sentence there is no second encoder: β^(1) is 1.

Shapes: N tokens, I instances, U units with B hypotheses each, R instances or hypotheses at a time
step, L1 and L2 tokens that the two attentions look at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.nn.batch import Memory, Packed
from docmt_nmt.nn.choices import SequenceUnit
from docmt_nmt.nn.embeddings import Embedding
from docmt_nmt.nn.spans import Spans
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.nn.views import Sequences, SourceKeys, SourceParts
from docmt_research.nn.additive import AdditiveAttention
from docmt_research.nn.recurrent import Recurrent
from docmt_research.systems.rnnsearch import Decoder, RecurrentSettings, RNNSearch, sentence_encoder

HIDDEN = -1e30
"""The bias of what is hidden; finite, so that an attention that sees nothing finds something
finite, which is not used."""


class MultiEncoderRNNSettings(RecurrentSettings):
    """RNNSearch with an encoder for the previous sentences (Bawden et al. 2018, s-hier-to-2)."""

    name: Literal["multi-encoder-rnn"] = "multi-encoder-rnn"
    """Name of the system."""

    instance_kinds: ClassVar[tuple[str, ...]] = ("window",)
    writing_order: ClassVar[WritingOrder] = WritingOrder.ONE_PASS

    tied: Literal["embeddings", "encoder", "none"] = "embeddings"
    """Weights that the encoder of the previous sentences shares with that of the last one: the
    source `embeddings` (s-hier-to-2.tied), the whole `encoder`, or nothing (`none`:
    s-hier-to-2)."""


class HierarchicalAttention(nn.Module):
    """Attention over what the attentions to several encoders have found.

    Args:
        d_model: the size of the states.
        encoders: how many there are.
    """

    def __init__(self, d_model: int, encoders: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d_model)  # W_b and b_b
        self.keys = nn.ModuleList(nn.Linear(d_model, d_model, bias=False) for _ in range(encoders))
        self.values = nn.ModuleList(
            nn.Linear(d_model, d_model, bias=False) for _ in range(encoders)
        )
        self.score = nn.Parameter(torch.empty(d_model).uniform_(-(d_model**-0.5), d_model**-0.5))

    def forward(
        self, state: Tensor, contexts: Sequence[Tensor], there: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The sum of what was found, (R, d_model), and its weights, (R, K).

        Args:
            state: (R, d_model)
            contexts: (R, d_model) for each of the K encoders.
            there: (R, K) whether an encoder has read anything.
        """
        query = self.query(state)
        pairs = zip(self.keys, contexts, strict=True)
        scores = [torch.tanh(query + key(c)) @ self.score for key, c in pairs]
        hidden = torch.stack(scores, dim=1).masked_fill(~there, HIDDEN)
        weights = hidden.softmax(dim=1)
        values = [value(c) for value, c in zip(self.values, contexts, strict=True)]
        mixed = (weights[:, :, None].to(values[0].dtype) * torch.stack(values, dim=1)).sum(dim=1)
        return mixed, weights


class MultiEncoderDecoder(Decoder):
    """The decoder of RNNSearch with attention to two encoders."""

    unit: ClassVar[SequenceUnit] = "instance"

    def __init__(self, settings: MultiEncoderRNNSettings) -> None:
        super().__init__(settings)
        d_model = settings.d_model
        self.context_attention = AdditiveAttention(d_model)
        self.hierarchical_attention = HierarchicalAttention(d_model, 2)
        self.initial_state = nn.Linear(d_model, settings.layers * settings.state_size)

    def origin(self, memory: Memory, sentences: Tensor) -> Tensor:
        halves = _halves(memory.source)
        sums = memory.states.new_zeros(len(halves), memory.states.shape[1])
        sums = sums.index_add(0, halves.index, memory.states)
        lengths = to_device(halves.host_lengths.clip(1), sums.device)
        means = (sums / lengths[:, None]).view(-1, 2, sums.shape[1])  # (I, 2, d_model)
        filled = (halves.host_lengths > 0).reshape(-1, 2).sum(axis=1)
        mean = means.sum(dim=1) / to_device(filled, sums.device)[:, None]
        return self.initial_state(mean[sentences].to(sums.dtype))

    def sources(self, sequences: Sequences) -> list[SourceKeys]:
        """Return what the attentions look at: the sentences before the last one, and the last
        one."""
        memory = sequences.memory
        halves, first = _halves(memory.source), 2 * np.arange(len(memory.source.instances))
        made = []
        for attention, chosen in ((self.context_attention, first), (self.attention, first + 1)):
            parts = SourceParts(halves, chosen)
            keys = sequences.source(attention, attention.projected(memory), parts)
            made.append(SourceKeys(keys.keys_values, keys.bias.clamp(min=HIDDEN)))
        return made

    def attend(self, top: Tensor, sources: Sequence[SourceKeys]) -> tuple[Tensor, Tensor]:
        """Return what both attentions find, (R, d_model), with a state of the decoder, (R,
        d_model), and the weights of all source tokens, (R, L2 + L1)."""
        attentions = (self.context_attention, self.attention)
        looked = [f(top, source) for f, source in zip(attentions, sources, strict=True)]
        seen = [(source.bias == 0).any(dim=3).flatten() for source in sources]
        there = torch.stack(seen, dim=1)  # (U, 2)
        there = there.repeat_interleave(len(top) // len(there), dim=0)
        combined, beta = self.hierarchical_attention(top, [c for c, _ in looked], there)
        return combined, torch.cat([beta[:, k, None] * looked[k][1] for k in range(2)], dim=1)


def _halves(source: Packed) -> Spans:
    """For each instance the span of all its sentences but the last, which may be empty, and the
    span of the last: 2 · I spans."""
    first, last = source.first_sentences[:-1], source.first_sentences[1:] - 1
    offsets = source.sentences.host_offsets
    starts = np.stack([offsets[first], offsets[last]], axis=1).reshape(-1)
    return Spans(np.append(starts, offsets[-1]), source.sentences.device)


class MultiEncoderRNN(RNNSearch):
    """RNNSearch that reads the previous sentences by an encoder of their own."""

    settings_class = MultiEncoderRNNSettings
    reconstruction = (
        "the code of Bawden et al. 2018 and the attention of Libovický and Helcl 2017, which differ"
    )

    def __init__(
        self, settings: MultiEncoderRNNSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        super().__init__(
            settings, source_vocabulary, target_vocabulary, decoder=MultiEncoderDecoder(settings)
        )
        self.context_embedding: Embedding | None = None
        self.context_encoder: Recurrent | None = None
        if settings.tied == "none":
            self.context_embedding = Embedding(
                source_vocabulary, settings.embedding_size, scale=settings.scale_embeddings
            )
        if settings.tied != "encoder":
            self.context_encoder = sentence_encoder(settings)

    def encode(self, source: Packed) -> Memory:
        """Encode the source of a batch of instances, once each: every sentence on its own."""
        if self.context_encoder is None:
            return super().encode(source)
        sentences = np.arange(len(source.sentences))
        is_last = np.isin(sentences, source.first_sentences[1:] - 1)
        current, before = sentences[is_last], sentences[~is_last]
        embedding = self.context_embedding or self.source_embedding
        states = [
            self._encode(self.encoder, self.source_embedding, source, current),
            self._encode(self.context_encoder, embedding, source, before),
        ]
        tokens = np.concatenate([source.sentences.tokens_of(part) for part in (current, before)])
        return Memory(source, torch.cat(states)[to_device(tokens.argsort(), states[0].device)])

    def _encode(
        self, encoder: Recurrent, embedding: Embedding, source: Packed, sentences: NDArray[np.int64]
    ) -> Tensor:
        """The states of these source sentences, given by their indices, one after the other."""
        device = source.sentences.device
        index = to_device(source.sentences.tokens_of(sentences), device)
        x = self.embed(embedding, source.tokens[index])
        # A network cannot read nothing, so an empty token stands at the very end.
        lengths = [*source.sentences.host_lengths[sentences].tolist(), 1]
        padded = torch.cat([x, x.new_zeros(1, x.shape[1])])
        return encoder(padded, Spans.of(lengths, device))[:-1]

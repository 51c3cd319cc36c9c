"""RNNSearch (Bahdanau et al. 2015, "Neural Machine Translation by Jointly Learning to Align and
Translate").

A recurrent encoder reads the sentence in both directions, h_j = [→h_j; ←h_j]. With s_i^l the state
of layer l of the decoder after i tokens, y_i a token's embedding, and c_i what additive attention
finds with the top layer's last state (`docmt.nn.additive`),

    s_0^l = tanh(W_s^l ←h_1 + b_s^l)
    c_i   = MultiHeadAttention(s_{i−1}^top, h)
    s_i^1 = GRU(s_{i−1}^1, [y_{i−1}; c_i]),  s_i^l = GRU(s_{i−1}^l, s_i^{l−1})
    t_i   = tanh(W_t [s_i^top; y_{i−1}; c_i] + b_t),  p(y_i) = softmax(E t_i)

Shapes: N tokens, S sentences, W d_model, V vocabulary; in steps R rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import torch
from pydantic import Field, field_validator
from torch import Tensor, nn

from docmt.nn.additive import AdditiveAttention
from docmt.nn.autocast import in_autocast_format
from docmt.nn.batch import Batch, Packed
from docmt.nn.incremental.state import DecodingState, Memory, SourceWindow
from docmt.nn.kernels.dropout import dropout
from docmt.nn.layers import Embedding
from docmt.nn.recurrent import Cell, ReadingOrder, Recurrent
from docmt.nn.spans import Spans
from docmt.settings import PositiveInt, Share
from docmt.systems.base import System
from docmt.systems.settings import PresetSettings


class RecurrentSettings(PresetSettings):
    """The dimensions of a recurrent encoder and decoder. A preset sets them; each can be set
    apart."""

    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "tiny": {"layers": 2, "d_model": 128},
        # Tan et al. 2019, section 3.1.
        "base": {"layers": 2, "d_model": 500},
        "big": {"layers": 2, "d_model": 1000},
    }

    preset: Literal["tiny", "base", "big"] = "base"
    """The sizes to start from; each size can also be set on its own."""

    layers: PositiveInt = 2
    """Number of encoder layers, and of decoder layers."""

    d_model: Annotated[int, Field(ge=2)] = 500
    """Size of the hidden states and embeddings; must be even, because half of an encoder state
    comes from the forward direction and half from the backward one."""

    dropout: Share = 0.3
    """Dropout probability of the embeddings, of the states between layers and of the decoder's
    output."""

    share_embeddings: bool = True
    """Use one embedding table for source, target and output; needs `text.joint: true`. If false,
    the source has a table of its own."""

    @field_validator("d_model")
    @classmethod
    def width_is_even(cls, d_model: int) -> int:
        """Check that the two directions can share `d_model`."""
        if d_model % 2:
            raise ValueError("must be even: half of it reads forwards and half backwards")
        return d_model


class RNNSearchSettings(RecurrentSettings):
    """RNNSearch (Bahdanau et al. 2015)."""

    name: Literal["rnnsearch"] = "rnnsearch"
    """Name of the system."""


class Decoder(nn.Module):
    """The recurrent decoder, with what it learns of the source sentence.

    Args:
        settings: the sizes.
    """

    def __init__(self, settings: RecurrentSettings) -> None:
        super().__init__()
        d_model, layers = settings.d_model, settings.layers
        self.dropout = settings.dropout
        self.attention = AdditiveAttention(d_model)
        self.cells = nn.ModuleList(Cell(d_model) for _ in range(layers))
        self.token = nn.Linear(d_model, 3 * d_model)
        self.found = nn.Linear(d_model, 3 * d_model, bias=False)
        self.below = nn.ModuleList(nn.Linear(d_model, 3 * d_model) for _ in range(layers - 1))
        self.start = nn.Linear(d_model // 2, layers * d_model)
        self.readout = nn.Linear(3 * d_model, d_model)

    def begin(self, memory: Memory, sentences: Tensor) -> Tensor:
        """The states, (R, L · W), with which translations of these source sentences, (R,),
        begin."""
        return torch.tanh(self.origin(memory, sentences))

    def origin(self, memory: Memory, sentences: Tensor) -> Tensor:
        """What those states are made of: (R, L · W)."""
        first = memory.states[memory.source.sentences.offsets[sentences]]
        return self.start(first[:, first.shape[1] // 2 :])

    def context(self, memory: Memory, sentences: Tensor) -> Tensor | None:  # noqa: ARG002
        """What else every step of a translation of these source sentences, (R,), is given:
        (R, W); here nothing."""
        return None

    def read(self, x: Tensor, found: Tensor, top: Tensor, context: Tensor | None) -> Tensor:  # noqa: ARG002
        """What the lowest layer reads beside the token: (R, 3 · W).

        Args:
            x: (R, W) the token's embedding.
            found: (R, W) what attention found.
            top: (R, W) the last state of the top layer.
            context: (R, W) of `context`.
        """
        return self.found(found)

    def forward(self, x: Tensor, sentences: Spans, memory: Memory) -> Tensor:
        """The states, (N, W), that types are scored against, after target tokens x, (N, W), of
        these sentences."""
        order = ReadingOrder(sentences)
        x = x[order.tokens]
        read = self.token(x)
        window = SourceWindow(memory.source.sentences, len(sentences))
        window.move(order.spans[:, None])
        held, bias = window.gather(self.attention, self.attention.keys_values(memory.states))
        context = self.context(memory, order.spans)
        states = self.layers(self.begin(memory, order.spans))
        tops, found = [], []
        sizes = order.sizes.tolist()
        for x_now, read_now in zip(torch.split(x, sizes), torch.split(read, sizes), strict=True):
            going_on = len(x_now)
            if going_on < len(bias):
                # The backward pass of each cut fills a tensor as large as what is cut.
                held, bias = held[:, :going_on], bias[:going_on]
                states = [state[:going_on] for state in states]
                context = None if context is None else context[:going_on]
            states, c = self.step(x_now, read_now, states, held, bias, context)
            tops.append(states[-1])
            found.append(c)
        return self.output(torch.cat(tops), x, torch.cat(found))[order.back]

    def step(
        self,
        x: Tensor,
        read: Tensor,
        states: Sequence[Tensor],
        held: Tensor,
        bias: Tensor,
        context: Tensor | None,
    ) -> tuple[list[Tensor], Tensor]:
        """One more token a row.

        Args:
            x: (R, W) its embedding.
            read: (R, 3 · W) what the lowest layer reads of it.
            states: (R, W) of each layer.
            held, bias: the source, as of `AdditiveAttention`.
            context: (R, W) of `context`.

        Returns:
            The states of each layer, and (R, W) what attention found.
        """
        top = states[-1]
        found = self.attention(top, held, bias)
        read = read + self.read(x, found, top, context)
        new: list[Tensor] = []
        for layer, (cell, state) in enumerate(zip(self.cells, states, strict=True)):
            if layer:
                read = self.below[layer - 1](dropout(new[-1], self.dropout, self.training))
            new.append(cell(read, state))
        return new, found

    def output(self, top: Tensor, x: Tensor, found: Tensor) -> Tensor:
        """What types are scored against: all (R, W)."""
        state = torch.tanh(self.readout(torch.cat([top, x, found], dim=1)))
        return dropout(state, self.dropout, self.training)

    def layers(self, states: Tensor) -> list[Tensor]:
        """The states, (R, L · W), of each layer, (R, W)."""
        return list(states.chunk(len(self.cells), dim=1))

    def step_searching(self, x: Tensor, cache: DecodingState) -> Tensor:
        """The states, (R, W), that types are scored against, after one more token x, (R, W), of
        every hypothesis."""
        memory, window = cache.memory, cache.window
        projected = memory.projected
        if self.attention not in projected:
            projected[self.attention] = self.attention.keys_values(memory.states)
        sentences = window.first.repeat_interleave(len(x) // len(window.first))
        if self not in cache.carried:
            cache.carried[self] = self.begin(memory, sentences)
        source = window.gather(self.attention, projected[self.attention])
        states, found = self.step(
            x, self.token(x), self.layers(cache.carried[self]), *source,
            self.context(memory, sentences),
        )  # fmt: skip
        cache.carried[self] = torch.cat(states, dim=1)
        return self.output(states[-1], x, found)


class RNNSearch(System):
    """A recurrent encoder and decoder; every sentence stands for itself.

    Args:
        settings: the sizes.
        source_vocabulary, target_vocabulary: numbers of types; equal if embeddings are shared.
        decoder: default: one that learns of nothing but the sentence.
    """

    instance_kinds: ClassVar[tuple[str, ...]] = ("sentence",)
    one_pass = False

    def __init__(
        self,
        settings: RecurrentSettings,
        source_vocabulary: int,
        target_vocabulary: int,
        *,
        decoder: Decoder | None = None,
    ) -> None:
        super().__init__()
        d_model = settings.d_model
        self.dropout = settings.dropout
        self.target_embedding = Embedding(target_vocabulary, d_model)
        if settings.share_embeddings:
            assert source_vocabulary == target_vocabulary, "shared embeddings, one vocabulary"
            self.source_embedding = self.target_embedding
        else:
            self.source_embedding = Embedding(source_vocabulary, d_model)
        self.encoder = Recurrent(d_model, settings.layers, both_ways=True, dropout=settings.dropout)
        self.decoder = decoder or Decoder(settings)

    def embed(self, embedding: Embedding, tokens: Tensor) -> Tensor:
        """(N,) tokens: (N, W)."""
        return dropout(in_autocast_format(embedding.words(tokens)), self.dropout, self.training)

    def encode(self, source: Packed) -> Memory:
        """Read the source of a batch of instances, once each."""
        x = self.embed(self.source_embedding, source.tokens)
        return Memory(source, self.encoder(x, source.sentences))

    def states(self, batch: Batch) -> Tensor:
        """The decoder's states after each target position: (N_target, W)."""
        memory = self.encode(batch.source)
        x = self.embed(self.target_embedding, batch.target.tokens)
        return self.decoder(x, batch.target.sentences, memory)

    @property
    def output_weight(self) -> Tensor:
        """The target embeddings: (V, W)."""
        return self.target_embedding.table.weight

    def step(self, tokens: Tensor, cache: DecodingState) -> Tensor:
        """Logits, (R, V), after one more token, (R,), of every open hypothesis."""
        cache.advance(tokens)
        x = self.embed(self.target_embedding, tokens)
        return self.target_embedding.scores(self.decoder.step_searching(x, cache))

"""RNNSearch (Bahdanau et al. 2015, "Neural Machine Translation by Jointly Learning to Align and
Translate").

A recurrent encoder reads the sentence in both directions, h_j = [→h_j; ←h_j]. With s_i^l the state
of layer l of the decoder after i tokens, y_i a token's embedding, and c_i what additive attention
finds with the top layer's last state (`docmt_research.nn.additive`),

    s_0^l = tanh(W_s^l ←h_1 + b_s^l)
    c_i   = AdditiveAttention(s_{i−1}^top, h)
    s_i^1 = GRU(s_{i−1}^1, [y_{i−1}; c_i]),  s_i^l = GRU(s_{i−1}^l, s_i^{l−1})
    t_i   = tanh(W_t [s_i^top; y_{i−1}; c_i] + b_t),  p(y_i) = softmax(E t_i)

With a conditional transition, attention looks between two units of the lowest layer:

    s'_i = GRU(s_{i−1}^1, y_{i−1}),  c_i = AdditiveAttention(s'_i, h),  s_i^1 = GRU'(s'_i, c_i)

With the maxout readout of the paper (appendix A.2.2), W_t of twice as many outputs u_i and

    t_ij = max(u_i,2j−1, u_i,2j)

E is the table of target embeddings, or an output table of its own. Instead of a GRU, a layer can be
an LSTM, of whose state the second part (P = 2) is seen by the layer alone.

Shapes: N tokens, V tokens of the vocabulary, R sentences or hypotheses at a time step, L source
tokens or layers, P parts of the state of a layer and its G gates (`docmt_research.nn.recurrent`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import torch
from pydantic import Field, field_validator
from torch import Tensor, nn

from docmt_nmt.base.settings import Conditions, LayerCount, LayerSize, Share
from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.nn.autocast import in_autocast_format
from docmt_nmt.nn.batch import Memory, Packed
from docmt_nmt.nn.choices import SequenceUnit
from docmt_nmt.nn.embeddings import Embedding
from docmt_nmt.nn.kernels.dropout import dropout
from docmt_nmt.nn.recording import Looked
from docmt_nmt.nn.views import Sequences, SourceKeys, View
from docmt_nmt.systems.system import EmbeddingSystem, output_layer
from docmt_nmt.systems.system_settings import PresetSettings, SystemSettings
from docmt_research.nn.additive import AdditiveAttention, seen_by_sequence
from docmt_research.nn.recurrent import CELLS, CellKind, Recurrent


class RecurrentSettings(PresetSettings):
    """The dimensions of a recurrent encoder and decoder. A preset sets them; each can be set
    apart."""

    instance_kinds: ClassVar[tuple[str, ...]] = ("sentence",)
    writing_order: ClassVar[WritingOrder] = WritingOrder.ALONE

    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "tiny": {"layers": 2, "d_model": 128},
        # Tan et al. 2019, section 3.1.
        "base": {"layers": 2, "d_model": 500},
        "big": {"layers": 2, "d_model": 1000},
    }

    preset: Literal["tiny", "base", "big"] = "base"
    """The sizes to start from; each size can also be set on its own."""

    layers: LayerCount = 2
    """Number of encoder layers, and of decoder layers."""

    d_model: Annotated[int, Field(ge=2, le=1_000_000)] = 500
    """Size of the hidden states; must be even, because half of an encoder state comes from the
    forward direction and half from the backward one."""

    embedding_dim: LayerSize | None = None
    """Size of the token embeddings. Default: `d_model`."""

    cell: CellKind = "gru"
    """The recurrent unit. `gru`: gated recurrent unit, as in the paper. `lstm`: long short-term
    memory, the default of OpenNMT."""

    dropout: Share = 0.3
    """Dropout probability of the embeddings, of the states between layers and of the decoder's
    output."""

    transition: Literal["plain", "conditional"] = "plain"
    """Computation in the lowest layer of the decoder. `plain`: attention looks with the last state
    of the top layer, and one unit reads the token and what attention found. `conditional`: one unit
    reads the token, attention looks with its state, and a second unit reads what attention found
    (the conditional GRU of Nematus)."""

    readout: Literal["tanh", "maxout"] = "tanh"
    """Layer that makes the decoder's output of its state, the last token and the context. `tanh`:
    as in most implementations. `maxout`: the larger of each pair of features, as in the paper."""

    share_output: bool = True
    """Use the target embedding table as the output projection. The paper and OpenNMT have an output
    table of its own."""

    readout_dim: LayerSize | None = None
    """Size of the decoder's output that the vocabulary is scored against. Default: `d_model`; with
    `share_output: true` it is that of the embeddings."""

    scale_embeddings: bool = True
    """Multiply token embeddings by the square root of their size. The paper and OpenNMT do not."""

    only_with: ClassVar[Conditions] = {"readout_dim": {"share_output": (False,)}}

    @field_validator("d_model")
    @classmethod
    def width_is_even(cls, d_model: int) -> int:
        """Check that the two directions can share `d_model`."""
        if d_model % 2:
            raise ValueError("must be even: half of it reads forwards and half backwards")
        return d_model

    @property
    def embedding_size(self) -> int:
        """The size of the token embeddings."""
        return self.embedding_dim or self.d_model

    @property
    def readout_size(self) -> int:
        """The size of what the vocabulary is scored against."""
        return self.embedding_size if self.share_output else self.readout_dim or self.d_model

    @property
    def state_size(self) -> int:
        """The size of the state of a layer."""
        return CELLS[self.cell].parts * self.d_model

    @property
    def gates_size(self) -> int:
        """The size of what the gates of a layer read."""
        return CELLS[self.cell].gates * self.d_model


class RNNSearchSettings(RecurrentSettings):
    """RNNSearch (Bahdanau et al. 2015)."""

    name: Literal["rnnsearch"] = "rnnsearch"
    """Name of the system."""


class Decoder(nn.Module):
    """The recurrent decoder, with what it learns of the source sentence.

    Args:
        settings: the sizes.

    Attributes:
        unit: what it writes from beginning to end.
    """

    unit: ClassVar[SequenceUnit] = "sentence"

    def __init__(self, settings: RecurrentSettings) -> None:
        super().__init__()
        layers, gates = settings.layers, settings.gates_size
        self.dropout, self.d_model = settings.dropout, (d_model := settings.d_model)
        self.attention = AdditiveAttention(d_model)
        self.cells = nn.ModuleList(CELLS[settings.cell](d_model) for _ in range(layers))
        conditional = settings.transition == "conditional"
        self.second_cell = CELLS[settings.cell](d_model) if conditional else None
        self.token = nn.Linear(settings.embedding_size, gates)
        self.found = nn.Linear(d_model, gates, bias=False)
        self.below = nn.ModuleList(nn.Linear(d_model, gates) for _ in range(layers - 1))
        self.initial_state = nn.Linear(d_model // 2, layers * settings.state_size)
        self.maxout = settings.readout == "maxout"
        features = 2 * settings.readout_size if self.maxout else settings.readout_size
        self.readout = nn.Linear(2 * d_model + settings.embedding_size, features)

    def initial(self, memory: Memory, sentences: Tensor) -> Tensor:
        """The states, (R, L · P · d_model), with which translations of these source sentences,
        (R,), begin."""
        return torch.tanh(self.origin(memory, sentences))

    def origin(self, memory: Memory, sentences: Tensor) -> Tensor:
        """Return what those states are made of: (R, L · P · d_model)."""
        first = memory.states[memory.source.sentences.offsets[sentences]]
        return self.initial_state(first[:, first.shape[1] // 2 :])

    def context(self, memory: Memory, sentences: Tensor) -> Tensor | None:  # noqa: ARG002
        """Return what every step of a translation of these source sentences, (R,), is given in
        addition: (R, d_model); here nothing."""
        return None

    def inputs(self, x: Tensor, attended: Tensor, top: Tensor, context: Tensor | None) -> Tensor:  # noqa: ARG002
        """Return what the lowest layer reads in addition to the token: (R, G · d_model).

        Args:
            x: (R, d_model) the token's embedding.
            attended: (R, d_model) what attention found.
            top: (R, d_model) the state that attention has looked with.
            context: (R, d_model) of `context`.
        """
        return self.found(attended)

    def forward(self, x: Tensor, view: View) -> Tensor:
        """The states, (N, d_model), that the vocabulary is scored against, after target tokens x,
        (N, d_model): all of them, or one new token of every hypothesis."""
        top, attended = self.recur(x, view)
        return self.output(top, x, attended)

    def recur(self, x: Tensor, view: View) -> tuple[Tensor, Tensor]:
        """The states of the top layer and what attention found, both (N, d_model), after target
        tokens x, (N, d_model)."""
        sequences = view.sequences(self.unit)
        memory, translated = sequences.memory, sequences.translated
        x = sequences.in_time_order(x)
        inputs = self.token(x)
        sources = self.sources(sequences)
        context = self.context(memory, translated)
        state = sequences.state(self)
        states = self.by_layer(self.initial(memory, translated) if state is None else state)
        tops, contexts, weights = [], [], []
        sizes = list(sequences.sizes())
        for x_now, now in zip(torch.split(x, sizes), torch.split(inputs, sizes), strict=True):
            if (going_on := len(x_now)) < len(states[0]):
                # The backward pass of each cut fills a tensor as large as what is cut.
                sources = [
                    SourceKeys(s.keys_values[:, :going_on], s.bias[:going_on]) for s in sources
                ]
                states = [s[:going_on] for s in states]
                context = None if context is None else context[:going_on]
            states, c, alpha = self.step(x_now, now, states, sources, context)
            tops.append(self.hidden(states[-1]))
            contexts.append(c)
            weights.append((alpha, [source.bias for source in sources]))
        sequences.keep_state(self, torch.cat(states, dim=1))
        if view.recorder is not None and view.recorder.wants_weights:
            seen = sequences.by_sequence(seen_by_sequence(weights))
            looked = Looked("cross", "group" if self.unit == "sentence" else "global")
            view.recorder.add_weights(looked, self.attention, seen)
        return sequences.in_text_order(torch.cat(tops)), sequences.in_text_order(
            torch.cat(contexts)
        )

    def sources(self, sequences: Sequences) -> list[SourceKeys]:
        """Return what attention looks at: the source sentence."""
        return [sequences.source(self.attention, self.attention.projected(sequences.memory))]

    def attend(self, top: Tensor, sources: Sequence[SourceKeys]) -> tuple[Tensor, Tensor]:
        """Return what attention finds, (R, d_model), with a state of the decoder, (R, d_model), and
        its weights, (R, L)."""
        (source,) = sources
        return self.attention(top, source)

    def step(
        self,
        x: Tensor,
        inputs: Tensor,
        states: Sequence[Tensor],
        sources: Sequence[SourceKeys],
        context: Tensor | None,
    ) -> tuple[list[Tensor], Tensor, Tensor]:
        """One more token of every sentence.

        Args:
            x: (R, d_model) its embedding.
            inputs: (R, G · d_model) what the lowest layer reads of it.
            states: (R, d_model) of each layer.
            sources: what attention looks at.
            context: (R, d_model) of `context`.

        Returns:
            The states of each layer, (R, d_model) what attention found, and its weights, (R, L).
        """
        if self.second_cell is None:
            top = self.hidden(states[-1])
            attended, weights = self.attend(top, sources)
            new = [self.cells[0](inputs + self.inputs(x, attended, top, context), states[0])]
        else:
            between = self.cells[0](inputs, states[0])
            top = self.hidden(between)
            attended, weights = self.attend(top, sources)
            new = [self.second_cell(self.inputs(x, attended, top, context), between)]
        for projection, cell, state in zip(self.below, self.cells[1:], states[1:], strict=True):
            below = dropout(self.hidden(new[-1]), self.dropout, self.training)
            new.append(cell(projection(below), state))
        return new, attended, weights

    def hidden(self, state: Tensor) -> Tensor:
        """Return what others see of the state of a layer, (R, P · d_model): (R, d_model)."""
        return state[:, : self.d_model]

    def output(self, top: Tensor, x: Tensor, attended: Tensor) -> Tensor:
        """Return what the vocabulary is scored against: all (R, d_model)."""
        features = self.readout(torch.cat([top, x, attended], dim=1))
        if self.maxout:
            state = features.unflatten(1, (-1, 2)).amax(dim=2)
        else:
            state = torch.tanh(features)
        return dropout(state, self.dropout, self.training)

    def by_layer(self, states: Tensor) -> list[Tensor]:
        """The states, (R, L · P · d_model), of each layer, (R, d_model)."""
        return list(states.chunk(len(self.cells), dim=1))


def sentence_encoder(settings: RecurrentSettings) -> Recurrent:
    """The encoder of these sizes, which reads token embeddings in both directions."""
    return Recurrent(
        settings.d_model,
        settings.layers,
        bidirectional=True,
        dropout=settings.dropout,
        inputs=settings.embedding_size,
        cell=settings.cell,
    )


class RNNSearch(EmbeddingSystem):
    """A recurrent encoder and decoder; translates sentences independently.

    Args:
        decoder: default: a decoder without context.
    """

    settings_class: ClassVar[type[SystemSettings]] = RNNSearchSettings

    def __init__(
        self,
        settings: RecurrentSettings,
        source_vocabulary: int,
        target_vocabulary: int,
        *,
        decoder: Decoder | None = None,
    ) -> None:
        super().__init__()
        self.dropout = settings.dropout
        scale = settings.scale_embeddings
        size = settings.embedding_size
        self.target_embedding = Embedding(target_vocabulary, size, scale=scale)
        if settings.share_embeddings:
            assert source_vocabulary == target_vocabulary, "shared embeddings, one vocabulary"
            self.source_embedding = self.target_embedding
        else:
            self.source_embedding = Embedding(source_vocabulary, size, scale=scale)
        self.encoder = sentence_encoder(settings)
        self.decoder = decoder or Decoder(settings)
        self.score_bias = None
        self.output = None
        if not settings.share_output:
            self.output = output_layer(settings.readout_size, target_vocabulary)

    def embed(self, embedding: Embedding, tokens: Tensor) -> Tensor:
        """(N,) tokens: (N, d_model)."""
        return dropout(in_autocast_format(embedding.words(tokens)), self.dropout, self.training)

    def encode(self, source: Packed) -> Memory:
        x = self.embed(self.source_embedding, source.tokens)
        return Memory(source, self.encoder(x, source.sentences))

    def target_states(self, tokens: Tensor, view: View) -> Tensor:
        return self.decoder(self.embed(self.target_embedding, tokens), view)

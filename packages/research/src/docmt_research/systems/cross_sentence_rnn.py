"""RNNSearch with a summary of the sentences before (Wang et al. 2017, "Exploiting Cross-Sentence
Context for Neural Machine Translation").

A recurrent network reads each of the K source sentences before the one that is translated, and
another one the last states of the first:

    S_k = the last state over the words of sentence k,  D = the last state over S_1 … S_K

The summary D comes in at up to three places. The encoder, the decoder or both begin with it:

    h_0 = tanh(W_e D),  s_0 = tanh(W_s ←h_1 + b_s + W_d D)

and every step of the decoder reads it, as it is or through a gate:

    s_i = f(s_{i−1}, y_{i−1}, c_i, D)  or  f(s_{i−1}, y_{i−1}, c_i, z_i ⊙ D)
    z_i = σ(U_z s_{i−1} + W_z y_{i−1} + C_z c_i)

With no sentence before, D is zero and all of this is RNNSearch.

Shapes: N tokens, S sentences, I instances, R sentences or hypotheses at a time step.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
import torch
from torch import Tensor, nn

from docmt_nmt.nn.batch import Encoded, Memory, Packed
from docmt_nmt.nn.gates import gate
from docmt_nmt.nn.spans import Spans
from docmt_nmt.systems.system_settings import Context
from docmt_research.nn.recurrent import Recurrent
from docmt_research.systems.rnnsearch import Decoder, RecurrentSettings, RNNSearch

SUMMARY = "summary"
"""The name of the summaries among all that is encoded."""


class CrossSentenceRNNSettings(RecurrentSettings):
    """RNNSearch with a summary of the sentences before (Wang et al. 2017)."""

    name: Literal["cross-sentence-rnn"] = "cross-sentence-rnn"
    """Name of the system."""

    outer_context: ClassVar[Context] = "previous"

    initialize_encoder: bool = True
    """Start the encoder from the summary of the previous sentences rather than from zeros."""

    initialize_decoder: bool = True
    """Use the summary in the decoder's initial state."""

    auxiliary: Literal["gated", "plain", "none"] = "gated"
    """Way in which each decoder step reads the summary: through a gate (`gated`), directly
    (`plain`), or not at all (`none`)."""

    @property
    def reads_summary(self) -> bool:
        """True if the summary comes in anywhere; without it this is RNNSearch."""
        return self.initialize_encoder or self.initialize_decoder or self.auxiliary != "none"


class Summary(nn.Module):
    """The networks over the words of each sentence and over the sentences."""

    def __init__(self, settings: CrossSentenceRNNSettings) -> None:
        super().__init__()
        d_model, inputs = settings.d_model, settings.embedding_size
        form: dict[str, Any] = {"bidirectional": False, "dropout": 0.0, "cell": settings.cell}
        self.sentences = Recurrent(d_model, 1, inputs=inputs, **form)
        self.document = Recurrent(d_model, 1, **form)

    def forward(self, x: Tensor, context: Packed) -> Tensor:
        """D of each instance, (I, d_model), given the embeddings, (N, d_model), of its context;
        zeros where there is none."""
        sentences = self.sentences.last(x, context.sentences)  # (S, d_model)
        return self.document.last(sentences, Spans(context.first_sentences, sentences.device))


class SummaryDecoder(Decoder):
    """The decoder of RNNSearch with the summary of the sentences before."""

    def __init__(self, settings: CrossSentenceRNNSettings) -> None:
        super().__init__(settings)
        d_model = settings.d_model
        self.summary_start: nn.Linear | None = None
        self.summary_gate: nn.Linear | None = None
        self.summary_read: nn.Linear | None = None
        if settings.initialize_decoder:
            self.summary_start = nn.Linear(
                d_model, settings.layers * settings.state_size, bias=False
            )
        if settings.auxiliary != "none":
            self.summary_read = nn.Linear(d_model, settings.gates_size, bias=False)
        if settings.auxiliary == "gated":
            read = 2 * d_model + settings.embedding_size
            self.summary_gate = nn.Linear(read, d_model, bias=False)

    def origin(self, memory: Memory, sentences: Tensor) -> Tensor:
        origin = super().origin(memory, sentences)
        if self.summary_start is None:
            return origin
        return origin + self.summary_start(summaries(memory, sentences))

    def context(self, memory: Memory, sentences: Tensor) -> Tensor | None:
        """The summary before these source sentences, (R,), if every step reads it: (R, d_model)."""
        return None if self.summary_read is None else summaries(memory, sentences)

    def inputs(self, x: Tensor, attended: Tensor, top: Tensor, context: Tensor | None) -> Tensor:
        inputs = super().inputs(x, attended, top, context)
        if self.summary_read is None or context is None:
            return inputs
        if self.summary_gate is not None:
            context = gate(self.summary_gate, top, x, attended, passes="context") * context
        return inputs + self.summary_read(context)


def summaries(memory: Memory, sentences: Tensor) -> Tensor:
    """The summary before each of these source sentences, (R,): (R, d_model)."""
    first = Spans(memory.source.first_sentences, sentences.device)
    return memory.encoded(SUMMARY).states[first.index[sentences]]


class CrossSentenceRNN(RNNSearch):
    """RNNSearch that has read the sentences before."""

    settings_class = CrossSentenceRNNSettings

    def __init__(
        self, settings: CrossSentenceRNNSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        super().__init__(
            settings, source_vocabulary, target_vocabulary, decoder=SummaryDecoder(settings)
        )
        self.summary = Summary(settings) if settings.reads_summary else None
        self.summary_start: nn.Linear | None = None
        if settings.initialize_encoder:
            states = settings.layers * settings.state_size
            self.summary_start = nn.Linear(settings.d_model, states, bias=False)

    def encode(self, source: Packed) -> Memory:
        if self.summary is None:
            return super().encode(source)
        context = source.context
        assert context is not None, "instances are packed with their context"
        summary = self.summary(self.embed(self.source_embedding, context.tokens), context)
        initial = None
        if self.summary_start is not None:
            instances = Spans(source.first_sentences, summary.device).index  # (S,)
            initial = torch.tanh(self.summary_start(summary))[instances]
        x = self.embed(self.source_embedding, source.tokens)
        states = self.encoder(x, source.sentences, initial)
        one_each = Spans(np.arange(len(summary) + 1), summary.device)
        return Memory(source, states, {SUMMARY: Encoded(summary, one_each)})

"""CADec (Voita et al. 2019, "When a Good Translation is Wrong in Context: Context-Aware Machine
Translation Improves on Deixis, Ellipsis, and Lexical Cohesion").

A frozen sentence-level Transformer, the base, writes a draft ŷ of a sentence x, and a second
decoder corrects it, given the K sentences before it and their translations. Both read what the base
makes of them. With S_d the output of the base's encoder for the source sentence d sentences back
(d = 0 for x itself) and, for token y_t of its translation, s_t the base's decoder state that it is
predicted from and e(y_t) its embedding,

    M = [S_d ; onehot(d)]              for d = K, ..., 0
    N = [e(y_t) ; s_t ; onehot(d)]     for d = K, ..., 0; for d = 0, y is the draft ŷ

every layer of the second decoder is

    A = MultiHead(Y, Y, Y),  B = MultiHead(A, M, M),  C = MultiHead(B, N, N),  FFN(C)

In training, which maximizes log p(y | x, ŷ, context), the sentences before are translated by their
references, and the draft is either sampled from the base at a temperature T or, with probability
p, it is the reference with random words in it:

    ŷ = noise(y) if b, else ŷ ~ p_base(y | x)^(1/T),  b ~ Bernoulli(p)

In search the draft is what the base's beam search finds. Sentences are written in order, given
the translations of those before them; one that has none before it is the base's.

Shapes: N tokens, S sentences, K context sentences, V tokens of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field, model_validator
from torch import Tensor, nn

from docmt_nmt.base.settings import PositiveFloat, PositiveInt, Share
from docmt_nmt.base.writing_order import WritingOrder
from docmt_nmt.nn.attention import SelfAttention
from docmt_nmt.nn.autocast import in_autocast_format
from docmt_nmt.nn.batch import Batch, Encoded, Memory, Packed, TranslatedSentences
from docmt_nmt.nn.choices import CountPositions
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.kernels.dropout import dropout
from docmt_nmt.nn.layers import Layer
from docmt_nmt.nn.spans import Spans
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.nn.views import View
from docmt_nmt.systems.parallel_stack import AuxiliaryAttention
from docmt_nmt.systems.system import System, output_layer
from docmt_nmt.systems.system_settings import EncoderDecoderSettings
from docmt_nmt.systems.transformer import Transformer, feed_forward, last_norm, residual
from docmt_nmt.systems.transformer_settings import TransformerSettings

if TYPE_CHECKING:
    from docmt_nmt.runs.system_run import SystemRun
    from docmt_research.training.drafts import SampledDrafts

Integers = NDArray[np.int64]

DRAFTS, SOURCE, TRANSLATION = "drafts", "source-context", "translation-context"
"""The names of the states of drafts, and of what the two attentions look at."""

_BASE = "base."
"""The beginning of the names of frozen parameters."""


class CADecSettings(EncoderDecoderSettings):
    """A decoder that corrects the drafts of a frozen sentence-level Transformer in context (Voita
    et al. 2019)."""

    name: Literal["cadec"] = "cadec"
    """Name of the system."""

    instance_kinds: ClassVar[tuple[str, ...]] = ("tokens", "whole")
    writing_order: ClassVar[WritingOrder] = WritingOrder.CORRECTING

    context_sentences: PositiveInt = 3
    """Number of previous sentences that are read, with their translations (K)."""

    min_context_sentences: PositiveInt = 1
    """Number of previous sentences that a sentence must have in its instance to be learned. In
    search one is enough."""

    reference_drafts: Annotated[float, Field(ge=0, le=1)] = 0.5
    """Probability, in training, that the draft of a sentence is its reference with random words in
    it instead of a sample of the frozen system (p)."""

    reference_noise: Share = 0.2
    """Share of the tokens of a reference that are replaced by random words when it is the draft."""

    sample_noise: Share = 0.1
    """Share of the tokens of a sampled draft that are replaced by random words."""

    draft_temperature: PositiveFloat = 0.5
    """Temperature at which drafts are sampled in training (T)."""

    @model_validator(mode="after")
    def context_is_read(self) -> CADecSettings:
        """Check `min_context_sentences` against `context_sentences`."""
        if self.min_context_sentences > self.context_sentences:
            raise ValueError(
                f"min_context_sentences {self.min_context_sentences} is more than "
                f"context_sentences {self.context_sentences}"
            )
        return self


@dataclass(frozen=True)
class _ContextSentences:
    """The sentences that the sentences of a batch are translated with: those before, and
    themselves. All arrays lie on the host.

    Attributes:
        written: (W,) the sentences that are translated.
        distances: (K + 1,) K, ..., 0.
        sentences: (W, K + 1) the sentence so far back, or 0 where its instance begins later.
        there: (W, K + 1) where it does not.
        total: S.
    """

    written: Integers
    distances: Integers
    sentences: Integers
    there: NDArray[np.bool_]
    total: int

    @classmethod
    def of(cls, source: Packed, written: Integers | None, most: int) -> Self:
        """Those of these sentences of a source, by default of all; at most so many before each."""
        total, first = len(source.sentences), source.first_sentences
        written = np.arange(total) if written is None else written
        distances = np.arange(most, -1, -1)
        sentences = written[:, None] - distances
        begin = first[np.searchsorted(first, written, side="right") - 1]
        there = sentences >= begin[:, None]
        return cls(written, distances, np.where(there, sentences, 0), there, total)

    def gather(self, states: Tensor, first: Integers, lengths: Integers) -> Encoded:
        """The states of all of them, with their distances.

        Args:
            states: (N, D)
            first, lengths: (W, K + 1) where those of each begin, and how many it has.

        Returns:
            States, (M, D + K + 1), in a span for each of all S sentences.
        """
        kept = np.where(self.there, lengths, 0)
        lengths = kept.reshape(-1)
        skipped = first.reshape(-1) - (lengths.cumsum() - lengths)
        rows = np.arange(int(lengths.sum())) + skipped.repeat(lengths)
        distances = np.tile(self.distances, len(kept)).repeat(lengths)
        index = to_device(np.stack([rows, distances]), states.device)
        onehot = torch.eye(len(self.distances), dtype=states.dtype, device=states.device)
        by_sentence = np.zeros(self.total, np.int64)
        by_sentence[self.written] = kept.sum(axis=1)
        return Encoded(
            torch.cat([states[index[0]], onehot[index[1]]], dim=1),
            Spans.of(by_sentence.tolist(), states.device),
        )


def decoder_layer(settings: CADecSettings) -> Layer:
    """A layer of the second decoder."""
    d_model, distances = settings.d_model, settings.context_sentences + 1
    self_attention = SelfAttention(d_model, settings.heads, "group")
    source = AuxiliaryAttention(settings, SOURCE, d_model + distances)
    translation = AuxiliaryAttention(settings, TRANSLATION, 2 * d_model + distances)
    return Layer(
        {
            "self_attention": residual(settings, self_attention),
            "cross_attention": residual(settings, source),
            "translation_attention": residual(settings, translation),
            "feed_forward": feed_forward(settings),
        }
    )


class CADec(System):
    """A frozen sentence-level Transformer and a decoder that corrects its drafts in context."""

    settings_class = CADecSettings

    def __init__(
        self, settings: CADecSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        super().__init__()
        form = {key: getattr(settings, key) for key in EncoderDecoderSettings.model_fields}
        base = TransformerSettings.read({**form, "name": "transformer"})
        self.base = Transformer(base, source_vocabulary, target_vocabulary)
        self.base.requires_grad_(False).eval()
        self.sentences_back = settings.context_sentences
        self.dropout = settings.dropout
        self.decoder = nn.ModuleList(
            decoder_layer(settings) for _ in range(settings.layers_of_decoder)
        )
        self.norm = last_norm(settings)
        self.output = output_layer(settings.d_model, target_vocabulary, bias=settings.output_bias)

    def train(self, mode: bool = True) -> Self:
        """Switch between training and evaluation; the frozen base stays in evaluation."""
        super().train(mode)
        self.base.eval()
        return self

    @property
    def target_positions(self) -> tuple[int, CountPositions] | None:
        """Those of the base, counted from the beginning of the sentence."""
        learned = self.base.target_positions
        return None if learned is None else (learned[0], "sentence")

    @property
    def draft_system(self) -> System:
        return self.base

    def draft_writer(self, run: SystemRun, device: torch.device) -> SampledDrafts:
        """The writer of the drafts in the training of a run."""
        from docmt_research.training.drafts import SampledDrafts

        return SampledDrafts(self, run, device)

    def initial_weights(self, state: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        """Those of a sentence-level Transformer become the base, and its output layer the initial
        one of the second decoder; those of a CADec are taken as they are."""
        if any(name.startswith(_BASE) for name in state):
            return state
        renamed = {_BASE + name: tensor for name, tensor in state.items()}
        for name in ("output.weight", "target_embedding.table.weight"):
            if name in state:
                renamed["output.weight"] = state[name]
                break
        if "score_bias" in state:
            renamed["output.bias"] = state["score_bias"]
        return renamed

    def encode(self, source: Packed) -> Memory:
        """Encode the source sentences and read their drafts, once each."""
        assert source.draft is not None, "the source has drafts"
        memory = self.base.encode(source.by_sentence)
        drafts = self.read_translations(source.draft.by_sentence, memory)
        auxiliary = {DRAFTS: Encoded(drafts, source.draft.sentences)}
        return replace(memory, source=source, auxiliary=auxiliary)

    def read_translations(self, target: Packed, memory: Memory) -> Tensor:
        """[e(y_t+1) ; s_t+1] at each token y_t of translations, of which the last of a sentence is
        followed by nothing: (N_target, 2 · d_model)."""
        states = self.base.readout(self.base.decode(target.tokens, FullPass(target, memory)))
        words = self.base.target_embedding.table(target.tokens.roll(-1))
        return torch.cat([in_autocast_format(words), states], dim=1)

    def with_translations(
        self,
        memory: Memory,
        translations: TranslatedSentences | None,
        sentences: Integers | None = None,
    ) -> Memory:
        """The memory for writing sentences, each an instance of its own: M and N of each."""
        source, drafts = memory.source, memory.auxiliary[DRAFTS]
        read = _ContextSentences.of(source, sentences, self.sentences_back)
        spans, looked, is_own = source.sentences, read.sentences, read.distances == 0
        of_source = read.gather(
            memory.states, spans.host_offsets[:-1][looked], spans.host_lengths[looked]
        )
        states = drafts.states
        first, lengths = drafts.spans.host_offsets[:-1][looked], drafts.spans.host_lengths[looked]
        known = np.zeros_like(lengths) if translations is None else translations.lengths[looked]
        if translations is not None:
            first = np.where(is_own, first, len(states) + translations.first[looked])
            states = torch.cat([states, translations.states])
        # The last token of a sentence is followed by nothing.
        lengths = (np.where(is_own, lengths, known) - 1).clip(0)
        auxiliary = {SOURCE: of_source, TRANSLATION: read.gather(states, first, lengths)}
        return Memory(source.by_sentence, memory.states, auxiliary)

    def states(self, batch: Batch) -> Tensor:
        """The second decoder's states after each target position, given the references of the
        sentences before: (N_target, d_model)."""
        memory, target = self.encode(batch.source), batch.target.by_sentence
        alone = replace(memory, source=batch.source.by_sentence, auxiliary={})
        spans = target.sentences
        translations = TranslatedSentences(
            self.read_translations(target, alone), spans.host_offsets[:-1], spans.host_lengths
        )
        view = FullPass(target, self.with_translations(memory, translations))
        return self.target_states(target.tokens, view)

    def target_states(self, tokens: Tensor, view: View) -> Tensor:
        x = self.base.target_embedding(tokens, view.positions("sentence"))
        x = dropout(in_autocast_format(x), self.dropout, self.training)
        for layer in self.decoder:
            x = layer(x, view)
        return self.norm(x)

    def scores(self, x: Tensor) -> Tensor:
        scores: Tensor = self.output(x)
        return scores

    @property
    def output_weight(self) -> Tensor:
        return self.output.weight

    @property
    def output_bias(self) -> Tensor | None:
        return self.output.bias

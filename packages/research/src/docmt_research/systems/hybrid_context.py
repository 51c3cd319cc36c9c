"""Hybrid Context (Zheng et al. 2020, "Towards Making the Most of Context in Neural Machine
Translation").

The encoder reads each sentence of a document alone, and the whole document in one layer more. Word
i of sentence k has the embeddings of its token, of its position in the sentence and of the sentence
(a segment), and

    h^L = LocalEncoder(E[x_k,i] + E^w_i + E^s_k)             layers in which a sentence sees itself
    h^G = GlobalLayer(h^L)                                   a layer with Seg-Attn in the document
    g = σ(W_g [h^L; h^G]),  h = LayerNorm((1 − g) ⊙ h^L + g ⊙ h^G)

where Seg-Attn is attention with relative positions of sentences (`docmt_research.nn.relative`). The
decoder is a Transformer-XL (Dai et al. 2019), whose segments are sentences: in each layer
self-attention with relative positions also sees the states of the sentence before, through which no
gradient passes, and cross-attention sees the source sentence,

    s̃_k^(l−1) = [SG(s_{k−1}^(l−1)); s_k^(l−1)]
    s̄_k^l = LayerNorm(Rel-SelfAttn(s_k^(l−1), s̃_k^(l−1), s̃_k^(l−1)) + s_k^(l−1))
    s_k^l = LayerNorm(FeedForward(ŝ_k^l) + ŝ_k^l)  with  ŝ_k^l  from  CrossAttn(s̄_k^l, h_k, h_k)

so that N layers reach back N sentences.

Shapes: N tokens.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from torch import Tensor, nn

from docmt_nmt.base.settings import Conditions, LayerSize
from docmt_nmt.nn.attention import CrossAttention, Scope
from docmt_nmt.nn.autocast import in_autocast_format
from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.gates import GateProjection, gate
from docmt_nmt.nn.kernels.dropout import dropout
from docmt_nmt.nn.layers import Layer
from docmt_nmt.nn.views import View
from docmt_nmt.systems.system_settings import EncoderDecoderSettings
from docmt_nmt.systems.transformer import SentenceEncoderDecoder, feed_forward, residual
from docmt_research.nn.reaches import OwnAndPrevious
from docmt_research.nn.relative import RelativeAttention, SegmentRelativeAttention


class HybridContextSettings(EncoderDecoderSettings):
    """Local and global context in the encoder, and a recurrent decoder (Zheng et al. 2020)."""

    name: Literal["hybrid-context"] = "hybrid-context"
    """Name of the system."""

    global_encoder: bool = True
    """Read the whole source in a global layer on top of the encoder. If false, the encoder reads
    each sentence alone."""

    decoder_memory: bool = True
    """Let the decoder see the states of the previous target sentence. If false, it sees its own
    sentence only."""

    max_segments: LayerSize = 20
    """Number of sentences of an instance that have an embedding of their own; those after share the
    last. Distances between sentences from this on are alike, too."""

    only_with: ClassVar[Conditions] = {
        **EncoderDecoderSettings.only_with,
        "max_segments": {"global_encoder": (True,)},
        "segment_embeddings": {"global_encoder": (False,)},
    }


class SegmentSelfAttention(nn.Module):
    """Attention over the instance with relative positions of sentences."""

    def __init__(self, settings: HybridContextSettings) -> None:
        super().__init__()
        self.attention = SegmentRelativeAttention(
            settings.d_model, settings.heads, max_distance=settings.max_segments
        )

    def forward(self, x: Tensor, view: View) -> Tensor:
        """(N, d_model) to (N, d_model)"""
        assert isinstance(view, FullPass), "an encoder reads all at once"
        return self.attention(self.attention.at(x, view.segments), view.own.instances)


class RecurrentSelfAttention(nn.Module):
    """Attention with relative positions over the own sentence and, where the target has context,
    over the one before."""

    def __init__(self, settings: HybridContextSettings) -> None:
        super().__init__()
        self.attention = RelativeAttention(settings.d_model, settings.heads)
        self.sees_previous = settings.decoder_memory

    def forward(self, x: Tensor, view: View) -> Tensor:
        """(N, d_model) to (N, d_model)"""
        over = view.look(OwnAndPrevious(), x) if self.sees_previous else view.own.sentences
        return self.attention(self.attention.at(x, view.positions("instance")), over)


def global_layer(settings: HybridContextSettings) -> Layer:
    """Attention over the instance, and feed-forward."""
    return Layer(
        {
            "self_attention": residual(settings, SegmentSelfAttention(settings)),
            "feed_forward": feed_forward(settings),
        }
    )


class HybridContext(SentenceEncoderDecoder):
    """A local encoder with a global layer on top, and a decoder with the memory of the sentence
    before."""

    settings_class = HybridContextSettings

    def __init__(
        self, settings: HybridContextSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        super().__init__(settings, source_vocabulary, target_vocabulary)
        self.target_embedding.learned = None  # positions of the target are relative
        self.global_encoder, self.max_segments = settings.global_encoder, settings.max_segments
        if settings.global_encoder:
            d_model = settings.d_model
            segments = nn.Embedding(settings.max_segments, d_model)
            nn.init.normal_(segments.weight, std=d_model**-0.5)
            self.source_embedding.segments = segments
            self.encoder.append(global_layer(settings))
            self.fusion_gate = GateProjection(d_model, passes="context")  # W_g
            self.encoder_norm = nn.LayerNorm(d_model)

    def decoder_layer(
        self,
        settings: HybridContextSettings,
        scope: Scope,  # noqa: ARG002
        cross_scope: Scope,
    ) -> Layer:
        cross = CrossAttention(settings.d_model, settings.heads, cross_scope)
        return Layer(
            {
                "self_attention": residual(settings, RecurrentSelfAttention(settings)),
                "cross_attention": residual(settings, cross),
                "feed_forward": feed_forward(settings),
            }
        )

    def encode_tokens(self, tokens: Tensor, view: View) -> Tensor:
        if not self.global_encoder:
            return super().encode_tokens(tokens, view)
        assert isinstance(view, FullPass), "an encoder reads all at once"
        segments = view.segments.values.clamp(max=self.max_segments - 1)
        x = self.embed(self.source_embedding, tokens, view.positions("sentence"), segments)
        for layer in self.encoder[:-1]:
            x = layer(x, view)
        return self.fuse(x, self.encoder[-1](x, view))

    def fuse(self, local: Tensor, global_: Tensor) -> Tensor:
        """h of h^L and h^G: all (N, d_model)."""
        g = gate(self.fusion_gate, local, global_, passes="context")
        return self.encoder_norm((1 - g) * local + g * global_)

    def decode(self, tokens: Tensor, view: View) -> Tensor:
        embedding = self.target_embedding
        x = in_autocast_format(embedding.norm(embedding.words(tokens)))
        x = dropout(x, self.dropout, self.training)
        for layer in self.decoder:
            x = layer(x, view)
        return x

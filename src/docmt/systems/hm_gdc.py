"""HM-GDC on the Transformer (Tan et al. 2019, "Hierarchical Modeling of Global Context for
Document-Level Neural Machine Translation").

Each sentence is encoded and written on its own, given its whole document. The document encoder
reads a vector of each sentence, and what it makes of it is given back to each word (Eq. 1-6, in
`docmt.nn.hierarchy`):

    h_ctx_i,j = h_i,j + ResidualDrop(d_ctx_i,j, P)                               (7)

Integrated in the encoder, h_ctx is what cross-attention sees instead of h. Integrated in the
decoder, a second attention, over all words of the document, stands beside cross-attention:

    C = [h_ctx_1; ...; h_ctx_N]                                                  (8)
    G = MultiHead-Attn(T, C, C)                                                  (9)
    H = E + G                                                                    (10)

where T comes from self-attention and E is what cross-attention takes from the sentence.

Shapes: N tokens, W d_model; in steps R rows.
"""

from __future__ import annotations

from typing import ClassVar, Literal, cast

from pydantic import model_validator
from torch import Tensor

from docmt.nn.attention import MultiHeadAttention, Scope, ScopedAttention
from docmt.nn.batch import Encoded, Packed
from docmt.nn.hierarchy import DocumentEncoder, DocumentLayer, Hierarchy
from docmt.nn.incremental.state import DecodingState, Memory
from docmt.nn.kernels.dropout import add_dropped
from docmt.nn.layers import DecoderLayer, EncoderLayer
from docmt.settings import Conditions, PositiveInt, Share
from docmt.systems.settings import EncoderDecoderSettings
from docmt.systems.transformer import (
    EncoderDecoder,
    around,
    feed_forward,
    last_norm,
    plain_decoder_layer,
)

DOCUMENT = "document"
"""The name of the document's words, C, among all that is encoded."""


class HMGDCSettings(EncoderDecoderSettings):
    """The hierarchical model of global document context (Tan et al. 2019), on the Transformer."""

    name: Literal["hm-gdc"] = "hm-gdc"
    """Name of the system."""

    integration: Literal["encoder", "decoder", "both", "none"] = "both"
    """Where document context is added: in the `encoder`, the `decoder` or `both` (Table 2). `none`
    is the sentence-level Transformer."""

    document_layers: PositiveInt = 1
    """Number of layers of the document encoder (N in Table 2); at most `layers` with
    `share_encoders`."""

    share_encoders: bool = True
    """Share the self-attention weights of the document encoder with the sentence encoder, layer by
    layer from the bottom (section 2.3)."""

    context_dropout: Share = 0.1
    """Dropout probability of the document context where it is added to the words (P in Eq. 7)."""

    only_with: ClassVar[Conditions] = {
        **EncoderDecoderSettings.only_with,
        **{
            key: {"integration": ("encoder", "decoder", "both")}
            for key in ("document_layers", "share_encoders", "context_dropout")
        },
    }

    @model_validator(mode="after")
    def shared_layers_exist(self) -> HMGDCSettings:
        """Check the layers that share their attention against those there are."""
        if self.share_encoders and self.document_layers > self.layers:
            raise ValueError(
                f"document_layers {self.document_layers} is more than layers {self.layers}, and "
                "share_encoders needs one of these for each"
            )
        return self


class DocumentDecoderLayer(DecoderLayer):
    """A decoder layer with attention over the document beside cross-attention."""

    def __init__(self, settings: EncoderDecoderSettings, scope: Scope, cross: Scope) -> None:
        d_model, heads = settings.d_model, settings.heads
        mixers = ScopedAttention(d_model, heads, scope), ScopedAttention(d_model, heads, cross)
        super().__init__(*mixers, feed_forward(settings), **around(settings))
        self.document_attention = MultiHeadAttention(d_model, heads)

    def cross(self, x: Tensor, memory: Memory, target: Packed) -> Tensor:
        """E + G for states x, (N_target, W): (N_target, W)."""
        document = memory.encoded(DOCUMENT)
        spans = target.instances, document.spans
        own = super().cross(x, memory, target)
        return own + self.document_attention(x, document.states, *spans)

    def step_cross(self, x: Tensor, cache: DecodingState) -> Tensor:
        """E + G for one new token a row: (R, W)."""
        own = super().step_cross(x, cache)
        return own + self.document_attention.step_instance(x, cache, DOCUMENT)


class HMGDC(EncoderDecoder):
    """A sentence Transformer whose words know their document."""

    instance_kinds = ("tokens", "whole")
    one_pass = False

    def __init__(
        self, settings: HMGDCSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        into = settings.integration
        self.in_encoder, self.in_decoder = into in ("encoder", "both"), into in ("decoder", "both")
        encoder: list[Scope] = ["group"] * settings.layers
        decoder: list[Scope] = ["group"] * settings.layers_of_decoder
        super().__init__(
            settings, source_vocabulary, target_vocabulary,
            encoder_scopes=encoder, decoder_scopes=decoder, cross_scopes=decoder,
            count_positions="sentence",
            decoder_layer=DocumentDecoderLayer if self.in_decoder else plain_decoder_layer,
        )  # fmt: skip
        self.context_dropout = settings.context_dropout
        self.hierarchy: Hierarchy | None = None
        if into != "none":
            document_encoder = self.document_encoder(settings)
            self.hierarchy = Hierarchy(settings.d_model, settings.heads, document_encoder)

    def document_encoder(self, settings: HMGDCSettings) -> DocumentEncoder:
        """The document encoder, which may share its attention with the sentence encoder."""
        d_model, heads = settings.d_model, settings.heads
        if settings.share_encoders:
            sentence_layers = list(self.encoder)[: settings.document_layers]
            attentions = [cast(EncoderLayer, s).self_attention.attention for s in sentence_layers]
        else:
            attentions = [
                MultiHeadAttention(d_model, heads) for _ in range(settings.document_layers)
            ]
        layers = (
            DocumentLayer(attention, feed_forward(settings), **around(settings))
            for attention in attentions
        )
        return DocumentEncoder(layers, norm=last_norm(settings), dropout=settings.dropout)

    def encode(self, source: Packed) -> Memory:
        """Read the source of a batch of documents, once each."""
        memory = super().encode(source)
        if self.hierarchy is None:
            return memory
        context = self.hierarchy(memory.states, source)
        words = add_dropped(memory.states, context, self.context_dropout, self.training)
        beside = {DOCUMENT: Encoded(words, source.instances)} if self.in_decoder else {}
        return Memory(source, words if self.in_encoder else memory.states, beside)

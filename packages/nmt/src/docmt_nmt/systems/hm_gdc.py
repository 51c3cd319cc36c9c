"""HM-GDC on the Transformer (Tan et al. 2019, "Hierarchical Modeling of Global Context for
Document-Level Neural Machine Translation").

Each sentence is encoded and written on its own, given its whole document. The document encoder
reads a vector of each sentence, and what it makes of it is given back to each word (Eq. 1-6, in
`docmt_nmt.nn.hierarchy`):

    h_ctx_i,j = h_i,j + ResidualDrop(d_ctx_i,j, P)                               (7)

Integrated in the encoder, h_ctx is what cross-attention sees instead of h. Integrated in the
decoder, a second attention, over all words of the document, is added to cross-attention:

    C = [h_ctx_1; ...; h_ctx_N]                                                  (8)
    G = MultiHead-Attn(T, C, C)                                                  (9)
    H = E + G                                                                    (10)

where T comes from self-attention and E is what cross-attention takes from the sentence.

Shapes: N tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from torch import Tensor, nn

from docmt_nmt.nn.attention import CrossAttention, MultiHeadAttention, Scope, SelfAttention
from docmt_nmt.nn.batch import Encoded, Memory, Packed
from docmt_nmt.nn.hierarchy import Hierarchy, TransformerDocumentEncoder
from docmt_nmt.nn.kernels.dropout import add_dropped
from docmt_nmt.nn.layers import Layer
from docmt_nmt.nn.views import View
from docmt_nmt.systems.hm_gdc_settings import HMGDCSettings
from docmt_nmt.systems.transformer import (
    SentenceEncoderDecoder,
    decoder_layer,
    encoder_layer,
    last_norm,
)

DOCUMENT = "document"
"""The name of the document's words, C, among all that is encoded."""


class DocumentCrossAttention(CrossAttention):
    """Cross-attention plus attention over the document: E + G (Eq. 9-10)."""

    def __init__(self, d_model: int, heads: int, scope: Scope) -> None:
        super().__init__(d_model, heads, scope)
        self.document_attention = MultiHeadAttention(d_model, heads)

    def forward(self, x: Tensor, view: View) -> Tensor:
        document = view.auxiliary(DOCUMENT)
        assert document is not None, "the document is encoded"
        return super().forward(x, view) + self.document_attention(x, document)


class HMGDC(SentenceEncoderDecoder):
    """A sentence-level Transformer whose encoder states are enriched with document context."""

    settings_class = HMGDCSettings

    def __init__(
        self, settings: HMGDCSettings, source_vocabulary: int, target_vocabulary: int
    ) -> None:
        into = settings.integration
        self.in_encoder, self.in_decoder = into in ("encoder", "both"), into in ("decoder", "both")
        super().__init__(settings, source_vocabulary, target_vocabulary)
        self.context_dropout = settings.context_dropout
        self.hierarchy: Hierarchy | None = None
        if into != "none":
            document_encoder = self.document_encoder(settings)
            self.hierarchy = Hierarchy(settings.d_model, settings.heads, document_encoder)

    def decoder_layer(self, settings: HMGDCSettings, scope: Scope, cross_scope: Scope) -> Layer:
        cross = DocumentCrossAttention if self.in_decoder else CrossAttention
        return decoder_layer(settings, scope, cross_scope, cross=cross)

    def document_encoder(self, settings: HMGDCSettings) -> TransformerDocumentEncoder:
        """The document encoder, which may share its attention with the sentence encoder."""
        shared: list[MultiHeadAttention | None] = [None] * settings.document_layers
        if settings.share_encoders:
            sublayers = (cast(Layer, layer)["self_attention"] for layer in self.encoder)
            attentions = [
                cast(SelfAttention, sublayer.sublayer).attention for sublayer in sublayers
            ]
            shared = list(attentions[: settings.document_layers])
        layers = [encoder_layer(settings, "global", attention=attention) for attention in shared]
        return TransformerDocumentEncoder(
            layers, norm=last_norm(settings), dropout=settings.dropout
        )

    def twins(self) -> Iterator[tuple[nn.Module, nn.Module]]:
        """The decoder's attention to the words of the document with cross-attention, and the layers
        of the document encoder with those of the encoder."""
        for module in self.modules():
            if isinstance(module, DocumentCrossAttention):
                yield module.document_attention, module.attention
        if self.hierarchy is not None:
            document_encoder = cast(TransformerDocumentEncoder, self.hierarchy.document_encoder)
            yield from zip(document_encoder.layers, self.encoder, strict=False)

    def encode(self, source: Packed) -> Memory:
        memory = super().encode(source)
        if self.hierarchy is None:
            return memory
        context = self.hierarchy(memory.states, source)
        words = add_dropped(memory.states, context, self.context_dropout, self.training)
        auxiliary = {DOCUMENT: Encoded(words, source.instances)} if self.in_decoder else {}
        return Memory(source, words if self.in_encoder else memory.states, auxiliary)

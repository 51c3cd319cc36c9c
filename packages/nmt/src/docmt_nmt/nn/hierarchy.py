"""The hierarchy of Tan et al. 2019 ("Hierarchical Modeling of Global Context for Document-Level
Neural Machine Translation"): from words to sentences to the document, and back to each word.

With H_i the states of sentence i, (n, W), as any sentence encoder gives them (Eq. 1):

    h_Si  = MultiHead-Self(H_i, H_i, H_i)                                        (2)
    h̃_Si  = Σ_{h ∈ h_Si} h                                                       (3)
    H_S   = DocEnc(h̃_S)                                                          (4)
    α_i,j = MultiHead-Ctx(h_i,j, h_i,j, H_Si)                                    (5)
    d_ctx_i,j = α_i,j H_Si                                                       (6)

In Eq. 5 a word is query and key, and its sentence's vector is the value: α_i,j is read as the
share of the vector H_Si that is given to word j, which is large where the word's own query and key
agree. In each head, with q, k and v the projections,

    α_i,j = exp(q(h_i,j)·k(h_i,j) / √d_k) / Σ_l exp(q(h_i,l)·k(h_i,l) / √d_k)

Shapes: N tokens, S sentences, H heads, D head dimension.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn

from docmt_nmt.nn.attention import MultiHeadAttention
from docmt_nmt.nn.batch import Packed
from docmt_nmt.nn.embeddings import sinusoids
from docmt_nmt.nn.full_pass import FullPass, OverSpans
from docmt_nmt.nn.kernels.dropout import dropout
from docmt_nmt.nn.layers import Layer
from docmt_nmt.nn.spans import Spans


class DocumentEncoder(Protocol):
    """DocEnc of Eq. 4."""

    def __call__(self, vectors: Tensor, documents: Spans) -> Tensor:
        """Sentence vectors, (S, d_model), of these documents: (S, d_model)."""


class Hierarchy(nn.Module):
    """From the states of words to what the document says to each of them.

    Args:
        d_model: the size of the states.
        heads: H, of the two attentions over words.
        document_encoder: DocEnc of Eq. 4, a module.
    """

    def __init__(self, d_model: int, heads: int, document_encoder: DocumentEncoder) -> None:
        super().__init__()
        self.sentence_attention = MultiHeadAttention(d_model, heads)
        self.document_encoder = document_encoder
        self.context_attention = ContextAttention(d_model, heads)

    def forward(self, x: Tensor, source: Packed) -> Tensor:
        """The context d_ctx of each word, (N, d_model), given the words' states x, (N, d_model),
        packed as `source`, whose instances are the documents."""
        sentences = source.sentences
        attended = self.sentence_attention(x, OverSpans(sentences, sentences))
        # In 16 bits a sum over many words would round off with every one of them.
        sums = torch.zeros(len(sentences), x.shape[1], device=x.device)
        vectors = sums.index_add(0, sentences.index, attended.float()).to(attended.dtype)
        documents = Spans(source.first_sentences, x.device)
        vectors = self.document_encoder(vectors, documents)  # (S, d_model)
        return self.context_attention(x, vectors, sentences)


class ContextAttention(nn.Module):
    """MultiHead-Ctx: distributes a sentence's vector over its words (Eq. 5-6)."""

    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d_model, heads)

    def forward(self, x: Tensor, vectors: Tensor, sentences: Spans) -> Tensor:
        """Words x, (N, d_model), of these sentences, whose vectors are (S, d_model):
        (N, d_model)."""
        attention = self.attention
        q, k = attention.split(attention.query(x)), attention.split(attention.key(x))  # (N, H, D)
        scores = (q * k).sum(dim=2) / q.shape[2] ** 0.5
        shares = softmax_within(scores, sentences).to(x.dtype)  # (N, H)
        shares = dropout(shares, attention.attention_dropout, self.training)
        values = attention.split(attention.value(vectors))[sentences.index]  # (N, H, D)
        return attention.output((shares[:, :, None] * values).flatten(1))


def softmax_within(scores: Tensor, spans: Spans) -> Tensor:
    """Scores, (N, H), as shares that add up to 1 within each span: (N, H), fp32."""
    scores = scores.float()
    index = spans.index[:, None].expand_as(scores)
    none = scores.new_full((len(spans), scores.shape[1]), -torch.inf)
    highest = none.scatter_reduce(0, index, scores.detach(), "amax")
    powers = (scores - highest[spans.index]).exp()
    sums = powers.new_zeros(none.shape).index_add(0, spans.index, powers)
    return powers / sums[spans.index]


class TransformerDocumentEncoder(nn.Module):
    """DocEnc of Eq. 4 on the Transformer: self-attention between the sentences of a document.

    A sentence vector carries the position of its sentence in the document: without it the encoder
    could not tell in which order the sentences stand.

    Args:
        layers: from the bottom.
        norm: what normalizes the sum that the last layer leaves.
        dropout: share of the vectors, with their positions, dropped in training.
    """

    def __init__(self, layers: Iterable[Layer], *, norm: nn.Module, dropout: float) -> None:
        super().__init__()
        self.layers, self.norm, self.dropout = nn.ModuleList(layers), norm, dropout

    def forward(self, vectors: Tensor, documents: Spans) -> Tensor:
        """Sentence vectors, (S, d_model), of these documents: (S, d_model)."""
        x = vectors + sinusoids(documents.positions, vectors.shape[1]).to(vectors.dtype)
        x = dropout(x, self.dropout, self.training)
        # To a layer, sentences are tokens and documents are instances.
        each = Spans(np.arange(documents.total + 1), documents.device)
        view = FullPass(Packed(each.offsets[:-1], each, documents))
        for layer in self.layers:
            x = layer(x, view)
        return self.norm(x)

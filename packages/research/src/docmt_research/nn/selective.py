"""Selective attention of words to the other sentences of their document (Maruf et al. 2019,
"Selective Attention for Context-aware Neural Machine Translation").

Hierarchical: which sentences matter is decided first, by sparsemax, so that most have no share at
all; then which words of each. With q_s and q_w made of the state of a word, k_s(j) of the mean of
the states of sentence j, and k_w(i) and v(i) of the state of its word i,

    α_s(j)  = sparsemax_j(q_s · k_s(j) / √D)
    α_w(i)  = softmax_i(q_w · k_w(i) / √D) over the words of a sentence, or sparsemax
    context = W_o Σ_j α_s(j) Σ_i α_w(i) v(i)

in each head. Flat: one softmax over all words, or over the means of all sentences.

Shapes: N tokens, I documents, Q queries of each, S sentences of each, of L words; H heads, H' = 2H
or H kinds of queries, D head dimension, d the size of the states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from docmt_nmt.nn.kernels.buckets import group_like_lengths
from docmt_nmt.nn.kernels.dropout import dropout
from docmt_nmt.nn.spans import padded
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.nn.views import KeysValues, KeyValueProjection
from docmt_research.nn.sparsemax import sparsemax

ContextLevel = Literal["hierarchical", "sentence", "word"]
WordWeights = Literal["softmax", "sparsemax"]


class SentenceBucket(NamedTuple):
    """Sentences of like length, padded to the longest.

    Attributes:
        words: (I, S, L) where their words lie among some states; padding repeats a word.
        are_words: (I, S, L) false for padding.
    """

    words: Tensor
    are_words: Tensor


class ReadSentences(NamedTuple):
    """The result of an attention for a bucket.

    Attributes:
        keys, values: (I, H, S · L, D); L is 1 where a sentence is read as the mean of its states.
        are_words: (I, S, L)
        sentence_keys: (I, H, S, D) k_s; empty where attention is flat.
    """

    keys: Tensor
    values: Tensor
    are_words: Tensor
    sentence_keys: Tensor

    def select(self, documents: Tensor) -> ReadSentences:
        """Those of these documents, given by their indices."""
        return ReadSentences(*(tensor[documents] for tensor in self))


def bucket_sentences(
    lengths: NDArray[np.int64], device: torch.device
) -> tuple[list[SentenceBucket], NDArray[np.int64]]:
    """The sentences of one document, whose words stand one after the other, in buckets.

    Returns:
        The buckets and (S,) the sentences in their order.
    """
    starts = lengths.cumsum() - lengths
    groups = group_like_lengths(lengths.tolist(), lengths.tolist())
    buckets = []
    for group in groups:
        rows = padded(starts[group], lengths[group])
        buckets.append(
            SentenceBucket(*(to_device(rows_of_one[None], device) for rows_of_one in rows))
        )
    return buckets, np.concatenate(groups)


class SelectiveAttention(KeyValueProjection):
    """Attention to the other sentences of a document. Its projections have no biases.

    Args:
        d_model: the size of the states.
        heads: H.
        level: `hierarchical`, or flat over all sentences or words.
        word_weights: how the words of a sentence share its weight, where it is hierarchical.
    """

    def __init__(
        self, d_model: int, heads: int, level: ContextLevel, word_weights: WordWeights
    ) -> None:
        super().__init__()
        self.d_model, self.heads = d_model, heads
        self.level, self.word_weights = level, word_weights
        self.query, self.key, self.value, self.output = (_projection(d_model) for _ in range(4))
        if level == "hierarchical":
            self.sentence_query, self.sentence_key = _projection(d_model), _projection(d_model)

    def forward(self, x: Tensor, over: KeysValues) -> Tensor:
        """Return what words in the states x, (N, d), find in other sentences: (N, d)."""
        q = self._project(self.query, x)
        if self.level == "hierarchical":
            q = torch.cat([self._project(self.sentence_query, x), q], dim=1)
        return self.output(over.attend(q, x, self).flatten(1))

    def _project(self, projection: nn.Linear, y: Tensor) -> Tensor:
        """Return what a projection makes of states, (..., d): (..., H, D)."""
        return projection(y.reshape(-1, self.d_model)).view(*y.shape[:-1], self.heads, -1)

    def keys_and_values(self, y: Tensor) -> tuple[Tensor, Tensor]:
        """k_w and v, (..., H, D) each, of states, (..., d); or of two states each, (..., 2d), of
        which keys are made of the first and values of the second."""
        keys = self._project(self.key, y[..., : self.d_model])
        return keys, self._project(self.value, y[..., -self.d_model :])

    def cached_keys_values(self, y: Tensor) -> Tensor:
        return torch.stack(self.keys_and_values(y))

    def read(self, states: Tensor, buckets: Sequence[SentenceBucket]) -> list[ReadSentences]:
        """Keys and values of sentences.

        Args:
            states: of their words, (N, d) or (N, 2d); see `keys_and_values`.
            buckets: where the words lie.
        """
        if self.level == "sentence":
            return [self._read_means(_means(states, bucket)) for bucket in buckets]
        keys_values = self.keys_and_values(states)
        read = []
        for bucket in buckets:
            keys, values = (y[bucket.words.flatten(1)].transpose(1, 2) for y in keys_values)
            sentence_keys = keys[:, :, :0]
            if self.level == "hierarchical":
                means = _means(states, bucket)[..., : self.d_model]
                sentence_keys = self._project(self.sentence_key, means).transpose(1, 2)
            read.append(ReadSentences(keys, values, bucket.are_words, sentence_keys))
        return read

    def _read_means(self, means: Tensor) -> ReadSentences:
        """Means of sentences, (I, S, d or 2d), as sentences of one word."""
        keys, values = (y.transpose(1, 2) for y in self.keys_and_values(means))
        ones = torch.ones(*means.shape[:2], 1, dtype=torch.bool, device=means.device)
        return ReadSentences(keys, values, ones, keys[:, :, :0])

    def find(self, q: Tensor, read: Sequence[ReadSentences], seen: Tensor) -> Tensor:
        """Return what queries find; something finite where they see no sentence.

        Args:
            q: (I, H', Q, D)
            read: the sentences, in buckets.
            seen: (I, Q, S) which of them each query sees, in the order of the buckets.

        Returns:
            (I, H, Q, D)
        """
        seen = seen[:, None]  # (I, 1, Q, S)
        if self.level == "hierarchical":
            of_sentences, q = q.chunk(2, dim=1)
            weights = self._hierarchical(of_sentences, q, read, seen)
        else:
            weights = self._flat(q, read, seen)
        attended = []
        for weights_of_queries, sentences in zip(weights, read, strict=True):
            kept = dropout(
                weights_of_queries.to(sentences.values.dtype), self.attention_dropout, self.training
            )
            attended.append(kept @ sentences.values)
        return torch.stack(attended).sum(dim=0)

    def _hierarchical(
        self, of_sentences: Tensor, q: Tensor, read: Sequence[ReadSentences], seen: Tensor
    ) -> list[Tensor]:
        """α_s(j) α_w(i) for the queries q_s and q_w: for each bucket (I, H, Q, S · L)."""
        scores = _scores(of_sentences, torch.cat([r.sentence_keys for r in read], dim=2))
        shares = sparsemax(scores.masked_fill(~seen, -torch.inf))  # (I, H, Q, S)
        parts = torch.split(shares, [r.are_words.shape[1] for r in read], dim=3)
        within = sparsemax if self.word_weights == "sparsemax" else _softmax
        return [
            (part[..., None] * within(_word_scores(q, r))).flatten(3)
            for part, r in zip(parts, read, strict=True)
        ]

    def _flat(self, q: Tensor, read: Sequence[ReadSentences], seen: Tensor) -> list[Tensor]:
        """One softmax over all that is seen: for each bucket (I, H, Q, S · L)."""
        parts = torch.split(seen, [r.are_words.shape[1] for r in read], dim=3)
        scores = [
            _hidden(_word_scores(q, r), part[..., None]).flatten(3)
            for part, r in zip(parts, read, strict=True)
        ]
        sizes = [part.shape[3] for part in scores]
        return list(torch.split(_softmax(torch.cat(scores, dim=3)), sizes, dim=3))


def _projection(d_model: int) -> nn.Linear:
    """A projection without bias."""
    projection = nn.Linear(d_model, d_model, bias=False)
    nn.init.xavier_uniform_(projection.weight)
    return projection


def _means(states: Tensor, bucket: SentenceBucket) -> Tensor:
    """The mean of the states, (N, d'), of each sentence of a bucket: (I, S, d')."""
    counted = bucket.are_words[..., None]
    # In 16 bits a sum over many words would round off with every one of them.
    sums = (states[bucket.words].float() * counted).sum(dim=2)
    return (sums / counted.sum(dim=2).clamp(min=1)).to(states.dtype)


def _scores(q: Tensor, keys: Tensor) -> Tensor:
    """Scaled products of queries, (..., Q, D), with keys, (..., K, D): (..., Q, K), fp32."""
    return (q * q.shape[-1] ** -0.5 @ keys.transpose(-2, -1)).float()


def _word_scores(q: Tensor, read: ReadSentences) -> Tensor:
    """The scores of words, (I, H, Q, S, L), as low as possible for padding."""
    scores = _scores(q, read.keys)
    scores = scores.view(*scores.shape[:3], *read.are_words.shape[1:])
    return _hidden(scores, read.are_words[:, None, None])


def _hidden(scores: Tensor, seen: Tensor) -> Tensor:
    """Scores, as low as possible for what is not seen: finite, for there may be nothing else."""
    return scores.masked_fill(~seen, torch.finfo(scores.dtype).min)


def _softmax(scores: Tensor) -> Tensor:
    """Softmax over the last dimension."""
    return scores.softmax(dim=-1)

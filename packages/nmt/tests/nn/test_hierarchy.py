"""The hierarchy of HM-GDC: words, sentences, documents and back."""

import torch
from torch import nn
from torch.testing import assert_close

from docmt_nmt.nn.attention import SelfAttention
from docmt_nmt.nn.batch import Packed
from docmt_nmt.nn.embeddings import sinusoids
from docmt_nmt.nn.full_pass import OverSpans
from docmt_nmt.nn.hierarchy import (
    ContextAttention,
    Hierarchy,
    TransformerDocumentEncoder,
    softmax_within,
)
from docmt_nmt.nn.layers import FeedForward, Layer, Residual
from docmt_nmt.nn.spans import Spans


def packed(*documents):
    """Documents, given as the tokens of each sentence."""
    sentences = [tokens for document in documents for tokens in document]
    row = Spans.of(sentences), Spans.of([sum(document) for document in documents])
    return Packed(torch.zeros(sum(sentences), dtype=torch.int64), *row)


class Recording(nn.Module):
    """A document encoder that lets every vector pass and keeps what it was given."""

    def forward(self, vectors, documents):
        self.vectors, self.documents = vectors, documents
        return vectors


def test_shares_add_up_to_one_within_each_span():
    scores = torch.tensor([[0.0], [1e4], [3.0], [3.0], [-1e4]])
    shares = softmax_within(scores, Spans.of([2, 2, 1]))
    assert_close(shares, torch.tensor([[0.0], [1.0], [0.5], [0.5], [1.0]]))


def test_the_document_encoder_gets_a_vector_for_each_sentence_of_each_document():
    recording = Recording()
    hierarchy = Hierarchy(8, 2, recording)
    source = packed([3, 1], [2])
    x = torch.randn(6, 8)
    assert hierarchy(x, source).shape == (6, 8)
    assert recording.documents.offsets.tolist() == [0, 2, 3]
    one_word = hierarchy.sentence_attention
    # A sentence of one word attends to that word alone.
    assert_close(recording.vectors[1], one_word.output(one_word.value(x[3])))


def test_a_sentence_vector_is_the_sum_over_its_words():
    recording = Recording()
    hierarchy = Hierarchy(8, 2, recording)
    # Words that are all alike attend to what each of them is.
    x = torch.randn(8).expand(4, 8)
    hierarchy(x, packed([3, 1]))
    assert_close(recording.vectors[0], 3 * recording.vectors[1])


@torch.no_grad()
def test_a_sentence_vector_in_sixteen_bits_holds_the_last_of_its_words():
    recording = Recording()
    hierarchy = Hierarchy(8, 2, recording).bfloat16()
    word = torch.randn(8).bfloat16()
    hierarchy(word.expand(600, 8), packed([600]))
    attention = hierarchy.sentence_attention
    assert_close(recording.vectors[0], 600 * attention.output(attention.value(word)))


@torch.no_grad()
def test_a_word_gets_the_share_of_its_sentences_vector_that_the_equations_say():
    """Eq. 5-6, written out for every word and head."""
    shares, sentences = ContextAttention(8, 2), Spans.of([3, 2])
    x, vectors = torch.randn(5, 8), torch.randn(2, 8)
    attention, heads = shares.attention, (slice(0, 4), slice(4, 8))
    q, k, v = attention.query(x), attention.key(x), attention.value(vectors)
    expected = torch.empty(5, 8)
    for sentence, words in enumerate((range(3), range(3, 5))):
        for head in heads:
            powers = {j: (q[j, head] @ k[j, head] / 4**0.5).exp() for j in words}
            for j in words:
                share = powers[j] / sum(powers.values())
                expected[j, head] = share * v[sentence, head]
    assert_close(shares(x, vectors, sentences), attention.output(expected))


@torch.no_grad()
def test_the_document_encoder_normalises_sums_with_positions_through_its_layers():
    d_model, documents = 8, Spans.of([3, 1])
    own = Residual(SelfAttention(d_model, 2, "global"), d_model, dropout=0.0, norm_order="pre")
    feed_forward = Residual(FeedForward(d_model, 16), d_model, dropout=0.0, norm_order="pre")
    layer = Layer({"self_attention": own, "feed_forward": feed_forward})
    encoder = TransformerDocumentEncoder([layer], norm=nn.LayerNorm(d_model), dropout=0.0)
    vectors = torch.randn(4, d_model)
    x = vectors + sinusoids(torch.tensor([0, 1, 2, 0]), d_model)
    x = x + own.sublayer.attention(own.norm(x), OverSpans(documents, documents))
    x = x + feed_forward.sublayer(feed_forward.norm(x))
    assert_close(encoder(vectors, documents), encoder.norm(x))


def test_the_document_encoder_drops_parts_of_its_vectors_in_training():
    encoder = TransformerDocumentEncoder([], norm=nn.Identity(), dropout=0.9)
    vectors, documents = torch.randn(4, 8), Spans.of([4])
    assert (encoder(vectors, documents) == 0).sum() > 16
    assert not (encoder.eval()(vectors, documents) == 0).any()


def test_words_that_are_alike_share_their_sentences_vector_equally():
    shares = ContextAttention(8, 2)
    vectors = torch.randn(2, 8)
    x = torch.randn(8).expand(5, 8)
    context = shares(x, vectors, Spans.of([4, 1]))
    given = shares.attention.value(vectors)
    assert_close(context[0], shares.attention.output(given[0] / 4))
    assert_close(context[4], shares.attention.output(given[1]))

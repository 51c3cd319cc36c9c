import torch
from torch import nn
from torch.testing import assert_close

from docmt.batches import Packed, Spans
from docmt.nn.hierarchy import Hierarchy, Shares, softmax_within


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


def test_words_that_are_alike_share_their_sentences_vector_equally():
    shares = Shares(8, 2)
    vectors = torch.randn(2, 8)
    x = torch.randn(8).expand(5, 8)
    context = shares(x, vectors, Spans.of([4, 1]))
    given = shares.attention.value(vectors)
    assert_close(context[0], shares.attention.output(given[0] / 4))
    assert_close(context[4], shares.attention.output(given[1]))

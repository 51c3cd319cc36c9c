"""Each token's own sentence up to it, with the sentence before, in a full pass and step by step."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.nn import BeamState, FullPass, Memory, MultiHeadAttention, Packed, Spans
from docmt_nmt.nn.views import TwoStreams
from docmt_research.nn.reaches import OwnAndPrevious

SPECIAL_TOKENS = SpecialTokens((0,), (2,), 0, 2)

# Two documents, of three sentences and of one.
SENTENCES = [3, 2, 4, 3]
DOCUMENTS = Spans([0, 9, 12])
TOKENS = [0, 5, 2, 0, 2, 0, 5, 6, 2, 0, 7, 2]
# The first token that each token sees: the first of the sentence before.
FIRST = [0, 0, 0, 0, 0, 3, 3, 3, 3, 9, 9, 9]


@pytest.fixture
def packed():
    return Packed(torch.tensor(TOKENS), Spans.of(SENTENCES), DOCUMENTS)


@pytest.fixture
def attention():
    torch.manual_seed(1)
    return MultiHeadAttention(8, 2)


@pytest.fixture
def memory(packed):
    return Memory(packed, torch.randn(12, 8))


def alone(attention, x, query):
    """What one token finds in what it sees."""
    keys = x[FIRST[query] : query + 1]
    one, many = Spans.of([1]), Spans.of([len(keys)])
    source = Memory(Packed(torch.zeros(len(keys), dtype=torch.long), many, many), keys)
    view = FullPass(Packed(torch.zeros(1, dtype=torch.long), one, one), source)
    return attention(x[query][None], view.source.instances)[0]


@torch.no_grad()
def test_a_full_pass_sees_the_own_sentence_and_the_one_before(packed, attention, memory):
    x = torch.randn(12, 8)
    over = FullPass(packed, memory).look(OwnAndPrevious(), x)
    assert_close(attention(x, over), torch.stack([alone(attention, x, i) for i in range(12)]))
    assert over.has_keys(x).all()


def test_the_gradient_stops_at_the_sentence_before(packed, attention, memory):
    x = torch.randn(12, 8, requires_grad=True)
    found = attention(x, FullPass(packed, memory).look(OwnAndPrevious(), x))
    (gradient,) = torch.autograd.grad(found[3:5].square().sum(), x)
    assert gradient.any(dim=1).tolist() == [False] * 3 + [True] * 2 + [False] * 7


@torch.no_grad()
def test_weights_are_recorded_for_what_each_sentence_sees(packed, attention, memory):
    x = torch.randn(12, 8)
    view = FullPass(packed, memory)
    with view.recording(weights=True) as recorder:
        attention(x, view.look(OwnAndPrevious(), x))
    (record,) = recorder.records(attention)
    assert record.scope == "previous"
    assert [w.shape for w in record.weights[0]] == [(2, 3, 3), (2, 2, 5), (2, 4, 6), (2, 3, 3)]
    for weights in record.weights[0]:
        assert_close(weights.sum(dim=2), torch.ones(weights.shape[:2]))


@torch.no_grad()
def test_steps_see_the_own_sentence_and_the_one_before(attention):
    # One document of three sentences, written by hypotheses that end their sentences differently.
    spans = Spans.of([1, 1, 1])
    source = Packed(torch.zeros(3, dtype=torch.long), spans, Spans([0, 3]))
    state = BeamState(Memory(source, torch.randn(3, 8)), 2, SPECIAL_TOKENS)
    written = [[0, 5, 2, 0, 2, 0, 5, 6], [0, 5, 6, 7, 2, 0, 5, 2]]
    first = [[0, 0, 0, 0, 0, 3, 3, 3], [0] * 8]
    x = torch.randn(8, 2, 8)
    for step in range(8):
        state.advance([row[step] for row in written])
        found = attention(x[step], state.look(OwnAndPrevious(), x))
        for row in range(2):
            keys = x[first[row][step] : step + 1, row]
            one, many = Spans.of([1]), Spans.of([len(keys)])
            seen = Memory(Packed(torch.zeros(len(keys), dtype=torch.long), many, many), keys)
            view = FullPass(Packed(torch.zeros(1, dtype=torch.long), one, one), seen)
            expected = attention(x[step, row][None], view.source.instances)[0]
            assert_close(found[row], expected)
        # The hypotheses change places.
        state.select(np.array([1, 0]))
        written, first = written[::-1], first[::-1]
        x = x.flip(1)


def test_two_streams_have_no_such_view(packed, memory):
    with pytest.raises(TypeError, match="one stream"):
        _ = TwoStreams(FullPass(packed, memory), "short").look(OwnAndPrevious(), torch.zeros(2))

"""Recurrent networks over packed sequences, and additive attention."""

import pytest
import torch
from hypothesis import given, settings, strategies
from torch.testing import assert_close

from docmt_nmt.nn.sequences import TimeOrder
from docmt_nmt.nn.spans import Spans
from docmt_nmt.nn.views import SourceKeys
from docmt_research.nn import additive
from docmt_research.nn.additive import AdditiveAttention
from docmt_research.nn.recurrent import GRUCell, LSTMCell, Recurrent

lengths = strategies.lists(strategies.integers(0, 6), min_size=1, max_size=6)


def parts(x, spans):
    return x.split(spans.lengths.tolist())


def test_the_first_tokens_of_all_spans_are_read_first_and_the_longest_span_comes_first():
    order = TimeOrder(Spans.of([2, 3, 1]))
    assert order.spans.tolist() == [1, 0, 2]
    assert order.from_text.tolist() == [2, 0, 5, 3, 1, 4]
    assert order.sizes == [3, 2, 1]
    assert order.from_text[order.to_text].tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("bidirectional", [True, False])
@settings(max_examples=20, deadline=None)
@given(lengths=lengths.map(lambda found: [n + 1 for n in found]))
@torch.no_grad()
def test_each_span_is_read_on_its_own(bidirectional, lengths):
    torch.manual_seed(len(lengths))
    spans = Spans.of(lengths)
    recurrent = Recurrent(8, 2, bidirectional=bidirectional, dropout=0.0)
    x, start = torch.randn(sum(lengths), 8), torch.randn(len(lengths), 16)
    together, begun = recurrent(x, spans), recurrent(x, spans, start)
    for k, part in enumerate(parts(x, spans)):
        own_tokens = spans.index == k
        alone, _ = recurrent.network(part)
        assert_close(together[own_tokens], alone)
        own = start[k].view(-1, recurrent.network.hidden_size)
        assert_close(begun[own_tokens], recurrent.network(part, own)[0])


@torch.no_grad()
def test_long_short_term_memory_begins_with_both_parts_of_a_state():
    torch.manual_seed(1)
    spans = Spans.of([2, 4])
    recurrent = Recurrent(8, 2, bidirectional=True, dropout=0.0, inputs=5, cell="lstm")
    x, start = torch.randn(6, 5), torch.randn(2, 32)
    found = recurrent(x, spans, start).split([2, 4])
    for part, own, states in zip(x.split([2, 4]), start, found, strict=True):
        hidden, memory = own.view(2, 4, 4)
        assert_close(recurrent.network(part, (hidden, memory))[0], states)


@torch.no_grad()
def test_a_unit_of_long_short_term_memory_is_pytorchs():
    torch.manual_seed(1)
    cell, theirs = LSTMCell(8), torch.nn.LSTMCell(5, 8)
    theirs.weight_hh.copy_(cell.state.weight)
    theirs.bias_hh.copy_(cell.state.bias)
    x, state = torch.randn(3, 5), torch.randn(3, 16)
    inputs = torch.nn.functional.linear(x, theirs.weight_ih, theirs.bias_ih)
    expected = torch.cat(theirs(x, tuple(state.chunk(2, dim=1))), dim=1)
    assert_close(cell(inputs, state), expected)


@settings(max_examples=20, deadline=None)
@given(lengths=lengths)
def test_the_last_state_of_an_empty_span_is_zero(lengths):
    torch.manual_seed(len(lengths))
    spans = Spans.of(lengths)
    recurrent = Recurrent(8, 1, bidirectional=False, dropout=0.0)
    x = torch.randn(sum(lengths), 8, requires_grad=True)
    last = recurrent.last(x, spans)
    for found, part in zip(last, parts(x, spans), strict=True):
        expected = recurrent.network(part)[0][-1] if len(part) else torch.zeros(8)
        assert_close(found, expected)
    last.sum().backward()
    # Where there is nothing to read, the gradient is there and zero: processes exchange it.
    assert all(parameter.grad is not None for parameter in recurrent.parameters())


@torch.no_grad()
def test_a_cell_is_pytorchs():
    torch.manual_seed(0)
    cell, theirs = GRUCell(8), torch.nn.GRUCell(5, 8)
    cell.state.weight.copy_(theirs.weight_hh)
    cell.state.bias.copy_(theirs.bias_hh)
    x, state = torch.randn(3, 5), torch.randn(3, 8)
    read = torch.nn.functional.linear(x, theirs.weight_ih, theirs.bias_ih)
    assert_close(cell(read, state), theirs(x, state))


@torch.no_grad()
def test_additive_attention_is_that_of_bahdanau_et_al():
    torch.manual_seed(0)
    attention = AdditiveAttention(6)
    x, states = torch.randn(4, 6), torch.randn(2 * 5, 6)
    held = attention.keys_values(states).view(2, 2, 1, 5, 6)
    seen = torch.ones(2, 2, 5, dtype=torch.bool)
    seen[1, 0, 3:] = False
    bias = torch.zeros(2, 1, 2, 5).masked_fill(~seen[:, None], -torch.inf)
    found, _ = attention(x, SourceKeys(held, bias))
    for row in range(4):
        unit, place = divmod(row, 2)
        h = states.view(2, 5, 6)[unit][seen[unit, place]]
        scores = torch.tanh(attention.query(x[row]) + attention.key(h)) @ attention.score
        assert_close(found[row], scores.softmax(0) @ h)


def test_what_is_inside_the_scores_is_made_again_and_learns_the_same(monkeypatch):
    torch.manual_seed(0)
    attention, rows, length = AdditiveAttention(6), 4, 5
    x = torch.randn(2 * rows, 6, requires_grad=True)
    states = torch.randn(2 * length, 6, requires_grad=True)
    learning = [x, states, *attention.parameters()]
    largest = 0

    def note(tensor):
        nonlocal largest
        largest = max(largest, tensor.numel())
        return tensor

    def gradients():
        held = attention.keys_values(states).view(2, 2, 1, length, 6)
        with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
            found, _ = attention(x, SourceKeys(held, torch.zeros(2, 1, 1, length)))
        return torch.autograd.grad(found.square().sum(), learning)

    made_again = gradients()
    assert largest < 2 * rows * length * 6
    monkeypatch.setattr(additive, "checkpoint", lambda function, *given, **_: function(*given))
    kept = gradients()
    assert largest == 2 * rows * length * 6
    assert_close(made_again, kept)

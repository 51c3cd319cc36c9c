"""The sentences before each token's own, in a full pass and step by step."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.nn import BeamState, FullPass, Memory, MultiHeadAttention, Packed, Spans
from docmt_nmt.nn.batch import TranslatedSentences
from docmt_nmt.nn.views import TwoStreams
from docmt_research.nn.reaches import Previous

SPECIAL_TOKENS = SpecialTokens((0,), (2,), 0, 2)

# Two documents of three and two sentences.
SENTENCES = Spans.of([2, 1, 3, 2, 2])
DOCUMENTS = Spans([0, 6, 10])


@pytest.fixture
def packed():
    return Packed(torch.arange(10), SENTENCES, DOCUMENTS)


@pytest.fixture
def attention():
    torch.manual_seed(1)
    return MultiHeadAttention(8, 2)


def of(states, sentence):
    return states[SENTENCES.host_offsets[sentence] : SENTENCES.host_offsets[sentence + 1]]


def test_the_tokens_of_spans_are_listed_one_span_after_the_other():
    assert SENTENCES.tokens_of(np.array([2, 0])).tolist() == [3, 4, 5, 0, 1]
    assert SENTENCES.tokens_of(np.array([], np.int64)).tolist() == []


BEFORE = {1: [None, 0, 1, None, 3], 2: [None, None, 0, None, None], 3: [None] * 5}
"""The sentence that stands so many before each."""


@pytest.mark.parametrize("distance", BEFORE)
@torch.no_grad()
def test_a_full_pass_sees_the_sentence_so_many_before_in_its_own_document(
    packed, attention, distance
):
    x = torch.randn(10, 8)
    over = FullPass(packed).look(Previous(distance), x)
    found, has_keys = attention(x, over), over.has_keys(x)
    for sentence, before in enumerate(BEFORE[distance]):
        there = of(has_keys, sentence)
        assert there.tolist() == [before is not None] * len(there)
        if before is None:
            expected = attention.output.bias.expand(len(there), -1)
        else:
            alone = Packed(torch.arange(len(there)), *[Spans.of([len(there)])] * 2)
            keys = of(x, before)
            memory = Memory(Packed(torch.arange(len(keys)), *[Spans.of([len(keys)])] * 2), keys)
            expected = attention(of(x, sentence), FullPass(alone, memory).source.instances)
        assert_close(of(found, sentence), expected)


@pytest.mark.parametrize("distance", BEFORE)
@torch.no_grad()
def test_a_step_sees_what_is_known_of_translations(packed, attention, distance):
    x = torch.randn(10, 8)
    expected = attention(x, FullPass(packed).look(Previous(distance), x))
    known = TranslatedSentences(
        x, SENTENCES.host_offsets[:-1], SENTENCES.host_lengths, np.arange(10)
    )
    memory = Memory(packed, x, translations=known)
    sentences = [4, 1, 2]
    state = BeamState(memory, 2, SPECIAL_TOKENS, one_pass=False, sentences=sentences)
    state.advance(np.zeros(6, np.int64))
    over = state.look(Previous(distance), x)
    first = torch.stack([of(x, sentence)[0] for sentence in sentences])
    found = attention(first.repeat_interleave(2, dim=0), over)
    wanted = torch.stack([of(expected, sentence)[0] for sentence in sentences])
    assert_close(found[::2], wanted)
    assert_close(found[1::2], wanted)
    # Units that are dropped take their sentences with them.
    state.keep(np.array([2, 1]))
    found = attention(first[[2, 2, 1, 1]], state.look(Previous(distance), x))
    assert_close(found[::2], wanted[[2, 1]])


@torch.no_grad()
def test_a_translation_that_is_not_known_is_not_seen(packed, attention):
    x = torch.randn(10, 8)
    for translations in (None, TranslatedSentences(x, *np.zeros((3, 5), np.int64))):
        memory = Memory(packed, x, translations=translations)
        state = BeamState(memory, 1, SPECIAL_TOKENS, one_pass=False, sentences=[1])
        state.advance(np.zeros(1, np.int64))
        over = state.look(Previous(1), x)
        assert not over.has_keys(x[:1]).any()
        assert_close(attention(x[:1], over), attention.output.bias[None])


@torch.no_grad()
def test_each_of_two_streams_sees_its_own_sentences_before(packed, attention):
    long, short = torch.randn(10, 8), torch.randn(10, 8)
    view = FullPass(packed)
    both = torch.cat([long, short])
    found = attention(both, TwoStreams(view, "short").look(Previous(1), both))
    expected = [attention(x, view.look(Previous(1), x)) for x in (long, short)]
    assert_close(found, torch.cat(expected))


@torch.no_grad()
def test_sentences_alone_are_instances_of_their_own(packed):
    memory = Memory(packed, torch.randn(10, 8)).sentences_alone(np.array([1, 4]))
    assert memory.source.tokens.tolist() == [2, 8, 9]
    assert memory.source.instances.host_offsets.tolist() == [0, 1, 3]
    assert memory.states.shape == (3, 8)

"""The sentences of an instance apart from each token's own, in a full pass and step by step."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.nn import BeamState, FullPass, Memory, Packed, Spans
from docmt_nmt.nn.batch import TranslatedSentences
from docmt_nmt.nn.views import TwoStreams
from docmt_research.nn.reaches import OtherSentences
from docmt_research.nn.selective import SelectiveAttention, bucket_sentences

SPECIAL_TOKENS = SpecialTokens((0,), (2,), 0, 2)

# Documents of three, one and two sentences, of which one is long enough for a bucket of its own.
SENTENCES = Spans.of([2, 1, 40, 3, 2, 2])
DOCUMENTS = Spans([0, 43, 46, 50])

OTHERS = {True: [[], [0], [0, 1], [], [], [4]], False: [[1, 2], [0, 2], [0, 1], [], [5], [4]]}
"""The sentences that each one sees, by whether only those before it count."""

every_reach = pytest.mark.parametrize("past_only", OTHERS, ids=["past", "all"])


@pytest.fixture
def packed():
    return Packed(torch.arange(50), SENTENCES, DOCUMENTS)


@pytest.fixture
def attention():
    torch.manual_seed(1)
    return SelectiveAttention(8, 2, "word", "softmax")


def of(states, sentence):
    return states[SENTENCES.host_offsets[sentence] : SENTENCES.host_offsets[sentence + 1]]


def found_by_hand(attention, query, states):
    """What a word, (d,), finds in words, (n, d), by softmax in each head."""
    q, k, v = (
        projection(x).view(-1, 2, 4).transpose(0, 1)
        for projection, x in (
            (attention.query, query[None]),
            (attention.key, states),
            (attention.value, states),
        )
    )
    weights = (q @ k.transpose(1, 2) / 2).softmax(-1)
    return attention.output((weights @ v).flatten())


def expected_of(attention, x, past_only):
    """What each token finds, None where it sees nothing."""
    found = []
    for sentence, others in enumerate(OTHERS[past_only]):
        for word in of(x, sentence):
            states = [of(x, other) for other in others]
            found.append(found_by_hand(attention, word, torch.cat(states)) if others else None)
    return found


@every_reach
@torch.no_grad()
def test_a_full_pass_sees_the_other_sentences_of_its_own_document(packed, attention, past_only):
    x = torch.randn(50, 8)
    over = FullPass(packed).look(OtherSentences(past_only), x)
    found = attention(x, over)
    for there, row, expected in zip(
        over.has_keys(x).tolist(), found, expected_of(attention, x, past_only), strict=True
    ):
        assert there == (expected is not None)
        assert row.isfinite().all()
        if there:
            assert_close(row, expected)


@every_reach
@torch.no_grad()
def test_a_step_sees_what_is_known_of_the_other_translations(packed, attention, past_only):
    x = torch.randn(50, 8)
    expected = expected_of(attention, x, past_only)
    known = TranslatedSentences(x, SENTENCES.host_offsets[:-1], SENTENCES.host_lengths)
    state = BeamState(Memory(packed, x, translations=known), 2, SPECIAL_TOKENS, one_pass=False)
    state.advance(np.zeros(12, np.int64))
    open_units = list(range(6))
    for kept in (None, [5, 1, 3, 2], [3, 0], [1]):
        if kept is not None:
            state.keep(np.array(kept))
            open_units = [open_units[k] for k in kept]
        first = [int(SENTENCES.host_offsets[unit]) for unit in open_units]
        queries = x[first].repeat_interleave(2, dim=0)
        over = state.look(OtherSentences(past_only), queries)
        found, there = attention(queries, over), over.has_keys(queries)
        for row, token in enumerate(np.repeat(first, 2)):
            assert bool(there[row]) == (expected[token] is not None)
            if there[row]:
                assert_close(found[row], expected[token])


@torch.no_grad()
def test_a_translation_that_is_not_known_is_not_seen(packed, attention):
    x = torch.randn(50, 8)
    unknown = SENTENCES.host_lengths.copy()
    unknown[[0, 4]] = 0
    of_some = TranslatedSentences(x, SENTENCES.host_offsets[:-1], unknown)
    for translations, there in ((None, [False] * 3), (of_some, [True, True, False])):
        memory = Memory(packed, x, translations=translations)
        state = BeamState(memory, 1, SPECIAL_TOKENS, one_pass=False, sentences=[1, 2, 5])
        state.advance(np.zeros(3, np.int64))
        over = state.look(OtherSentences(), x[:3])
        found = attention(x[:3], over)
        assert over.has_keys(x[:3]).tolist() == there
        assert found.isfinite().all()
        if translations is not None:
            assert_close(found[0], found_by_hand(attention, x[0], of(x, 2)))


@torch.no_grad()
def test_each_of_two_streams_sees_its_own_sentences(packed, attention):
    long, short = torch.randn(50, 8), torch.randn(50, 8)
    view = FullPass(packed)
    both = torch.cat([long, short])
    over = TwoStreams(view, "short").look(OtherSentences(past_only=True), both)
    alone = [view.look(OtherSentences(past_only=True), x) for x in (long, short)]
    expected = [attention(x, own) for x, own in zip((long, short), alone, strict=True)]
    assert_close(attention(both, over), torch.cat(expected))
    assert over.has_keys(both).tolist() == alone[0].has_keys(long).tolist() * 2


def test_sentences_of_like_length_share_a_bucket():
    buckets, order = bucket_sentences(np.array([3, 90, 1, 80]), torch.device("cpu"))
    assert order.tolist() == [1, 3, 0, 2]
    assert [tuple(bucket.words.shape) for bucket in buckets] == [(1, 2, 90), (1, 2, 3)]
    assert buckets[1].words.tolist() == [[[0, 1, 2], [93, 93, 93]]]
    assert buckets[1].are_words.tolist() == [[[True] * 3, [True, False, False]]]

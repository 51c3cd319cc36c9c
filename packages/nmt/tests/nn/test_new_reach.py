"""A place to look that docmt does not have: one class, and no view changes for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.nn import BeamState, FullPass, Memory, MultiHeadAttention, Packed, Spans
from docmt_nmt.nn.batch import TranslatedSentences
from docmt_nmt.nn.full_pass import OverSpans
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.nn.views import KeysValues, Reach, TwoStreams

SPECIAL_TOKENS = SpecialTokens((0,), (2,), 0, 2)
SENTENCES, DOCUMENTS = Spans.of([2, 1, 3, 2, 2]), Spans([0, 6, 10])


@dataclass(frozen=True)
class FirstSentence(Reach[KeysValues]):
    """The first sentence of each token's instance; nothing in that sentence itself."""

    def full_pass(self, view, x):
        spans, first = view.packed.sentences, view.packed.first_sentences
        sentences = np.arange(len(spans))
        begins = first[np.searchsorted(first, sentences, side="right") - 1]
        return self._over(spans, begins, begins < sentences, spans, x)

    def step(self, view, x):
        known, sentences = view.memory.translations, view.window.first
        first = view.memory.source.first_sentences
        begins = first[np.searchsorted(first, sentences, side="right") - 1]
        queries = Spans.of([len(x) // len(sentences)] * len(sentences))
        translated = Spans.of(known.lengths.tolist())
        return self._over(queries, begins, begins < sentences, translated, known.states)

    def _over(self, queries, begins, there, spans, states):
        index = to_device(spans.tokens_of(begins[there]), states.device)
        lengths = np.where(there, spans.host_lengths[begins], 0)
        return OverSpans(queries, Spans.of(lengths.tolist()), states[index])


@pytest.fixture
def attention():
    torch.manual_seed(1)
    return MultiHeadAttention(8, 2)


@torch.no_grad()
def test_a_step_equals_the_full_pass(attention):
    packed, x = Packed(torch.arange(10), SENTENCES, DOCUMENTS), torch.randn(10, 8)
    over = FullPass(packed).look(FirstSentence(), x)
    assert over.has_keys(x).tolist() == [False, False, *[True] * 4, False, False, True, True]
    known = TranslatedSentences(
        x, SENTENCES.host_offsets[:-1], SENTENCES.host_lengths, np.arange(10)
    )
    memory = Memory(packed, x, translations=known)
    state = BeamState(memory, 2, SPECIAL_TOKENS, one_pass=False, sentences=[4, 0, 2])
    state.advance(np.zeros(6, np.int64))
    begins = SENTENCES.host_offsets[[4, 4, 0, 0, 2, 2]]
    stepped = attention(x[begins], state.look(FirstSentence(), x[begins]))
    assert_close(stepped, attention(x, over)[begins])


@torch.no_grad()
def test_two_streams_look_there_too(attention):
    packed, x = Packed(torch.arange(10), SENTENCES, DOCUMENTS), torch.randn(10, 8)
    alone = attention(x, FullPass(packed).look(FirstSentence(), x))
    both = torch.cat([x, x])
    streams = TwoStreams(FullPass(packed), "short").look(FirstSentence(), both)
    assert_close(attention(both, streams), torch.cat([alone, alone]))

"""The simpler simple recurrent unit, beside the equations written out."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch

from cases import (
    SPECIAL_TOKENS,
    VOCABULARY,
    documents,
    g_transformer,
    long_short,
    make,
    transformer,
)
from docmt_files.base.errors import InputError
from docmt_nmt.data.collate import collate
from docmt_nmt.nn import FullPass
from docmt_nmt.nn.batch import Memory
from docmt_nmt.nn.embeddings import sinusoids
from docmt_nmt.nn.ssru import SSRU


def _by_hand(ssru, x):
    """The equations for a sequence, token by token."""
    state, outputs = torch.zeros(x.shape[1]), []
    for now in x:
        forget = torch.sigmoid(ssru.forget.weight @ now + ssru.forget.bias)
        state = forget * state + (1 - forget) * (ssru.input.weight @ now)
        outputs.append(state.clamp_min(0))
    return torch.stack(outputs)


@pytest.mark.parametrize("unit", ["sentence", "instance"])
def test_a_state_runs_over_a_unit_and_begins_at_zero(unit):
    torch.manual_seed(1)
    batch = collate(documents((3, 5), (2,), (4, 1, 6)), SPECIAL_TOKENS)
    ssru = SSRU(8, unit)
    torch.nn.init.normal_(ssru.forget.bias)
    target = batch.target
    x = torch.randn(len(target.tokens), 8)
    memory = Memory(batch.source, torch.zeros(len(batch.source.tokens), 8))
    found = ssru(x, FullPass(target, memory))
    spans = target.sentences if unit == "sentence" else target.instances
    offsets = spans.host_offsets.tolist()
    for begin, end in pairwise(offsets):
        torch.testing.assert_close(found[begin:end], _by_hand(ssru, x[begin:end]))


def test_positions_of_marian():
    """Sines, then cosines; position 0 first, wavelengths up to 10000 · 2π at the last of d/2."""
    vectors = sinusoids(torch.arange(3), 8, "sinusoidal-marian")
    frequencies = 10000.0 ** -(np.arange(4) / 3)
    angles = np.arange(3)[:, None] * frequencies
    expected = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    np.testing.assert_allclose(vectors.numpy(), expected, atol=1e-6)


def test_a_recurrence_reads_no_later_token():
    settings = transformer(decoder_recurrence="ssru")
    system, batch = make(settings), collate(documents((5, 4)), SPECIAL_TOKENS)
    logits = system(batch)
    batch.target.tokens[6] = (batch.target.tokens[6] + 1) % VOCABULARY
    changed = (system(batch) - logits).abs().amax(1) > 1e-6
    assert not changed[:6].any()
    assert changed[6:].all()


def _logits_changed(settings, change):
    """Whether the logits of each token of three sentences change with `change` of the batch."""
    system, shapes = make(settings), (3, 2, 4)
    before = collate(documents(shapes), SPECIAL_TOKENS)
    logits = system(before)
    after = collate(documents(shapes), SPECIAL_TOKENS)
    change(after)
    changed = (system(after) - logits).abs().amax(1) > 1e-6
    sentences = after.target.sentences.host_offsets.tolist()
    return [changed[begin:end] for begin, end in pairwise(sentences)]


def _change_target(batch):
    batch.target.tokens[2] = (batch.target.tokens[2] + 1) % VOCABULARY


def _change_last_source(batch):
    batch.source.tokens[-1] = (batch.source.tokens[-1] + 1) % VOCABULARY


BY_RECURRENCE = {"decoder_recurrence": "ssru", "context_attention": "group"}


def test_by_a_state_over_the_instance_a_sentence_sees_the_translations_before_it():
    running = g_transformer(**BY_RECURRENCE, recurrence_unit="instance")
    alone = g_transformer(**BY_RECURRENCE)
    for settings, sees in ((running, True), (alone, False)):
        first, *others = _logits_changed(settings, _change_target)
        assert not first[:2].any()
        assert first[2:].all()
        assert [bool(other.all()) for other in others] == [sees, sees]
        assert [bool(other.any()) for other in others] == [sees, sees]


def test_beside_a_state_over_the_instance_attention_sees_one_sentence():
    """A change of the last source sentence changes no other translation."""
    running = g_transformer(**BY_RECURRENCE, recurrence_unit="instance")
    first, second, third = _logits_changed(running, _change_last_source)
    assert not first.any()
    assert not second.any()
    assert third.all()


def test_a_state_may_begin_anew_with_each_sentence_of_an_instance():
    """Attention to the source sees the instance; the target words before are those of the
    sentence."""
    settings = transformer(decoder_recurrence="ssru", recurrence_unit="sentence")
    _, *others = _logits_changed(settings, _change_target)
    assert not any(other.any() for other in others)


@pytest.mark.parametrize("unit", ["sentence", "instance"])
def test_the_streams_of_long_short_have_units_of_their_own(unit):
    with pytest.raises(InputError, match=f"recurrence_unit: {unit} does not go with long-short"):
        long_short(decoder_recurrence="ssru", recurrence_unit=unit)


def test_a_unit_without_a_recurrence_is_refused():
    with pytest.raises(InputError, match="recurrence_unit: instance has no effect"):
        transformer(recurrence_unit="instance")

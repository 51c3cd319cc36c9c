"""The simpler simple recurrent unit, beside the equations written out."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch

from cases import SIZE, SPECIAL_TOKENS, VOCABULARY, documents, make, transformer
from docmt.data.collate import collate
from docmt.ground.errors import InputError
from docmt.nn import FullPass
from docmt.nn.batch import Memory
from docmt.nn.embeddings import sinusoids
from docmt.nn.ssru import SSRU
from docmt_research.systems.han import HANSettings


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


def test_a_system_that_builds_on_self_attention_refuses_a_recurrence():
    with pytest.raises(InputError, match="decoder_recurrence ssru does not go with han"):
        HANSettings.read({**SIZE, "context_sentences": 2, "decoder_recurrence": "ssru"})

"""Attention with relative positions against the formulas, term by term with loops over tokens."""

from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from docmt_nmt.nn import FullPass, Memory, Packed, Spans
from docmt_research.nn.relative import RelativeAttention, SegmentRelativeAttention

# Two documents, of three sentences and of one.
SENTENCES = Spans.of([3, 2, 4, 3])
DOCUMENTS = Spans([0, 9, 12])
DOCUMENT = [0] * 9 + [1] * 3
SENTENCE = [0] * 3 + [1] * 2 + [2] * 4 + [0] * 3
D_MODEL, HEADS = 8, 2
D = D_MODEL // HEADS


@pytest.fixture
def packed():
    return Packed(torch.arange(12), SENTENCES, DOCUMENTS)


def made(module):
    """The module with weights that all show."""
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(0.5 * torch.randn(parameter.shape, generator=generator))
    return module


def head(x, h):
    return x[..., h * D : (h + 1) * D]


def waves(distance):
    """The sinusoids of a distance, which may be negative."""
    angles = distance * 10000.0 ** (-2 * torch.arange(D_MODEL // 2) / D_MODEL)
    return torch.cat([angles.sin(), angles.cos()])


@torch.no_grad()
def test_scores_of_relative_attention_are_those_of_dai_et_al_2019(packed):
    attention = made(RelativeAttention(D_MODEL, HEADS))
    x = torch.randn(12, D_MODEL)
    view = FullPass(packed, Memory(packed, x))
    found = attention(attention.at(x, view.positions("instance")), view.own.instances)
    w_q, u = attention.query.weight, attention.query.bias
    v = u + attention.position_bias.flatten()
    expected = []
    for i in range(12):
        seen = [j for j in range(i + 1) if DOCUMENT[j] == DOCUMENT[i]]
        parts = []
        for h in range(HEADS):
            content, place = head(w_q @ x[i] + u, h), head(w_q @ x[i] + v, h)
            scores = [
                content @ head(attention.key(x[j]), h)
                + place @ head(attention.position_key @ waves(i - j), h)
                for j in seen
            ]
            weights = (torch.stack(scores) / D**0.5).softmax(0)
            parts.append(
                sum(w * head(attention.value(x[j]), h) for w, j in zip(weights, seen, strict=True))
            )
        expected.append(attention.output(torch.cat(parts)))
    assert_close(found, torch.stack(expected), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("max_distance", [1, 5])
@torch.no_grad()
def test_segment_relative_attention_is_that_of_zheng_et_al_2020(packed, max_distance):
    attention = made(SegmentRelativeAttention(D_MODEL, HEADS, max_distance=max_distance))
    x = torch.randn(12, D_MODEL)
    view = FullPass(packed)
    found = attention(attention.at(x, view.segments), view.own.instances)
    expected = []
    for i in range(12):
        seen = [j for j in range(12) if DOCUMENT[j] == DOCUMENT[i]]
        rows = [
            max(-max_distance, min(max_distance, SENTENCE[i] - SENTENCE[j])) + max_distance
            for j in seen
        ]
        parts = []
        for h in range(HEADS):
            q = head(attention.query(x[i]), h)
            keys = [
                head(attention.key(x[j]), h) + attention.distance_keys[r]
                for j, r in zip(seen, rows, strict=True)
            ]
            weights = (torch.stack([q @ k for k in keys]) / D**0.5).softmax(0)
            values = [
                head(attention.value(x[j]), h) + attention.distance_values[r]
                for j, r in zip(seen, rows, strict=True)
            ]
            parts.append(sum(w * v for w, v in zip(weights, values, strict=True)))
        expected.append(attention.output(torch.cat(parts)))
    assert_close(found, torch.stack(expected), atol=1e-5, rtol=1e-4)

"""The entropy of attention, and the values of gates."""

from __future__ import annotations

from math import log2

import pytest
import torch

from cases import CASES, batch, documents, g_transformer, make, one_of_each_system
from docmt_nmt.nn import MultiHeadAttention, Recorder
from docmt_nmt.nn.gates import gate
from docmt_nmt.nn.recording import Looked, recording
from docmt_research.analysis.attention_statistics import (
    AttentionStatistics,
    StatisticsRecorder,
    merge_statistics,
)
from research_cases import RESEARCH_CASES, han

each_system = one_of_each_system(CASES | RESEARCH_CASES)


def statistics(system, packed) -> AttentionStatistics:
    with torch.no_grad(), recording(StatisticsRecorder()) as recorder:
        system.states(packed)
    return recorder.statistics(system)


def entropy_of(*weights) -> float:
    """The entropy, in bits, of weights, (H, queries, keys)."""
    recorder, attention = StatisticsRecorder(), MultiHeadAttention(8, 2)
    recorder.add_weights(Looked("cross", "global"), attention, [torch.tensor(w) for w in weights])
    (found,) = recorder.statistics(attention).entropies
    return found.bits


def make_uniform(system) -> None:
    """Let all keys of an attention get the same weight."""
    for module in system.modules():
        if isinstance(module, MultiHeadAttention):
            module.query.weight.data.zero_()
            module.query.bias.data.zero_()


def test_uniform_attention_over_n_keys_has_log2_n_bits():
    assert entropy_of([[[0.25] * 4, [0.25] * 4]]) == pytest.approx(2)
    assert entropy_of([[[0.125] * 8]]) == pytest.approx(3)


def test_attention_to_one_key_has_no_entropy():
    assert entropy_of([[[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]]]) == 0


def test_entropy_is_the_mean_over_heads_and_queries():
    # Two heads with 1 and 0 bits for the first query and 0 and 0 for the second.
    one = [[[0.5, 0.5], [1.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]]]
    assert entropy_of(one) == pytest.approx(1 / 4)
    # A second span has one query, with 2 bits in each head.
    other = [[[0.25] * 4]] * 2
    assert entropy_of(one, other) == pytest.approx((1 / 2 + 0 + 2) / 3)


def test_uneven_weights_by_hand():
    expected = 0.5 * 1 + 0.25 * 2 + 2 * 0.125 * 3
    assert entropy_of([[[0.5, 0.25, 0.125, 0.125]]]) == pytest.approx(expected)


def test_queries_without_keys_do_not_count():
    assert entropy_of([[[]]], [[[0.5, 0.5]]]) == pytest.approx(1)


def test_a_system_that_looks_everywhere_alike():
    system = make(g_transformer())
    make_uniform(system)
    packed = batch(*documents([3, 4], [5]))
    found = {one.key: one for one in statistics(system, packed).entropies}

    def mean_bits(queries, keys):
        bits = [q * log2(k) for q, k in zip(queries, keys, strict=True)]
        return sum(bits) / sum(queries)

    source, target = packed.source, packed.target
    sentences, instances = source.sentences.host_lengths, source.instances.host_lengths
    assert found["encoder.0.group"].bits == pytest.approx(mean_bits(sentences, sentences))
    assert found["encoder.2.global"].bits == pytest.approx(mean_bits(instances, instances))
    assert found["cross.2.group"].bits == pytest.approx(
        mean_bits(target.sentences.host_lengths, sentences)
    )
    causal = [log2(i + 1) for n in target.instances.host_lengths for i in range(n)]
    assert found["decoder.2.global"].bits == pytest.approx(sum(causal) / len(causal))
    for one in found.values():
        assert one.uniform_bits == pytest.approx(one.bits)
    assert found["cross.2.global"].queries == target.instances.total


def test_entropies_are_those_of_recorded_weights(settings):
    system = make(settings)
    packed = batch(*documents([3, 4], [5]))
    with torch.no_grad(), recording(Recorder(weights=True)) as recorder:
        system.states(packed)
    expected = {}
    for record in recorder.records(system):
        bits, queries = 0.0, 0
        for weights in (w.double() for call in record.weights for w in call):
            logs = torch.where(weights > 0, weights, 1).log2()
            if weights.shape[2]:
                bits -= float((weights * logs).sum(2).mean(0).sum())
                queries += weights.shape[1]
        if queries:
            key = record.name, record.scope, record.source, record.kind
            expected[key] = bits / queries, queries
    found = statistics(system, packed).entropies
    assert len({one.key for one in found}) == len(found) == len(expected)
    assert sorted((one.bits, one.queries) for one in found) == [
        (pytest.approx(bits, rel=1e-5), queries) for bits, queries in sorted(expected.values())
    ]
    assert all(0 <= one.bits <= one.uniform_bits + 1e-5 for one in found)


def test_long_spans_are_added_up_block_by_block(monkeypatch):
    system = make(g_transformer())
    packed = batch(*documents([3, 4, 6], [5]))
    whole = statistics(system, packed).entropies
    monkeypatch.setattr("docmt_nmt.nn.kernels.attend._MAX_WEIGHTS", 40)
    for a, b in zip(whole, statistics(system, packed).entropies, strict=True):
        assert (a.key, a.queries) == (b.key, b.queries)
        assert a.bits == pytest.approx(b.bits, rel=1e-5)
        assert a.uniform_bits == pytest.approx(b.uniform_bits)


def test_the_parts_of_a_corpus_add_up_to_the_whole():
    system = make(g_transformer())
    sides = documents([3, 4], [5])
    whole = statistics(system, batch(*sides))
    parts = [statistics(system, batch(one)) for one in sides]
    merged = merge_statistics(parts)
    for a, b in zip(whole.entropies, merged.entropies, strict=True):
        assert (a.key, a.queries) == (b.key, b.queries)
        assert (a.bits, a.uniform_bits) == pytest.approx((b.bits, b.uniform_bits), rel=1e-5)
    for a, b in zip(whole.gates, merged.gates, strict=True):
        assert (a.name, a.tokens, a.histogram) == (b.name, b.tokens, b.histogram)
        assert (a.mean, a.mean_square) == pytest.approx((b.mean, b.mean_square), rel=1e-5)


def test_gate_values_by_hand():
    linear = torch.nn.Linear(2, 2)
    linear.weight.data.copy_(torch.eye(2))
    linear.bias.data.zero_()
    x = torch.tensor([[0.25, 0.75], [0.5, 0.5], [0.1, 0.1]]).logit()
    has_context = torch.tensor([True, True, False])
    with recording(StatisticsRecorder()) as recorder:
        gate(linear, x, passes="own", has_context=has_context)
    (found,) = recorder.statistics(torch.nn.ModuleDict({"gate": linear})).gates
    assert (found.name, found.tokens, sum(found.histogram)) == ("gate", 2, 4)
    assert found.mean == pytest.approx(0.5)
    assert found.context_share == pytest.approx(0.5)
    assert found.standard_deviation == pytest.approx((2 * 0.25**2 / 4) ** 0.5)


def test_gates_have_layers_and_say_what_they_let_through():
    system = make(g_transformer())
    for name, module in system.named_modules():
        if name.endswith("gate"):
            module.weight.data.zero_()
            module.bias.data.fill_(torch.tensor(0.7).logit())
    found = statistics(system, batch(*documents([3, 4], [5]))).gates
    assert [one.key for one in found if one.layer == 2] == [
        "encoder.2.self_attention",
        "decoder.2.self_attention",
        "decoder.2.cross_attention",
    ]
    for one in found:
        assert one.mean == pytest.approx(0.7)
        assert one.context_share == pytest.approx(0.3)
        assert one.standard_deviation == pytest.approx(0, abs=1e-3)


def test_a_gate_that_nothing_passes_is_left_out():
    # No sentence has one before it.
    assert not statistics(make(han()), batch(*documents([3], [5]))).gates

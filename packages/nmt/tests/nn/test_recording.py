"""What attention looked at, recorded from a view."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from torch.testing import assert_close

from cases import (
    CASES,
    SPECIAL_TOKENS,
    batch,
    documents,
    encoded,
    g_transformer,
    make,
    one_of_each_system,
)
from docmt_nmt.nn import BeamState, FullPass, Recorder, Spans
from docmt_nmt.nn.kernels.attend import dense_weights, weight_blocks
from docmt_nmt.nn.recording import active_recorder, recording

each_system = one_of_each_system(CASES)


def recorded(system, packed):
    """The weights of a full pass over the target, by the attention's name."""
    view = FullPass(packed.target, system.encode(packed.source))
    if system.draft_system is not None:
        view = FullPass(packed.target.by_sentence, encoded(system, packed))
    with view.recording(weights=True) as recorder:
        system.target_states(packed.target.tokens, view)
    return {(r.name, r.kind, r.scope, r.source): r.weights for r in recorder.records(system)}


@torch.no_grad()
def test_the_weights_of_steps_are_those_of_the_full_pass(settings):
    system = make(settings)
    packed = batch(*documents([3, 4], [5]))
    full = recorded(system, packed)
    assert full
    target = packed.target
    units = target.instances if system.writing_order.in_one_pass else target.sentences
    starts = units.host_offsets[:-1]
    state = BeamState(
        encoded(system, packed), 1, SPECIAL_TOKENS, one_pass=system.writing_order.in_one_pass
    )
    shortest = int(units.host_lengths.min())
    with state.recording(weights=True) as recorder:
        for step in range(shortest):
            system.step(target.tokens[starts + step], state)
    records = recorder.records(system)
    assert {(r.name, r.kind, r.scope, r.source) for r in records} == set(full)
    for record in records:
        (spans,) = full[record.name, record.kind, record.scope, record.source]
        # To a system that corrects drafts every sentence is an instance.
        grouped = record.scope != "global" or system.draft_system is not None
        queries = target.sentences if grouped else target.instances
        for step in range(shortest):
            for unit, found in enumerate(record.weights[step]):
                at = int(starts[unit]) + step
                span = int(queries.index[at])
                row = spans[span][:, int(queries.positions[at])]
                if record.kind == "decoder":  # causal: nothing is seen after the token
                    row = row[:, : found.shape[1]]
                assert_close(found.flatten(0, -2), row, atol=1e-5, rtol=1e-4)


@torch.no_grad()
def test_records_are_named_by_layer_kind_and_scope():
    system = make(g_transformer())
    packed = batch(*documents([3, 4]))
    source = FullPass(packed.source)
    with source.recording(weights=True) as recorder:
        system.encode_tokens(packed.source.tokens, source)
    encoder = recorder.records(system)
    assert {(r.kind, r.layer, r.scope) for r in encoder} == {
        ("encoder", 0, "group"),
        ("encoder", 1, "group"),
        ("encoder", 2, "group"),
        ("encoder", 1, "global"),
        ("encoder", 2, "global"),
    }
    kinds = {(kind, scope) for _, kind, scope, _ in recorded(system, packed)}
    assert kinds == {(k, s) for k in ("decoder", "cross") for s in ("group", "global")}


@pytest.mark.parametrize("heads", [1, 4])
@torch.no_grad()
def test_the_weights_of_a_span_add_up_to_one_over_what_it_sees(heads):
    system = make(g_transformer(heads=heads))
    packed = batch(*documents([3, 4], [2]))
    for (_, kind, scope, _), (spans,) in recorded(system, packed).items():
        sides = (packed.target, packed.source if kind == "cross" else packed.target)
        tables = [s.sentences if scope == "group" else s.instances for s in sides]
        queries, keys = ([b - a for a, b in pairwise(t.host_offsets)] for t in tables)
        assert [tuple(w.shape) for w in spans] == [
            (heads, q, k) for q, k in zip(queries, keys, strict=True)
        ]
        for weights in spans:
            assert_close(weights.sum(-1), torch.ones(weights.shape[:2]))


@torch.no_grad()
def test_what_is_not_recorded_is_not_kept():
    system = make(g_transformer())
    packed = batch(*documents([3, 4]))
    view = FullPass(packed.target, system.encode(packed.source))
    with view.recording() as recorder:
        system.decode(packed.target.tokens, view)
    assert view.recorder is None
    assert not recorder.records(system)


@torch.no_grad()
def test_whatever_is_in_use_can_be_recorded_at_once(settings):
    system = make(settings)
    packed = batch(*documents([3, 4], [5]))
    plain = system.states(packed)
    with recording(Recorder(weights=True, gates=True)) as recorder:
        states = system.states(packed)
    assert torch.equal(states, plain)
    records = recorder.records(system)
    assert all(record.name for record in records)
    assert len({(r.name, r.kind, r.scope, r.source) for r in records}) == len(records)
    expected = {name for name, module in system.named_modules() if name.endswith("gate")}
    gates = recorder.gates(system)
    assert {gate.name for gate in gates} == expected
    for gate in gates:
        assert all(((v > 0) & (v < 1)).all() for v in gate.values)
    assert active_recorder() is None


@torch.no_grad()
def test_a_gate_is_what_mixes_own_and_context():
    system = make(g_transformer())
    packed = batch(*documents([3, 4]))
    attention = system.encoder[2]["self_attention"].sublayer
    attention.gate.weight.zero_()
    attention.gate.bias.fill_(torch.tensor(0.8).logit())
    with recording(Recorder(gates=True)) as recorder:
        system.encode(packed.source)
    below, above = recorder.gates(system)
    assert (below.layer, above.layer) == (1, 2)
    assert above.name == "encoder.2.self_attention.sublayer.gate"
    assert above.passes == "own"
    (values,) = above.values
    assert values.shape == (len(packed.source.tokens), 16)
    assert_close(values, torch.full_like(values, 0.8))


def test_a_view_with_its_own_recorder_is_left_to_it():
    system = make(g_transformer())
    packed = batch(*documents([3, 4]))
    view = FullPass(packed.source)
    with recording(Recorder(weights=True)) as all_views, view.recording(weights=True) as own:
        system.encode_tokens(packed.source.tokens, view)
    assert own.records(system)
    assert not all_views.records(system)


@pytest.mark.parametrize("causal", [False, True])
def test_weights_in_blocks_are_those_of_the_definition(causal, monkeypatch):
    monkeypatch.setattr("docmt_nmt.nn.kernels.attend._MAX_WEIGHTS", 24)
    generator = torch.Generator().manual_seed(3)
    queries = Spans.of([5, 2, 3])
    keys = queries if causal else Spans.of([4, 0, 7])
    q, k = (torch.randn(s.total, 2, 8, generator=generator) for s in (queries, keys))
    dense = dense_weights(q, k, queries, keys, causal=causal)
    blocks = list(weight_blocks(q, k, queries, keys, causal=causal))
    assert len(blocks) > 3
    assert all(block.weights.numel() <= 24 for block in blocks)
    for block in blocks:
        first = queries.host_offsets[block.span] + block.first
        rows = dense[:, first : first + block.weights.shape[1]]
        own = rows[:, :, keys.host_offsets[block.span] : keys.host_offsets[block.span + 1]]
        assert_close(block.weights, own)
    assert sum(block.weights.shape[1] for block in blocks) == queries.total

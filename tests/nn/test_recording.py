"""What attention looked at, recorded from a view."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from torch.testing import assert_close

from cases import (
    SPECIAL_TOKENS,
    batch,
    documents,
    encoded,
    g_transformer,
    make,
    one_of_each_system,
)
from docmt.nn import BeamState, FullPass
from docmt.systems import CADec, EncoderDecoder


def recorded(system, packed):
    """The weights of a full pass over the target, by the attention's name."""
    view = FullPass(packed.target, system.encode(packed.source))
    if system.corrects_drafts:
        view = FullPass(packed.target.by_sentence, encoded(system, packed))
    with view.recording(weights=True) as recorder:
        decode(system, packed.target.tokens, view)
    return {(r.name, r.kind, r.scope, r.source): r.weights for r in recorder.records(system)}


def decode(system, tokens, view):
    """Run the decoder over a view."""
    if isinstance(system, EncoderDecoder | CADec):
        return system.decode(tokens, view)
    return system.decoder(system.embed(system.target_embedding, tokens), view)


@one_of_each_system
@torch.no_grad()
def test_the_weights_of_steps_are_those_of_the_full_pass(settings):
    system = make(settings)
    packed = batch(*documents([3, 4], [5]))
    full = recorded(system, packed)
    assert full
    target = packed.target
    units = target.instances if system.one_pass else target.sentences
    starts = units.host_offsets[:-1]
    state = BeamState(encoded(system, packed), 1, SPECIAL_TOKENS, one_pass=system.one_pass)
    shortest = int(units.host_lengths.min())
    with state.recording(weights=True) as recorder:
        for step in range(shortest):
            system.step(target.tokens[starts + step], state)
    records = recorder.records(system)
    assert {(r.name, r.kind, r.scope, r.source) for r in records} == set(full)
    for record in records:
        (spans,) = full[record.name, record.kind, record.scope, record.source]
        # To a system that corrects drafts every sentence is an instance.
        grouped = record.scope != "global" or system.corrects_drafts
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
        ("encoder", 0, "group"), ("encoder", 1, "group"), ("encoder", 2, "group"),
        ("encoder", 1, "global"), ("encoder", 2, "global"),
    }  # fmt: skip
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
    assert not recorder.keys_values
    assert not recorder.records(system)

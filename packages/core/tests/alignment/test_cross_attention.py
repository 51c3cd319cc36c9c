"""Cross-attention by sentence, of every system."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from cases import CASES, batch, documents, make, one_of_each_system
from docmt.alignment.compiled_attention import token_ranges
from docmt.alignment.cross_attention import CrossAttentionRecorder
from docmt_nmt.nn.recording import Recorder, recording

each_system = one_of_each_system(CASES)


@torch.no_grad()
def test_every_system_is_recorded_sentence_by_sentence(settings):
    system = make(settings)
    if system.draft_system is not None:
        pytest.skip("it has no single decoder")
    packed = batch(*documents([3, 4], [5]))
    rows, columns = (
        [(b, e) for b, e in zip(spans.host_offsets, spans.host_offsets[1:], strict=False)]
        for spans in (packed.target.sentences, packed.source.sentences)
    )
    recorder = CrossAttentionRecorder(system, packed, rows, columns, None)
    with recording(recorder):
        system.states(packed)
    found = recorder.by_layer()
    with recording(Recorder(weights=True)) as everything:
        system.states(packed)
    records = [r for r in everything.records(system) if r.kind == "cross" and r.source == "source"]
    assert set(found) == {record.layer or 0 for record in records}
    for record in records:
        if record.scope == "group":
            for table, weights in zip(found[record.layer or 0], record.weights[0], strict=True):
                np.testing.assert_allclose(table, weights.mean(0), atol=1e-6)
        elif not any(r.layer == record.layer and r.scope == "group" for r in records):
            # The sentences of an instance have parts of its attention.
            first = record.weights[0][0].mean(0)
            tables = found[record.layer or 0]
            np.testing.assert_allclose(tables[0], first[: rows[0][1], : columns[0][1]], atol=1e-6)
            np.testing.assert_allclose(tables[1], first[rows[1][0] :, columns[1][0] :], atol=1e-6)


def test_tokens_of_joined_sentences_follow_each_other():
    apart = token_ranges([2, 3], np.array([0, 4, 9]), [0], 1)
    assert apart == [(1, 3), (5, 8)]
    joined = token_ranges([2, 3, 1], np.array([0, 7, 10]), [2, 1], 1)
    assert joined == [(1, 3), (3, 6), (8, 9)]

"""Weights of the attention of compiled systems."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from docmt.alignment import compiled_attention
from docmt.alignment.compiled_attention import compiled_weights
from docmt.alignment.graph_parts import with_outputs
from docmt_nmt.data import Instance
from docmt_nmt.decoding.compiled_system import CompiledSystem
from docmt_nmt.runs.bundled import resolve
from docmt_nmt.runs.known_graphs import compile_known, known_shape
from docmt_nmt.runs.trained_run import open_translation_run

SENTENCES = [
    ("The door is open.", "Die Tür ist offen."),
    ("Yes.", "Ja."),
    (
        "Save the file under another name, and close it.",
        "Speichern Sie sie, und schließen Sie sie.",
    ),
]


@pytest.fixture
def run(tmp_path):
    shutil.copytree(resolve("bundled:en-de"), tmp_path / "run")
    run = open_translation_run(tmp_path / "run")
    compile_known(run, known_shape(run))
    return run


def instances_of(pipeline):
    return [
        Instance(
            "d",
            index,
            [pipeline.encode_sentence(source)],
            [pipeline.encode_sentence(target, "target")],
        )
        for index, (source, target) in enumerate(SENTENCES)
    ]


def test_the_output_layer_is_not_computed_and_the_weights_are_the_same(run, monkeypatch):
    compiled, special = CompiledSystem.of_run(run.directory, "fp32"), run.pipeline.special_tokens
    whole = compiled.path.read_bytes()
    part = with_outputs(whole, compiled.attention)
    assert len(part) < len(whole) / 2
    assert b"log_probabilities" in whole and b"log_probabilities" not in part

    steps, attend = [], CompiledSystem.attend

    def counted(self, tokens, state, step):
        steps.append([each.name for each in step.get_outputs()])
        return attend(self, tokens, state, step)

    monkeypatch.setattr(CompiledSystem, "attend", counted)
    found = compiled_weights(compiled, instances_of(run.pipeline), special, None)
    assert steps and all(names == compiled.attention for names in steps)
    compiled.path = None  # then the whole step is taken
    monkeypatch.setattr(CompiledSystem, "attend", attend)
    expected = compiled_weights(compiled, instances_of(run.pipeline), special, None)
    for one, other in zip(found, expected, strict=True):
        assert all(np.array_equal(one[layer], other[layer]) for layer in other)


def test_a_sentence_is_looked_at_together_with_others_as_alone(run, monkeypatch):
    compiled, pipeline = CompiledSystem.of_run(run.directory, "fp32"), run.pipeline
    instances = instances_of(pipeline)
    steps = []
    attend = CompiledSystem.attend

    def counted(self, tokens, state, step):
        steps.append(len(tokens))
        return attend(self, tokens, state, step)

    monkeypatch.setattr(CompiledSystem, "attend", counted)
    together = compiled_weights(compiled, instances, pipeline.special_tokens, None)
    lengths = sorted(len(each.target[0]) + 2 for each in instances)
    assert sum(steps) == sum(lengths) and len(steps) == lengths[-1]
    monkeypatch.setattr(compiled_attention, "_TOGETHER", 1)
    alone = compiled_weights(compiled, instances, pipeline.special_tokens, None)
    for one, other, instance in zip(together, alone, instances, strict=True):
        assert one.keys() == other.keys()
        for layer, weights in one.items():
            length = len(instance.source[0]) + pipeline.special_tokens.source_overhead
            assert len(weights) == len(instance.target[0]) + 2
            alike = weights[:, :length], other[layer][:, :length]
            np.testing.assert_allclose(*alike, atol=1e-6)

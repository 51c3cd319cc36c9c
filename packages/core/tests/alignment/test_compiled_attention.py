"""Weights of the attention of compiled systems."""

from __future__ import annotations

import shutil

import numpy as np

from docmt.alignment import compiled_attention
from docmt.alignment.compiled_attention import compiled_weights
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


def test_a_sentence_is_looked_at_together_with_others_as_alone(tmp_path, monkeypatch):
    shutil.copytree(resolve("bundled:en-de"), tmp_path / "run")
    run = open_translation_run(tmp_path / "run")
    compile_known(run, known_shape(run))
    compiled, pipeline = CompiledSystem.of_run(run.directory, "fp32"), run.pipeline
    instances = [
        Instance(
            "d",
            index,
            [pipeline.encode_sentence(source)],
            [pipeline.encode_sentence(target, "target")],
        )
        for index, (source, target) in enumerate(SENTENCES)
    ]
    steps = []
    attend = CompiledSystem.attend

    def counted(self, tokens, state):
        steps.append(len(tokens))
        return attend(self, tokens, state)

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

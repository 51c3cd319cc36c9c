"""Which attention aligns words is written into the run and read from it."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from docmt.alignment.by_attention import AttentionAligner
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.runs.attention_choice import AttentionChoice
from docmt_nmt.runs.system_run import SystemRun

DOCUMENT = Document("1", ("two six", "four"), ("zwei sechs", "vier"))


@pytest.fixture
def run(tiny_run, tmp_path):
    """A copy that a test may write into."""
    shutil.copytree(tiny_run.directory, tmp_path / "run")
    return SystemRun.load(tmp_path / "run")


def test_a_run_without_a_choice_has_the_last_layer_but_one_at_the_output(run):
    assert AttentionChoice.of_run(run) is None
    aligner = AttentionAligner.load(run.directory)
    choices = [AttentionChoice(layer, "output") for layer in range(4)]
    assert aligner.choice(choices) == AttentionChoice(2, "output")


def test_the_choice_of_a_run_aligns(run):
    choice = AttentionChoice(0, "input", (1,))
    choice.save(run)
    assert AttentionChoice.of_run(run) == choice
    assert str(choice) == "layer-0-input-heads-1"
    chosen = AttentionAligner.load(run.directory)
    assert (chosen.layer, chosen.step, chosen.heads, chosen.also) == choice
    # What is asked for goes before what the run says.
    assert AttentionAligner.load(run.directory, layer=0).step == "output"


def test_all_heads_are_the_mean_of_single_ones(run):
    aligner = AttentionAligner.load(run.directory, layer=0)
    ((whole, _),) = aligner.align([DOCUMENT])
    single = []
    for head in (0, 1):
        aligner.choose(AttentionChoice(0, "output", (head,)))
        single.append(aligner.align([DOCUMENT])[0][0].weights)
    assert not np.allclose(single[0], single[1], atol=1e-3)
    np.testing.assert_allclose(np.mean(single, 0), whole.weights, atol=1e-5)


def test_several_layers_and_steps_align_by_their_mean(run):
    choice = AttentionChoice(0, "output", also=((0, "input"),))
    choice.save(run)
    assert AttentionChoice.of_run(run) == choice
    assert str(choice) == "layer-0-output+layer-0-input"
    aligner = AttentionAligner.load(run.directory)
    parts = [
        AttentionAligner.load(run.directory, layer=0, step=step).align([DOCUMENT])
        for step in ("output", "input")
    ]
    ((found, _),), expected = aligner.align([DOCUMENT]), [part[0][0].weights for part in parts]
    assert not np.allclose(*expected, atol=1e-3)
    np.testing.assert_allclose(found.weights, np.mean(expected, 0), atol=1e-6)
    aligner.choose(choice._replace(also=((5, "input"),)))
    with pytest.raises(InputError, match="no cross-attention in layer 5") as error:
        aligner.align([DOCUMENT])
    assert error.value.cure == "Choose from the layers 0"


@pytest.mark.parametrize(
    "change",
    [
        {"layer": -1},
        {"step": "both"},
        {"heads": ["a"]},
        {"heads": 3},
        {"layer": True},
        {"also": None},
        {"also": [[1]]},
        {"also": [[1, "both"]]},
        {"also": [["1", "input"]]},
        {"heads": [0], "also": [[1, "input"]]},
    ],
)
def test_a_damaged_choice_is_an_error(run, change):
    values = {"layer": 0, "step": "output", "heads": None, "also": []} | change
    (run.directory / "alignment.json").write_text(json.dumps(values))
    with pytest.raises(InputError, match=r"alignment\.json") as error:
        AttentionAligner.load(run.directory)
    assert "tune-alignment" in error.value.cure

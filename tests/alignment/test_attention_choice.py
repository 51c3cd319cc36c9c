"""Which attention aligns words is written into the run and read from it."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

from docmt.alignment.attention_choice import AttentionChoice
from docmt.alignment.by_attention import AttentionAligner
from docmt.alignment.tuning import chosen_aligner, tune_alignment
from docmt.cli import main
from docmt.documents import Document
from docmt.errors import InputError
from docmt.runs import Run

DOCUMENT = Document("1", ("two six", "four"), ("zwei sechs", "vier"))


@pytest.fixture
def run(tiny_run, tmp_path):
    """A copy that a test may write into."""
    shutil.copytree(tiny_run.directory, tmp_path / "run")
    return Run.load(tmp_path / "run")


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
    notes = []
    assert chosen_aligner(run.directory, note=notes.append).heads == (1,)
    assert "layer-0-input-heads-1" in notes[0]


def test_all_heads_are_the_mean_of_single_ones(run):
    aligner = AttentionAligner.load(run.directory, layer=0)
    ((whole, _),) = aligner.align([DOCUMENT])
    single = []
    for head in (0, 1):
        aligner.choose(AttentionChoice(0, "output", (head,)))
        single.append(aligner.align([DOCUMENT])[0][0].scores)
    assert not np.allclose(single[0], single[1], atol=1e-3)
    np.testing.assert_allclose(np.mean(single, 0), whole.scores, atol=1e-5)
    _, tried = tune_alignment(run.directory)
    assert (
        len([choice for choice in tried if choice.heads]) == 1
        and AttentionChoice(0, "output", None) in tried
    )


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
    ((found, _),), expected = aligner.align([DOCUMENT]), [part[0][0].scores for part in parts]
    assert not np.allclose(*expected, atol=1e-3)
    np.testing.assert_allclose(found.scores, np.mean(expected, 0), atol=1e-6)
    aligner.choose(choice._replace(also=((5, "input"),)))
    with pytest.raises(InputError, match="no cross-attention in layer 5") as error:
        aligner.align([DOCUMENT])
    assert error.value.cure == "Choose from the layers 0"


def test_the_mean_of_the_best_is_tried(run):
    best, tried = tune_alignment(run.directory)
    assert list(tried) == [
        AttentionChoice(0, "output"),
        AttentionChoice(0, "input"),
        *(choice for choice in tried if choice.heads),
        AttentionChoice(0, "output", also=((0, "input"),)),
    ]
    assert tried[best] == max(tried.values())
    assert AttentionChoice.of_run(run) == best


def test_the_command_writes_the_best_choice_into_the_run(run):
    result = CliRunner().invoke(main, ["tune-alignment", "--run", str(run.directory)])
    assert result.exit_code == 0, result.output
    choice = AttentionChoice.of_run(run)
    assert choice is not None and choice[:2] == (0, "output")
    assert "agreement" in result.stdout
    assert str(choice) in result.stderr
    assert (
        run.export(run.directory.parent / "exported").directory.joinpath("alignment.json").exists()
    )


def test_without_a_validation_split_sentence_pairs_are_needed(run, tiny_corpus):
    recipe = run.directory / "recipe.yaml"
    recipe.write_text(recipe.read_text().replace("valid.en", "elsewhere.en"))
    command = ["tune-alignment", "--run", str(run.directory)]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 2
    assert "--source and --target" in result.stderr
    files = ["--source", str(tiny_corpus / "test.en"), "--target", str(tiny_corpus / "test.de")]
    assert CliRunner().invoke(main, [*command, *files]).exit_code == 0


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
    best, _ = tune_alignment(run.directory)
    assert AttentionChoice.of_run(run) == best

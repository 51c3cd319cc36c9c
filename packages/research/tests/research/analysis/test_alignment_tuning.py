"""The choice of the attention that aligns, and discourse metrics on its links."""

from __future__ import annotations

import json
import shutil

import pytest
from typer.testing import CliRunner

from docmt.alignment.by_attention import AttentionAligner
from docmt.cli import main
from docmt_files.base.errors import InputError
from docmt_nmt import corpora, recipes
from docmt_nmt.runs.attention_choice import AttentionChoice
from docmt_nmt.runs.run import Run
from docmt_nmt.runs.system_run import SystemRun
from docmt_research.analysis.alignment_tuning import (
    align_by_attention,
    choose_attention,
    chosen_aligner,
    tune_alignment,
)


def discourse(*arguments):
    return CliRunner().invoke(main, ["discourse", *map(str, arguments)])


@pytest.mark.slow
def test_the_step_that_agrees_with_the_statistical_aligner_is_chosen(tiny_run, tiny_corpus):
    documents = list(corpora.read(tiny_corpus / "test.en", tiny_corpus / "test.de"))
    agreement = choose_attention(AttentionAligner.load(tiny_run.directory), documents)
    assert list(agreement) == [AttentionChoice(0, "output"), AttentionChoice(0, "input")]
    notes = []
    aligner = chosen_aligner(tiny_run.directory, note=notes.append)
    assert (aligner.layer, aligner.step) == (0, "output")
    assert "decoder layer 0" in notes[0] and "validation split" in notes[0]
    assert "poor" not in notes[0]
    found = align_by_attention(
        aligner,
        documents,
        [
            (s.split(), t.split())
            for d in documents
            for s, t in zip(d.source, d.target, strict=True)
        ],
    )
    assert found.method == "attention-layer-0-output-grow-diag-final-and"
    assert len(found.links) == sum(map(len, documents))


def test_without_the_validation_split_a_layer_must_be_named(tiny_run, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(tiny_run.directory, run)
    recipe = run / "recipe.yaml"
    recipe.write_text(recipe.read_text().replace("valid.en", "elsewhere.en"))
    with pytest.raises(InputError, match="validation split") as error:
        chosen_aligner(run)
    assert "`alignment_layer=2`" in error.value.cure
    assert chosen_aligner(run, layer=0, step="input").step == "input"


def test_the_command_takes_the_links_of_a_run(tiny_run, tiny_corpus):
    files = ("--source", tiny_corpus / "test.en", "--hypothesis", tiny_corpus / "test.de")
    languages = ("--source-language", "en", "--language", "de", "--metric", "ltcr")
    (tiny_corpus / "terms").write_text("two\nthree\nfour\n")
    arguments = (*files, *languages, "--terms", tiny_corpus / "terms")
    result = discourse(*arguments, "--alignment-run", tiny_run.directory, "--json")
    assert result.exit_code == 0, result.output
    assert "decoder layer 0" in result.stderr
    (score,) = json.loads(result.stdout)["systems"][0]["scores"]
    assert "align:attention-layer-0-output" in score["signature"]
    # All terms are translated alike, so what is missing are wrong links.
    assert score["score"] > 60
    for more, message in (
        (("--alignment-layer", 0), "no effect without --alignment-run"),
        (("--alignment-run", tiny_run.directory, "--alignment-corpus", "x.tsv"), "no effect with"),
    ):
        wrong = discourse(*arguments, *more)
        assert wrong.exit_code == 2 and message in wrong.stderr


@pytest.fixture
def run(tiny_run, tmp_path):
    """A copy that a test may write into."""
    shutil.copytree(tiny_run.directory, tmp_path / "run")
    return SystemRun.load(tmp_path / "run")


def test_the_choice_of_a_run_aligns(run):
    AttentionChoice(0, "input", (1,)).save(run)
    notes = []
    assert chosen_aligner(run.directory, note=notes.append).heads == (1,)
    assert "layer-0-input-heads-1" in notes[0]


def test_single_heads_and_all_of_them_are_tried(run):
    _, tried = tune_alignment(run.directory)
    assert len([choice for choice in tried if choice.heads]) == 1
    assert AttentionChoice(0, "output", None) in tried


def test_a_damaged_choice_is_replaced(run):
    (run.directory / "alignment.json").write_text('{"layer": -1}')
    best, _ = tune_alignment(run.directory)
    assert AttentionChoice.of_run(run) == best


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


def test_a_run_without_weights_is_refused(tmp_path):
    run = Run.make(tmp_path / "run", recipes.load_any("language-model")).directory
    command = ["tune-alignment", "--run", str(run), "--source", str(run / "recipe.yaml")]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 2
    assert "language-model" in result.stderr

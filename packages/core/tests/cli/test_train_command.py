"""`docmt train` on a toy corpus."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from docmt.cli import main
from docmt_nmt import training
from docmt_nmt.recipes import load
from docmt_nmt.runs.system_run import SystemRun

SHORT = ["training.max_steps=4", "training.validate_every=2"]

STAGES = """
stages:
- {name: sentence, instances: {kind: sentence}}
- {name: document, system: {name: g-transformer, encoder_context_layers: 1,
   decoder_context_layers: 1, cross_context_layers: 1}, initialize: {loaded_learning_rate: 1e-3}}
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_a_recipe_is_trained_with_overrides_into_a_run(recipe: str, tmp_path: Path) -> None:
    result = run("train", recipe, "--run", str(tmp_path / "run"), *SHORT, "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    assert f"docmt translate --run {tmp_path / 'run'} INPUT" in result.stdout
    trained = SystemRun.load(tmp_path / "run")
    assert trained.recipe.training.max_steps == 4
    assert trained.weights.is_file()


def test_a_run_that_writes_masked_sentences_says_what_its_encoder_is_for(
    recipe: str, tmp_path: Path
) -> None:
    masked = ["instances={kind: masked, window: 3}", "training.max_steps=2"]
    result = run("train", recipe, "--run", str(tmp_path / "run"), *masked, "--quiet")
    assert result.exit_code == 0, result.output
    assert "docmt translate" not in result.stdout
    encoder = f'{{kind: run, run: "{tmp_path / "run"}", d_model: 32}}'
    assert f"Use its encoder as an entry of system.contexts: {encoder}" in result.stdout


def test_an_override_that_a_stage_does_not_follow_is_noted_on_standard_error() -> None:
    result = run("recipes", "show", "demo-multi-context", "training.max_steps=4")
    assert result.exit_code == 0
    assert "stages.context.training.max_steps=4" in result.stderr
    assert "stages.context" not in result.stdout


def test_a_recipe_is_shown_short_without_explanations(tmp_path: Path) -> None:
    short, full = (run("recipes", "show", "demo-sentence", *more) for more in (["--short"], []))
    assert "#" not in short.stdout and "#" in full.stdout
    for text in (short, full):
        (tmp_path / "recipe.yaml").write_text(text.stdout)
        assert load(tmp_path / "recipe.yaml") == load("demo-sentence")


def test_a_recipe_without_a_corpus_says_where_to_name_one(tmp_path: Path) -> None:
    result = run("train", "sentence", "--run", str(tmp_path / "run"))
    assert result.exit_code == 2
    assert "data.train is missing" in result.stderr
    assert "in a recipe of your own that extends this one" in result.stderr


def test_a_run_directory_that_is_a_file_is_an_error(recipe: str, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear reader.\n")
    for path in (tmp_path / "letter.txt", tmp_path / "letter.txt" / "run"):
        result = run("train", recipe, "--run", str(path), *SHORT)
        assert result.exit_code == 2
        assert f"{path}: cannot be written" in result.stderr
        assert "There is a file where a folder is needed" in result.stderr


def test_a_run_whose_name_has_spaces_is_quoted_in_the_hint(recipe: str, tmp_path: Path) -> None:
    directory = tmp_path / "q q ü"
    result = run("train", recipe, "--run", str(directory), *SHORT, "--quiet")
    assert f"docmt translate --run '{directory}' INPUT" in result.stdout


def test_a_start_that_fails_leaves_no_directory(recipe: str, tmp_path: Path) -> None:
    result = run("train", recipe, "--run", str(tmp_path / "runs" / "x"), "data.prepared=wrong")
    assert result.exit_code == 2
    assert not (tmp_path / "runs").exists()


def test_the_same_command_again_changes_nothing(recipe: str, tmp_path: Path) -> None:
    command = ("train", recipe, "--run", str(tmp_path / "run"), *SHORT)
    run(*command)
    weights = (tmp_path / "run" / "weights.safetensors").read_bytes()
    assert run(*command).exit_code == 0
    assert (tmp_path / "run" / "weights.safetensors").read_bytes() == weights


def test_a_directory_of_another_recipe_is_an_error_that_names_the_keys(
    recipe: str, tmp_path: Path
) -> None:
    command = ("train", recipe, "--run", str(tmp_path / "run"), *SHORT)
    run(*command)
    result = run(*command, "training.seed=9")
    assert result.exit_code == 2
    assert "these keys differ: training.seed" in result.stderr


def test_stages_are_trained_one_from_the_other(recipe: str, tmp_path: Path) -> None:
    Path(recipe).write_text(Path(recipe).read_text() + STAGES)
    result = run("train", recipe, "--run", str(tmp_path / "run"), *SHORT)
    assert result.exit_code == 0, result.output
    first = SystemRun.load(tmp_path / "run" / "stages" / "sentence")
    last = SystemRun.load(tmp_path / "run")
    assert first.recipe.system.name == "transformer"
    assert last.recipe.system.name == "g-transformer"
    assert last.recipe.initialize is not None
    assert Path(last.recipe.initialize.run) == first.directory
    again = run("train", recipe, "--run", str(tmp_path / "run"), *SHORT)
    assert again.exit_code == 0, again.output


def test_an_interrupted_training_says_how_to_go_on(
    recipe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "train", interrupted)
    result = run("train", recipe, "--run", str(tmp_path / "run"))
    assert result.exit_code == 130
    assert "run the same command again to resume from the last checkpoint" in result.stderr
    assert "from the beginning if there is none yet" in result.stderr

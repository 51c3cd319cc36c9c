"""Commands that import models."""

from __future__ import annotations

import shutil

from typer.testing import CliRunner

from causal_models import save_causal
from docmt.cli import main
from docmt_files.base.documents import Document
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.runs.open_run import open_run
from docmt_nmt.runs.run import Run
from pretrained_models import make, sentences


def test_the_command_makes_a_run_that_translates_without_the_folder_it_came_from(tmp_path):
    folder, run = tmp_path / "marian", tmp_path / "run"
    folder.mkdir()
    make(folder, "marian", steps=0)
    arguments = ["import", "huggingface", str(folder), "--run", str(run)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert f"docmt translate --run {run} INPUT" in result.stdout
    shutil.rmtree(folder)
    (translation,) = BeamSearchTranslator.load(run, beam_size=2).translate(
        [Document("d", sentences("en")[:3])]
    )
    assert len(translation.document.target) == 3
    assert translation.chunks == (1, 1, 1)


def test_a_decoder_only_model_becomes_a_run_that_names_it(tmp_path, monkeypatch):
    save_causal(tmp_path / "qwen", "qwen2")
    monkeypatch.chdir(tmp_path)
    arguments = ["qwen", "--run", "run", "--source-language", "en", "--target-language", "de"]
    result = CliRunner().invoke(main, ["import", "huggingface", *arguments])
    assert result.exit_code == 0, result.output
    assert "docmt translate --run run INPUT" in result.output
    run = open_run("run")
    assert isinstance(run, Run)
    assert run.recipe.system.dialect == "transformers"
    assert run.recipe.system.model == str(tmp_path / "qwen")
    data = run.recipe.data
    assert (data.source_language, data.target_language) == ("en", "de")
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        "format.json",
        "recipe.yaml",
    ]


def test_a_recipe_and_keys_say_how_the_model_is_asked_and_on_which_corpus(tmp_path):
    save_causal(tmp_path / "llama")
    arguments = ["--recipe", "demo-language-model", "request.shape=batch"]
    run = tmp_path / "run"
    result = CliRunner().invoke(
        main, ["import", "huggingface", str(tmp_path / "llama"), *arguments, "--run", str(run)]
    )
    assert result.exit_code == 0, result.output
    recipe = open_run(run).recipe
    assert recipe.data.test is not None
    assert recipe.request.shape == "batch"
    assert recipe.system.url is None

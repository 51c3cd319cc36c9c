"""Run directories: what is saved comes back, and what is damaged or does not fit is reported."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from cases import CASES, VOCABULARY, one_of_each_system
from docmt_files.base.errors import InputError
from docmt_nmt.recipes import Recipe
from docmt_nmt.recipes.training import InitializeSettings
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.runs.training_logs import read_log
from docmt_nmt.runs.weights import load_weights, read_weights, write_weights
from docmt_nmt.systems import build
from docmt_nmt.text import Pipeline
from docmt_nmt.translators.checks.translation_checks import CheckThresholds
from toy import toy_recipe

each_system = one_of_each_system(CASES)


@pytest.fixture
def run(tiny_run, tmp_path: Path):
    """A copy of the tiny run that a test may write into."""
    copy = tmp_path / "run"
    shutil.copytree(tiny_run.directory, copy)
    return SystemRun.load(copy)


def fresh(tiny_run, directory: Path, **sections: object):
    """A run without weights, of the tiny run's recipe but for some keys."""
    corpus = Path(tiny_run.recipe.data.train.source).parent
    return SystemRun.create(directory, toy_recipe(corpus, **sections), tiny_run.pipeline)


def test_a_run_is_loaded_as_it_was_created(tiny_run, tmp_path):
    created = fresh(tiny_run, tmp_path / "run")
    loaded = SystemRun.load(tmp_path / "run")
    assert loaded.recipe == created.recipe
    assert loaded.pipeline.source_vocabulary.tokens == tiny_run.pipeline.source_vocabulary.tokens
    assert isinstance(loaded.pipeline, Pipeline)


@pytest.mark.parametrize("weights", ["fp32", "fp16", "bf16"])
def test_an_exported_run_has_what_translating_needs(run, tmp_path, weights):
    run.log.write_text("")
    exported = run.export(tmp_path / "exported", weights)
    names = {path.name for path in exported.directory.iterdir()}
    assert names == {"format.json", "recipe.yaml", "text", "thresholds.json", "weights.safetensors"}
    before, after = (
        run.system().state_dict(),
        SystemRun.load(exported.directory).system().state_dict(),
    )
    for name, tensor in before.items():
        assert after[name].dtype == torch.float32
        torch.testing.assert_close(after[name], tensor, rtol=2**-8, atol=1e-6)
    assert (weights != "fp32") == (
        exported.weights.stat().st_size < 0.6 * run.weights.stat().st_size
    )
    with pytest.raises(InputError, match="is already a run directory"):
        run.export(tmp_path / "exported", weights)


def test_an_exported_run_does_not_name_the_run_it_started_from(run, tmp_path):
    initialize = InitializeSettings(run="/home/me/runs/sentence")
    started = replace(run, recipe=run.recipe.model_copy(update={"initialize": initialize}))
    exported = started.export(tmp_path / "exported")
    assert exported.recipe.initialize is None
    assert "/home/me" not in (exported.directory / "recipe.yaml").read_text()
    assert SystemRun.load(exported.directory).recipe == exported.recipe


def test_weights_that_a_format_cannot_hold_are_not_exported(run, tmp_path):
    state = {name: tensor.clone() for name, tensor in run.state().items()}
    state["encoder_norm.weight"][0] = 1e6
    run.save_weights(state)
    with pytest.raises(InputError, match=r"encoder_norm\.weight holds NaN or infinity"):
        run.export(tmp_path / "exported", "fp16")
    assert not (tmp_path / "exported").exists()
    run.export(tmp_path / "exported", "bf16")


def test_a_run_keeps_its_thresholds_or_has_those_of_its_languages(tiny_run, tmp_path):
    learned, default = tiny_run.thresholds(), CheckThresholds.default(("en", "de"))
    assert learned.sentences > 500 and learned != default
    assert fresh(tiny_run, tmp_path / "old").thresholds() == default
    SystemRun.create(tmp_path / "run", tiny_run.recipe, tiny_run.pipeline, learned)
    assert SystemRun.load(tmp_path / "run").thresholds() == learned


def test_damaged_thresholds_are_an_error_that_names_the_file(run):
    path = run.directory / "thresholds.json"
    for damaged in ('{"sentences": 1', '{"sentences": "many"}'):
        path.write_text(damaged)
        with pytest.raises(InputError, match=r"thresholds\.json: .*"):
            run.thresholds()


def test_a_trained_system_is_in_eval_mode_and_the_same_every_time(tiny_run):
    one, other = tiny_run.system(), tiny_run.system()
    assert not one.training
    for name, tensor in one.state_dict().items():
        assert torch.equal(tensor, other.state_dict()[name])


def test_a_run_without_its_text_pipeline_is_told_to_be_copied_whole(run):
    shutil.rmtree(run.directory / "text")
    with pytest.raises(InputError, match=r"lacks the folder text.*Copy the whole run directory"):
        SystemRun.load(run.directory)


def test_a_run_is_not_created_over_another(tiny_run, tmp_path):
    fresh(tiny_run, tmp_path / "run")
    with pytest.raises(InputError, match="is already a run directory"):
        fresh(tiny_run, tmp_path / "run")


def test_a_directory_without_recipe_is_not_a_run(tmp_path):
    with pytest.raises(InputError, match=r"is not a run directory .*recipe\.yaml"):
        SystemRun.load(tmp_path)
    with pytest.raises(InputError, match="no such directory"):
        SystemRun.load(tmp_path / "nowhere")


def test_a_run_that_is_not_trained_yet_says_so(tiny_run, tmp_path):
    with pytest.raises(InputError, match="no weights yet"):
        fresh(tiny_run, tmp_path / "run").system()


@pytest.mark.parametrize("left", [0, 4, 1000])
def test_a_truncated_weights_file_is_an_error_that_names_it(run, left):
    run.weights.write_bytes(run.weights.read_bytes()[:left])
    with pytest.raises(InputError, match=r"weights\.safetensors: is damaged"):
        run.system()


def test_weights_that_may_not_be_read_say_so(run, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)  # the tests may run as root
    with pytest.raises(InputError, match=r"weights\.safetensors: may not be read"):
        run.state()


def test_weights_that_are_no_file_say_so(run):
    run.weights.unlink()
    run.weights.mkdir()
    with pytest.raises(InputError, match=r"weights\.safetensors: is a directory"):
        run.system()
    run.weights.rmdir()
    run.weights.symlink_to("/dev/zero")
    with pytest.raises(InputError, match=r"weights\.safetensors: is not a regular file"):
        run.system()


@pytest.mark.parametrize("tied", ['{"a": ["b"]}', '{"a": "b"}', "[]", "[" * 100_000, "{", "3"])
def test_names_of_tied_tensors_that_are_none_are_an_error(tmp_path, tied):
    path = tmp_path / "w.safetensors"
    save_file({"w": torch.zeros(1)}, path, metadata={"tied": tied})
    with pytest.raises(InputError, match=r"w\.safetensors: is damaged"):
        read_weights(path)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.float8_e5m2]
)
def test_weights_that_are_not_finite_are_refused_by_name(run, value, dtype):
    state = run.state()
    name = next(name for name in state if name.endswith("bias"))
    state[name][-1] = value
    state[name] = state[name].to(dtype)
    write_weights(run.weights, state)
    with pytest.raises(InputError, match=re.escape(f"{name} holds NaN or infinity")):
        run.system()


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("d_model", 10**6, "different shapes"),
        ("ffn_dim", 10**6, "different shapes"),
        ("layers", 1000, r"system\.layers is 1000, but there are \d+ tensors"),
        ("decoder_layers", 1000, r"system\.decoder_layers is 1000"),
        ("max_positions", 10**6, r"missing: .*source_embedding\.learned"),
    ],
)
def test_absurd_sizes_are_refused_before_a_system_of_them_is_built(run, key, value, message):
    recipe = run.recipe.model_dump(mode="json")
    recipe["system"][key] = value
    if key == "max_positions":
        recipe["system"]["positions"] = "learned"
    absurd = SystemRun(run.directory, Recipe.read(recipe), run.pipeline)
    with pytest.raises(InputError, match=rf"do not fit the recipe .*{message}"):
        absurd.system()


def test_the_outline_of_a_system_has_the_shapes_of_the_system(settings):
    with torch.device("meta"):
        outline = build(settings, VOCABULARY, VOCABULARY).state_dict()
    state = build(settings, VOCABULARY, VOCABULARY).state_dict()
    assert {n: t.shape for n, t in outline.items()} == {n: t.shape for n, t in state.items()}


def test_a_whole_run_takes_the_place_of_nothing_or_of_an_empty_directory(tiny_run, tmp_path):
    state = tiny_run.state()
    (tmp_path / "empty").mkdir()
    for name in ("new", "empty"):
        made = SystemRun.create_whole(tmp_path / name, tiny_run.recipe, tiny_run.pipeline, state)
        assert made.system().state_dict().keys() == tiny_run.system().state_dict().keys()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").touch()
    (tmp_path / "file").touch()
    for name, message in (
        ("new", "already a run"),
        ("full", "not empty"),
        ("file", "not a directory"),
    ):
        with pytest.raises(InputError, match=message):
            SystemRun.create_whole(tmp_path / name, tiny_run.recipe, tiny_run.pipeline, state)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty", "file", "full", "new"]
    assert [p.name for p in (tmp_path / "full").iterdir()] == ["letter.txt"]


def test_weights_of_other_sizes_are_an_error_with_both_shapes(tiny_run, tmp_path):
    wider = fresh(tiny_run, tmp_path / "run", system={"d_model": 48})
    shutil.copy(tiny_run.weights, wider.weights)
    with pytest.raises(
        InputError, match=r"× 32 in the weights, but \d+ × 48 by the recipe.* and \d+ more"
    ):
        wider.system()


def test_weights_of_more_or_fewer_layers_are_an_error_that_names_them(tiny_run, tmp_path):
    deeper = fresh(tiny_run, tmp_path / "run", system={"layers": 2})
    shutil.copy(tiny_run.weights, deeper.weights)
    with pytest.raises(InputError, match=r"missing: encoder\.1\."):
        deeper.system()
    state = {**tiny_run.state(), "mystery": torch.zeros(1)}
    with pytest.raises(InputError, match="not in the system of the recipe: mystery"):
        load_weights(tiny_run.system(), state, "weights")


def test_a_tied_tensor_is_saved_once_and_comes_back_tied(tiny_run):
    names = [name for name in tiny_run.state() if "embedding" in name]
    assert len(names) == 2
    with safe_open(tiny_run.weights, framework="pt") as file:
        assert len(set(names) & set(file.keys())) == 1
    state = tiny_run.state()
    assert state[names[0]] is state[names[1]]


def test_tied_weights_fit_a_system_in_which_they_are_apart(tiny_run, tmp_path):
    apart = fresh(tiny_run, tmp_path / "run", system={"share_embeddings": False})
    shutil.copy(tiny_run.weights, apart.weights)
    system = apart.system()
    assert torch.equal(system.source_embedding.table.weight, system.target_embedding.table.weight)
    assert system.source_embedding is not system.target_embedding


def test_different_weights_do_not_fit_what_is_tied_in_the_system(tiny_run):
    state = tiny_run.state()
    state["source_embedding.table.weight"] = state["source_embedding.table.weight"] + 1
    with pytest.raises(InputError, match="tied by the recipe, but different"):
        load_weights(tiny_run.system(), state, "weights")


def test_one_name_of_a_tied_tensor_is_enough(tiny_run):
    state = tiny_run.state()
    del state["source_embedding.table.weight"]
    assert "source_embedding.table.weight" in load_weights(tiny_run.system(), state, "weights")


def test_any_tensor_comes_back_bit_for_bit(tmp_path):
    state = {
        "strided": torch.arange(6.0).reshape(2, 3).T,
        "half": torch.randn(3).to(torch.bfloat16),
        "count": torch.tensor(3),
        "empty": torch.zeros(0, 4),
    }
    write_weights(tmp_path / "w.safetensors", state)
    back = read_weights(tmp_path / "w.safetensors")
    assert back.keys() == state.keys()
    assert all(torch.equal(back[name], state[name]) for name in state)
    assert all(back[name].dtype == state[name].dtype for name in state)


def test_weights_are_as_readable_as_the_rest_of_the_run(tiny_run):
    modes = {p.stat().st_mode & 0o777 for p in (tiny_run.weights, tiny_run.log)}
    assert len(modes) == 1


def test_replacing_the_weights_leaves_nothing_else_behind(run):
    before = sorted(path.name for path in run.directory.iterdir())
    run.save_weights(run.system().state_dict())
    assert sorted(path.name for path in run.directory.iterdir()) == before


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        "null",
        '{"kind": "x"}',
        '{"kind": "x", "step": -1}',
        '{"kind": "x", "step": 1.5}',
        '{"kind": ["x"], "step": 1}',
        '{"kind": "valid", "step": 1}',
        '{"kind": "valid", "step": 1, "loss": "low"}',
        '{"kind": "valid", "step": 1, "loss": 1, "context_share": [1]}',
        '{"kind": "valid", "step": 1, "loss": 1, "attention_entropy": {"a": {}}}',
        '{"kind": "train", "step": 1, "loss": 1, "nll": 1, "tokens": 1}',
        '{"kind": "end", "step": 1, "loss": 1%s, "perplexity": 1}' % ("0" * 400),
        "[" * 100_000,
    ],
)
def test_a_line_of_a_log_without_what_its_kind_has_is_an_error(tmp_path: Path, line: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f'{{"kind": "valid", "step": 1, "loss": 1.5}}\n{line}\n')
    with pytest.raises(InputError, match=r"log\.jsonl, line 2: is not a valid line"):
        read_log(path)


def test_a_log_holds_what_training_writes(tiny_run) -> None:
    kinds = [line["kind"] for line in read_log(tiny_run.log)]
    assert kinds[-1] == "end" and {"train", "valid"} <= set(kinds)


def test_a_run_of_a_newer_format_is_refused_by_name(run):
    assert SystemRun.load(run.directory).recipe == run.recipe
    state = run.directory / "format.json"
    assert '"format": 1' in state.read_text()
    state.write_text('{"format": 2, "docmt": "0.9.0"}')
    with pytest.raises(
        InputError, match=r"docmt 0\.9\.0 in format 2.*reads up to format 1.*Update"
    ):
        SystemRun.load(run.directory)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "1"}', '{"format": 0}'])
def test_a_damaged_format_is_refused(run, text):
    (run.directory / "format.json").write_text(text)
    with pytest.raises(InputError, match=r"format\.json"):
        SystemRun.load(run.directory)


def test_a_run_without_a_format_has_the_first_one(run):
    (run.directory / "format.json").unlink()
    assert SystemRun.load(run.directory).recipe == run.recipe

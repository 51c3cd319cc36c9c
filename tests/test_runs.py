"""Run directories: what is saved comes back, and what is damaged or does not fit is reported."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch
from safetensors import safe_open

from docmt.data.translation_checks import CheckThresholds
from docmt.errors import InputError
from docmt.runs import Run, load_weights, read_weights, write_weights
from docmt.text import Pipeline
from toy import toy_recipe


@pytest.fixture
def run(tiny_run: Run, tmp_path: Path) -> Run:
    """A copy of the tiny run that a test may write into."""
    copy = tmp_path / "run"
    shutil.copytree(tiny_run.directory, copy)
    return Run.load(copy)


def fresh(tiny_run: Run, directory: Path, **sections: object) -> Run:
    """A run without weights, of the tiny run's recipe but for some keys."""
    corpus = Path(tiny_run.recipe.data.train.source).parent
    return Run.create(directory, toy_recipe(corpus, **sections), tiny_run.pipeline)


def test_a_run_is_loaded_as_it_was_created(tiny_run, tmp_path):
    created = fresh(tiny_run, tmp_path / "run")
    loaded = Run.load(tmp_path / "run")
    assert loaded.recipe == created.recipe
    assert loaded.pipeline.source_vocabulary.tokens == tiny_run.pipeline.source_vocabulary.tokens
    assert isinstance(loaded.pipeline, Pipeline)


def test_a_run_keeps_its_thresholds_or_has_those_of_its_languages(tiny_run, tmp_path):
    learned, default = tiny_run.thresholds(), CheckThresholds.default(("en", "de"))
    assert learned.sentences > 500 and learned != default
    assert fresh(tiny_run, tmp_path / "old").thresholds() == default
    Run.create(tmp_path / "run", tiny_run.recipe, tiny_run.pipeline, learned)
    assert Run.load(tmp_path / "run").thresholds() == learned


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
        Run.load(run.directory)


def test_a_run_is_not_created_over_another(tiny_run, tmp_path):
    fresh(tiny_run, tmp_path / "run")
    with pytest.raises(InputError, match="is already a run directory"):
        fresh(tiny_run, tmp_path / "run")


def test_a_directory_without_recipe_is_not_a_run(tmp_path):
    with pytest.raises(InputError, match=r"is not a run directory .*recipe\.yaml"):
        Run.load(tmp_path)
    with pytest.raises(InputError, match="no such directory"):
        Run.load(tmp_path / "nowhere")


def test_a_run_that_is_not_trained_yet_says_so(tiny_run, tmp_path):
    with pytest.raises(InputError, match="no weights yet"):
        fresh(tiny_run, tmp_path / "run").system()


@pytest.mark.parametrize("left", [0, 4, 1000])
def test_a_truncated_weights_file_is_an_error_that_names_it(run, left):
    run.weights.write_bytes(run.weights.read_bytes()[:left])
    with pytest.raises(InputError, match=r"weights\.safetensors: is damaged"):
        run.system()


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

"""Training that begins with the weights of another run, and stages that follow each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from docmt_files.base.errors import InputError
from docmt_nmt.recipes import Recipe
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.training import train
from toy import log_lines, toy_recipe, trained

SHORT = {"max_steps": 12, "validate_every": 4}


G_TRANSFORMER = {
    "name": "g-transformer",
    "encoder_context_layers": 1,
    "decoder_context_layers": 1,
    "cross_context_layers": 1,
}


def fine_tuned(start, directory: Path, **keys: Any):
    corpus = Path(start.recipe.data.train.source).parent
    return trained(
        corpus,
        directory,
        system=G_TRANSFORMER,
        instances={"kind": "tokens", "max_tokens": 64},
        training=SHORT,
        initialize={"run": str(start.directory), **keys},
    )


def test_fine_tuning_uses_a_rate_for_new_and_one_for_loaded_parameters(tiny_run, tmp_path):
    run = fine_tuned(tiny_run, tmp_path / "run", loaded_learning_rate=1e-4)
    last = log_lines(run, "train")[-1]
    assert last["learning_rate"] == pytest.approx(100 * last["loaded_learning_rate"])
    loaded = tiny_run.state()
    moved = {
        name: (tensor - loaded[name]).abs().max().item()
        for name, tensor in run.state().items()
        if name in loaded
    }
    # Twelve steps of Adam with a rate of at most 1e-4 · 12 / 30.
    assert 0 < max(moved.values()) < 12 * 5e-5
    assert run.state().keys() > loaded.keys()
    # It starts from the weights of the sentence Transformer, not from random ones.
    assert log_lines(run, "train")[0]["nll"] < 3.0


def test_frozen_parameters_stay_as_they_were(tiny_run, tmp_path):
    run = fine_tuned(tiny_run, tmp_path / "run", freeze=["loaded"])
    before, after = tiny_run.state(), run.state()
    assert all(torch.equal(after[name], tensor) for name, tensor in before.items())
    fresh = run.new_system().state_dict()
    new = after.keys() - before.keys()
    assert new
    assert all(not torch.equal(after[name], fresh[name]) for name in new if "bias" not in name)


def test_a_sentence_level_system_starts_from_a_g_transformer_without_its_context(
    tiny_run, tmp_path
):
    start = fine_tuned(tiny_run, tmp_path / "start")
    corpus = Path(start.recipe.data.train.source).parent

    def sentence_level(*leave_out: str):
        initialize = {
            "run": str(start.directory),
            "leave_out": leave_out,
            "loaded_learning_rate": 1e-12,
        }
        return trained(corpus, tmp_path / "run", training={"max_steps": 1}, initialize=initialize)

    with pytest.raises(InputError, match=r"'\*\.gates\.\*' matches no parameter"):
        sentence_level("*.gates.*")
    run = sentence_level("*.global_attention.*", "*.gate.*")
    before, after = start.state(), run.state()
    assert before.keys() - after.keys() == {
        name for name in before if ".global_attention." in name or ".gate." in name
    }
    assert all(torch.allclose(tensor, before[name]) for name, tensor in after.items())


def test_a_run_that_starts_from_another_uses_its_vocabulary_and_corpus(tiny_run, tmp_path):
    run = fine_tuned(tiny_run, tmp_path / "run")
    assert run.pipeline.source_vocabulary.tokens == tiny_run.pipeline.source_vocabulary.tokens
    assert not (run.directory / "data").exists()


def test_initial_weights_that_do_not_fit_are_an_error(tiny_run, tinier_corpus, tmp_path):
    with pytest.raises(InputError, match="the weights do not fit the recipe"):
        trained(
            tinier_corpus,
            tmp_path / "run",
            system={"d_model": 16},
            initialize={"run": str(tiny_run.directory), "leave_out": ["decoder_norm.*"]},
        )


def test_one_error_names_all_settings_that_initial_weights_need(tinier_corpus, tmp_path):
    own = {"norm": "post", "d_model": 16, "ffn_dim": 12, "layers": 2, "heads": 4}
    start = trained(tinier_corpus, tmp_path / "start", system=own, training={"max_steps": 1})
    other = {"norm": "pre", "d_model": 8, "ffn_dim": 16, "layers": 1, "heads": 2}
    initialize = {"run": str(start.directory)}
    with pytest.raises(InputError) as caught:
        trained(tinier_corpus, tmp_path / "run", system=other, initialize=initialize)
    assert not (tmp_path / "run" / "data").exists()
    verb, *overrides = caught.value.cure.split()
    assert verb == "Set" and {*overrides} >= {f"system.{key}={own[key]}" for key in own}
    # What the cure says is enough.
    trained(
        tinier_corpus,
        tmp_path / "run",
        system=own,
        initialize=initialize,
        training={"max_steps": 1},
    )


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ({"norm": "post"}, r"trained with norm pre, not post\. Set system\.norm=pre"),
        (
            {"heads": 4, "scale_embeddings": False},
            "Set system.heads=2 system.scale_embeddings=true",
        ),
    ],
)
def test_initial_weights_that_compute_something_else_are_an_error_before_the_corpus_is_prepared(
    tiny_run, tinier_corpus, tmp_path, system, message
):
    with pytest.raises(InputError, match=message):
        trained(
            tinier_corpus,
            tmp_path / "run",
            system=system,
            initialize={"run": str(tiny_run.directory)},
        )
    assert not (tmp_path / "run" / "data").exists()


def test_weights_that_only_the_initial_run_has_are_named(tinier_corpus, tmp_path):
    own = {"share_embeddings": False, "share_output": False, "output_bias": True}
    text = {"text": {"joint": False, "vocabulary_size": 270}}
    start = trained(
        tinier_corpus, tmp_path / "start", system=own, training={"max_steps": 1}, **text
    )
    message = "Set system.share_embeddings=false system.share_output=false system.output_bias=true"
    with pytest.raises(InputError, match=message):
        trained(tinier_corpus, tmp_path / "run", initialize={"run": str(start.directory)})


def test_the_stages_of_a_recipe_are_runs_that_follow_each_other(tinier_corpus, tmp_path):
    stages = [
        {"name": "sentence", "instances": {"kind": "sentence"}},
        {"name": "document", "system": G_TRANSFORMER, "initialize": {"loaded_learning_rate": 1e-3}},
    ]
    values = toy_recipe(tinier_corpus, training=SHORT).model_dump(mode="json")
    run = train(Recipe.read({**values, "stages": stages}), tmp_path / "run", progress=False)
    assert run.directory == tmp_path / "run"
    assert run.recipe.system.name == "g-transformer"
    before = SystemRun.load(tmp_path / "run" / "stages" / "sentence")
    assert before.recipe.instances.kind == "sentence"
    assert run.state().keys() > before.state().keys()
    assert train(Recipe.read({**values, "stages": stages}), tmp_path / "run").recipe == run.recipe


def test_a_mistake_that_is_found_before_training_can_be_fixed_in_place(tiny_run, tmp_path):
    with pytest.raises(InputError, match="matches no parameter"):
        fine_tuned(tiny_run, tmp_path / "run", freeze=["encodr.*"])
    run = fine_tuned(tiny_run, tmp_path / "run", freeze=["encoder.*"])
    assert run.recipe.initialize.freeze == ("encoder.*",)
    assert SystemRun.load(tmp_path / "run").recipe == run.recipe

"""Training as a whole, on a toy corpus and on real text."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import pytest
import torch

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.runs.weights import read_weights
from docmt_nmt.training import train, validation
from docmt_nmt.training.checkpoints import average_weights
from toy import log_lines, toy_recipe, trained, write_real_corpus

SHORT = {"max_steps": 12, "validate_every": 4}


def checkpoint_steps(run) -> list[int]:
    return sorted(int(path.name) for path in run.checkpoints.iterdir())


@pytest.fixture(scope="module")
def short_run(tinier_corpus, tmp_path_factory):
    """A run of few updates with dropout of every kind."""
    return trained(
        tinier_corpus,
        tmp_path_factory.mktemp("short") / "run",
        system={"dropout": 0.2},
        training={**SHORT, "word_dropout_source": 0.1, "word_dropout_target": 0.1},
    )


def test_the_loss_falls_and_the_system_translates(tiny_run):
    losses = [line["loss"] for line in log_lines(tiny_run, "valid")]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.3
    translator = BeamSearchTranslator.build(
        tiny_run.system(), tiny_run.pipeline, tiny_run.recipe.instances, tiny_run.recipe.search
    )
    (found,) = translator.translate([Document("d", ("one two", "three"))])
    assert found.document.target == ("eins zwei", "drei")


def test_the_log_has_a_line_for_every_event(short_run):
    train_lines, valid_lines = log_lines(short_run, "train"), log_lines(short_run, "valid")
    assert [line["step"] for line in train_lines] == [1, 4, 8, 10, 12]
    assert [line["step"] for line in valid_lines] == [4, 8, 12]
    for line in train_lines:
        assert line.keys() == {
            "kind",
            "step",
            "epoch",
            "learning_rate",
            "loss",
            "nll",
            "perplexity",
            "grad_norm",
            "tokens",
        }
        assert line["perplexity"] == pytest.approx(math.exp(line["nll"]), rel=1e-4)
        assert line["learning_rate"] == pytest.approx(0.01 * line["step"] / 30)
    assert log_lines(short_run, "end")[0]["steps"] == [12]


def test_the_same_recipe_gives_the_same_weights_to_the_bit(short_run, tmp_path):
    again = train(short_run.recipe, tmp_path / "again", progress=False)
    assert again.weights.read_bytes() == short_run.weights.read_bytes()
    assert log_lines(again) == log_lines(short_run)


def test_another_seed_gives_other_weights(short_run, tinier_corpus, tmp_path):
    other = trained(tinier_corpus, tmp_path / "other", training={**SHORT, "seed": 2})
    assert other.weights.read_bytes() != short_run.weights.read_bytes()


def test_a_finished_run_is_left_as_it_is(short_run, tmp_path, capfd):
    before = {p: p.stat().st_mtime_ns for p in short_run.directory.rglob("*") if p.is_file()}
    train(short_run.recipe, short_run.directory)
    after = {p: p.stat().st_mtime_ns for p in short_run.directory.rglob("*") if p.is_file()}
    assert before == after
    captured = capfd.readouterr()
    assert "is finished; nothing to do" in captured.err
    assert captured.out == ""


def test_a_finished_run_needs_neither_its_corpus_nor_its_checkpoints(short_run, tmp_path):
    copy = tmp_path / "run"
    shutil.copytree(short_run.directory, copy)
    shutil.rmtree(copy / "data")
    shutil.rmtree(copy / "checkpoints")
    train(short_run.recipe, copy, progress=False)
    assert not (copy / "data").exists()


def test_of_many_keys_that_differ_the_first_are_named(short_run, tinier_corpus):
    keys = {"d_model": 16, "heads": 1, "layers": 2, "ffn_dim": 32, "dropout": 0.2}
    with pytest.raises(InputError, match=r"differ: (\w+\.\w+, ){4}\w+\.\w+ and 2 more\. "):
        trained(tinier_corpus, short_run.directory, system=keys, training={**SHORT, "seed": 9})


def test_a_directory_of_another_recipe_is_an_error_that_names_the_keys(short_run, tinier_corpus):
    with pytest.raises(
        InputError, match=r"keys differ: system\.d_model, training\.word_dropout_so"
    ):
        trained(
            tinier_corpus,
            short_run.directory,
            system={"dropout": 0.2, "d_model": 16},
            training={**SHORT, "word_dropout_target": 0.1},
        )


def test_accumulated_batches_are_one_update(tinier_corpus, tmp_path):
    # Four batches of one instance each are the same update as the one batch of the four.
    corpus = tmp_path / "corpus"
    shutil.copytree(tinier_corpus, corpus)
    for side in ("en", "de"):
        text = "\n".join((corpus / f"train.{side}").read_text().split("\n")[:12])
        (corpus / f"train.{side}").write_text(text + "\n")
    # Adam would divide the rounding error of a gradient that is zero by itself.
    keys = {"max_steps": 6, "validate_every": 6, "epsilon": 1e-3}
    instances = {"kind": "whole"}
    whole = trained(
        corpus, tmp_path / "1", instances=instances, training={**keys, "batch_tokens": 4096}
    )
    parts = trained(
        corpus,
        tmp_path / "2",
        instances=instances,
        training={**keys, "batch_tokens": 1, "accumulate_batches": 100},
    )
    assert [line["tokens"] for line in log_lines(parts, "train")] == [
        line["tokens"] for line in log_lines(whole, "train")
    ]
    for name, tensor in whole.state().items():
        torch.testing.assert_close(parts.state()[name], tensor, rtol=1e-4, atol=1e-5)


@pytest.mark.by_default(1)
@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_lower_precision_learns_too_and_keeps_full_precision_weights(
    tinier_corpus, tmp_path, precision
):
    run = trained(
        tinier_corpus,
        tmp_path / "run",
        training={"max_steps": 12, "validate_every": 6, "precision": precision},
    )
    losses = [line["loss"] for line in log_lines(run, "valid")]
    assert losses[1] < losses[0]
    assert {tensor.dtype for tensor in run.state().values()} == {torch.float32}
    state = json.loads((run.checkpoints / "000012" / "state.json").read_text())
    assert bool(state["scaler"]) == (precision == "fp16")


def test_word_dropout_ends_after_its_epochs(tinier_corpus, tmp_path):
    recipe = toy_recipe(tinier_corpus, training={"batch_tokens": 10**6, "validate_every": 1})

    def second_losses(directory: Path, **keys: object) -> list[float]:
        training = recipe.training.model_copy(update={"max_steps": 2, **keys})
        run = train(recipe.model_copy(update={"training": training}), directory, progress=False)
        return [line["loss"] for line in log_lines(run, "train")]

    plain = second_losses(tmp_path / "plain")
    dropped = {"word_dropout_source": 0.5, "word_dropout_target": 0.5}
    always = second_losses(tmp_path / "always", **dropped)
    first = second_losses(tmp_path / "first", **dropped, word_dropout_epochs=1)
    assert always[0] == first[0] != plain[0]
    assert always[1] != first[1]
    masked = second_losses(tmp_path / "masked", **dropped, word_dropout_token="mask")
    assert masked[0] not in (always[0], plain[0])


def test_training_stops_early_when_patience_runs_out(tinier_corpus, tmp_path):
    # So high a rate makes the validation loss worse after the first few updates.
    run = trained(
        tinier_corpus,
        tmp_path / "run",
        training={
            "max_steps": None,
            "validate_every": 2,
            "patience": 3,
            "learning_rate": 3.0,
            "warmup_steps": 1,
        },
    )
    found = log_lines(run, "valid")
    best = min(found, key=lambda line: line["loss"])
    assert len(found) == found.index(best) + 1 + 3 < 30
    assert [line["step"] for line in found if line["best"]][-1] == best["step"]
    assert log_lines(run, "end")[0]["steps"] == [best["step"]]
    assert log_lines(run)[-1]["step"] == found[-1]["step"]


def test_training_ends_after_its_epochs_with_a_validation(tinier_corpus, tmp_path):
    training = {"max_steps": None, "max_epochs": 2, "validate_every": 1000}
    run = trained(tinier_corpus, tmp_path / "run", training=training)
    (valid,) = log_lines(run, "valid")
    assert valid["epoch"] == 2
    assert log_lines(run, "end")[0]["steps"] == [valid["step"]]
    # As many updates in each epoch.
    assert valid["step"] % 2 == 0


def test_the_weights_are_those_of_the_best_checkpoint(tinier_corpus, tmp_path, monkeypatch):
    losses = iter([3.0, 1.0, 2.0])
    monkeypatch.setattr(validation, "validation_loss", lambda *_: next(losses))
    saved = []
    monkeypatch.setattr(SystemRun, "save_weights", lambda *_: saved.append(len(saved)))
    run = trained(tinier_corpus, tmp_path / "run", training=SHORT)
    assert saved == [0, 1]
    (end,) = log_lines(run, "end")
    assert end.pop("hardware") and end.pop("processes") == 1
    assert end == {
        "kind": "end",
        "step": 12,
        "loss": 1.0,
        "perplexity": pytest.approx(math.e),
        "steps": [8],
    }
    assert checkpoint_steps(run) == [12]


@pytest.mark.by_default(1)
@pytest.mark.parametrize("kind", ["last", "best"])
def test_a_run_ends_with_the_average_it_was_asked_for(tinier_corpus, tmp_path, kind):
    run = trained(
        tinier_corpus,
        tmp_path / "run",
        training={**SHORT, "average": {"kind": kind, "checkpoints": 2}},
    )
    assert checkpoint_steps(run) == [8, 12]
    assert log_lines(run, "end")[0]["steps"] == [8, 12]
    mean = average_weights(
        [run.checkpoints / name / "weights.safetensors" for name in ("000008", "000012")]
    )
    assert run.state().keys() == mean.keys()
    assert all(torch.equal(run.state()[name], tensor) for name, tensor in mean.items())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data": {"train": None}}, r"data\.train is missing"),
        ({"data": {"valid": None}}, r"data\.valid is missing"),
        ({"initialize": {"run": "nowhere"}}, "nowhere: no such directory"),
        (
            {"initialize": {"run": "RUN", "freeze": ["encodr.*"]}},
            r"'encodr\.\*' matches no parameter",
        ),
        ({"training": {"max_steps": None}}, "none of training.max_steps, training.max_epochs and"),
        ({"data": {"prepared": "nowhere"}}, "nowhere: not a folder made by docmt prepare"),
    ],
)
def test_a_mistake_in_a_recipe_is_an_error_before_training(
    tiny_run, tinier_corpus, tmp_path, change, message
):
    recipe = toy_recipe(tinier_corpus, **change)
    if recipe.initialize is not None and recipe.initialize.run == "RUN":
        start = recipe.initialize.model_copy(update={"run": str(tiny_run.directory)})
        recipe = recipe.model_copy(update={"initialize": start})
    with pytest.raises(InputError, match=message):
        train(recipe, tmp_path / "run", progress=False)
    assert not (tmp_path / "run" / "log.jsonl").exists()


def test_a_prepared_corpus_is_used_where_it_lies(tiny_run, tiny_corpus, tmp_path):
    prepared = {"prepared": str(tiny_run.directory / "data")}
    run = trained(tiny_corpus, tmp_path / "run", data=prepared, training=SHORT)
    assert not (run.directory / "data").exists()
    assert run.pipeline.source_vocabulary.tokens == tiny_run.pipeline.source_vocabulary.tokens


def test_a_directory_that_holds_something_else_is_left_alone(tinier_corpus, tmp_path):
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(
        InputError, match=r"is not a run directory and not empty \(it holds thesis\.tex\)"
    ):
        trained(tinier_corpus, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_imported_weights_are_not_trained_over(tiny_run, tinier_corpus, tmp_path):
    imported = SystemRun.create(tmp_path / "run", tiny_run.recipe, tiny_run.pipeline)
    imported.save_weights(tiny_run.state())
    with pytest.raises(InputError, match=r"were not trained there.*initialize\.run"):
        train(tiny_run.recipe, tmp_path / "run", progress=False)


def test_the_loss_falls_on_real_documents(tmp_path):
    recipe = toy_recipe(
        write_real_corpus(tmp_path / "corpus", documents=8),
        text={"subword": "unigram", "vocabulary_size": 600},
        instances={"kind": "tokens", "max_tokens": 128},
        system={
            "name": "g-transformer",
            "encoder_context_layers": 1,
            "decoder_context_layers": 1,
            "cross_context_layers": 1,
        },
        training={"max_steps": 18, "validate_every": 6, "batch_tokens": 1024, "clip_norm": 1.0},
    )
    run = train(recipe, tmp_path / "run", progress=False)
    losses = [line["loss"] for line in log_lines(run, "valid")]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] - 0.2
    assert all(torch.isfinite(t).all() for t in read_weights(run.weights).values())


def test_a_recipe_may_be_given_by_its_name_or_file(tiny_run, tmp_path):
    file = tiny_run.directory / "recipe.yaml"
    assert train(file, tiny_run.directory, progress=False).recipe == tiny_run.recipe
    with pytest.raises(InputError, match="there is no recipe 'demo-sentense'"):
        train("demo-sentense", tmp_path / "run", progress=False)

"""Stacks in training, validation and translation, from stage to stage."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from docmt.cli import main
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.contexts import ContextEncoders
from docmt_nmt.data.dataset import InstanceDataset
from docmt_nmt.data.parallel_corpus import PreparedCorpus
from docmt_nmt.data.preparation import read_split
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.evaluation import MetricSettings, evaluate
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.training import train
from toy import masked_run, toy_recipe, write_real_corpus

DOCUMENT = Document("d", ("one two", "three", "four five six", "seven"))
SHORT = {"max_steps": 12, "validate_every": 6, "batch_tokens": 256}


def stack(text, *runs, **keys):
    """A stack; models are bound to runs in the order they occur."""
    models = dict.fromkeys(block.split("(")[0] for block in text.split(" => "))
    contexts = {
        model: {"kind": "run", "run": str(run.directory), "d_model": 16}
        for model, run in zip(models, runs, strict=True)
    }
    return {"name": "parallel-stack", "norm": "output", "stack": text, "contexts": contexts, **keys}


def trained(corpus: Path, directory: Path, system, start=None, **sections):
    if start is not None:
        sections["initialize"] = {"run": str(start.directory), "freeze": ["loaded"]}
    sections.setdefault("training", SHORT)
    recipe = toy_recipe(corpus, instances={"kind": "sentence"}, system=system, **sections)
    return train(recipe, directory, progress=False)


def valid_losses(run) -> list[float]:
    lines = [json.loads(line) for line in run.log.read_text().splitlines()]
    return [line["loss"] for line in lines if line["kind"] == "valid"]


def logits_of(run, data: Path, target: bool = True) -> torch.Tensor:
    """The logits of a run on some of a prepared validation split."""
    from docmt_nmt.contexts import ContextDocument
    from docmt_nmt.data.collate import collate

    prepared = PreparedCorpus.load(data)
    split = prepared.split("valid")
    contexts = ContextEncoders.of(run.recipe.system, run.pipeline.special_tokens, "cpu")
    instances = InstanceDataset(split, run.recipe.instances, prepared.pipeline.special_tokens)
    made = []
    for number in range(6):
        instance = instances[number]
        text = split.text(int(instances.document[number]))
        document = ContextDocument(
            text.source, text.target if target else None, run.pipeline.encode(text)
        )
        auxiliary = contexts.auxiliary_inputs([(document, instance.first)])[0] if contexts else {}
        made.append(replace(instance, auxiliary=auxiliary))
    with torch.no_grad():
        return torch.cat([run.system()(collate([i], run.pipeline.special_tokens)) for i in made])


@pytest.fixture(scope="module")
def staged(tiny_corpus, sentence_run, english, german, tmp_path_factory) -> list[SystemRun]:
    """The runs of stages one to three: a sentence Transformer, source blocks, a target block."""
    folder = tmp_path_factory.mktemp("staged")
    kept = {"training": {**SHORT, "context_cache": str(folder / "encodings")}}
    second = trained(
        tiny_corpus,
        folder / "2",
        stack("Bs(p,c) => Ps(3p,c,3n)", english, english),
        sentence_run,
        **kept,
    )
    third = trained(
        tiny_corpus,
        folder / "3",
        stack("Bs(p,c) => Ps(3p,c,3n) => Pt(3p,3n)", english, english, german),
        second,
        **kept,
    )
    return [sentence_run, second, third]


@pytest.mark.slow
def test_new_blocks_lower_the_validation_loss(staged):
    losses = valid_losses(staged[1])
    assert losses[-1] < losses[0]


def test_each_stage_changes_its_new_blocks_alone(staged):
    for before, after in pairwise(staged):
        old, new = before.state(), after.state()
        assert set(old) < set(new)
        assert all(torch.equal(old[name], new[name]) for name in old)
        added = {name for name in new if name not in old}
        assert all("_attention.blocks." in name for name in added)
        fresh = after.new_system().state_dict()
        assert any(not torch.equal(fresh[name], new[name]) for name in added)


def test_a_missing_encoder_is_told_before_the_first_stage(tiny_corpus, tmp_path):
    missing = {"kind": "run", "run": str(tmp_path / "none"), "d_model": 16}
    system = {"name": "parallel-stack", "stack": "Bs(p,c)", "contexts": {"B": missing}}
    stages = [
        {"name": "sentence", "system": {"name": "transformer"}},
        {"name": "context", "initialize": {"freeze": ["loaded"]}},
    ]
    with pytest.raises(InputError, match=r"system.contexts.B.run is not a trained run"):
        trained(tiny_corpus, tmp_path / "run", system, stages=stages)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("side", ["source", "target"])
def test_a_context_that_is_too_long_is_told_before_the_first_stage_is_trained(
    tiny_corpus, english, german, tmp_path, side
):
    text, run = ("Bs(9p,c)", english) if side == "source" else ("Bt(9p)", german)
    system = stack(text, run)
    (key,) = system["contexts"]
    system["contexts"][key]["max_tokens"] = 12
    stages = [
        {"name": "sentence", "system": {"name": "transformer"}},
        {"name": "context", "initialize": {"freeze": ["loaded"]}},
    ]
    message = rf"system.contexts.{key}: a context has \d+ tokens, but the encoder reads at most 12"
    with pytest.raises(InputError, match=message):
        trained(tiny_corpus, tmp_path / "run", system, stages=stages)
    assert not (tmp_path / "run" / "stages" / "sentence" / "log.jsonl").exists()


def test_contexts_of_an_encoder_that_cuts_are_not_checked_beforehand(
    tiny_corpus, english, tmp_path
):
    system = stack("Bs(9p,c)", english)
    system["contexts"]["Bs"] |= {"max_tokens": 12, "too_long": "truncate"}
    stages = [
        {"name": "sentence", "system": {"name": "transformer"}},
        {"name": "context", "initialize": {"freeze": ["loaded"]}},
    ]
    steps = {**SHORT, "max_steps": 1}
    run = trained(tiny_corpus, tmp_path / "run", system, stages=stages, training=steps)
    assert run.weights.is_file()


@pytest.mark.slow
def test_without_the_target_block_the_third_stage_is_the_second(staged):
    first, second, third = staged
    data = first.directory / "data"
    assert torch.equal(logits_of(second, data), logits_of(third, data, target=False))
    assert not torch.allclose(logits_of(second, data), logits_of(third, data))


def test_encodings_are_made_once_for_all_runs_that_share_the_folder(staged):
    second, third = staged[1:]
    folder = Path(second.recipe.training.context_cache)
    assert third.recipe.training.context_cache == str(folder)
    # One encoder serves both letters of the source side, another the target's.
    assert len(list(folder.iterdir())) == 2
    assert not (third.directory / "encodings").exists()


def test_a_stack_translates_and_is_scored(staged, tiny_corpus):
    _, second, third = staged
    for run in (second, third):
        (found,) = BeamSearchTranslator.load(run.directory, beam_size=2).translate([DOCUMENT])
        assert found.document.target is not None
        assert len(found.document.target) == 4
        reference = DOCUMENT.translated(("eins zwei", "drei", "vier fünf sechs", "sieben"))
        (score,) = evaluate([found.document], [reference], MetricSettings(metrics=("s-bleu",)))
        assert 0 <= score.score <= 100


def test_the_context_of_a_sentence_changes_its_log_probability(staged):
    translator = BeamSearchTranslator.load(staged[1].directory)
    (before,) = translator.translate([DOCUMENT])
    other = Document("d", ("nine nine nine", *DOCUMENT.source[1:]))
    (after,) = translator.translate([other])
    changed = [
        a != b for a, b in zip(before.log_probabilities, after.log_probabilities, strict=True)
    ]
    # Three sentences before it are read.
    assert changed == [True, True, True, True]
    far = Document("d", (*DOCUMENT.source, "one", "nine"))
    near = Document("d", (*DOCUMENT.source, "one", "eight"))
    log_probabilities = [found.log_probabilities for found in translator.translate([far, near])]
    assert [a != b for a, b in zip(*log_probabilities, strict=True)] == [
        False,
        False,
        True,
        True,
        True,
        True,
    ]


def test_empty_sentences_take_no_part_in_the_context(staged):
    translator = BeamSearchTranslator.load(staged[2].directory)
    with_empty = Document("d", ("one two", "", "three"))
    without = Document("d", ("one two", "three"))
    first, second = translator.translate([with_empty, without])
    assert first.document.target[::2] == second.document.target
    assert first.log_probabilities[::2] == second.log_probabilities


def test_target_context_comes_from_a_first_pass_a_run_or_references(staged):
    _, second, third = staged
    own = BeamSearchTranslator.load(third.directory)
    (found,) = own.translate([DOCUMENT])
    # Its own first pass is that of the stage before, for the rest is frozen.
    by_run = BeamSearchTranslator.load(third.directory, first_pass=str(second.directory))
    (same,) = by_run.translate([DOCUMENT])
    assert same.log_probabilities == pytest.approx(found.log_probabilities, abs=1e-5)
    oracle = BeamSearchTranslator.load(third.directory, oracle=True)
    (told,) = oracle.translate([DOCUMENT.translated(("null null null null",) * 4)])
    assert told.log_probabilities != pytest.approx(found.log_probabilities, abs=1e-5)
    with pytest.raises(InputError, match="'d' has no translation to read as context"):
        oracle.translate([DOCUMENT])


@pytest.mark.by_default(1)
@pytest.mark.parametrize("context", ["first_pass", "oracle"])
def test_a_run_scores_a_split_with_the_target_context_that_is_asked_for(
    staged, tmp_path, monkeypatch, context
):
    _, second, third = staged
    overrides, of = [], BeamSearchTranslator.of
    monkeypatch.setattr(
        BeamSearchTranslator, "of", lambda run, **o: overrides.append(o) or of(run, **o)
    )
    output, first = tmp_path / "out.jsonl", str(second.directory)
    arguments = ["--run", str(third.directory), "--split", "test", "-o", str(output), "--json"]
    options = ["--oracle"] if context == "oracle" else ["--first-pass", first]
    result = CliRunner().invoke(main, ["evaluate", *arguments, *options])
    assert result.exit_code == 0, result.stderr
    asked = {"oracle": True} if context == "oracle" else {"first_pass": first}
    assert overrides[0] == {"device": None, **asked}
    corpus = list(read_split(third.recipe.data, "test"))
    expected = BeamSearchTranslator.load(third.directory, **asked).translate(corpus)
    written = [json.loads(line) for line in output.read_text().splitlines()]
    assert [d["target"] for d in written] == [list(t.document.target) for t in expected]


def test_targets_are_not_looked_at_without_being_asked_for(staged):
    translator = BeamSearchTranslator.load(staged[2].directory)
    (found,) = translator.translate([DOCUMENT])
    (same,) = translator.translate([DOCUMENT.translated(("null null null null",) * 4)])
    assert found == same


def test_a_system_without_target_context_has_no_use_for_a_first_pass(staged):
    with pytest.raises(InputError, match=r"search.oracle needs a system.stack with a block that"):
        BeamSearchTranslator.load(staged[1].directory, oracle=True)
    with pytest.raises(InputError, match=r"first_pass and oracle are two sources"):
        BeamSearchTranslator.load(staged[2].directory, oracle=True, first_pass="x")


@pytest.mark.by_default(1)
@pytest.mark.parametrize("oracle", [False, True])
def test_selection_by_bleu_and_the_best_consecutive_checkpoints(
    tiny_corpus, sentence_run, german, tmp_path, oracle
):
    run = trained(
        tiny_corpus,
        tmp_path / "run",
        stack("Pt(p,n)", german),
        sentence_run,
        training={
            **SHORT,
            "validate_every": 3,
            "best_checkpoint_metric": "d-bleu",
            "average": {"kind": "best", "checkpoints": 2},
        },
        search={"beam_size": 1, "oracle": oracle},
    )
    last = json.loads(run.log.read_text().splitlines()[-1])
    assert last["kind"] == "end"
    assert len(last["steps"]) == 2
    assert last["bleu"] > 50  # the frozen Transformer knows the corpus


@pytest.mark.slow
def test_a_run_that_is_stopped_goes_on_as_if_it_had_not(
    tiny_corpus, sentence_run, english, tmp_path, monkeypatch
):
    from docmt_nmt.training import trainer

    system = stack("Bs(p,c) => Ds(p,c)", english, english, dropout=0.1)
    system["contexts"]["Ds"] = {"kind": "trained", "layers": 1}
    whole = trained(tiny_corpus, tmp_path / "whole", system, sentence_run)
    validate = trainer.validate
    monkeypatch.setattr(trainer, "validate", lambda state: stop_after(validate, state))
    with pytest.raises(KeyboardInterrupt):
        trained(tiny_corpus, tmp_path / "stopped", system, sentence_run)
    monkeypatch.undo()
    shutil.rmtree(tmp_path / "stopped" / "encodings")
    resumed = trained(tiny_corpus, tmp_path / "stopped", system, sentence_run)
    assert resumed.weights.read_bytes() == whole.weights.read_bytes()


def stop_after(validate, state):
    if state.record.step == 12:
        raise KeyboardInterrupt
    return validate(state)


def test_a_masked_run_translates_nothing_and_says_what_it_is_for(english):
    translator = BeamSearchTranslator.load(english.directory)
    with pytest.raises(InputError, match="masked predicts masked sentences and cannot translate"):
        translator.translate([DOCUMENT])
    losses = valid_losses(english)
    assert losses[-1] < losses[0]


def test_a_stack_whose_run_is_gone_says_so(staged, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(staged[1].directory, run)
    recipe = (run / "recipe.yaml").read_text()
    encoder = staged[1].recipe.system.contexts["Bs"].run
    (run / "recipe.yaml").write_text(recipe.replace(encoder, str(tmp_path / "gone")))
    with pytest.raises(InputError, match="gone: no such directory"):
        BeamSearchTranslator.load(run)


@pytest.mark.slow
def test_real_documents_are_read_by_encoders_of_all_kinds(bert, pegasus, tmp_path):
    corpus = write_real_corpus(tmp_path / "corpus", documents=1)
    text = {"text": {"subword": "unigram", "vocabulary_size": 400}}
    run = masked_run(corpus, tmp_path / "masked", "en", **text)
    models = {"B": str(bert), "P": str(pegasus)}
    system = stack("Bs(p,c) => Bs(c,n) => Ps(3p,c,3n) => Rs(2p,n) => Dt(p,n)", *[run] * 4)
    system["contexts"] = {
        "B": {"kind": "huggingface", "model": models["B"], "d_model": 12, "too_long": "truncate"},
        "P": {"kind": "huggingface", "model": models["P"], "d_model": 8, "too_long": "truncate"},
        "R": {"kind": "run", "run": str(run.directory), "d_model": 16},
        "D": {"kind": "trained", "layers": 1},
    }
    whole = trained(corpus, tmp_path / "run", system, **text)
    losses = valid_losses(whole)
    assert losses[-1] < losses[0]
    split = PreparedCorpus.load(whole.directory / "data").split("test")
    translator = BeamSearchTranslator.load(whole.directory, beam_size=2)
    (found,) = translator.translate([split.text(0)])
    assert len(found.document.target) == len(split.text(0))
    assert set(translator.contexts.truncated()) == {"system.contexts.B", "system.contexts.P"}

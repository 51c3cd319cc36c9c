"""Systems that begin with BERT: they are trained, resumed and translate."""

from __future__ import annotations

import pytest
import torch

from docmt.interop.bert import DEFAULTS, system_settings
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import recipes
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.recipes import stages
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.training import train, trainer
from toy import log_lines, toy_recipe

FLAT = {
    "name": "flat-transformer",
    "layers": 3,
    "d_model": 16,
    "ffn_dim": 24,
    "decoder_layers": 1,
    "norm": "post",
    "activation": "gelu",
    "positions": "learned",
    "max_positions": 192,
    "scale_embeddings": False,
    "normalize_embeddings": True,
    "norm_epsilon": 1e-12,
    "target_embeddings": "sinusoidal",
    "share_embeddings": False,
}


def flat_recipe(bert, corpus, **sections):
    return toy_recipe(
        corpus,
        **{
            "text": {"joint": False},
            "instances": {"kind": "sentence", "previous_sentences": 1},
            "system": FLAT,
            "training": {"max_steps": 12, "validate_every": 4},
            "initialize": {
                "run": str(bert.run.directory),
                "load": "encoder",
                "loaded_learning_rate": 1e-3,
            },
            **sections,
        },
    )


def test_it_learns_resumes_and_translates(bert, tinier_corpus, tmp_path, monkeypatch):
    recipe = flat_recipe(bert, tinier_corpus)
    run = train(recipe, tmp_path / "run", progress=False)
    losses = [line["loss"] for line in log_lines(run, "valid")]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] - 0.1

    train_step = trainer.train_step

    def killed_in_update_7(state, update):
        if state.record.step == 7:
            raise KeyboardInterrupt
        return train_step(state, update)

    monkeypatch.setattr(trainer, "train_step", killed_in_update_7)
    with pytest.raises(KeyboardInterrupt):
        train(recipe, tmp_path / "killed", progress=False)
    monkeypatch.setattr(trainer, "train_step", train_step)
    again = train(recipe, tmp_path / "killed", progress=False)
    assert again.weights.read_bytes() == run.weights.read_bytes()

    # Each side has a pipeline of its own, and the run needs nothing else.
    pipeline = SystemRun.load(run.directory).pipeline
    assert pipeline.source_vocabulary.tokens == bert.run.pipeline.source_vocabulary.tokens
    assert pipeline.encode_sentence("one two") == bert.run.pipeline.encode_sentence("one two")
    assert "drei" in pipeline.target_vocabulary.tokens
    special, theirs = pipeline.special_tokens, bert.run.pipeline.special_tokens
    assert special.source_begin == theirs.source_begin
    assert special.target_end == pipeline.target_vocabulary.eos_id
    (translation,) = BeamSearchTranslator.load(run.directory).translate(
        [Document("d", ("one two", "six"))]
    )
    assert len(translation.document.target) == 2


def test_a_later_stage_begins_with_all_of_the_stage_before(bert, tinier_corpus, tmp_path):
    g_transformer = {
        "name": "g-transformer",
        "encoder_context_layers": 1,
        "decoder_context_layers": 1,
        "cross_context_layers": 1,
    }
    recipe = flat_recipe(
        bert,
        tinier_corpus,
        instances={"kind": "tokens", "max_tokens": 192},
        system={**FLAT, **g_transformer, "segment_embeddings": True},
        training={"max_steps": 2, "validate_every": 2},
        stages=[
            {
                "name": "sentence",
                "system": {"name": "transformer"},
                "instances": {"kind": "sentence"},
            },
            {"name": "document"},
        ],
    )
    (_, first), (_, second) = stages(recipe, tmp_path / "run")
    assert (first.initialize.load, second.initialize.load) == ("encoder", "all")
    run = train(recipe, tmp_path / "run", progress=False)
    sentence = SystemRun.load(tmp_path / "run" / "stages" / "sentence")
    own, before = run.pipeline, sentence.pipeline
    assert own.target_vocabulary.tokens == before.target_vocabulary.tokens
    added = run.state().keys() - sentence.state().keys()
    assert added and all(".global_attention." in name or ".gate." in name for name in added)


def test_context_that_is_too_long_is_shortened_if_asked(bert, tinier_corpus, tmp_path):
    words = 185 // len(bert.run.pipeline.encode_sentence("five"))
    document = Document("d", ("five " * words, "six seven"))
    recipe = flat_recipe(bert, tinier_corpus, training={"max_steps": 1})
    run = train(recipe, tmp_path / "run", progress=False)
    with pytest.raises(InputError, match="longer than the 192 positions"):
        BeamSearchTranslator.load(run.directory).translate([document])
    path = run.directory / "recipe.yaml"
    path.write_text(path.read_text().replace("long_context: error", "long_context: shorten"))
    alone = Document("e", ("six seven",))
    found, expected = BeamSearchTranslator.load(run.directory).translate([document, alone])
    assert found.document.target[1] == expected.document.target[0]


def test_what_does_not_go_with_an_encoder_alone_is_an_error(bert, tinier_corpus, tmp_path):
    with pytest.raises(InputError, match=r"initialize\.load: encoder needs text\.joint: false"):
        flat_recipe(bert, tinier_corpus, text={"joint": True}, system={**FLAT})
    with pytest.raises(InputError, match=r"decoder_layers 0 leaves nothing that could translate"):
        flat_recipe(bert, tinier_corpus, system={**FLAT, "decoder_layers": 0})
    whole = {"initialize": {"run": str(bert.run.directory)}}
    with pytest.raises(InputError, match=r"an encoder alone.*initialize\.load to encoder"):
        train(flat_recipe(bert, tinier_corpus, **whole), tmp_path / "run", progress=False)
    other = {**FLAT, "norm_epsilon": 1e-5, "segment_embeddings": False}
    with pytest.raises(InputError, match=r"norm_epsilon 1e-12, not 1e-05; segment_embeddings true"):
        train(flat_recipe(bert, tinier_corpus, system=other), tmp_path / "run", progress=False)
    masked = bert.run.recipe.model_copy(
        update={"training": bert.run.recipe.training.model_copy(update={"max_steps": 1})}
    )
    with pytest.raises(InputError, match="leaves no decoder"):
        train(masked, tmp_path / "run", progress=False)


@pytest.mark.parametrize("name", ["sentence-bert", "flat-transformer-bert", "g-transformer-bert"])
def test_recipes_have_the_form_of_bert_base(name, tmp_path):
    state = {"source_embedding.learned.weight": torch.empty(512, 1)}
    base = system_settings(DEFAULTS, state, path=tmp_path).model_dump()
    own = recipes.load(name).system.model_dump()
    of_decoder = {"decoder_layers", "share_embeddings"}
    differing = {key for key in base.keys() & own.keys() if base[key] != own[key]}
    assert differing <= {"name", *of_decoder}


@pytest.mark.parametrize("name", ["demo-flat-transformer-bert", "demo-g-transformer-bert"])
def test_demo_recipes_begin_with_a_small_bert(name, bert, tinier_corpus, tmp_path):
    sizes = {"layers": 3, "d_model": 16, "ffn_dim": 24, "decoder_layers": 1, "max_positions": 192}
    overrides = [
        *(f"system.{key}={value}" for key, value in sizes.items()),
        *(
            f"data.{split}={{source: {tinier_corpus}/{split}.en, target: {tinier_corpus}/{split}.de}}"  # noqa: E501
            for split in ("train", "valid", "test")
        ),
        f"initialize.run={bert.run.directory}",
        "training.max_steps=1",
        "text.subword=words",
        *(["instances.max_tokens=192"] if "g-transformer" in name else []),
    ]
    run = train(recipes.load(name, overrides), tmp_path / "run", progress=False)
    assert set(bert.run.state()) - set(run.state()) == set()


def test_too_long_instances_are_found_before_the_training(bert, tinier_corpus, tmp_path):
    data = {"train": {}}
    for side, code, sentence in (("source", "en", "five " * 150), ("target", "de", "fünf")):
        path = tmp_path / f"train.{code}"
        path.write_text((tinier_corpus / path.name).read_text() + sentence + "\n")
        data["train"][side] = str(path)
    problem = r"data\.train has 1 instance with more than system\.max_positions 192 tokens"
    with pytest.raises(InputError, match=problem):
        train(flat_recipe(bert, tinier_corpus, data=data), tmp_path / "run", progress=False)
    data["filter"] = {"max_sentence_tokens": 90}
    recipe = flat_recipe(bert, tinier_corpus, data=data, training={"max_steps": 1})
    train(recipe, tmp_path / "run", progress=False)

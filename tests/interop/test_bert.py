"""BERT as the encoder of other systems: it gives what `transformers` gives, and systems are trained
from it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import BertWordPieceTokenizer
from torch.testing import assert_close
from typer.testing import CliRunner

from docmt import recipes
from docmt.cli import main
from docmt.data import Instance
from docmt.data.collate import collate_source
from docmt.decoding import Translator
from docmt.documents import Document
from docmt.errors import InputError
from docmt.interop import import_huggingface
from docmt.interop.bert import DEFAULTS, system_settings
from docmt.nn.batch import Packed
from docmt.recipes import Recipe, stages
from docmt.runs import Run
from docmt.systems import build
from docmt.training import train
from docmt.training.setup import load_initial_weights
from pretrained_models import change, sentences
from toy import log_lines, toy_recipe

TEXTS = sentences("en")[3:6]
SIZES = {"vocab_size": 300, "hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2,
         "intermediate_size": 24, "max_position_embeddings": 192}  # fmt: skip
NO_CONTEXT = {f"{part}_context_layers": 0 for part in ("encoder", "decoder", "cross")}


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    """A random model of `transformers` whose every part shows, its folder, and its run."""
    folder = tmp_path_factory.mktemp("model")
    words = BertWordPieceTokenizer(lowercase=False)
    words.train_from_iterator(sentences("en"), vocab_size=300, show_progress=False)
    words.save_model(str(folder))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": False})
    )
    tokenizer = transformers.BertTokenizer.from_pretrained(folder)
    torch.manual_seed(1)
    model = transformers.BertModel(transformers.BertConfig(**SIZES)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn(parameter.shape))
    model.save_pretrained(folder)
    run = import_huggingface(str(folder), folder.with_name("bert-run"), languages=("en", None))
    return SimpleNamespace(folder=folder, tokenizer=tokenizer, model=model, run=run)


@pytest.fixture
def copied(bert, tmp_path):
    """A copy of the folder, to be changed."""
    folder = tmp_path / "model"
    folder.mkdir()
    for path in bert.folder.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def imported(folder, tmp_path):
    return import_huggingface(str(folder), tmp_path / "run", languages=("en", None))


def refused(folder, tmp_path, **keys):
    with pytest.raises(InputError) as caught:
        import_huggingface(str(folder), tmp_path / "run", **{"languages": ("en", None), **keys})
    assert not (tmp_path / "run").exists()
    return str(caught.value)


def source(run, *instances):
    """Instances of these texts, packed."""
    encode = run.pipeline.encode_sentence
    return collate_source(
        [Instance(str(i), 0, [encode(text) for text in texts]) for i, texts in
         enumerate(instances)],
        run.pipeline.special_tokens,
    )  # fmt: skip


def with_encoder(bert, **keys):
    """A system that begins with it."""
    form = bert.run.recipe.system.model_dump(exclude={"name", "count_positions", "preset"})
    system = {**form, "decoder_layers": 1, "share_embeddings": False, **keys}
    recipe = Recipe.read(
        {
            "data": {}, "text": {"joint": False}, "system": system,
            "instances": {"kind": "sentence", "previous_sentences": 2}
            if keys["name"] == "flat-transformer" else {"kind": "tokens", "max_tokens": 192},
            "initialize": {"run": str(bert.run.directory), "load": "encoder"},
        }
    )  # fmt: skip
    made = build(recipe.system, len(bert.run.pipeline.source_vocabulary), 40).eval()
    loaded = load_initial_weights(replace(bert.run, recipe=recipe), made)
    assert all(name.startswith(("encoder.", "source_embedding.")) for name in loaded)
    return made


@torch.no_grad()
def theirs(bert, ids, positions=None, segments=None):
    """The states that `transformers` gives of one sequence of token ids."""
    keys = {"position_ids": positions, "token_type_ids": segments}
    keys = {key: torch.tensor([value]) for key, value in keys.items() if value is not None}
    return bert.model(input_ids=torch.tensor([ids]), **keys).last_hidden_state[0]


def test_sentences_have_the_ids_and_special_tokens_of_the_tokenizer(bert):
    packed = source(bert.run, *([text] for text in TEXTS))
    expected = [i for text in TEXTS for i in bert.tokenizer(text).input_ids]
    assert packed.tokens.tolist() == expected
    assert bert.tokenizer.unk_token_id not in expected


def test_vocab_txt_alone_gives_the_same_tokens(bert, copied, tmp_path):
    assert not (copied / "tokenizer.json").exists()
    bert.tokenizer.save_pretrained(copied)
    (copied / "vocab.txt").unlink(missing_ok=True)
    other = imported(copied, tmp_path).pipeline
    own = bert.run.pipeline
    for text in (*TEXTS, "Ein Café [MASK] 北京 [SEP]"):
        assert other.encode_sentence(text) == own.encode_sentence(text)
    assert other.source_vocabulary.tokens == own.source_vocabulary.tokens


def test_special_tokens_have_the_names_that_docmt_knows(bert):
    vocabulary = bert.run.pipeline.source_vocabulary
    assert vocabulary.unk_id == bert.tokenizer.unk_token_id
    assert vocabulary.mask_id == bert.tokenizer.mask_token_id
    spelled = set(bert.run.pipeline.encode_sentence("[CLS] [MASK] [SEP] [PAD]"))
    assert not spelled & (vocabulary.special_ids - {vocabulary.unk_id})


@torch.no_grad()
def test_the_states_are_those_of_transformers(bert):
    memory = bert.run.system().encode(source(bert.run, *([text] for text in TEXTS)))
    expected = [theirs(bert, bert.tokenizer(text).input_ids) for text in TEXTS]
    assert_close(memory.states, torch.cat(expected), atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_a_transformer_reads_an_instance_as_one_sequence(bert):
    memory = with_encoder(bert, name="transformer").encode(source(bert.run, TEXTS[:2]))
    ids = [i for text in TEXTS[:2] for i in bert.tokenizer(text).input_ids]
    assert_close(memory.states, theirs(bert, ids), atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_a_g_transformer_reads_each_sentence_as_it_does(bert):
    encoded = [bert.tokenizer(text).input_ids for text in TEXTS]
    keys = {"name": "g-transformer", **NO_CONTEXT}
    memory = with_encoder(bert, **keys, count_positions="sentence").encode(source(bert.run, TEXTS))
    expected = [theirs(bert, ids) for ids in encoded]
    assert_close(memory.states, torch.cat(expected), atol=1e-5, rtol=1e-5)
    memory = with_encoder(bert, **keys).encode(source(bert.run, TEXTS))
    begins = [sum(map(len, encoded[:k])) for k in range(3)]
    expected = [
        theirs(bert, ids, positions=list(range(begin, begin + len(ids))))
        for ids, begin in zip(encoded, begins, strict=True)
    ]
    assert_close(memory.states, torch.cat(expected), atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_a_g_transformer_loads_it_as_group_attention_and_adds_the_rest(bert):
    settings = with_encoder(bert, name="g-transformer", encoder_context_layers=2,
                            decoder_context_layers=1, cross_context_layers=1)  # fmt: skip
    state, start = settings.state_dict(), bert.run.state()
    loaded = [name for name in start if not name.startswith("target")]
    assert all(torch.equal(state[name], start[name]) for name in loaded)
    added = {n for n in state if n.startswith("encoder.")} - set(loaded)
    assert {".".join(n.split(".")[:2]) for n in added} == {"encoder.1", "encoder.2"}
    assert all(".global_attention." in name or ".gate." in name for name in added)


@torch.no_grad()
def test_a_flat_transformer_reads_the_context_as_another_segment(bert):
    system = with_encoder(bert, name="flat-transformer", top_layers=0)
    packed = source(bert.run, TEXTS[2:])
    before = source(bert.run, TEXTS[:2])
    packed = replace(packed, context=Packed(before.tokens, before.sentences, before.instances))
    ids, own = before.tokens.tolist(), packed.tokens.tolist()
    states = theirs(bert, ids + own, segments=[1] * len(ids) + [0] * len(own))
    assert_close(system.encode(packed).states, states[len(ids) :], atol=1e-5, rtol=1e-5)


FLAT = {"name": "flat-transformer", "layers": 3, "d_model": 16, "ffn_dim": 24, "decoder_layers": 1,
        "norm": "post", "activation": "gelu", "positions": "learned", "max_positions": 192,
        "scale_embeddings": False, "normalize_embeddings": True, "norm_epsilon": 1e-12,
        "target_embeddings": "sinusoidal", "share_embeddings": False}  # fmt: skip


def flat_recipe(bert, corpus, **sections):
    return toy_recipe(
        corpus,
        **{
            "text": {"joint": False},
            "instances": {"kind": "sentence", "previous_sentences": 1},
            "system": FLAT,
            "training": {"max_steps": 12, "validate_every": 4},
            "initialize": {
                "run": str(bert.run.directory), "load": "encoder", "loaded_learning_rate": 1e-3,
            },
            **sections,
        },
    )  # fmt: skip


def test_it_learns_resumes_and_translates(bert, tinier_corpus, tmp_path, monkeypatch):
    recipe = flat_recipe(bert, tinier_corpus)
    run = train(recipe, tmp_path / "run", progress=False)
    losses = [line["loss"] for line in log_lines(run, "valid")]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] - 0.1

    from docmt.training import trainer

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
    pipeline = Run.load(run.directory).pipeline
    assert pipeline.source_vocabulary.tokens == bert.run.pipeline.source_vocabulary.tokens
    assert pipeline.encode_sentence("one two") == bert.run.pipeline.encode_sentence("one two")
    assert "drei" in pipeline.target_vocabulary.tokens
    special, theirs = pipeline.special_tokens, bert.run.pipeline.special_tokens
    assert special.source_begin == theirs.source_begin
    assert special.target_end == pipeline.target_vocabulary.eos_id
    (translation,) = Translator.load(run.directory).translate([Document("d", ("one two", "six"))])
    assert len(translation.document.target) == 2


def test_a_later_stage_begins_with_all_of_the_stage_before(bert, tinier_corpus, tmp_path):
    g_transformer = {"name": "g-transformer", "encoder_context_layers": 1,
                     "decoder_context_layers": 1, "cross_context_layers": 1}  # fmt: skip
    recipe = flat_recipe(
        bert, tinier_corpus,
        instances={"kind": "tokens", "max_tokens": 192},
        system={**FLAT, **g_transformer, "segment_embeddings": True},
        training={"max_steps": 2, "validate_every": 2},
        stages=[
            {"name": "sentence", "system": {"name": "transformer"},
             "instances": {"kind": "sentence"}},
            {"name": "document"},
        ],
    )  # fmt: skip
    (_, first), (_, second) = stages(recipe, tmp_path / "run")
    assert (first.initialize.load, second.initialize.load) == ("encoder", "all")
    run = train(recipe, tmp_path / "run", progress=False)
    sentence = Run.load(tmp_path / "run" / "stages" / "sentence")
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
        Translator.load(run.directory).translate([document])
    path = run.directory / "recipe.yaml"
    path.write_text(path.read_text().replace("long_context: error", "long_context: shorten"))
    alone = Document("e", ("six seven",))
    found, expected = Translator.load(run.directory).translate([document, alone])
    assert found.document.target[1] == expected.document.target[0]


def test_the_command_says_how_to_begin_a_training(bert, copied, tmp_path):
    arguments = ["import", "huggingface", str(copied), "--run", str(tmp_path / "run")]
    result = CliRunner().invoke(main, [*arguments, "--source-language", "en"])
    assert result.exit_code == 0, result.output
    assert "load: encoder" in result.output
    with pytest.raises(InputError, match=r"cannot translate.*initialize\.load: encoder"):
        Translator.load(tmp_path / "run").translate([Document("d", ("one",))])


def test_old_names_of_tensors_and_other_heads_are_read(bert, copied, tmp_path):
    path = copied / "model.safetensors"
    new = {"gamma": "weight", "beta": "bias"}
    weights = load_file(path)
    for old, now in new.items():
        weights = {
            re.sub(rf"LayerNorm\.{now}$", f"LayerNorm.{old}", name): tensor
            for name, tensor in weights.items()
        }
    weights = {f"bert.{name}": tensor for name, tensor in weights.items()}
    weights["cls.predictions.bias"] = torch.zeros(300)
    save_file(weights, path)
    state = imported(copied, tmp_path).state()
    assert state.keys() == bert.run.state().keys()
    assert all(torch.equal(state[name], tensor) for name, tensor in bert.run.state().items())


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"hidden_act": "gelu_new"}, "hidden_act 'gelu_new' is not supported"),
        ({"position_embedding_type": "relative_key"}, "position_embedding_type 'relative_key'"),
        ({"is_decoder": True}, "is_decoder True is not supported"),
        ({"hidden_size": 32}, "hidden_size is 32"),
        ({"num_hidden_layers": 4}, "num_hidden_layers is 4"),
        ({"num_hidden_layers": "3"}, "num_hidden_layers is '3', which is not valid"),
    ],
)
def test_a_form_that_docmt_lacks_is_an_error(copied, tmp_path, keys, problem):
    change(copied / "config.json", **keys)
    assert problem in refused(copied, tmp_path)


def test_a_model_that_is_not_whole_is_an_error(copied, tmp_path):
    assert "reads one language" in refused(copied, tmp_path, languages=(None, None))
    assert "reads one language" in refused(copied, tmp_path, languages=("en", "de"))
    path = copied / "model.safetensors"
    weights = load_file(path)
    missing = "embeddings.token_type_embeddings.weight"
    save_file({name: tensor for name, tensor in weights.items() if name != missing}, path)
    assert f"lacks the tensor {missing}" in refused(copied, tmp_path)
    save_file({**weights, missing: torch.zeros(1, 16)}, path)
    assert "type_vocab_size 1 is not supported" in refused(copied, tmp_path)
    save_file({**weights, "encoder.layer.0.adapter.weight": torch.zeros(1)}, path)
    assert "unknown tensor 'encoder.layer.0.adapter.weight'" in refused(copied, tmp_path)
    save_file(weights, path)
    words = (copied / "vocab.txt").read_text()
    (copied / "vocab.txt").write_text(words.replace("[SEP]", "[sep]"))
    assert "sep_token not found" in refused(copied, tmp_path)
    (copied / "vocab.txt").write_text(words + "one_more\n")
    assert "the model has 300 embeddings" in refused(copied, tmp_path)
    (copied / "vocab.txt").unlink()
    assert "holds neither tokenizer.json nor vocab.txt" in refused(copied, tmp_path)


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
        *(f"data.{split}={{source: {tinier_corpus}/{split}.en, target: {tinier_corpus}/{split}.de}}"
          for split in ("train", "valid", "test")),
        f"initialize.run={bert.run.directory}", "training.max_steps=1", "text.subword=words",
        *(["instances.max_tokens=192"] if "g-transformer" in name else []),
    ]  # fmt: skip
    run = train(recipes.load(name, overrides), tmp_path / "run", progress=False)
    assert set(bert.run.state()) - set(run.state()) == set()

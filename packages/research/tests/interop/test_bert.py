"""BERT as the encoder of other systems: it gives what `transformers` gives, and systems are trained
from it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.testing import assert_close
from typer.testing import CliRunner

from docmt.cli import main
from docmt.interop import import_huggingface
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate_source
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.nn.batch import Packed
from docmt_nmt.recipes import Recipe
from docmt_nmt.systems import build
from docmt_nmt.training.setup import load_initial_weights
from pretrained_models import change, sentences

TEXTS = sentences("en")[3:6]
NO_CONTEXT = {f"{part}_context_layers": 0 for part in ("encoder", "decoder", "cross")}


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
        [
            Instance(str(i), 0, [encode(text) for text in texts])
            for i, texts in enumerate(instances)
        ],
        run.pipeline.special_tokens,
    )


def with_encoder(bert, **keys):
    """A system that begins with it."""
    form = bert.run.recipe.system.model_dump(exclude={"name", "count_positions", "preset"})
    system = {**form, "decoder_layers": 1, "share_embeddings": False, **keys}
    recipe = Recipe.read(
        {
            "data": {},
            "text": {"joint": False},
            "system": system,
            "instances": {"kind": "sentence", "previous_sentences": 2}
            if keys["name"] == "flat-transformer"
            else {"kind": "tokens", "max_tokens": 192},
            "initialize": {"run": str(bert.run.directory), "load": "encoder"},
        }
    )
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
    settings = with_encoder(
        bert,
        name="g-transformer",
        encoder_context_layers=2,
        decoder_context_layers=1,
        cross_context_layers=1,
    )
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


def test_the_command_says_how_to_begin_a_training(bert, copied, tmp_path):
    arguments = ["import", "huggingface", str(copied), "--run", str(tmp_path / "run")]
    result = CliRunner().invoke(main, [*arguments, "--source-language", "en"])
    assert result.exit_code == 0, result.output
    assert "load: encoder" in result.output
    with pytest.raises(InputError, match=r"cannot translate.*initialize\.load: encoder"):
        BeamSearchTranslator.load(tmp_path / "run").translate([Document("d", ("one",))])


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

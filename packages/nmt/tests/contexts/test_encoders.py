"""Encoders that others trained: what they read, and that it is what they were trained to read."""

from __future__ import annotations

import io
import json
import lzma
import re
import shutil

import numpy as np
import pytest
import safetensors.torch
import torch

from docmt_files.base.errors import InputError
from docmt_nmt.contexts import Passage
from docmt_nmt.contexts.context_encoders import check_sentence_count, load_encoder
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.data import Instance
from docmt_nmt.data.collate import collate_source
from docmt_nmt.systems.parallel_stack_settings import ContextSettings
from docmt_nmt.systems.stack_notation import parse


def encoder(name="system.contexts.B", **keys):
    return load_encoder(name, ContextSettings.read(keys), "cpu")


def passage(*sentences, current=0):
    return Passage(sentences, tuple(index - current for index in range(len(sentences))))


@pytest.fixture(scope="module")
def text():
    """Real sentences."""
    with lzma.open(corpus_file("test.en.xz"), "rt", encoding="utf-8") as file:
        return [line.strip() for line in file if not line.startswith("<d>")][:40]


def test_the_states_of_bert_are_those_it_has_for_a_pair_of_sentences(bert):
    import transformers

    model = transformers.AutoModel.from_pretrained(bert).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(bert)
    own = encoder(kind="huggingface", model=str(bert), d_model=12)
    (found,) = own.encode([passage("the monk spoke", "they heard", current=1)])
    with torch.no_grad():
        inputs = tokenizer("the monk spoke", "they heard", return_tensors="pt")
        assert inputs["token_type_ids"].unique().tolist() == [0, 1]
        expected = model(**inputs).last_hidden_state[0]
    np.testing.assert_allclose(found, expected, atol=2e-3)


def test_the_encoder_of_pegasus_reads_running_text(pegasus):
    import transformers

    model = transformers.AutoModel.from_pretrained(pegasus).get_encoder().eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(pegasus)
    own = encoder(kind="huggingface", model=str(pegasus), d_model=8)
    (found,) = own.encode([passage("the monk", "spoke.", "so")])
    with torch.no_grad():
        inputs = tokenizer("the monk spoke. so", return_tensors="pt", return_token_type_ids=False)
        expected = model(**inputs).last_hidden_state[0]
    np.testing.assert_allclose(found, expected, atol=2e-3)


def test_the_encoder_of_a_run_reads_a_passage_as_it_read_documents(english):
    own = encoder(kind="run", run=str(english.directory), d_model=16)
    sentences = ("one two", "three", "four five six")
    (found,) = own.encode([passage(*sentences)])
    numbers = [english.pipeline.encode_sentence(sentence) for sentence in sentences]
    packed = collate_source([Instance("", 0, numbers)], english.pipeline.special_tokens)
    with torch.no_grad():
        expected = english.system().encode(packed).states
    np.testing.assert_allclose(found, expected, atol=2e-3, rtol=1e-3)


@pytest.mark.parametrize("kind", ["bert", "pegasus", "run"])
def test_a_passage_does_not_depend_on_what_is_encoded_with_it(kind, bert, pegasus, english, text):
    own = {
        "bert": lambda: encoder(
            kind="huggingface", model=str(bert), d_model=12, too_long="truncate"
        ),
        "pegasus": lambda: encoder(
            kind="huggingface", model=str(pegasus), d_model=8, too_long="truncate"
        ),
        "run": lambda: encoder(kind="run", run=str(english.directory), d_model=16),
    }[kind]()
    passages = [passage(sentence) for sentence in text]
    together = own.encode(passages)
    assert len({len(states) for states in together}) > 5
    for alone, states in zip((own.encode([p])[0] for p in passages), together, strict=True):
        np.testing.assert_allclose(alone, states, atol=2e-3)


def test_a_passage_without_sentences_has_no_states(english):
    own = encoder(kind="run", run=str(english.directory), d_model=16)
    empty, one = own.encode([passage(), passage("one")])
    assert empty.shape == (0, 16)
    assert len(one) == 3


def test_context_beyond_the_limit_is_an_error_or_is_cut_from_afar(english):
    keys = {"kind": "run", "run": str(english.directory), "d_model": 16, "max_tokens": 8}
    long = passage("one two three", "four", "five six", current=1)  # 5 + 3 + 4 tokens
    with pytest.raises(
        InputError, match=r"has 12 tokens, but the encoder reads at most 8.*too_long: truncate"
    ):
        encoder(**keys).encode([long])
    cutting = encoder(**keys, too_long="truncate")
    plain = encoder(**{**keys, "max_tokens": None})
    (found,) = cutting.encode([long])
    # The first of two that are equally far goes first.
    (expected,) = plain.encode([passage("four", "five six")])
    np.testing.assert_array_equal(found, expected)
    (found,) = cutting.encode([passage("one two three four five six seven eight nine")])
    (expected,) = plain.encode([passage("one two three four five six")])
    np.testing.assert_array_equal(found, expected)
    assert cutting.truncated == 2


def test_what_a_model_cannot_read_cannot_be_asked_of_it(bert):
    with pytest.raises(InputError, match="max_tokens is 65, but the model reads at most 64 tokens"):
        encoder(kind="huggingface", model=str(bert), d_model=12, max_tokens=65)


def test_a_run_with_learned_positions_reads_as_many_tokens(tiny_corpus, tmp_path):
    from docmt_nmt.training import train
    from toy import toy_recipe

    form = {"layers": 1, "d_model": 16, "heads": 2, "positions": "learned", "max_positions": 40}
    recipe = toy_recipe(
        tiny_corpus, instances={"kind": "sentence"}, system=form, training={"max_steps": 1}
    )
    run = train(recipe, tmp_path / "run", progress=False)
    own = encoder(kind="run", run=str(run.directory), d_model=16)
    with pytest.raises(InputError, match="the encoder reads at most 40"):
        own.encode([passage(*["one two three"] * 12)])
    cutting = encoder(kind="run", run=str(run.directory), d_model=16, too_long="truncate")
    (found,) = cutting.encode([passage(*["one two three"] * 12)])
    assert 0 < len(found) <= 40


def test_bert_is_given_two_sentences_at_most(bert):
    own = encoder(kind="huggingface", model=str(bert), d_model=12)
    (block,) = parse("Bs(p,c,n)")
    with pytest.raises(InputError, match=r"Bs\(p,c,n\) gives 3 sentences to .* at most 2 at once"):
        check_sentence_count("Bs(p,c,n)", block, own)


def test_a_wrong_d_model_is_an_error_that_says_the_right_one(bert):
    with pytest.raises(
        InputError, match=r"B.d_model is 13, but .* have 12 dimensions. Set .*d_model=12"
    ):
        encoder(kind="huggingface", model=str(bert), d_model=13)


def test_the_same_files_have_the_same_fingerprint_and_others_another(bert, english, tmp_path):
    own = encoder(kind="huggingface", model=str(bert), d_model=12)
    shutil.copytree(bert, tmp_path / "copy")
    copied = encoder(kind="huggingface", model=str(tmp_path / "copy"), d_model=12)
    assert own.fingerprint == copied.fingerprint
    shorter = encoder(kind="huggingface", model=str(bert), d_model=12, max_tokens=10)
    run = encoder(kind="run", run=str(english.directory), d_model=16)
    assert len({own.fingerprint, shorter.fingerprint, run.fingerprint}) == 3


def test_a_digest_tells_texts_and_contexts_apart(english):
    own = encoder(kind="run", run=str(english.directory), d_model=16)
    passages = [
        passage("one two"),
        passage("one", "two"),
        passage("one", "two", current=1),
        passage("two", "one"),
        passage(),
    ]
    assert len({own.digest(p) for p in passages}) == len(passages)
    assert own.digest(passage("one")) == own.digest(passage("one"))


@pytest.mark.parametrize("missing", ["model.safetensors", "config.json", "tokenizer.json"])
def test_a_folder_that_lacks_a_file_is_an_error_that_says_what_belongs_there(
    bert, tmp_path, missing
):
    folder = tmp_path / "model"
    shutil.copytree(bert, folder)
    (folder / missing).unlink()
    (folder / "vocab.txt").unlink()
    with pytest.raises(InputError, match=r"B.model cannot be loaded.*a folder with config.json"):
        encoder(kind="huggingface", model=str(folder), d_model=12)


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "tokenizer.json"])
def test_a_file_that_was_downloaded_by_half_is_an_error(bert, tmp_path, file):
    path = shutil.copytree(bert, tmp_path / "model") / file
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(InputError, match=r"B.model cannot be loaded"):
        encoder(kind="huggingface", model=str(path.parent), d_model=12)


def test_weights_of_another_size_than_the_configuration_are_an_error(bert, tmp_path):
    path = shutil.copytree(bert, tmp_path / "model") / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "hidden_size": 24}))
    with pytest.raises(InputError, match=r"B.model cannot be loaded"):
        encoder(kind="huggingface", model=str(path.parent), d_model=24)


EVIL = """
from pathlib import Path
Path(__file__).with_name("ran").touch()
from transformers import BertConfig, BertModel, BertTokenizer
class Config(BertConfig):
    model_type = "zzz"
class Model(BertModel):
    config_class = Config
class Tokenizer(BertTokenizer):
    pass
"""


@pytest.mark.parametrize("model_type", ["zzz", "bert"])
def test_code_in_the_folder_of_a_model_is_not_run_whatever_standard_input_says(
    bert, tmp_path, monkeypatch, model_type
):
    cache = tmp_path / "modules"
    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(cache))
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n" * 10))
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("a question was asked"))
    folder = shutil.copytree(bert, tmp_path / "model")
    (folder / "evil.py").write_text(EVIL)
    config = json.loads((folder / "config.json").read_text())
    auto = {"AutoConfig": "evil.Config", "AutoModel": "evil.Model"}
    (folder / "config.json").write_text(
        json.dumps({**config, "model_type": model_type, "auto_map": auto})
    )
    tokenizer = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(
        json.dumps({**tokenizer, "auto_map": {"AutoTokenizer": ["evil.Tokenizer", None]}})
    )
    keys = {"kind": "huggingface", "model": str(folder), "d_model": 12}
    if model_type == "bert":
        assert encoder(**keys).d_model == 12  # the library's own classes
    else:
        with pytest.raises(InputError, match=r"B.model .*, which docmt does not run") as caught:
            encoder(**keys)
        assert "trust_remote_code" not in str(caught.value)
    assert not list(tmp_path.rglob("ran"))


def test_a_model_with_a_weight_that_is_not_a_number_is_refused(bert, tmp_path):
    path = shutil.copytree(bert, tmp_path / "model") / "model.safetensors"
    weights = safetensors.torch.load_file(path)
    name = next(name for name in weights if "attention" in name)
    weights[name][0] = float("nan")
    safetensors.torch.save_file(weights, path, metadata={"format": "pt"})
    with pytest.raises(InputError, match=re.escape(f"{name} holds NaN or infinity")):
        encoder(kind="huggingface", model=str(path.parent), d_model=12)


def test_positions_that_a_model_computes_need_not_lie_in_its_files(pegasus, tmp_path):
    import transformers

    folder = shutil.copytree(pegasus, tmp_path / "model")
    sizes = transformers.PegasusConfig.from_pretrained(pegasus).to_dict()
    config = transformers.MarianConfig(**{**sizes, "model_type": "marian"})
    transformers.MarianMTModel(config).save_pretrained(folder)
    own = encoder(kind="huggingface", model=str(folder), d_model=8)
    (found,) = own.encode([passage("the monk spoke.")])
    model = transformers.MarianMTModel.from_pretrained(folder).get_encoder().eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(pegasus)
    with torch.no_grad():
        inputs = tokenizer("the monk spoke.", return_tensors="pt", return_token_type_ids=False)
        np.testing.assert_allclose(found, model(**inputs).last_hidden_state[0], atol=2e-3)


def test_a_model_that_numbers_no_positions_has_no_limit(bert, tmp_path):
    import transformers

    folder = shutil.copytree(bert, tmp_path / "model")
    config = transformers.XLNetConfig(vocab_size=200, d_model=8, n_layer=1, n_head=2, d_inner=16)
    transformers.XLNetModel(config).save_pretrained(folder)
    own = encoder(kind="huggingface", model=str(folder), d_model=8)
    assert own.max_tokens is None
    (found,) = own.encode([passage(*["the monk spoke."] * 30)])
    assert len(found) > 64


def test_a_run_of_another_system_is_an_error(tiny_corpus, tmp_path):
    from docmt_nmt.training import train
    from toy import toy_recipe

    sizes = {"layers": 1, "d_model": 16, "heads": 2, "ffn_dim": 32}
    layers = {f"{part}_context_layers": 0 for part in ("encoder", "decoder", "cross")}
    recipe = toy_recipe(
        tiny_corpus, system={"name": "g-transformer", **sizes, **layers}, training={"max_steps": 1}
    )
    run = train(recipe, tmp_path / "run", progress=False)
    with pytest.raises(InputError, match="system g-transformer, but only the encoder of a trans"):
        encoder(kind="run", run=str(run.directory), d_model=16)

"""Pretrained models of Hugging Face whose files are missing, damaged or at odds are refused."""

from __future__ import annotations

import json
import re

import pytest
import safetensors.torch
import torch

from pretrained_models import change, imported, refused


def test_a_family_that_is_not_supported_is_named_beside_those_that_are(copied, tmp_path):
    folder = copied("bart")
    change(folder / "config.json", model_type="pegasus")
    said = refused(folder, "bart", tmp_path)
    assert "model_type 'pegasus' is not supported" in said
    # docmt-llm adds its families to those.
    listed = said.replace("and bert", "bert")
    assert "marian (OPUS-MT), bart, mbart (25 and 50), m2m_100 (M2M100 and NLLB), bert" in listed


@pytest.mark.parametrize(
    ("family", "file", "message"),
    [
        ("bart", "config.json", "does not hold config.json"),
        (
            "bart",
            "tokenizer.json",
            "lacks tokenizer.json, which the tokenizer of BART models needs",
        ),
        ("bart", "model.safetensors", "does not hold model.safetensors"),
        ("marian", "target.spm", "lacks target.spm, which the tokenizer of Marian models needs"),
        ("m2m-100", "vocab.json", "lacks vocab.json, which the tokenizer of M2M100 models needs"),
    ],
)
def test_a_file_that_was_not_downloaded_is_named(copied, tmp_path, family, file, message):
    folder = copied(family)
    (folder / file).unlink()
    assert message in refused(folder, family, tmp_path)


@pytest.mark.parametrize(
    ("family", "file", "message"),
    [
        ("bart", "config.json", "is not valid JSON, or only part of it"),
        ("bart", "tokenizer.json", "is not a valid tokenizer, or only part of one"),
        ("bart", "model.safetensors", "is damaged or incomplete"),
        ("marian", "source.spm", "is not a valid sentencepiece model, or only part of one"),
        ("marian", "vocab.json", "is not valid JSON, or only part of it"),
    ],
)
def test_a_file_that_was_downloaded_by_half_is_named(copied, tmp_path, family, file, message):
    path = copied(family) / file
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    said = refused(path.parent, family, tmp_path)
    assert message in said
    assert str(path) in said


def test_weights_in_shards_are_read_and_a_missing_one_is_named(copied, tmp_path):
    folder = copied("bart")
    whole = safetensors.torch.load_file(folder / "model.safetensors")
    names = sorted(whole)
    parts = {"model-1.safetensors": names[:9], "model-2.safetensors": names[9:]}
    for file, own in parts.items():
        safetensors.torch.save_file({name: whole[name] for name in own}, folder / file)
    index = {"weight_map": {name: file for file, own in parts.items() for name in own}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "model.safetensors").rename(tmp_path / "whole.safetensors")
    assert imported(folder, "bart", tmp_path / "first").weights.is_file()
    (folder / "model-2.safetensors").unlink()
    assert "lacks model-2.safetensors, of 2 weight files" in refused(folder, "bart", tmp_path)


@pytest.mark.parametrize("shard", [["a"], "a" * 5000, "../model.safetensors", "a\0b", None, 3])
def test_a_shard_that_is_not_a_file_of_the_folder_is_refused(copied, tmp_path, shard):
    folder = copied("bart")
    (folder / "model.safetensors").rename(folder.parent / "model.safetensors")
    index = {"weight_map": {"model.shared.weight": shard}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    assert "which is not a file of its own folder" in refused(folder, "bart", tmp_path)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_refused_by_name(copied, tmp_path, value):
    folder = copied("bart")
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    weights["model.decoder.layers.1.fc1.bias"][3] = value
    safetensors.torch.save_file(weights, folder / "model.safetensors")
    said = refused(folder, "bart", tmp_path)
    assert "model.decoder.layers.1.fc1.bias holds NaN or infinity" in said


@pytest.mark.parametrize(
    "name", ["model.shared.weight", "lm_head.weight", "model.encoder.embed_positions.weight"]
)
def test_embeddings_that_are_no_table_are_refused_by_name(copied, tmp_path, name):
    folder = copied("bart")
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    weights[name] = torch.tensor(1.0)
    safetensors.torch.save_file(weights, folder / "model.safetensors")
    said = refused(folder, "bart", tmp_path)
    assert f"{name.removeprefix('model.')} has the shape ()" in said


def test_weights_of_mixed_precision_are_imported(copied, tmp_path):
    folder = copied("bart")
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    weights["lm_head.weight"] = weights["model.shared.weight"].clone()
    weights["model.shared.weight"] = weights["model.shared.weight"].half()
    safetensors.torch.save_file(weights, folder / "model.safetensors")
    change(folder / "config.json", tie_word_embeddings=False)
    assert imported(folder, "bart", tmp_path).weights.is_file()


@pytest.mark.parametrize("file", ["config.json", "generation_config.json", "tokenizer_config.json"])
def test_json_nested_too_deeply_is_an_error_that_names_the_file(copied, tmp_path, file):
    path = copied("bart") / file
    path.write_text("[" * 100_000)
    assert f"{path}: is not valid JSON" in refused(path.parent, "bart", tmp_path)


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b"])
def test_a_name_that_no_file_can_have_is_an_error(tmp_path, name):
    assert "is not a folder, and cannot be downloaded" in refused(name, "bart", tmp_path)


class Payload:
    def __reduce__(self):
        return (print, ("code in a model was run",))


def test_a_pickle_is_read_only_when_asked_for_and_nothing_in_it_runs(copied, tmp_path, capsys):
    folder = copied("bart")
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(weights, folder / "pytorch_model.bin")
    said = refused(folder, "bart", tmp_path)
    assert "only a pickle, pytorch_model.bin" in said and "`pickle`" in said
    assert imported(folder, "bart", tmp_path / "first", pickle=True).weights.is_file()
    torch.save({"weight": Payload()}, folder / "pytorch_model.bin")
    assert "holds something else" in refused(folder, "bart", tmp_path, pickle=True)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"encoder_layers": 3}, "the weights do not fit .*missing: encoder.2"),
        ({"d_model": 32}, "the weights do not fit .*different shapes"),
        ({"decoder_attention_heads": 4}, "encoder_attention_heads 2 differs from decoder_"),
        ({"activation_function": "gelu_new"}, "activation_function 'gelu_new' is not supported"),
        (
            {"activation_function": ["gelu"]},
            r"activation_function is \['gelu'\], .* default is 'gelu'",
        ),
        ({"d_model": "wide"}, "config.json: d_model is 'wide', .* default is 1024"),
        ({"encoder_layers": -1}, "config.json: encoder_layers is -1, .* default is 12"),
        ({"scale_embedding": 1}, "config.json: scale_embedding is 1, .* default is False"),
        ({"num_beams": "five"}, "key 'beam_size': .*five"),
        ({"length_penalty": "long"}, "key 'length_penalty': .*long"),
        ({"early_stopping": "late"}, "key 'early_stopping': .*late"),
    ],
)
def test_settings_that_do_not_fit_the_weights_or_docmt_are_named(copied, tmp_path, keys, message):
    folder = copied("bart")
    change(folder / "config.json", **keys)
    assert re.search(message, refused(folder, "bart", tmp_path))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"d_model": 10**6}, r"source_embedding.table.weight is \d+ × 16, but d_model is 1000000"),
        (
            {"encoder_ffn_dim": 10**6, "decoder_ffn_dim": 10**6},
            "is 24 × 16, but encoder_ffn_dim is",
        ),
        ({"encoder_layers": 1000}, "missing: encoder.2, but encoder_layers is 1000"),
        ({"decoder_layers": 1000}, "missing: decoder.2, but decoder_layers is 1000"),
    ],
)
def test_absurd_sizes_are_refused_before_a_system_of_them_is_built(copied, tmp_path, keys, message):
    folder = copied("bart")
    change(folder / "config.json", **keys)
    said = refused(folder, "bart", tmp_path)
    assert re.search(message, said)
    assert "the weights do not fit config.json" in said and "recipe" not in said


def test_impossible_sizes_are_refused_by_their_key(copied, tmp_path):
    folder = copied("bart")
    change(folder / "config.json", d_model=10**30)
    assert "key 'd_model': Input should be less than" in refused(folder, "bart", tmp_path)


def test_weights_that_are_not_those_of_their_config_are_named_without_a_recipe(copied, tmp_path):
    folder = copied("bart")
    change(folder / "config.json", encoder_layers=1)
    said = refused(folder, "bart", tmp_path)
    assert "the weights do not fit config.json (not in the system of config.json: encoder.1" in said
    assert "save_pretrained" in said and "recipe" not in said


def test_a_generation_setting_of_another_kind_is_named(copied, tmp_path):
    folder = copied("bart")
    change(folder / "generation_config.json", eos_token_id=[2])
    said = refused(folder, "bart", tmp_path)
    assert "eos_token_id is [2], which is not valid; its default is 2" in said
    assert "or in generation_config.json" in said


def test_a_model_on_the_hub_without_a_network_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    said = refused("nobody/no-such-model", "bart", tmp_path)
    assert "is not a folder, and cannot be downloaded from the Hugging Face hub" in said
    assert "download the model elsewhere and name its folder" in said


def test_a_model_that_the_hub_has_as_a_pickle_only_says_how_to_read_it(
    copied, tmp_path, monkeypatch
):
    folder = copied("bart")
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()

    def download(name, *, allow_patterns):
        if "pytorch_model*.bin" in allow_patterns:
            torch.save(weights, folder / "pytorch_model.bin")
        return str(folder)

    monkeypatch.setattr("docmt.interop.huggingface_weights.snapshot_download", download)
    said = refused("somebody/some-model", "bart", tmp_path)
    assert "has no safetensors on the Hugging Face hub" in said and "Add `pickle`" in said
    assert imported("somebody/some-model", "bart", tmp_path / "run", pickle=True).weights.is_file()

"""Importing pretrained models of Hugging Face: what comes of it, and what is refused."""

from __future__ import annotations

import json
import re
import shutil

import pytest
import safetensors.torch
import torch
from typer.testing import CliRunner

from docmt.cli import main
from docmt.decoding import Translator
from docmt.documents import Document
from docmt.errors import InputError
from docmt.interop import import_huggingface
from docmt.recipes import Recipe
from docmt.runs import Run
from docmt.training import train
from pretrained_models import LANGUAGES, make, save, sentences, spm

FAMILIES = ("marian", "mbart-50", "m2m-100", "bart")


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """A folder of each family; tests must not write into them."""
    made = {}
    for family in FAMILIES:
        made[family] = tmp_path_factory.mktemp(family)
        make(made[family], family, steps=0)
    return made


@pytest.fixture
def copied(folders, tmp_path):
    """Gives a copy of a family's folder."""

    def copy(family):
        return shutil.copytree(folders[family], tmp_path / family)

    return copy


def imported(folder, family, tmp_path, **keys):
    languages = keys.pop("languages", LANGUAGES[family])
    return import_huggingface(str(folder), tmp_path / "run", languages=languages, **keys)


def refused(folder, family, tmp_path, **keys):
    """What is said of a model that cannot be imported; nothing is written."""
    with pytest.raises(InputError) as caught:
        imported(folder, family, tmp_path, **keys)
    assert not (tmp_path / "run").exists()
    return str(caught.value)


def change(path, **keys):
    state = json.loads(path.read_text())
    path.write_text(json.dumps({**state, **keys}))


def test_the_command_makes_a_run_that_translates_without_the_folder_it_came_from(copied, tmp_path):
    folder = copied("marian")
    run = tmp_path / "run"
    arguments = ["import", "huggingface", str(folder), "--run", str(run)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert f"docmt translate --run {run} INPUT" in result.stdout
    shutil.rmtree(folder)
    (translation,) = Translator.load(run, beam_size=2).translate(
        [Document("d", sentences("en")[:3])]
    )
    assert len(translation.document.target) == 3
    assert translation.chunks == (1, 1, 1)


def test_the_files_name_the_languages_of_a_bilingual_model(folders, tmp_path):
    run = imported(folders["marian"], "marian", tmp_path, languages=(None, None))
    data = run.recipe.data
    assert (data.source_language, data.target_language) == ("en", "de")


def test_the_first_part_of_a_language_is_enough(folders, tmp_path):
    run = imported(folders["mbart-50"], "mbart-50", tmp_path, languages=("en", "de"))
    assert run.pipeline.languages == ("en_XX", "de_DE")


def test_text_that_is_spelled_like_a_special_token_is_not_one(folders, tmp_path):
    run = imported(folders["mbart-50"], "mbart-50", tmp_path)
    vocabulary = run.pipeline.source_vocabulary
    for text in ("</s>", "de_DE", "<s> en_XX <mask>"):
        ids = set(run.pipeline.encode_sentence(text))
        assert not ids & (vocabulary.special_ids - {vocabulary.unk_id})


def test_a_pipeline_is_saved_and_loaded_as_it_is(folders, tmp_path):
    for family in FAMILIES:
        run = imported(folders[family], family, tmp_path / family)
        again = Run.load(run.directory).pipeline
        assert again.special_tokens == run.pipeline.special_tokens
        for text in sentences("en")[:5]:
            assert again.encode_sentence(text) == run.pipeline.encode_sentence(text)
            assert again.encode_sentence(text, "target") == run.pipeline.encode_sentence(
                text, "target"
            )


def test_an_mbart_25_of_sentencepiece_numbers_its_languages_after_the_pieces(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    make(folder, "mbart-25", steps=0)
    (folder / "tokenizer.json").unlink()
    save(folder, {"sentencepiece.bpe.model": spm("en", "de")})
    vocabulary = imported(folder, "mbart-25", tmp_path).pipeline.source_vocabulary
    # 300 subwords, of which four special tokens replace three.
    assert vocabulary.tokens[300 + 1] == "ar_AR"
    assert vocabulary.tokens[300 + 1 + 24] == "zh_CN"
    assert vocabulary.tokens[-1] == "<mask>"


def test_a_g_transformer_is_trained_from_it(folders, tinier_corpus, tmp_path):
    start = imported(folders["mbart-50"], "mbart-50", tmp_path)
    form = start.recipe.system.model_dump(exclude={"name", "count_positions"})
    values = {
        "data": {
            split: {side: f"{tinier_corpus}/{split}.{code}" for side, code in
                    (("source", "en"), ("target", "de"))}
            for split in ("train", "valid")
        },
        "instances": {"kind": "tokens", "max_tokens": 100},
        "system": {**form, "name": "g-transformer", "encoder_context_layers": 1,
                   "decoder_context_layers": 1, "cross_context_layers": 1},
        "initialize": {"run": str(start.directory), "loaded_learning_rate": 1e-3},
        "training": {"max_steps": 12, "validate_every": 6, "batch_tokens": 1024, "warmup_steps": 6,
                     "learning_rate": 5e-3},
        "search": {"beam_size": 2},
    }  # fmt: skip
    run = train(Recipe.read(values), tmp_path / "document", progress=False)
    losses = [json.loads(line) for line in run.log.read_text().splitlines()]
    losses = [line["loss"] for line in losses if line["kind"] == "valid"]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] - 0.1
    assert run.pipeline.special_tokens == start.pipeline.special_tokens
    added = run.state().keys() - start.state().keys()
    assert added and all(".global_attention." in name or ".gate." in name for name in added)
    (translation,) = Translator.load(run.directory).translate([Document("d", ("one two", "six"))])
    assert len(translation.document.target) == 2
    values["system"]["activation"] = "relu"
    with pytest.raises(InputError, match=r"activation gelu, not relu.*system\.activation=gelu"):
        train(Recipe.read(values), tmp_path / "other", progress=False)


def test_a_sentence_beyond_the_learned_positions_is_an_error(folders, tmp_path):
    run = imported(folders["bart"], "bart", tmp_path)
    with pytest.raises(InputError, match=r"longer than the 128 positions"):
        Translator.load(run.directory).translate([Document("d", ("many words " * 100,))])


def test_a_family_that_is_not_supported_is_named_beside_those_that_are(copied, tmp_path):
    folder = copied("bart")
    change(folder / "config.json", model_type="t5")
    said = refused(folder, "bart", tmp_path)
    assert "model_type 't5' is not supported" in said
    assert "marian (OPUS-MT), bart, mbart (25 and 50), and m2m_100" in said


@pytest.mark.parametrize(
    ("languages", "message"),
    [
        (("xx", "de"), "no language 'xx'.*en_XX"),
        (("en_XX", "de_AT"), "no language 'de_AT', did you mean 'de_DE'"),
        (("en_XX", None), "Give --source-language and --target-language .*de_DE"),
    ],
)
def test_a_language_that_the_tokenizer_lacks_is_an_error_that_names_those_it_has(
    folders, tmp_path, languages, message
):
    assert re.search(
        message, refused(folders["mbart-50"], "mbart-50", tmp_path, languages=languages)
    )


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


def test_the_model_itself_is_described_by_its_config_alone(copied, tmp_path):
    folder = copied("bart")
    change(folder / "generation_config.json", model_type="t5", d_model=10**9, num_beams=3)
    assert imported(folder, "bart", tmp_path).recipe.search.beam_size == 3


@pytest.mark.parametrize("file", ["config.json", "generation_config.json", "tokenizer_config.json"])
def test_json_nested_too_deeply_is_an_error_that_names_the_file(copied, tmp_path, file):
    path = copied("bart") / file
    path.write_text("[" * 100_000)
    assert f"{path}: is not valid JSON" in refused(path.parent, "bart", tmp_path)


@pytest.mark.parametrize("languages", [("fr", None), (None, "fr"), ("de", "en")])
def test_a_language_that_a_bilingual_model_contradicts_is_refused(folders, tmp_path, languages):
    said = refused(folders["marian"], "marian", tmp_path, languages=languages)
    assert "but the model's files name" in said and "-language out" in said


@pytest.mark.parametrize("languages", [("en", "de_AT"), ("EN", "de"), ("en-GB", None)])
def test_a_variety_of_a_bilingual_model_s_language_is_accepted(folders, tmp_path, languages):
    assert imported(folders["marian"], "marian", tmp_path, languages=languages).weights.is_file()


def test_a_language_may_be_one_of_the_family_that_a_model_names(copied, tmp_path):
    folder = copied("marian")
    change(folder / "tokenizer_config.json", source_lang="roa")
    run = imported(folder, "marian", tmp_path, languages=("fr", None))
    assert run.recipe.data.source_language == "fr"


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
    assert "only a pickle, pytorch_model.bin" in said and "--pickle" in said
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
    ],
)
def test_settings_that_do_not_fit_the_weights_or_docmt_are_named(copied, tmp_path, keys, message):
    folder = copied("bart")
    change(folder / "config.json", **keys)
    assert re.search(message, refused(folder, "bart", tmp_path))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            {"d_model": 10**6},
            r"source_embedding.table.weight is \d+ × 16, but d_model is 1000000",
        ),
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


@pytest.mark.parametrize("family", LANGUAGES)
def test_a_tokenizer_whose_class_no_file_names_is_that_of_its_family(tmp_path, family):
    folder = tmp_path / "model"
    folder.mkdir()
    make(folder, family, steps=0)
    expected = imported(folder, family, tmp_path / "named").pipeline.special_tokens
    change(folder / "config.json", tokenizer_class=None)
    path = folder / "tokenizer_config.json"
    settings = json.loads(path.read_text())
    settings.pop("tokenizer_class", None)
    path.write_text(json.dumps(settings))
    assert imported(folder, family, tmp_path / "unnamed").pipeline.special_tokens == expected


def test_a_multilingual_model_whose_tokenizer_has_no_languages_is_an_error(
    copied, folders, tmp_path
):
    folder = copied("mbart-50")
    shutil.copy(folders["bart"] / "tokenizer.json", folder / "tokenizer.json")
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    table = weights.pop("model.shared.weight")
    weights.pop("final_logits_bias")
    weights["model.shared.weight"] = table.repeat(2, 1)
    safetensors.torch.save_file(weights, folder / "model.safetensors")
    said = refused(folder, "mbart-50", tmp_path)
    assert "the tokenizer has no language tokens, which mBART-50 models need" in said


def test_a_tokenizer_of_another_model_is_an_error(copied, folders, tmp_path):
    folder = copied("bart")
    shutil.copy(folders["mbart-50"] / "tokenizer.json", folder / "tokenizer.json")
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    size = len(weights["model.shared.weight"])
    weights["model.shared.weight"] = weights["model.shared.weight"][:200]
    weights.pop("final_logits_bias")
    safetensors.torch.save_file(weights, folder / "model.safetensors")
    said = refused(folder, "bart", tmp_path)
    assert size > 200 and "but the model has 200 embeddings" in said


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

    monkeypatch.setattr("docmt.interop.hub.snapshot_download", download)
    said = refused("somebody/some-model", "bart", tmp_path)
    assert "has no safetensors on the Hugging Face hub" in said and "Add --pickle" in said
    assert imported("somebody/some-model", "bart", tmp_path / "run", pickle=True).weights.is_file()

"""Importing pretrained models of Hugging Face."""

from __future__ import annotations

import json
import re
import shutil

import pytest
import safetensors.torch

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.recipes import Recipe
from docmt_nmt.runs.system_run import SystemRun
from docmt_nmt.training import train
from pretrained_models import LANGUAGES, change, imported, make, refused, save, sentences, spm


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
    for family in ("marian", "mbart-50", "m2m-100", "bart"):
        run = imported(folders[family], family, tmp_path / family)
        again = SystemRun.load(run.directory).pipeline
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


@pytest.mark.slow
def test_a_g_transformer_is_trained_from_it(folders, tinier_corpus, tmp_path):
    start = imported(folders["mbart-50"], "mbart-50", tmp_path)
    form = start.recipe.system.model_dump(exclude={"name", "count_positions"})
    values = {
        "data": {
            split: {
                side: f"{tinier_corpus}/{split}.{code}"
                for side, code in (("source", "en"), ("target", "de"))
            }
            for split in ("train", "valid")
        },
        "instances": {"kind": "tokens", "max_tokens": 100},
        "system": {
            **form,
            "name": "g-transformer",
            "encoder_context_layers": 1,
            "decoder_context_layers": 1,
            "cross_context_layers": 1,
        },
        "initialize": {"run": str(start.directory), "loaded_learning_rate": 1e-3},
        "training": {
            "max_steps": 12,
            "validate_every": 6,
            "batch_tokens": 1024,
            "warmup_steps": 6,
            "learning_rate": 5e-3,
        },
        "search": {"beam_size": 2},
    }
    run = train(Recipe.read(values), tmp_path / "document", progress=False)
    losses = [json.loads(line) for line in run.log.read_text().splitlines()]
    losses = [line["loss"] for line in losses if line["kind"] == "valid"]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] - 0.1
    assert run.pipeline.special_tokens == start.pipeline.special_tokens
    added = run.state().keys() - start.state().keys()
    assert added and all(".global_attention." in name or ".gate." in name for name in added)
    (translation,) = BeamSearchTranslator.load(run.directory).translate(
        [Document("d", ("one two", "six"))]
    )
    assert len(translation.document.target) == 2
    values["system"]["activation"] = "relu"
    with pytest.raises(InputError, match=r"activation gelu, not relu.*system\.activation=gelu"):
        train(Recipe.read(values), tmp_path / "other", progress=False)


def test_a_sentence_beyond_the_learned_positions_is_an_error(folders, tmp_path):
    run = imported(folders["bart"], "bart", tmp_path)
    with pytest.raises(InputError, match=r"longer than the 128 positions"):
        BeamSearchTranslator.load(run.directory).translate([Document("d", ("many words " * 100,))])


@pytest.mark.parametrize(
    ("languages", "message"),
    [
        (("xx", "de"), "no language 'xx'.*en_XX"),
        (("en_XX", "de_AT"), "no language 'de_AT', did you mean 'de_DE'"),
        (("en_XX", None), "Give `source_language` and `target_language` .*de_DE"),
    ],
)
def test_a_language_that_the_tokenizer_lacks_is_an_error_that_names_those_it_has(
    folders, tmp_path, languages, message
):
    assert re.search(
        message, refused(folders["mbart-50"], "mbart-50", tmp_path, languages=languages)
    )


def test_the_model_itself_is_described_by_its_config_alone(copied, tmp_path):
    folder = copied("bart")
    change(folder / "generation_config.json", model_type="t5", d_model=10**9, num_beams=3)
    assert imported(folder, "bart", tmp_path).recipe.search.beam_size == 3


@pytest.mark.parametrize(
    ("given", "expected"), [({}, False), ({"early_stopping": True}, True)]
    + [({"early_stopping": value}, False) for value in (False, None, "never")],
)  # fmt: skip
def test_search_ends_as_the_generation_settings_say(copied, tmp_path, given, expected):
    folder = copied("bart")
    change(folder / "config.json", early_stopping=None)
    change(folder / "generation_config.json", **given)
    assert imported(folder, "bart", tmp_path).recipe.search.early_stopping is expected


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


@pytest.mark.by_default(4)
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

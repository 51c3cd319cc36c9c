"""`docmt import huggingface` of a decoder-only model: a run that names it."""

from __future__ import annotations

import shutil

import pytest
import torch
import transformers

from causal_models import save_causal
from docmt.interop import import_huggingface
from docmt_files.base.errors import InputError


@pytest.mark.parametrize("languages", [(None, None), ("en", None), (None, "de")])
def test_both_languages_must_be_given(tmp_path, languages):
    folder = save_causal(tmp_path / "llama")
    with pytest.raises(InputError, match="`source_language` and `target_language`"):
        import_huggingface(str(folder), tmp_path / "run", languages=languages)
    assert not (tmp_path / "run").exists()


def test_pickles_of_language_models_are_not_read(tmp_path):
    folder = save_causal(tmp_path / "llama")
    for pickle in (True, False):
        with pytest.raises(InputError, match="safetensors only"):
            import_huggingface(str(folder), tmp_path / "run", languages=("en", "de"), pickle=pickle)
        (folder / "model.safetensors").unlink(missing_ok=True)
        torch.save({}, folder / "pytorch_model.bin")
    shutil.rmtree(folder)


def test_an_encoder_decoder_that_is_no_system_is_not_a_language_model(tmp_path):
    config = transformers.PegasusConfig(architectures=["PegasusForConditionalGeneration"])
    config.save_pretrained(tmp_path / "pegasus")
    with pytest.raises(InputError, match="'pegasus' is not supported"):
        import_huggingface(str(tmp_path / "pegasus"), tmp_path / "run", languages=("en", "de"))


def test_keys_have_no_effect_with_a_model_that_becomes_a_system(tmp_path):
    config = transformers.MarianConfig(architectures=["MarianMTModel"])
    config.save_pretrained(tmp_path / "marian")
    with pytest.raises(InputError, match="keys of a recipe have no effect"):
        import_huggingface(
            str(tmp_path / "marian"), tmp_path / "run", overrides=["request.shape=batch"]
        )

"""`docmt import huggingface` of a model that is neither a system nor a language model."""

from __future__ import annotations

import pytest
import transformers

from docmt.interop import import_huggingface
from docmt_files.base.errors import InputError


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

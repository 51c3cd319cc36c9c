"""`docmt import huggingface` of a decoder-only model: a run that names it."""

from __future__ import annotations

import shutil

import pytest
import torch

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

"""A tiny random decoder-only model of each family."""

from __future__ import annotations

import pytest

from causal_models import save_causal
from docmt_llm.in_process.causal_model import CausalModel


@pytest.fixture(scope="session", params=["llama", "qwen2"])
def causal_folder(request, tmp_path_factory):
    """The folder of the model."""
    return save_causal(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(scope="session")
def llama_folder(tmp_path_factory):
    """The folder of a tiny Llama."""
    return save_causal(tmp_path_factory.mktemp("llama-alone"))


@pytest.fixture(scope="session")
def causal_model(causal_folder) -> CausalModel:
    """The model, greedy."""
    return CausalModel.load(str(causal_folder), device="cpu")


@pytest.fixture(scope="session")
def sampling_model(llama_folder) -> CausalModel:
    """A Llama that draws tokens from its distribution."""
    return CausalModel.load(str(llama_folder), device="cpu", temperature=1.0)

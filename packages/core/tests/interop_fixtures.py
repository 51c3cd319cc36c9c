"""Folders of pretrained models of Hugging Face, tiny and of random weights."""

from __future__ import annotations

import shutil
from types import SimpleNamespace

import pytest

from docmt.interop import import_huggingface, import_marian
from firefox_models import FOLDERS
from pretrained_models import make, make_bert

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


@pytest.fixture(scope="session")
def bert(tmp_path_factory):
    """A random BERT of `transformers`, its tokenizer, its folder and its run; tests must not write
    into them."""
    folder = tmp_path_factory.mktemp("bert")
    model, tokenizer = make_bert(folder)
    run = import_huggingface(str(folder), folder.with_name("bert-run"), languages=("en", None))
    return SimpleNamespace(folder=folder, tokenizer=tokenizer, model=model, run=run)


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """An imported run of each direction of the models of Firefox."""
    folder = tmp_path_factory.mktemp("firefox")
    return {name: import_marian(path, folder / name) for name, path in FOLDERS.items()}

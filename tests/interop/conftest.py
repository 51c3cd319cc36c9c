"""Folders of pretrained models of Hugging Face, tiny and of random weights."""

from __future__ import annotations

import shutil

import pytest

from pretrained_models import make

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

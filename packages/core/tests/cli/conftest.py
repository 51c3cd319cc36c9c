"""What tests of several commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from docmt_nmt import recipes
from toy import toy_recipe


@pytest.fixture
def recipe(tiny_corpus: Path, tmp_path: Path) -> str:
    """A recipe file for the toy corpus."""
    path = tmp_path / "toy.yaml"
    path.write_text(recipes.dump(toy_recipe(tiny_corpus)).replace("stages: []\n", ""))
    return str(path)

"""The recipe kept in JSON beside the compiled forms."""

from pathlib import Path

import pytest

from docmt_files.base.errors import InputError
from docmt_nmt.runs.compiled_files import keep_recipe, read_recipe_values


@pytest.fixture
def run(tmp_path) -> Path:
    (tmp_path / "recipe.yaml").write_text("search: {beam_size: 2}\n")
    (tmp_path / "compiled").mkdir()
    keep_recipe(tmp_path)
    return tmp_path


def test_a_kept_recipe_has_the_values_of_the_recipe(run, monkeypatch):
    monkeypatch.setattr("docmt_nmt.recipes.yaml_source.read", None)
    assert read_recipe_values(run) == {"search": {"beam_size": 2}}


def test_an_edited_recipe_is_read_itself(run):
    (run / "recipe.yaml").write_text("search: {beam_size: 3}\n")
    assert read_recipe_values(run) == {"search": {"beam_size": 3}}


@pytest.mark.parametrize("content", ["", "[]", '{"recipe": 3}'])
def test_a_damaged_copy_is_not_used(run, content):
    (run / "compiled" / "recipe.json").write_text(content)
    assert read_recipe_values(run) == {"search": {"beam_size": 2}}


def test_a_run_without_recipe_is_an_error(run):
    (run / "recipe.yaml").unlink()
    with pytest.raises(InputError, match=r"recipe\.yaml"):
        read_recipe_values(run)

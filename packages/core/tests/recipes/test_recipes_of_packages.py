"""Recipes that other installed packages bring, by the entry points `docmt.recipes`."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt_files.base.errors import InputError
from docmt_nmt import recipes
from docmt_nmt.recipes.bundle import packages
from installing import install

RECIPE = "extends: {}\ndescription: {}\n"


def install_recipes(folder: Path, name: str, files: dict[str, str]) -> None:
    """Make a folder look like one in which a package with these recipes is installed."""
    package = folder / name
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    for file, text in files.items():
        (package / file).parent.mkdir(exist_ok=True)
        (package / file).write_text(text)
    install(folder, f"docmt-{name}", {"docmt.recipes": {"all": name}})


@pytest.fixture
def two_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The packages docmt-recipes_a and docmt-recipes_b, which share a name."""
    own = {"demo/demo-sentence.yaml": RECIPE.format("demo-window", "Not the one of docmt.")}
    first = {"demo/demo-first.yaml": RECIPE.format("demo-second", "The first.")}
    second = {"here/demo-second.yaml": RECIPE.format("demo-sentence", "The second.")}
    shared = {"here/shared.yaml": RECIPE.format("demo-sentence", "One of two.")}
    install_recipes(tmp_path / "a", "recipes_a", {**own, **first, **shared})
    install_recipes(tmp_path / "b", "recipes_b", {**second, **shared})
    monkeypatch.syspath_prepend(tmp_path / "a")
    monkeypatch.syspath_prepend(tmp_path / "b")


@pytest.mark.usefixtures("two_packages")
def test_recipes_of_packages_are_listed_described_and_extended_across_packages() -> None:
    assert recipes.load("demo-first").description == "The first."
    assert recipes.load("demo-first").system == recipes.load("demo-sentence").system
    assert {"demo-first", "demo-second"} <= set(recipes.names())
    assert recipes.descriptions()["demo-second"] == "The second."
    assert "demo-first" in recipes.papers()["demo"]
    assert recipes.papers()["here"] == ["demo-second", "shared"]
    assert packages()["demo-first"] == "docmt-recipes_a"
    listed = CliRunner().invoke(main, ["recipes"]).stdout
    assert "demo-second\tThe second." in listed


@pytest.mark.usefixtures("two_packages")
def test_a_recipe_of_docmt_cannot_be_replaced() -> None:
    assert "Not the one" not in recipes.load("demo-sentence").description
    assert packages()["demo-sentence"] == "docmt-nmt"


@pytest.mark.usefixtures("two_packages")
def test_a_name_that_two_packages_have_is_an_error_that_names_both() -> None:
    message = (
        "the packages docmt-recipes_a and docmt-recipes_b both have a recipe 'shared'. "
        "Uninstall one of them"
    )
    with pytest.raises(InputError, match=message):
        recipes.load("shared")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("string:digits", "of the package docmt-wrong is not a Python package"),
        ("no_such_module", "of the package docmt-wrong cannot be imported"),
    ],
)
def test_a_package_without_a_folder_of_recipes_is_named_once_it_is_asked(
    value: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "docmt-wrong", {"docmt.recipes": {"all": value}})
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "mine.yaml").write_text(RECIPE.format("demo-window", "Mine."))
    assert recipes.load("demo-sentence")
    assert recipes.load(tmp_path / "mine.yaml").description == "Mine."
    with pytest.raises(InputError, match=message):
        recipes.load("iwslt-han")

"""docmt without docmt-research: it has its own systems and recipes, and names the package that has
the others."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

from docmt_nmt.base.known_packages import PACKAGES, check_package_of_recipe
from docmt_nmt.recipes.bundle import packages
from docmt_nmt.runs.bundled import resolve
from docmt_nmt.systems import SYSTEMS

ROOT = Path(__file__).parents[1]

HIDDEN = """
import importlib.metadata
import sys

sys.modules["docmt_research"] = None
all_distributions = importlib.metadata.distributions


def distributions():
    return [each for each in all_distributions() if each.name != "docmt-research"]


importlib.metadata.distributions = distributions
"""
"""Makes a process one in which docmt-research is not installed."""


def without_research(code: str) -> None:
    """Run code in such a process."""
    subprocess.run([sys.executable, "-c", HIDDEN + textwrap.dedent(code)], check=True)


def test_docmt_has_its_own_systems_and_recipes() -> None:
    own = [name for name, package in packages().items() if package != "docmt-research"]
    without_research(f"""
        from docmt_nmt import recipes
        from docmt_nmt.systems import build, system_names

        assert system_names() == {list(SYSTEMS)}
        assert recipes.names() == {sorted(own)}
        for name in recipes.names():
            recipes.load_any(name)
        for name in system_names():
            assert recipes.keys(name)
        build(recipes.load("demo-g-transformer").system, 50, 50)
    """)


@pytest.mark.slow
def test_what_docmt_research_has_is_an_error_that_names_it(tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(resolve("bundled:en-de"), run)
    recipe = (run / "recipe.yaml").read_text(encoding="utf-8")
    changed = recipe.replace("name: g-transformer", "name: han")
    (run / "recipe.yaml").write_text(changed, encoding="utf-8")
    without_research(f"""
        import re
        from docmt import load; from docmt_nmt import recipes
        from docmt_nmt.training.training_checks import check_trainable
        from docmt_files.base.errors import InputError

        def check(action, subject):
            try:
                action()
            except InputError as error:
                expected = (
                    subject + " in the package docmt-research, which is not installed. "
                    "Install it with `pip install docmt-research`"
                )
                assert expected in str(error), error
            else:
                raise AssertionError(subject)

        check(lambda: recipes.load("iwslt-han"), "recipes of the system 'han' are")
        check(
            lambda: recipes.load("demo-sentence", ["system.name=cadec"]), "the system 'cadec' is"
        )
        check(lambda: recipes.keys("san"), "the system 'san' is")
        check(lambda: load({str(run)!r}), "the system 'han' is")
        logging = recipes.load("demo-sentence", ["training.log_attention=true"])
        check(lambda: check_trainable(logging), "the recorder for training.log_attention is")
    """)


def test_every_system_and_recipe_of_docmt_research_is_known_to_be_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project = tomllib.loads(
        (ROOT / "packages" / "research" / "pyproject.toml").read_text(encoding="utf-8")
    )
    assert list(PACKAGES) == list(project["project"]["entry-points"]["docmt.systems"])
    recipes = [name for name, package in packages().items() if package == "docmt-research"]
    assert len(recipes) > 50
    monkeypatch.setattr("docmt_files.base.entry_points._entry_points", lambda _group: [])
    for name in recipes:
        with pytest.raises(ValueError, match="in the package docmt-research"):
            check_package_of_recipe(name)


def test_docmt_imports_no_more_of_docmt_research_than_is_asked_for() -> None:
    code = """
        import sys
        from contextlib import suppress

        import docmt
        from docmt.cli import main

        for arguments in (["--help"], ["plugins"], ["recipes", "show", "demo-g-transformer"]):
            with suppress(SystemExit):
                main(arguments)
        loaded = {name for name in sys.modules if name.startswith("docmt_research")}
        light = {"docmt_research", "docmt_research.cli", "docmt_research.cli.entries"}
        assert loaded == light, "the help has a line a command"
        assert "torch" not in sys.modules
        with suppress(SystemExit):
            main(["recipes"])
        assert "docmt_research.recipes" in sys.modules
        assert "docmt_research.systems" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, capture_output=True)

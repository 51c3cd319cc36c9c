"""What the page on fidelity names exists where it says: tests, modules, recipes and tables, and
recipes have the settings that pages give after them."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest

from docmt_nmt import recipes
from docmt_nmt.recipes import load
from docmt_nmt.recipes.bundle import names
from docmt_nmt.recipes.yaml_source import parse_override, read

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "results" / "fidelity.md").read_text(encoding="utf-8")

RESULTS_TABLES = next(ROOT.glob("packages/*/tests/recipes/results_tables"))

SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
"""The text of the page by paper."""


def test_every_test_it_names_is_in_the_file_it_names():
    code = {path.stem: path.read_text() for path in ROOT.glob("packages/*/tests/**/test_*.py")}
    tests = {name: re.findall(r"def (test_\w+)", text) for name, text in code.items()}
    named = 0
    for line in PAGE.splitlines():
        file = None
        for quoted, name, cut, plain in re.findall(r"(`)(test_\w+)(…?)|(?<![`\w])(test_\w+)", line):
            if plain:
                assert plain in code, plain
                file = plain
                continue
            named += 1
            where = tests[file] if file else [test for found in tests.values() for test in found]
            found = [test for test in where if test == name or (cut and test.startswith(name))]
            assert quoted and found, f"{name} is not in {file}"
    assert named > 40


def test_every_module_it_names_exists():
    for name in re.findall(r"(?<![-./\w])((?:[-\w]+/)+\w+\.(?:py|md))", PAGE):
        packages = ROOT.glob("packages/*/src/*")
        assert any((folder / name).exists() for folder in (ROOT, *packages)), name


def test_every_recipe_it_names_exists():
    known = set(names())
    for name in re.findall(r"[Rr]ecipe ((?:\w+-)*\w+)(?![-\w…])", PAGE):
        assert name in known, name


@pytest.mark.parametrize("paper", sorted(SECTIONS))
def test_the_tables_whose_rows_it_refers_to_are_listed(paper):
    author, year = paper.split()[0].lower(), paper.split()[-1]
    listed = read(RESULTS_TABLES / f"{author}-{year}.yaml")[0]
    for name in re.findall(r"\brows? \"?((?:Table|Figure|Section) [\d.]+\w*)", SECTIONS[paper]):
        assert any(table.startswith(name) for table in listed), name


PAGES = [
    ROOT / "docs" / "results" / "fidelity.md",
    *sorted((ROOT / "docs" / "systems").glob("*.md")),
]

SETTINGS = [
    (page.stem, recipe, re.split(r", (?=[\w.]+=)", settings))
    for page in PAGES
    for recipe, settings in re.findall(
        r"\b[Rr]ecipe ([\w-]+) \(((?:\w+\.)+\w+=[^()]*)\)",
        " ".join(page.read_text(encoding="utf-8").replace("`", "").split()),
    )
]
"""The page, the recipe and the settings, wherever settings follow a recipe in parentheses."""


@pytest.mark.parametrize(("page", "recipe", "settings"), SETTINGS)
def test_the_settings_after_a_recipe_are_those_of_the_recipe(page, recipe, settings):
    stages = [stage.model_dump(mode="json") for _, stage in recipes.stages(load(recipe), ROOT)]
    for setting in settings:
        path, expected, _ = parse_override(setting)
        found = [functools.reduce(lambda part, key: part and part[key], path, s) for s in stages]
        assert expected in found, f"{page}: {recipe} has {setting.partition('=')[0]} {found}"


def test_pages_have_such_settings():
    assert len(SETTINGS) > 25 and {"fidelity", "g-transformer"} <= {page for page, *_ in SETTINGS}

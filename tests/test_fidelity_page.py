"""The page on fidelity says what is so: what it names exists where it says, the settings that it
gives are those of the recipes, and what is not as in a paper is marked.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from docmt import recipes
from docmt.recipes.bundle import names
from docmt.recipes.yaml_source import read

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "results" / "fidelity.md").read_text(encoding="utf-8")

SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
"""The text of the page by paper."""

SETTINGS = re.compile(r"[Rr]ecipe ((?:\w+-)*\w+) \((\w+\.[^)]*=[^)]*)\)")
"""A recipe with its settings, `recipe NAME (key=value, key=value)`."""

PARTIAL = {
    "Bao et al. 2021": (
        "Table 2 HAN",
        "Table 2 Flat-Transformer",
        "Table 2 Flat-Transformer+BERT",
        "Table 2 G-Transformer+BERT",
        "Table 4 CADec",
    ),
    "Zhang et al. 2020": (
        "A.2 masking code",
        "Fig. 2 [1] Tu 2018",
        "Fig. 2 [2] Miculicich 2018",
        "Fig. 2 [4] Jiang 2019",
        "Table 2 s-hier-to-2.tied",
        "Table 2 CADec",
    ),
    "Tan et al. 2019": ("Eq. 5-6", "§3.1 RNNSearch", "Table 1 RNNSearch", "Table 5"),
    "Donato et al. 2021": ("§2.1, 3.2 PEGASUS", "§3.1, Table 1"),
}
"""The statements that an audit found partial or open, by paper: the first cells of their rows."""


def rows(paper: str) -> list[list[str]]:
    """The cells of the rows of a paper's table."""
    lines = [line for line in SECTIONS[paper].splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line[1:-1].split(" | ")] for line in lines[2:]]


def test_every_test_it_names_is_in_the_file_it_names():
    code = {path.stem: path.read_text() for path in (ROOT / "tests").rglob("test_*.py")}
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
        assert (ROOT / "src" / "docmt" / name).exists() or (ROOT / name).exists(), name


def test_every_recipe_it_names_exists():
    known = set(names())
    for name in re.findall(r"[Rr]ecipe ((?:\w+-)*\w+)(?![-\w…])", PAGE):
        assert name in known, name


def settings_of(name: str, key: str) -> list[Any]:
    """The values of a key of a recipe in its stages."""
    found = []
    for _, stage in recipes.stages(recipes.load(name), Path("run")):
        value: Any = stage.model_dump(mode="json")
        for part in key.split("."):
            value = None if value is None else value[part]
        found.append(value)
    return found


@pytest.mark.parametrize(("recipe", "settings"), SETTINGS.findall(PAGE))
def test_the_settings_it_gives_are_those_of_the_recipe(recipe, settings):
    for setting in re.split(r", (?=[a-z]+\.)", settings):
        key, _, value = setting.partition("=")
        expected = yaml.safe_load(re.sub(r"^(\d+)e-", r"\1.0e-", value))
        assert expected in settings_of(recipe, key), setting


def test_it_gives_settings_of_all_papers():
    for paper, text in SECTIONS.items():
        assert len(SETTINGS.findall(text)) >= 3, paper


@pytest.mark.parametrize("paper", PARTIAL)
def test_what_an_audit_found_partial_is_marked(paper):
    assert set(SECTIONS) == set(PARTIAL)
    for statement in PARTIAL[paper]:
        marks = [row[2] for row in rows(paper) if row[0].startswith(statement)]
        assert marks, statement
        assert any(mark.startswith(("**Partly", "**Open.**")) for mark in marks), statement


def test_what_is_marked_says_why():
    marked = [row[2] for paper in SECTIONS for row in rows(paper) if row[2].startswith("**")]
    assert len(marked) > 15
    for mark in marked:
        reason = re.sub(r"\([^)]*\)|\S+\.py|`?test_\w+`?|[Rr]ecipes? \S+|\*\*\w+\.?\*\*", "", mark)
        assert len(reason.split()) >= 4, mark


@pytest.mark.parametrize("paper", sorted(SECTIONS))
def test_the_tables_whose_rows_it_refers_to_are_listed(paper):
    author, year = paper.split()[0].lower(), paper.split()[-1]
    listed = read(ROOT / "tests" / "recipes" / "results_tables" / f"{author}-{year}.yaml")[0]
    for name in re.findall(r"\brows? \"?((?:Table|Figure|Section) [\d.]+\w*)", SECTIONS[paper]):
        assert any(table.startswith(name) for table in listed), name

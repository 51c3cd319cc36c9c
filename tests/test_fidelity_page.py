"""What the page on fidelity names exists where it says: tests, modules, recipes and tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docmt.recipes.bundle import names
from docmt.recipes.yaml_source import read

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "results" / "fidelity.md").read_text(encoding="utf-8")

SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
"""The text of the page by paper."""


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
        packages = ROOT / "src" / "docmt", ROOT / "research" / "src" / "docmt_research"
        assert any((folder / name).exists() for folder in (ROOT, *packages)), name


def test_every_recipe_it_names_exists():
    known = set(names())
    for name in re.findall(r"[Rr]ecipe ((?:\w+-)*\w+)(?![-\w…])", PAGE):
        assert name in known, name


@pytest.mark.parametrize("paper", sorted(SECTIONS))
def test_the_tables_whose_rows_it_refers_to_are_listed(paper):
    author, year = paper.split()[0].lower(), paper.split()[-1]
    listed = read(ROOT / "tests" / "recipes" / "results_tables" / f"{author}-{year}.yaml")[0]
    for name in re.findall(r"\brows? \"?((?:Table|Figure|Section) [\d.]+\w*)", SECTIONS[paper]):
        assert any(table.startswith(name) for table in listed), name

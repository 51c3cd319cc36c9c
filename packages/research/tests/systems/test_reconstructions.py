"""A system that was put together without its paper's text or against its code is called a
reconstruction wherever a user meets it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docmt_nmt import recipes
from docmt_nmt.recipes.bundle import descriptions
from docmt_nmt.systems import system_class, system_names

DOCS = Path(__file__).parents[4] / "docs"

RECONSTRUCTIONS = {name for name in system_names() if system_class(name).reconstruction}


def test_these_systems_are_reconstructions():
    assert {
        "associated-memory",
        "cache-rnnsearch",
        "cache-transformer",
        "flat-transformer",
        "multi-encoder-rnn",
    } == RECONSTRUCTIONS


@pytest.mark.parametrize("name", recipes.names())
def test_the_list_of_recipes_says_which_are_of_a_reconstruction(name):
    is_one = recipes.load_any(name).system.name in RECONSTRUCTIONS
    assert ("reconstruction" in descriptions()[name]) == is_one


@pytest.mark.parametrize("name", system_names())
def test_the_table_of_systems_and_the_page_say_which_are_reconstructions(name):
    is_one = name in RECONSTRUCTIONS
    table = (DOCS / "index.md").read_text(encoding="utf-8").splitlines()
    (row,) = [line for line in table if line.startswith("| [`") and f"systems/{name}.md" in line]
    assert ("reconstruction" in row) == is_one
    page = (DOCS / "systems" / f"{name}.md").read_text(encoding="utf-8")
    assert ("**This system is a reconstruction" in page) == is_one


def test_the_fidelity_page_marks_them():
    page = (DOCS / "results" / "fidelity.md").read_text(encoding="utf-8")
    marked = re.findall(r"^\| .*\*\*Partly\*\*, a reconstruction\. .*$", page, re.MULTILINE)
    modules = {module for line in marked for module in re.findall(r"(\w+)\.py", line)}
    assert {name.replace("-", "_") for name in RECONSTRUCTIONS} <= modules

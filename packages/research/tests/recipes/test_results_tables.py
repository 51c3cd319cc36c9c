"""Every row of every results table of a paper has a recipe, some with overrides.

The rows are in `results_tables/PAPER.yaml`: for each table and row, what would follow `docmt train`
on the command line. A paper is added by adding its file.
"""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path

import pytest

from docmt_nmt import recipes
from docmt_nmt.recipes import Recipe
from docmt_nmt.recipes.yaml_source import read
from docmt_nmt.systems.parallel_stack_settings import ParallelStackSettings

FILES = sorted((Path(__file__).parent / "results_tables").glob("*.yaml"))


QUOTED = {"SENTNMT"}
"""Rows that a paper quotes for a system that it has trained itself, in another row."""


def tables(paper: Path) -> dict[str, dict[str, str]]:
    """The rows of a paper's tables, by table and row."""
    return read(paper)[0]


ROWS = {
    f"{paper.stem}, {table}: {row}": command
    for paper in FILES
    for table, rows in tables(paper).items()
    for row, command in rows.items()
}


@cache
def loaded(command: str) -> Recipe:
    name, *overrides = shlex.split(command)
    return recipes.load(name, overrides)


@pytest.mark.parametrize("command", ROWS.values(), ids=ROWS.keys())
def test_a_row_of_a_results_table_has_a_recipe(command: str) -> None:
    recipe = loaded(command)
    for _, stage in recipes.stages(recipe, Path("run")):
        assert stage.data.train is not None
        assert stage.data.valid is not None
    assert stage.data.test is not None


@pytest.mark.parametrize("paper", FILES, ids=lambda path: path.stem)
def test_rows_of_a_table_differ(paper: Path) -> None:
    for table, rows in tables(paper).items():
        found = [
            loaded(command).model_dump_json(exclude={"description"})
            for row, command in rows.items()
            if row not in QUOTED
        ]
        assert len(set(found)) == len(found), table


def test_the_runs_that_a_row_starts_from_are_made_by_a_row_or_in_the_guide() -> None:
    guide = Path(__file__).parents[4] / "docs" / "how-to" / "reproduce.md"
    text = guide.read_text(encoding="utf-8")
    rows = {f"runs/{shlex.split(command)[0]}" for command in ROWS.values()}
    for command in ROWS.values():
        values = re.findall(r"(?:'run'|'first_pass'): '([^']+)'", str(loaded(command).model_dump()))
        for run in set(values) - rows:
            assert f"--run {run}" in text, f"say in {guide.name} how {run} is made"


@pytest.mark.parametrize("paper", FILES, ids=lambda path: path.stem)
def test_every_recipe_with_a_corpus_of_the_paper_is_a_row(paper: Path) -> None:
    with_corpus = {n for n in recipes.papers()[paper.stem] if recipes.load(n).data.test is not None}
    rows = {
        shlex.split(command)[0] for table in tables(paper).values() for command in table.values()
    }
    assert with_corpus <= rows


def test_the_rows_of_the_ablation_of_donato_et_al_2021_are_the_stacks_they_name() -> None:
    (paper,) = [path for path in FILES if path.stem == "donato-2021"]
    rows = dict(tables(paper)["Table 5"])
    assert loaded(rows.pop("Transformer")).system.name == "transformer"
    assert len(rows) == 8
    for row, command in rows.items():
        system = loaded(command).system
        assert isinstance(system, ParallelStackSettings)
        assert system.stack == row


def test_scarce_data_of_donato_et_al_2021_is_that_of_the_context_alone() -> None:
    # Section 4.3: "the underlying sentence transformer model was not retrained".
    (paper,) = [path for path in FILES if path.stem == "donato-2021"]
    for row, command in tables(paper)["Figure 2"].items():
        stages = [stage for _, stage in recipes.stages(loaded(command), Path("run"))]
        if row == "Transformer":
            (baseline,) = stages
            continue
        sentence, context = stages
        assert sentence.data == baseline.data and sentence.system == baseline.system
        assert context.data.sample.size in (300_000, 600_000), row

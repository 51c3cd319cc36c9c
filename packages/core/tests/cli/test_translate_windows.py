"""`docmt translate` with windows that slide over a document or overlap."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from docmt.cli import main
from docmt_nmt.data import InstanceSettings
from docmt_nmt.runs.system_run import SystemRun


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    path = tmp_path / "letter.txt"
    path.write_text("one two\n\n   three four\n\n\nfive\n")
    return path


def translate(run, *arguments: str | Path) -> Result:
    return CliRunner().invoke(
        main, ["translate", "--run", str(run.directory), *map(str, arguments)]
    )


def test_a_window_slides_over_the_document_if_asked_to(tiny_run, letter: Path) -> None:
    sliding = translate(tiny_run, letter, "--windows", "sliding", "--output-format", "jsonl")
    assert "in a sliding window of 2 sentences, taken at position 2" in sliding.stderr
    first = translate(
        tiny_run,
        letter,
        "--windows",
        "sliding",
        "--window-position",
        "1",
        "--positions",
        "--log-probabilities",
        "--output-format",
        "jsonl",
    )
    assert "taken at position 1" in first.stderr
    values, last = json.loads(first.stdout), json.loads(sliding.stdout)
    assert "positions" not in last
    assert [len(position["log_probabilities"]) for position in values["positions"]] == [3, 3]
    assert values["target"] == values["positions"][0]["target"]
    assert last["target"] == values["positions"][1]["target"]


def test_a_sliding_run_can_translate_disjoint_windows(long_short_run, letter: Path) -> None:
    result = translate(long_short_run, letter, "--windows", "disjoint")
    assert "translated in 1 chunk of 3 sentences" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--positions"], "--positions cannot be written with --output-format same"),
        (["--positions", "--output-format", "jsonl"], "--positions needs sliding windows"),
        (["--window-position", "1"], "--window-position has no effect without sliding windows"),
        (
            ["--windows", "sliding", "--window-position", "3"],
            "search.window_position 3 is more than",
        ),
    ],
)
def test_options_of_windows_that_do_not_fit(
    tiny_run, letter: Path, arguments: list[str], message: str
) -> None:
    result = translate(tiny_run, letter, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_overlap_is_for_disjoint_windows(long_short_run, letter: Path) -> None:
    result = translate(long_short_run, letter, "--overlap", "1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--overlap has no effect with sliding windows" in result.stderr


def test_a_run_without_windows_has_no_positions(tiny_run, letter: Path, tmp_path: Path) -> None:
    instances = InstanceSettings(kind="whole")
    recipe = tiny_run.recipe.model_copy(update={"instances": instances})
    whole = SystemRun.create(tmp_path / "run", recipe, tiny_run.pipeline)
    shutil.copy(tiny_run.weights, whole.weights)
    result = translate(whole, letter, "--positions", "--output-format", "jsonl")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--positions needs sliding windows, and a run with instances.kind window" in (
        " ".join(result.stderr.split())
    )

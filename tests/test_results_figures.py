"""Figures of the documentation come from a command at hand, and are made again where that takes
under five minutes and needs nothing else."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from results_commands import ROOT, Command, is_in_history

RESULTS: list[dict[str, Any]] = tomllib.loads(
    (ROOT / "benchmarks" / "results.toml").read_text("utf-8")
)["result"]
QUICK = [one for one in RESULTS if one["minutes"] < 5 and not {"needs", "commit"} & {*one}]


def what(result: dict[str, Any]) -> str:
    return f"{result['page']}: {result['what']}"


def test_every_page_of_results_has_a_command() -> None:
    pages = {str(path.relative_to(ROOT)) for path in ROOT.glob("docs/results/*.md")}
    assert pages <= {one["page"] for one in RESULTS}


@pytest.mark.parametrize("result", RESULTS, ids=what)
def test_the_command_of_a_figure_is_there(result: dict[str, Any]) -> None:
    program, *arguments = result["command"].split()
    if commit := result.get("commit"):
        assert is_in_history(f"{commit}:{arguments[0]}")
    elif program == "python":
        assert Command(ROOT / result["page"], program, tuple(arguments)).script is not None
    elif program == "pytest":
        assert all((ROOT / word).exists() for word in arguments if "/" in word)
    assert (ROOT / result["page"]).is_file() and result["minutes"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("result", QUICK, ids=what)
def test_figures_are_made_again(result: dict[str, Any], tmp_path: Path) -> None:
    """What a command prints is what the page has; the pages stay as they are."""
    page = Path(ROOT / result["page"])
    before = page.read_text("utf-8")
    program, *arguments = result["command"].split()
    start = [sys.executable, *([] if program == "python" else ["-m", program])]
    folder = tmp_path if program == "docmt" else ROOT  # docmt writes where it is called.
    ran = subprocess.run([*start, *arguments], cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    rows = [line for line in ran.stdout.splitlines() if line.startswith("| ")]
    for figure in result.get("figures", rows):
        assert figure in ran.stdout and figure in before, figure
    assert page.read_text("utf-8") == before

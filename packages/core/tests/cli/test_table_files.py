"""The command that scores, and the tables that it writes."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

from docmt.cli import main


def evaluate(*more: str, hypothesis: str = "a_b.de"):
    arguments = ["evaluate", "--reference", "r.de", "--metric", "s-bleu"]
    system = f"[/b]={hypothesis}"
    return CliRunner().invoke(main, [*arguments, "--system", system, "--system", "x=c&d.de", *more])


@pytest.fixture
def texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "a_b.de": "so it is\n",
        "c&d.de": "so it was\n",
        "r.de": "so it is\n",
    }.items():
        Path(name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("output", [[], ["--json"]])
def test_evaluate_writes_the_tables_that_it_prints(texts, output):
    result = evaluate("--baseline", "x", "--table", "scores.csv", *output)
    assert result.exit_code == 0, result.output
    assert "wrote scores.csv and scores-2.csv" in result.stderr
    first, second = (
        list(csv.reader(Path(f"scores{n}.csv").read_text().splitlines())) for n in ("", "-2")
    )
    assert [row[0] for row in first] == ["system", "[/b]", "x"]
    assert second[1][:3] == ["compared with x", "s-BLEU", "[/b]"]
    assert result.stdout.startswith("{") == bool(output)


@pytest.mark.parametrize(
    ("table", "message"),
    [("scores.txt", "End --table with .csv or .tex"), ("r.tex", "named by another option")],
)
def test_a_file_that_cannot_be_a_table_is_refused_before_any_work(texts, table, message):
    Path("r-2.tex").write_text("so it is\n")
    result = evaluate("--system", "y=r-2.tex", "--table", table)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert Path("r-2.tex").read_text() == "so it is\n"

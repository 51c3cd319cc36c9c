"""`docmt check` with a run, whose forced decoding docmt-research does."""

from __future__ import annotations

from typer.testing import CliRunner

from docmt.cli import main


def test_a_run_judges_which_sentences_are_improbable(tmp_path):
    source, target = tmp_path / "a.md", tmp_path / "b.md"
    source.write_text("It has 15 parts.\n\nSave the file.\n")
    target.write_text("Es hat 16 Teile.\n\nSave the file.\n")
    command = ["check", str(source), str(target), "--run", "bundled:en-de", "--only", "improbable"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 3
    assert "\timprobable\t-" in result.stdout and "209 of 225" in result.stdout

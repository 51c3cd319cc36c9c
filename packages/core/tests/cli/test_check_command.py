"""`docmt check` on the command line: tables, notes and exit codes."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from docmt.cli import main


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("It has 15 parts.\n\nSave the file.\n")
    (tmp_path / "b.md").write_text("Es hat 16 Teile.\n\nSave the file.\n")
    (tmp_path / "good.md").write_text("Es hat 15 Teile.\n\nSpeichern Sie die Datei.\n")
    return ["--from", "en", "--to", "de"]


def run(*arguments: str):
    return CliRunner().invoke(main, ["check", *arguments])


def test_findings_are_a_table_and_exit_with_3(files):
    result = run("a.md", "b.md", *files)
    assert result.exit_code == 3
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert [row[1:3] for row in rows] == [
        ["place", "check"],
        ["line 1", "numbers"],
        ["line 3", "copy"],
    ]
    assert result.stderr.splitlines()[-1] == (
        "b.md (en to de): 2 texts, 2 sentences: 2 findings: numbers (1), copy (1)"
    )


def test_a_translation_without_findings_exits_with_0(files):
    result = run("a.md", "good.md", *files)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.endswith("2 texts, 2 sentences: 0 findings\n")


def test_checks_are_switched(files):
    assert run("a.md", "b.md", *files, "--only", "names").exit_code == 0
    assert run("a.md", "b.md", *files, "--without", "numbers,copy").exit_code == 0
    refused = run("a.md", "b.md", *files, "--only", "improbable")
    assert refused.exit_code == 2 and "Name a `run`" not in refused.stderr
    assert "needs a run" in refused.stderr
    refused = run("a.md", "b.md", *files, "--without", "numbrs")
    assert refused.exit_code == 2 and "--without: there is no check" in refused.stderr


def test_tables_are_written_by_the_suffix(files, tmp_path):
    assert run("a.md", "b.md", *files, "-o", "out.json").exit_code == 3
    assert len(json.loads((tmp_path / "out.json").read_text())["findings"]) == 2
    assert run("a.md", "b.md", *files, "-o", "out.html").exit_code == 3
    assert run("a.md", "b.md", *files, "-o", "out.doc").exit_code == 2

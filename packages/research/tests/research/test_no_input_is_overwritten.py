"""Commands of docmt-research never write to a file that they read."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from docmt.cli import main

SIDES = ["--source", "a.en", "--target", "a.de"]
LANGUAGES = ["--source-language", "en", "--target-language", "de"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["log-probabilities", "--run", "none", *SIDES, "-o", "a.de"],
        ["cxmi", "--run", "none", *SIDES, "-o", "a.en"],
        ["contrast", "--run", "none", "a.jsonl", "-o", "a.jsonl"],
        ["judge", "--run", "none", "--hypothesis", "a.de", "--source", "a.en", "-o", "./a.de"],
        ["make-contrast", "--source", "a.jsonl", *LANGUAGES, "-o", "link.jsonl"],
        ["discourse", "--hypothesis", "a.de", "--source", "a.en", "--occurrences", "a.en"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_an_output_that_is_an_input_is_refused(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.en", "a.de", "a.jsonl"):
        Path(name).write_text(f"{name}\n", encoding="utf-8")
    Path("link.jsonl").symlink_to("a.jsonl")
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert "is an input and would be overwritten" in " ".join(result.stderr.split())
    for name in ("a.en", "a.de", "a.jsonl"):
        assert Path(name).read_text(encoding="utf-8") == f"{name}\n"

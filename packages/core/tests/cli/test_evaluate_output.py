"""Where `docmt evaluate` writes the translation of a split."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from docmt.cli import main


def test_a_run_does_not_write_to_the_corpus_of_its_split(tiny_run) -> None:
    target = Path(tiny_run.recipe.data.test.target)
    before = target.read_bytes()
    arguments = ["--run", tiny_run.directory, "--split", "test", "-o", target]
    result = CliRunner().invoke(main, ["evaluate", *map(str, arguments)])
    assert result.exit_code == 2
    assert "is an input and would be overwritten" in " ".join(result.stderr.split())
    assert target.read_bytes() == before

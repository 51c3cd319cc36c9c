"""`docmt translate --columns`: columns of tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from docmt.cli import main


def translate_columns(run, *arguments: str | Path) -> Result:
    return CliRunner().invoke(
        main, ["translate", "--run", str(run.directory), *map(str, arguments)]
    )


def test_columns_of_a_table_are_translated(tiny_run, tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text('id,text,more\r\n1,"one, two",three\r\n2,four five,six\r\n')
    output = tmp_path / "out.csv"
    result = translate_columns(tiny_run, path, "-o", output, "--columns", "text")
    assert result.exit_code == 0, result.output
    rows = output.read_bytes().decode().split("\r\n")
    assert rows[0] == "id,text,more" and rows[1].startswith('1,"') and rows[1].endswith(",three")
    new = translate_columns(tiny_run, path, "-o", output, "--columns", "text", "--new-columns")
    assert new.exit_code == 0, new.output
    target = tiny_run.pipeline.languages[1]
    assert output.read_bytes().startswith(f"id,text,text_{target},more\r\n1,".encode())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing says which of its columns to translate"),
        (["--new-columns"], "--new-columns needs --columns"),
        (["--columns", "text,"], "--columns has an empty name"),
        (["--columns", "title"], "has no column 'title'"),
        (["--columns", "text", "--segmented"], "--columns excludes"),
    ],
)
def test_columns_that_do_not_fit_are_refused(
    tiny_run, tmp_path: Path, arguments: list[str], message: str
) -> None:
    path = tmp_path / "in.csv"
    path.write_text("id,text\n1,one\n")
    result = translate_columns(tiny_run, path, "-o", tmp_path / "out.csv", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert not (tmp_path / "out.csv").exists()

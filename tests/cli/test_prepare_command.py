"""`docmt prepare`, by the commands of its how-to."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt.data.parallel_corpus import PreparedCorpus
from docmt.recipes import load

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "prepare-a-corpus.md"


def without_trailing_space(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def shell(commands: str) -> str:
    """The output of commands, those of docmt called in this process."""
    output = ""
    for command in commands.splitlines():
        if command.startswith("docmt "):
            output += CliRunner().invoke(main, shlex.split(command)[1:]).output
        else:
            subprocess.run(command, shell=True, check=True)
    return output


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not here")
def test_the_how_to_is_true_from_beginning_to_end(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    output = ""
    blocks = re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert {kind for kind, _ in blocks} == {"sh", "text", "python", "yaml"}
    for kind, text in blocks:
        if kind == "sh":
            output = shell(text)
        elif kind == "text":
            assert without_trailing_space(output) == without_trailing_space(text)
        elif kind == "python":
            exec(text, {})
        else:
            Path(re.match("# (.+)\n", text)[1]).write_text(text)
    PreparedCorpus.load("talks").check(load("talks.yaml"))


def test_a_fault_of_the_corpus_ends_with_code_2_and_no_folder(tmp_path):
    (tmp_path / "a.tsv").write_text("1\tone\n")
    data = f"data.train={{source: {tmp_path / 'a.tsv'}}}"
    call = ["prepare", "g-transformer", data, "--output", str(tmp_path / "out")]
    result = CliRunner().invoke(main, call)
    assert result.exit_code == 2
    assert "document '1' has no target side" in result.stderr
    assert not (tmp_path / "out").exists()

"""`docmt translate --text`, and short options of every command."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from docmt.cli import main


def docmt(*arguments: str):
    return CliRunner().invoke(main, list(arguments))


def test_a_text_is_translated_to_standard_output():
    result = docmt("translate", "--run", "bundled:en-de", "--text", "Open the file.")
    assert (result.exit_code, result.stdout) == (0, "Öffnen Sie die Datei.\n")
    assert result.stderr.startswith("text: 1 document")


def test_the_language_of_a_text_is_detected(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCMT_MODELS", str(tmp_path))
    text = "Ouvrez le fichier et fermez la porte, parce que le temps passe."
    result = docmt("translate", "--to", "de", "--text", text)
    assert result.exit_code == 2
    assert "no installed model translates from fr into de" in result.stderr


@pytest.mark.parametrize("arguments", [[], ["a.txt", "--text", "One."]])
def test_there_is_a_text_or_files(arguments):
    result = docmt("translate", *arguments)
    assert result.exit_code == 2
    assert "Name files, or give a text as --text" in result.stderr


def test_help_and_version_have_short_options():
    assert docmt("-V").stdout == docmt("--version").stdout != ""
    assert docmt("-h").stdout == docmt("--help").stdout
    for command in (["translate"], ["models"], ["models", "get"], ["memory", "add"]):
        assert docmt(*command, "-h").stdout == docmt(*command, "--help").stdout

"""`docmt translate --json`, for other programs."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from docmt.cli import main

RUN = ("translate", "--run", "bundled:en-de", "--json")
GERMAN = "Das Buch ist schön und der Film auch. Ich gehe nach Hause."


def docmt(*arguments: str, text: str | None = None):
    return CliRunner().invoke(main, list(arguments), input=text)


def test_a_text_is_in_the_object():
    result = docmt(*RUN, "--text", "Open the file.")
    assert json.loads(result.stdout) == {
        "translations": [
            {
                "input": None,
                "output": None,
                "source_language": "en",
                "target_language": "de",
                "text": "Öffnen Sie die Datei.\n",
            }
        ],
        "counts": {
            "suspicious_sentences": 0,
            "kept_blocks": 0,
            "foreign_documents": 0,
            "moved_codes": 0,
            "failed_files": 0,
        },
        "suspicious": [],
        "notes": ["text: 1 document, 1 sentence, translated in 1 chunk of 1 sentence"],
    }


def test_suspicious_sentences_and_notes_are_in_the_object_and_tell_the_exit_code():
    result = docmt(*RUN, "--strict", "--text", GERMAN)
    found = json.loads(result.stdout)
    assert result.exit_code == 3 and found["counts"]["suspicious_sentences"] == 2
    first = found["suspicious"][0]
    assert (first["file"], first["source"]) == ("text", "Das Buch ist schön und der Film auch.")
    assert first["target"] and "improbable" in first["warning"]
    assert all(note in result.stderr for note in found["notes"])
    assert "docmt-" not in result.output


def test_files_and_folders_are_named_and_not_read(tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("a.md", "in/b.md"):
        (tmp_path / name).write_text("Open the **file**.\n")
    out = str(tmp_path / "a.de.md")
    result = docmt(*RUN, str(tmp_path / "a.md"), "-o", out)
    (one,) = json.loads(result.stdout)["translations"]
    assert (one["input"], one["output"]) == (str(tmp_path / "a.md"), out) and "text" not in one
    folder = str(tmp_path / "out")
    result = docmt(*RUN, str(tmp_path / "in"), "-o", folder)
    (one,) = json.loads(result.stdout)["translations"]
    assert (one["input"], one["output"]) == (str(tmp_path / "in"), folder)


def test_standard_input_is_in_the_object_as_what_standard_output_would_have():
    result = docmt(*RUN, "-", "--output-format", "jsonl", text="Open the file.\n")
    (one,) = json.loads(result.stdout)["translations"]
    assert one["input"] == "-"
    assert json.loads(one["text"])["target"] == ["Öffnen Sie die Datei."]


def test_a_mistake_is_told_on_standard_error_alone(tmp_path):
    result = docmt(*RUN, str(tmp_path / "none.txt"))
    assert (result.exit_code, result.stdout) == (2, "") and "none.txt" in result.stderr


@pytest.mark.parametrize("more", [["--dry-run"]])
def test_a_report_needs_a_translation(more):
    result = docmt(*RUN, "--text", "One.", *more)
    assert result.exit_code == 2 and "--json tells of a translation" in result.stderr

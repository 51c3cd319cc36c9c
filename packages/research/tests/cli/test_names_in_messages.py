"""A file's name cannot make a message look like another, nor give a terminal orders."""

from __future__ import annotations

import json
import re

import pytest
from typer.testing import CliRunner

from docmt.cli import main
from docmt.cli.terminal import note, progress_bar
from docmt_files.base.errors import InputError, printable

NAME = "a\ndocmt: all is well\x1b[31m\r\u202e\x9b"
SHOWN = r"a\ndocmt: all is well\x1b[31m\r\u202e\x9b"


def lines_of(tiny_run, *arguments):
    command = ["translate", "--run", str(tiny_run.directory), *map(str, arguments)]
    result = CliRunner().invoke(main, command)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", result.stderr)
    assert "\ndocmt: all is well" not in result.stderr
    return result.stderr.splitlines()


def test_notes_on_a_file_show_its_name_on_one_line(tiny_run, tmp_path):
    path = tmp_path / f"{NAME}.txt"
    path.write_text("one two\n")
    lines = lines_of(tiny_run, path, "-o", tmp_path / "out.txt")
    assert lines[0].startswith(f"{tmp_path}/{SHOWN}.txt: 1 document, 1 sentence")


@pytest.mark.parametrize("suffix", [".txt", ".md", ".pdf", ".docx", ".json", ".jsonl", ".csv", ""])
def test_errors_show_the_name_on_one_line(tiny_run, tmp_path, suffix):
    path = tmp_path / f"{NAME}{suffix}"
    path.write_bytes(b"one \xff\n")
    (line,) = lines_of(tiny_run, path, "-o", tmp_path / f"out{suffix}")
    assert line.startswith(f"docmt: {tmp_path}/{SHOWN}{suffix}")


def test_the_name_of_a_missing_file_is_shown_on_one_line(tiny_run, tmp_path):
    (line,) = lines_of(tiny_run, tmp_path / f"{NAME}.txt")
    assert line.startswith(f"docmt: {tmp_path}/{SHOWN}.txt: no such file")


def test_notes_on_a_folder_show_its_names_on_one_line(tiny_run, tmp_path):
    folder = tmp_path / f"in{NAME}"
    folder.mkdir()
    (folder / f"{NAME}.txt").write_text("one two\n")
    (folder / f"bad{NAME}.txt").write_bytes(b"\xff\n")
    (folder / f"copied{NAME}.pdf").write_text("one\n")
    (folder / f".{NAME}").write_text("one\n")
    lines = lines_of(tiny_run, folder, "-o", tmp_path / f"out{NAME}")
    assert all(line.startswith((f"{tmp_path}/in{SHOWN}", "docmt: 1 file failed")) for line in lines)
    text = "\n".join(lines)
    for part in (f"copied{SHOWN}.pdf. ", f"(hidden): .{SHOWN}", f"bad{SHOWN}.txt failed: "):
        assert part in text


def test_a_name_is_one_line_in_what_is_written(tiny_run, tmp_path):
    path = tmp_path / f"{NAME}.txt"
    path.write_text("one two\n")
    lines_of(tiny_run, path, "-o", tmp_path / "out.tsv", "--output-format", "tsv")
    assert len((tmp_path / "out.tsv").read_text().splitlines()) == 1
    lines_of(tiny_run, path, "-o", tmp_path / "out.jsonl")
    assert json.loads((tmp_path / "out.jsonl").read_text())["id"] == f"{tmp_path}/{SHOWN}.txt"


def test_further_lines_of_a_message_are_indented(capsys):
    note("docmt: first\nsecond\x1b[2J")
    assert capsys.readouterr().err == "docmt: first\n  second\\x1b[2J\n"


@pytest.mark.parametrize("name", ["a[/b].txt", "[red]x", "[link=file:///]x"])
def test_a_name_is_no_markup_of_the_progress_bar(name, monkeypatch, capsys):
    monkeypatch.setattr("docmt.cli.terminal.on_terminal", lambda: True)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    with progress_bar(name) as report:
        report(1, 2)
    assert name in capsys.readouterr().err


def test_names_of_all_languages_stay_as_they_are():
    for name in (
        "Übersicht 2.md",
        "报告\u3000一.docx",
        "9.41\u202fAM.txt",
        "نامه\u200cها.odt",
        "👩‍💻.md",
    ):
        assert printable(name) == name


def test_bytes_that_are_no_text_are_shown():
    name = b"caf\xe9.txt".decode("utf-8", "surrogateescape")
    assert str(InputError("is wrong", path=name)) == "caf\\xe9.txt: is wrong"


LONG = "a" * 300


@pytest.mark.parametrize(
    "command",
    [
        ["translate", "--run", "bundled:en-de", f"{LONG}.txt"],
        ["translate", "--run", "bundled:en-de", "in.txt", "-o", LONG],
        ["translate", "in.txt", "--run", LONG],
        ["train", "demo-sentence", "--run", LONG],
        ["curves", LONG, "-o", "a.png"],
    ],
    ids=lambda command: f"{command[0]} {len(command)}",
)
def test_a_name_that_is_too_long_is_an_error_in_words(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.txt").write_text("one two\n")
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 2 and "(File name too long)" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("docmt: aaa")

"""`docmt suites`: the list of published test sets, and commands that docmt has."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from typer.testing import CliRunner

from docmt.cli import load_command, main
from docmt_files.base.packaged_tables import read_table

SUITES = read_table("docmt_nmt.evaluation", "suites.toml")


def run(*arguments: str):
    return CliRunner().invoke(main, ["suites", *arguments])


def shell_commands(name: str) -> list[list[str]]:
    """The commands of docmt for a suite, as words."""
    lines = SUITES[name]["commands"].splitlines()
    return [shlex.split(line) for line in lines if line.startswith("docmt ")]


def test_all_suites_are_listed_with_what_they_test():
    lines = run().stdout.splitlines()
    assert [line.split("\t")[0] for line in lines] == sorted(SUITES)
    assert "contrapro\tEnglish to German: the pronoun it" in lines


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_has_a_source_a_licence_files_and_commands_that_exist(name):
    shown = run(name).stdout
    for key in ("source", "license", "files", "commands"):
        assert SUITES[name][key] in shown
    assert shell_commands(name)
    for _, command, *words in shell_commands(name):
        known = {option for one in load_command(command).params for option in one.opts}
        assert {word for word in words if word.startswith("-")} <= known


def test_an_unknown_suite_is_an_error_with_the_names():
    result = run("nosuch")
    assert result.exit_code == 2
    assert "Known are voita-2019, contrapro" in result.stderr


def shell(command: str, folder) -> None:
    subprocess.run(["sh", "-c", command], cwd=folder, check=True)


def test_the_contexts_of_ctxpro_become_documents_whose_last_sentences_are_scored(tmp_path):
    (tmp_path / "gender.opensubtitles.en-de.test").write_text(
        "A b.<eos> It c.\nD.<eos> E.<eos> F.\n"
    )
    to_documents, _, to_last, _ = SUITES["ctxpro"]["commands"].splitlines()
    shell(to_documents, tmp_path)
    documents = (tmp_path / "ctxpro.en").read_text()
    assert documents == "<d>\nA b.\nIt c.\n<d>\nD.\nE.\nF.\n"
    (tmp_path / "ctxpro.de").write_text(documents)
    shell(to_last, tmp_path)
    assert (tmp_path / "last.de").read_text() == "It c.\nF.\n"


def test_the_files_of_dela_become_line_files(tmp_path):
    first = '<doc\tsysid="ref">\t\r\n<seg id="1">\tA b\t\r\n<seg id="2">\tC\r\n</doc>\t\r\n\t\r\n'
    text = first + '<doc>\t\r\n<seg id="1">\tD\r\n'
    for name in ("EN_ID_news", "PT-BR_News"):
        (tmp_path / f"{name}.txt").write_text(text, newline="")
    shell(SUITES["dela"]["commands"].splitlines()[0], tmp_path)
    assert (tmp_path / "PT-BR_News").read_text() == "<d>\nA b\nC\n<d>\nD\n"

"""Pages of results: whatever a page names to make its figures again is there, and runs."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click import Context
from typer.main import get_command

from docmt.cli import load_command, main
from results_commands import COMMANDS, PAGES, ROOT, Command, code_spans, is_in_history, stored_at

SCRIPTS = [
    one
    for one in COMMANDS
    if one.program == "python" and stored_at(one.page, one.arguments[0]) is None
]
"""The commands of scripts of today; those of an earlier commit are not run."""


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def test_there_are_commands_of_all_kinds() -> None:
    programs = [one.program for one in COMMANDS]
    assert {*programs} >= {"python", "pytest", "docmt"} and programs.count("python") > 40


@pytest.mark.parametrize("command", SCRIPTS, ids=str)
def test_every_script_that_a_page_runs_is_there(command: Command) -> None:
    assert command.script is not None


@pytest.mark.slow
@pytest.mark.parametrize("command", SCRIPTS, ids=str)
def test_every_command_of_a_script_runs_with_its_options(command: Command) -> None:
    """With `--help` at the end, argparse checks the choices of the options before it."""
    arguments = [word for word in command.script_arguments if word != "…"]
    while variable := next((word for word in arguments if word.startswith("$")), None):
        index = arguments.index(variable)
        option = index and arguments[index - 1].startswith("--")
        del arguments[index - 1 if option else index : index + 1]
    program = [sys.executable, str(command.script)]
    ran = subprocess.run([*program, *arguments, "--help"], capture_output=True, text=True, cwd=ROOT)
    assert ran.returncode == 0, ran.stderr
    for option in (word for word in arguments if word.startswith("--")):
        assert re.search(rf"(?<![\w-]){option}(?![\w-])", ran.stdout), option


@pytest.mark.parametrize("command", [one for one in COMMANDS if one.program == "docmt"], ids=str)
def test_every_command_of_docmt_is_one_that_the_command_line_takes(command: Command) -> None:
    words, root = list(command.arguments), get_command(main)
    if words[0].startswith("-"):
        return
    assert words[0] in root.list_commands(Context(root))
    parser: Any = load_command(words.pop(0))
    while words and words[0] in getattr(parser, "commands", {}):
        parser = parser.commands[words.pop(0)]
    known = {option for one in parser.params for option in (*one.opts, *one.secondary_opts)}
    assert {word for word in words if word.startswith("--")} <= known | {"--help"}


@pytest.mark.parametrize("command", [one for one in COMMANDS if one.program == "pytest"], ids=str)
def test_every_test_that_a_page_runs_is_there(command: Command) -> None:
    paths = [word for word in command.arguments if "/" in word]
    assert all((ROOT / path).exists() for path in paths)


@pytest.mark.parametrize("command", [one for one in COMMANDS if one.program == "make"], ids=str)
def test_every_target_of_make_is_there(command: Command) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert f"\n{command.arguments[0]}:" in makefile


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_commit_that_a_page_names_is_in_the_history(page: Path) -> None:
    """Of docmt: a commit beside a link to another repository is not looked up."""
    text = page.read_text("utf-8")
    assert not re.search(r"\btag\s+`", text), "tags are not part of the history: name the commit"
    own = [one for one in re.split(r"(?<=[.:;])\s", text) if "github.com" not in one]
    for name in re.findall(r"(?:[Cc]ommit|checkout)\s+([0-9a-f]{7,40})\b", " ".join(own)):
        assert is_in_history(f"{name}^{{commit}}"), name


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_file_that_a_page_names_is_there(page: Path) -> None:
    """A path from the root, or the name of a file anywhere in the repository."""
    for word in (word for code in code_spans(page.read_text("utf-8")) for word in code.split()):
        if re.fullmatch(r"(?:studies|benchmarks|tests|docs|packages|src|research)/[\w./*-]+", word):
            commit = stored_at(page, word)
            there = is_in_history(f"{commit}:{word}") if commit else any(ROOT.glob(word))
            assert there, word
        elif re.fullmatch(r"\w+\.(?:py|md|mjs|cjs)", word) and word != "results.md":
            assert word in names_of_files(), word


@cache
def names_of_files() -> set[str]:
    folders = ("benchmarks", "studies", "tests", "packages", "docs")
    return {path.name for folder in folders for path in (ROOT / folder).rglob("*.*")}

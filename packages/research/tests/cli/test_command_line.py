"""What all commands share: help, version, and how they end."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from docmt import __version__
from docmt.cli import COMMANDS, _Group, main
from docmt_files.base.errors import InputError
from docmt_nmt import recipes


def one_command(action: Callable[[], None]) -> typer.Typer:
    """A command line that ends as docmt does, with a command that only runs `action`."""
    app = typer.Typer(cls=_Group, pretty_exceptions_enable=False)
    app.callback()(lambda: None)
    app.command("act")(lambda: action())
    return app


def raising(error: BaseException) -> Callable[[], None]:
    def action() -> None:
        raise error

    return action


def test_the_version_is_that_of_the_package() -> None:
    result = CliRunner().invoke(main, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"docmt {__version__}\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    assert command in CliRunner().invoke(main, ["--help"]).stdout
    result = CliRunner().invoke(main, [command, "--help"])
    assert result.exit_code == 0
    assert f"docmt {command}" in result.stdout.replace("root", "docmt")


def test_an_unknown_command_names_the_nearest() -> None:
    result = CliRunner().invoke(main, ["trian"])
    assert result.exit_code == 2
    assert "Did you mean 'train'" in result.stderr


MAX_MODULES = 230
"""Modules that listing the commands may import. Python and typer make up most of them; a package
that is added to what starts first is seen here before anybody waits for it."""


def imported_by(*arguments: str) -> set[str]:
    """What `docmt` imports with these arguments, in a process of its own."""
    code = (
        "import sys\n"
        "from docmt.cli import main\n"
        f"try:\n    main({list(arguments)})\n"
        "finally:\n    print('\\n'.join(sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


def test_listing_the_commands_imports_little() -> None:
    modules = imported_by("--help")
    assert len(modules) < MAX_MODULES
    assert (
        not {"torch", "numpy", "pyarrow", "pydantic", "rich", "docmt_research.cli.judge"} & modules
    )
    commands = {command.object.partition(":")[0] for command in COMMANDS.values()}
    assert not commands & modules


def test_the_help_of_a_command_does_not_load_torch() -> None:
    modules = imported_by("translate", "--help")
    assert "docmt.cli.translate" in modules
    assert not {"torch", "docmt.cli.train", "docmt_research"} & modules


def test_a_users_mistake_is_reported_without_a_traceback() -> None:
    error = InputError("is empty", path="a.txt", line=3, cure="Fill it")
    result = CliRunner().invoke(one_command(raising(error)), ["act"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "docmt: a.txt, line 3: is empty. Fill it.\n"


def test_ctrl_c_ends_with_the_code_of_an_interruption() -> None:
    result = CliRunner().invoke(one_command(raising(KeyboardInterrupt())), ["act"])
    assert result.exit_code == 130
    assert result.stderr == "docmt: interrupted\n"


def test_a_bug_keeps_its_traceback() -> None:
    result = CliRunner().invoke(one_command(raising(RuntimeError("a bug"))), ["act"])
    assert isinstance(result.exception, RuntimeError)


@pytest.fixture
def printing(tmp_path: Path) -> list[str]:
    """A command that prints without loading torch."""
    file = tmp_path / "a.txt"
    file.write_text("<d>\na b c d e\n<d>\nf g h i j\n")
    return [
        sys.executable,
        "-m",
        "docmt",
        "evaluate",
        "--hypothesis",
        str(file),
        "--reference",
        str(file),
        "--metric",
        "s-bleu",
    ]


def test_a_reader_that_leaves_ends_the_command_quietly(printing: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(printing, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_standard_output_is_reported_without_a_traceback(printing: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(printing, stdout=full, stderr=subprocess.PIPE, check=False, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        "docmt: standard output: cannot be written (No space left on device). Free space.\n"
    )


def test_recipes_in_a_pipe_are_one_line_each_and_do_not_load_torch() -> None:
    code = (
        "import sys\n"
        "from docmt.cli import main\n"
        "try:\n    main(['recipes'])\n"
        "finally:\n    assert not {'torch', 'numpy', 'pyarrow'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    listed = [line.split("\t") for line in done.stdout.splitlines()]
    assert [name for name, _ in listed] == recipes.names()
    assert dict(listed)["demo-sentence"].startswith("A small")


def test_shells_can_complete_commands_and_recipes() -> None:
    def completed(words: str, shell: str = "bash", **more: str) -> str:
        environment = {
            **os.environ,
            "_DOCMT_COMPLETE": f"complete_{shell}",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split(" ")) - 1),
            **more,
        }
        command = [sys.executable, "-c", "from docmt.cli import main; main(prog_name='docmt')"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        return done.stdout

    assert "train" in completed("docmt tra").split()
    names = completed("docmt train demo-g").split()
    assert names == [name for name in recipes.names() if name.startswith("demo-g")]


def test_recipes_are_listed_by_paper_with_what_they_are_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("docmt.cli.terminal.stdout_is_terminal", lambda: True)
    result = CliRunner().invoke(main, ["recipes"])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    (recipe,) = [i for i, line in enumerate(lines) if "  ted-g-transformer-finetuned " in line]
    headings = [line.strip() for line in lines[:recipe] if line[:1] not in ("", " ")]
    assert headings[-1] == "bao-2021"
    assert "A small G-Transformer from random weights" in result.stdout


def test_a_shown_recipe_is_a_recipe(tmp_path: Path) -> None:
    arguments = ["recipes", "show", "demo-sentence", "training.max_steps=7"]
    mine = tmp_path / "mine.yaml"
    mine.write_text(CliRunner().invoke(main, arguments).stdout)
    again = CliRunner().invoke(main, ["recipes", "show", str(mine)])
    assert again.stdout == mine.read_text()
    assert "  max_steps: 7\n" in again.stdout


def test_the_prompts_of_a_language_model_are_shown_as_templates(tmp_path: Path) -> None:
    show = ["recipes", "show", "language-model", "system.model=m", "system.url=http://localhost/v1"]
    shown = CliRunner().invoke(main, [*show, "--prompt", "sentence"])
    assert "You translate a document from {{ source_language }}" in shown.stdout
    (tmp_path / "sentence.j2").write_text(f"{shown.stdout}{{# mine #}}\n")
    own = CliRunner().invoke(main, [*show, f"request.prompts={tmp_path}", "--prompt", "sentence"])
    assert own.stdout == f"{shown.stdout}{{# mine #}}\n"
    trained = CliRunner().invoke(main, ["recipes", "show", "sentence", "--prompt", "batch"])
    assert trained.exit_code == 2 and "has no prompts" in trained.stderr


def test_every_key_is_explained_with_its_values_and_default() -> None:
    result = CliRunner().invoke(main, ["recipes", "keys"])
    shown = "search.beam_size: integer ≥ 1 and ≤ 1,000, default 5\n    Number of hypotheses kept"
    assert shown in result.stdout
    assert "system.name: transformer | g-transformer | " in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["recipes", "show", "demo-sentense"], "Did you mean 'demo-sentence'?"),
        (["recipes", "show", "demo-sentence", "serch.beam_size=2"], "did you mean 'search'"),
        (["train", "missing.yaml", "--run", "run"], "missing.yaml: no such file"),
        (["translate", "--run", "nowhere", "a.txt"], "nowhere: no such directory"),
    ],
)
def test_mistakes_end_a_command_with_a_message(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("own", "expected"), [(None, "1000"), ("7", "7")])
def test_waiting_threads_spin_briefly_by_default(own, expected):
    environment = {k: v for k, v in os.environ.items() if k != "GOMP_SPINCOUNT"}
    if own is not None:
        environment["GOMP_SPINCOUNT"] = own
    script = (
        "import docmt.cli, os, sys; print(os.environ['GOMP_SPINCOUNT'], 'torch' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True
    )
    assert run.stdout.split() == [expected, "False"]

"""Options of commands made from settings classes, and messages that name them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import typer
from annotated_types import Ge
from typer.testing import CliRunner

import docmt.cli
import docmt_research.cli
from docmt.cli import command_names, load_command
from docmt.cli.options import Options, with_options
from docmt_files.base.errors import InputError
from docmt_files.base.messages import Message
from docmt_nmt.base.settings import PositiveInt, Settings


@dataclass(frozen=True, slots=True)
class Report:
    """Options of a report."""

    kind: Literal["short", "long"] = "short"
    """Length of the report."""

    lines: Annotated[int, Ge(1)] = 3
    """Number of lines; see `kind=long`."""

    words: tuple[str, ...] = ()
    """Words to count."""

    loud: bool = False
    """Write capitals."""


class Search(Settings):
    """Keys of a recipe."""

    beam: PositiveInt = 4
    """Size of the beam. Default: four."""

    seed: int | None = None
    """Random seed, with `loud`."""


received: list[Any] = []


def command(
    *,
    report: Annotated[Report, Options("Report", details={"kind": typer.Option("--type")})],
    search: Annotated[Mapping[str, Any], Options("Search", fields_of=Search)],
    run: Annotated[str, typer.Option(help="A run, for `words`.")] = "here",
) -> None:
    """Receive settings."""
    received.append((report, search, run))


def invoke(*arguments: str) -> Any:
    received.clear()
    app = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode="markdown")
    app.command()(with_options(command))
    return CliRunner().invoke(app, arguments, env={"COLUMNS": "100"})


def test_a_command_receives_the_settings_that_its_options_make() -> None:
    assert invoke().exit_code == 0
    assert received == [(Report(), {}, "here")]
    arguments = "--type long --lines 2 --words a --words b --loud --beam 7 --run x"
    assert invoke(*arguments.split()).exit_code == 0
    assert received == [(Report("long", 2, ("a", "b"), True), {"beam": 7}, "x")]


@pytest.mark.parametrize("arguments", ["--lines 0", "--beam 0", "--type middle", "--no-loud"])
def test_the_bounds_of_a_field_are_those_of_its_option(arguments: str) -> None:
    assert invoke(*arguments.split()).exit_code == 2
    assert received == []


def test_the_help_of_an_option_is_the_docstring_of_its_field() -> None:
    shown = " ".join(invoke("--help").stdout.replace("│", " ").split())
    assert "Length of the report." in shown
    assert "Number of lines; see --type long." in shown
    assert "Size of the beam. Default: the recipe's, or four." in shown
    assert "A run, for --words." in shown
    assert "─ Report ─" in shown and "─ Search ─" in shown


@pytest.mark.parametrize(
    ("message", "mentions", "expected"),
    [
        ("`n_best` needs `columns`", ["n_best", "columns"], "--n-best needs `columns`"),
        ("set `search.n_best` to 2", ["search.n_best"], "set --n-best to 2"),
        ("Add `n_best=2`", ["n_best=2"], "Add --n-best 2"),
        ("Add `tokenized=True`", ["tokenized=True"], "Add --tokenized"),
        ('Add `windows="sliding"`', ['windows="sliding"'], "Add --windows sliding"),
        ("for `method: tokenized`", ["method: tokenized"], "for --tokenized"),
        ("`docmt translate` writes `<d>`", [], "`docmt translate` writes `<d>`"),
        ("the server says: `n_best` is 1", [], "the server says: `n_best` is 1"),
    ],
)
def test_messages_name_the_options_of_the_running_command(
    message: str, mentions: list[str], expected: str
) -> None:
    names = ("n_best", "tokenized", "windows")
    options = {name: f"--{name.replace('_', '-')}" for name in names}
    assert Message(message, mentions).naming(options) == expected


def test_mentions_go_on_from_error_to_error() -> None:
    first = InputError("`n_best` is 0", cure="Set `n_best=1`", parameters=["n_best", "n_best=1"])
    second = InputError(first.problem, path="a.yaml", cure=first.cure)
    assert second.message.naming({"n_best": "--n-best"}) == (
        "a.yaml: --n-best is 0. Set --n-best 1."
    )


@pytest.mark.parametrize("name", command_names())
def test_every_option_explains_itself(name: str) -> None:
    command = load_command(name)
    for one in getattr(command, "commands", {name: command}).values():
        assert one.help
        assert [p.name for p in one.params if p.name != "help" and not p.help] == []


def test_functions_of_commands_fit_on_a_screen() -> None:
    long = {
        f"{path.name}:{node.name}"
        for package in (docmt.cli, docmt_research.cli)
        for path in Path(package.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno >= 60
    }
    assert long == set()

"""Tables that the site builds from the code.

A call in double braces, such as `{{ keys() }}`, is replaced in a page by the options of the command
line (`commands`), the keys of recipes (`keys`), the bundled recipes (`recipes`), the bundled sweeps
(`sweeps`), the commands for the rows of the papers' tables (`results`), the settings in which these
rows differ (`differences`) or the modules of all systems (`systems`): the reference follows the
program. Zensical calls `define_env`; `mkdocs.yml` names the pages with calls.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

ROWS = Path(__file__).parents[1] / "packages/research/tests/recipes/results_tables"
"""For each paper, a file with what follows `docmt train` for each row of its tables."""


def define_env(env: Any) -> None:
    """Make the tables known to pages; Zensical calls this for each page with calls."""
    for table in (commands, differences, keys, recipes, results, sweeps, systems):
        env.macro(table)


def systems() -> str:
    """The module of every system, for mkdocstrings."""
    from docmt_nmt.systems import system_class, system_names

    return "\n".join(f"::: {system_class(name).__module__}" for name in system_names())


def commands() -> str:
    """Every command: its help, its usage, its arguments and options."""
    from docmt.cli import command_names, load_command

    return "\n".join(
        part for name in command_names() for part in _command(load_command(name), f"docmt {name}")
    )


def _command(command: Any, path: str) -> Iterator[str]:
    """The section of a command, then those of its subcommands."""
    usage = " ".join(command.collect_usage_pieces(command.context_class(command, info_name=path)))
    yield f"## {path}\n\n{command.help or ''}\n\n```text\n{path} {usage}\n```\n"
    rows = [
        (", ".join(f"`{name}`" for name in _names(parameter)), getattr(parameter, "help", "") or "")
        for parameter in command.params
        if parameter.name != "help"
    ]
    if rows:
        yield _table(("option", "meaning"), rows)
    for name, subcommand in getattr(command, "commands", {}).items():
        yield from _command(subcommand, f"{path} {name}")


def _names(parameter: Any) -> list[str]:
    """The names of an option, or the placeholder of an argument."""
    if parameter.param_type_name == "argument":
        return [parameter.metavar or parameter.name.upper()]
    return [*parameter.opts, *parameter.secondary_opts]


def keys() -> str:
    """Every key of a recipe, a section of the page for each section of a recipe."""
    from docmt_nmt.recipes import keys as all_keys
    from docmt_nmt.systems import system_class, system_names

    for name in system_names():
        system_class(name)
    parts = []
    for section, group in groupby(all_keys(), lambda key: str(key.name).partition(".")[0]):
        entries = list(group)
        parts.append(f"## {section}\n")
        if entries[0].kind == "section":
            parts.append(f"{entries.pop(0).help}\n")
        rows = [
            (f"`{key.name}`", key.kind, f"`{key.default}`" if key.default else "", key.help)
            for key in entries
        ]
        parts.append(_table(("key", "values", "default", "meaning"), rows))
    return "\n".join(parts)


def recipes() -> str:
    """The bundled recipes and what each is for, a section for each paper."""
    from docmt_nmt.recipes import descriptions, papers
    from docmt_nmt.recipes.bundle import packages

    described, package_of = descriptions(), packages()
    parts = []
    for paper, names in papers().items():
        rows = [(f"`{name}`", package_of[name], described[name]) for name in names]
        parts.append(f"## {paper}\n\n{_table(('recipe', 'package', 'description'), rows)}")
    return "\n".join(parts)


def sweeps() -> str:
    """The bundled sweeps and what each is for."""
    from docmt_research.sweeps.sweep_settings import describe_sweeps

    rows = [(f"`{name}`", description) for name, description in describe_sweeps().items()]
    return _table(("sweep", "description"), rows)


def results() -> str:
    """A command for each row of each results table of the papers, with the runs it starts from."""
    from docmt_nmt.recipes.yaml_source import read

    parts, commands = [], dict[str, str]()
    for path in sorted(ROWS.glob("*.yaml")):
        paper, _, year = path.stem.rpartition("-")
        parts.append(f"### {paper.capitalize()} et al. {year}\n")
        for table, rows in read(path)[0].items():
            # A row of several tables is one run.
            lines = [
                f"{commands.setdefault(command, train_command(row, command))}  # {row}"
                f"{_after(command)}"
                for row, command in rows.items()
            ]
            parts.append(f"{table}\n\n```sh\n" + "\n".join(lines) + "\n```\n")
    return "\n".join(parts)


def differences() -> str:
    """What the rows of a table do not share, with the reasons."""
    from docmt_nmt.recipes.yaml_source import read

    parts = []
    for paper, listed in read(ROWS.parent / "row_differences.yaml")[0].items():
        entries = [
            ("; ".join(entry["rows"]), entry["reason"], _values(entry["values"]))
            for entry in listed["differences"]
        ]
        parts.append(f"### {paper}\n\n{_table(('rows', 'reason', 'values'), entries)}")
    return "\n".join(parts)


def _values(values: dict[str, Any]) -> str:
    """The values of keys; those of several stages are divided by a slash."""
    return ", ".join(
        f"`{key}` {' / '.join(map(str, value)) if isinstance(value, list) else value}"
        for key, value in values.items()
    )


def train_command(row: str, command: str) -> str:
    """The whole command for a row: its run is named by the recipe and, if there are overrides, the
    row."""
    name, *overrides = shlex.split(command)
    run = f"{name} {row}" if overrides else name
    run = "-".join(re.findall(r"[\w.]+", run.lower()))
    return shlex.join(["docmt", "train", name, *overrides, "--run", f"runs/{run}"])


def runs_before(command: str) -> list[str]:
    """The runs that a row starts from or reads, and that it does not train itself."""
    from docmt_nmt.recipes import load

    def find(values: Any) -> Iterator[str]:
        items = values.items() if isinstance(values, dict) else enumerate(values)
        for key, value in items:
            if isinstance(value, dict | list):
                yield from find(value)
            elif key in ("run", "first_pass") and value is not None:
                yield value

    name, *overrides = shlex.split(command)
    return sorted(set(find(load(name, overrides).model_dump(mode="json"))))


def _after(command: str) -> str:
    """What a comment says of the runs before a row."""
    runs = runs_before(command)
    return f", after {' and '.join(runs)}" if runs else ""


def _table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A Markdown table, with a blank line after it."""
    lines = [header, ("---",) * len(header), *rows]
    return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in lines) + "\n"


def _cell(text: str) -> str:
    """Text on one line in which no character ends a cell or opens a tag."""
    return " ".join(text.split()).replace("|", "\\|")

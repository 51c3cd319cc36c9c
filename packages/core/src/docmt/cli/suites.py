"""`docmt suites`: published test sets for documents, and how to score a run on them."""

from __future__ import annotations

from typing import Annotated

import typer

from docmt.cli.terminal import print_names
from docmt_files.base.errors import InputError

_LINES = {
    "tests": "what it tests",
    "languages": "languages",
    "source": "where it is",
    "license": "licence",
    "files": "files",
    "output": "what is scored",
}


def suites(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A test set. Without it, list all.")
    ] = None,
) -> None:
    """List published test sets for phenomena of documents; of one, show where it is, the licence,
    the files that are expected, and the commands that score a run.

    docmt ships none of them. The licence is the one stated beside the files; the texts may have
    terms of their own.
    """
    from docmt_files.base.packaged_tables import read_table

    known = read_table("docmt_nmt.evaluation", "suites.toml")
    if name is None:
        print_names("suite", {"": {key: _summary(suite) for key, suite in known.items()}})
        return
    if name not in known:
        raise InputError(f"there is no suite {name!r}", cure=f"Known are {', '.join(known)}")
    for key, label in _LINES.items():
        typer.echo(f"{label}: {known[name][key]}")
    typer.echo(f"commands:\n\n{known[name]['commands']}", nl=False)


def _summary(suite: dict[str, str]) -> str:
    return f"{suite['languages']}: {suite['tests']}"

"""`CommandEntry`: a command in the list of all commands. Packages name one by an entry point of the
group `docmt.commands`; the function itself is imported when the command is used.

    contrast = "docmt_research.cli.entries:CONTRAST"
"""

from __future__ import annotations

from typing import NamedTuple

TRANSLATE = "Translate and train"
"""The heading in `docmt --help` of commands that translate, train and score."""

RUNS = "Recipes and runs"
"""The heading in `docmt --help` of commands for recipes and runs."""


class CommandEntry(NamedTuple):
    """A command in the list of all commands.

    Attributes:
        panel: the heading in `docmt --help`.
        summary: the description in `docmt --help`.
        object: the function or the `typer.Typer` of the command, as `module:name`.
    """

    panel: str
    summary: str
    object: str

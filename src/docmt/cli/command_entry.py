"""`CommandEntry`: a command in the list of all commands. Packages name one by an entry point of the
group `docmt.commands`; the function itself is imported when the command is used.

    contrast = "docmt_research.cli:CONTRAST"
"""

from __future__ import annotations

from typing import NamedTuple

TRANSLATE = "Translate and train"
RUNS = "Recipes and runs"
"""Headings in `docmt --help`."""


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

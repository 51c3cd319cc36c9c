"""The program that bilingual files name as their writer."""

from __future__ import annotations

from importlib import import_module

TOOL = "docmt"
"""The name of the program."""


def tool_version() -> str:
    """Return the version of this library."""
    return str(import_module(__name__.partition(".")[0]).__version__)

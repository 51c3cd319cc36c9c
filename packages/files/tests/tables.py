"""Rows of tests that stand in YAML files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

_TESTS = Path(__file__).parent


def read_table(path: str) -> list[dict[str, Any]]:
    """The rows of a file below the folder of this module."""
    return yaml.load((_TESTS / path).read_text(encoding="utf-8"), yaml.CSafeLoader)


def rows(path: str) -> list[tuple[Any, ...]]:
    """The values of each row, in the order of the file."""
    return [tuple(row.values()) for row in read_table(path)]

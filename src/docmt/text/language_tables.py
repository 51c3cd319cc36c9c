"""Tables about languages, which are data files of this package."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def read_tables(name: str) -> dict[str, Any]:
    """Read `NAME.toml`."""
    return tomllib.loads(files("docmt.text").joinpath(f"{name}.toml").read_text("utf-8"))

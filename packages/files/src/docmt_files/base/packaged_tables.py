"""Tables that are data files of a package."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def read_table(package: str, name: str) -> dict[str, Any]:
    """The values of a TOML file of a package, such as `docmt_nmt.text` and `scripts.toml`."""
    return tomllib.loads(files(package).joinpath(name).read_text("utf-8"))

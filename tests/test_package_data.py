"""The wheel has every file that the source has."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_file_of_the_package_is_in_the_wheel():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["docmt"]
    package = ROOT / "src" / "docmt"
    included = {path for pattern in patterns for path in package.glob(pattern)}
    files = {path for path in package.rglob("*") if path.is_file() and path.suffix != ".py"}
    files = {path for path in files if "__pycache__" not in path.parts}
    assert len(files) > 100
    assert not files - included

"""The wheels have every file that the sources have."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(("folder", "name"), [(".", "docmt"), ("research", "docmt_research")])
def test_every_file_of_a_package_is_in_its_wheel(folder, name):
    project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"][name]
    package = ROOT / folder / "src" / name
    included = {path for pattern in patterns for path in package.glob(pattern)}
    files = {path for path in package.rglob("*") if path.is_file() and path.suffix != ".py"}
    files = {path for path in files if "__pycache__" not in path.parts}
    assert len(files) > 50
    assert not files - included

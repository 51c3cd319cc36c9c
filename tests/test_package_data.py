"""The wheels have every file that the sources have."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("package", sorted(ROOT.glob("packages/*")), ids=lambda path: path.name)
def test_every_file_of_a_package_is_in_its_wheel(package):
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))
    ((name, patterns),) = project["tool"]["setuptools"]["package-data"].items()
    folder = package / "src" / name
    included = {path for pattern in patterns for path in folder.glob(pattern)}
    files = {
        path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".py", ".so")
    }
    files = {path for path in files if "__pycache__" not in path.parts}
    assert folder / "py.typed" in files
    assert not files - included

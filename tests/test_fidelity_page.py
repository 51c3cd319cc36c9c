"""The page on fidelity names tests, modules and recipes that exist."""

from __future__ import annotations

import re
from pathlib import Path

from docmt.recipes.bundle import names

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "results" / "fidelity.md").read_text(encoding="utf-8")


def test_every_test_it_names_exists() -> None:
    code = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    tests = set(re.findall(r"def (test_\w+)", code))
    files = {path.stem for path in (ROOT / "tests").rglob("test_*.py")}
    named = re.findall(r"`(test_\w+)(…?)`", PAGE)
    assert len(named) > 40
    for name, cut in named:
        assert name in tests or (cut and any(test.startswith(name) for test in tests)), name
    for name in re.findall(r"(?<![`\w])(test_\w+)", PAGE):
        assert name in files, name


def test_every_module_it_names_exists() -> None:
    for name in re.findall(r"(?<![-./\w])((?:[-\w]+/)+\w+\.(?:py|md))", PAGE):
        assert (ROOT / "src" / "docmt" / name).exists() or (ROOT / name).exists(), name


def test_every_recipe_it_names_exists() -> None:
    known = set(names())
    for name in re.findall(r"[Rr]ecipe ((?:\w+-)*\w+)(?![-\w…])", PAGE):
        assert name in known, name

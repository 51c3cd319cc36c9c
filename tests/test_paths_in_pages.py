"""The guide for contributors and the pages of the packages name paths that are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
READMES = sorted(ROOT.glob("packages/*/README.md"))
PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "README.md", *READMES]
PATH = re.compile(r"`([\w.*-]+(?:/[\w.*-]+)+)/?`")
TOP = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
FOLDERS = re.compile(
    r"^\| folder of `(src/\w+)` \|.*\n\| --- \| --- \|\n((?:\|.*\n)+)", re.MULTILINE
)
"""The table of the folders of a package: its path, and the rows."""


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def paths(page: Path) -> Iterator[str]:
    """The paths in a page, with `*` for the placeholders NAME and PAPER."""
    for path in PATH.findall(page.read_text(encoding="utf-8")):
        if path.split("/")[0] in TOP | {"src"}:
            yield re.sub(r"NAME|PAPER", "*", path)


def folder_table(page: Path) -> tuple[Path, set[str]]:
    """The folder of a package, and the names in the table of its folders."""
    match = FOLDERS.search(page.read_text(encoding="utf-8"))
    assert match is not None
    cells = [row.split("|")[1] for row in match[2].splitlines()]
    return page.parent / match[1], set(re.findall(r"`(\w+)`", " ".join(cells)))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_path_in_the_page_exists(page: Path) -> None:
    for path in paths(page):
        root = page.parent if path.startswith("src/") else ROOT
        assert any(root.glob(path)), path


def test_the_guide_for_contributors_names_paths() -> None:
    assert len(list(paths(ROOT / "CONTRIBUTING.md"))) > 20


@pytest.mark.parametrize("page", [p for p in READMES if p.parent.name != "files"], ids=name)
def test_the_page_of_a_package_names_each_of_its_folders(page: Path) -> None:
    folder, names = folder_table(page)
    assert names == {path.parent.name for path in folder.glob("*/__init__.py")} | {
        path.name for path in folder.glob("page")
    }

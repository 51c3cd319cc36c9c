"""Formats of text by rows: a text, its sentences, and the text with its sentences in capitals.

The rows of a format stand in `packages/files/tests/formats/contracts/FORMAT.yaml`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docmt_files import BlockSkeleton, Input
from tables import read_table

FILES = {
    "asciidoc": "in.adoc",
    "html": "in.html",
    "json": "in.json",
    "markdown": "in.md",
    "markdown_extensions": "in.md",
    "rest": "in.rst",
}
"""The name of a file of each table of rows."""


def rows() -> list[Any]:
    return [
        pytest.param(name, row, id=f"{table}-{number}")
        for table, name in FILES.items()
        for number, row in enumerate(read_table(f"formats/contracts/{table}.yaml"))
    ]


@pytest.mark.parametrize(("name", "row"), rows())
def test_text_is_replaced_and_the_rest_stays(tmp_path: Path, name: str, row: dict[str, Any]):
    path = tmp_path / name
    path.write_text(row["text"], encoding="utf-8", newline="")
    (document,), skeleton = Input().read(path, "en")
    assert isinstance(skeleton, BlockSkeleton)

    def filled(change: Callable[[str], str]) -> str:
        target = document.translated([change(sentence) for sentence in document.source])
        return skeleton.fill_and_report([target]).data.decode()

    if "sentences" in row:
        assert list(document.source) == row["sentences"]
    assert filled(str) == row["text"]
    if "filled" in row:
        assert filled(str.upper) == row["filled"]

"""reStructuredText: what is text, what is a code, and what stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from docmt_files import BlockSkeleton, Input
from docmt_files.base.documents import Document
from docmt_files.markup.line_markup import blocks_of_lines
from docmt_files.markup.rest import Scanner


def read(folder: Path, text: str) -> tuple[Document, BlockSkeleton]:
    path = folder / "a.rst"
    path.write_text(text, encoding="utf-8")
    (document,), skeleton = Input().read(path, "en")
    assert isinstance(skeleton, BlockSkeleton)
    return document, skeleton


def filled(folder: Path, text: str, change: Callable[[str], str] = str.upper) -> str:
    document, skeleton = read(folder, text)
    target = document.translated([change(s) for s in document.source])
    return skeleton.fill_and_report([target]).data.decode()


@pytest.mark.parametrize(
    "translation",
    ["* item", "1. item", ".. note:: x", ":a: b", "x *y* z", "a `b` c", "a_ b", "|x| y", "a::",
     "-x  y", "[1]_ a", "\\x y", "``a`` b", ">>> a", "(a) b", "**a** b", "____"],
)  # fmt: skip
def test_a_translation_is_text_whatever_it_looks_like(tmp_path: Path, translation: str) -> None:
    text = filled(tmp_path, "One two.\n\nThree\n", lambda s: translation if "One" in s else s)
    if translation == "____":
        assert text == "One two.\n\nThree\n"
        return
    block, _ = blocks_of_lines(Scanner, text).blocks
    assert "".join(part.text for part in block.parts) == translation


def test_lines_at_a_title_have_its_length(tmp_path: Path) -> None:
    text = "=====\nTitle\n=====\n\nTwo\n---\n\nLong\n--------\n\nText\n"
    longer = {"Title": "Der Titel", "Two": "二二", "Long": "Ganz lange Zeile"}
    expected = "=========\nDer Titel\n=========\n\n二二\n----\n\n"
    expected += "Ganz lange Zeile\n----------------\n\nText\n"
    assert filled(tmp_path, text, lambda s: longer.get(s, s)) == expected


def test_markup_is_parted_from_letters(tmp_path: Path) -> None:
    written = filled(tmp_path, "Press **red** now.\n", lambda _: "按红色吧。")
    assert "\\ **" in written or "**\\ " in written
    (block,) = blocks_of_lines(Scanner, written).blocks
    assert "".join(part.text for part in block.parts) == "按红色吧。"


def test_what_is_kept_is_counted(tmp_path: Path) -> None:
    text = "See `One two`_.\n\nOne two\n-------\n\n+---+\n| a |\n+---+\n\n"
    text += ".. drawing:: x\n\n   a -> b\n"
    document, skeleton = read(tmp_path, text)
    notes = skeleton.fill_and_report([document.translated(document.source)]).notes
    assert "1 table drawn with characters kept" in notes
    assert "1 directive of unknown names kept: drawing" in notes
    assert any(note.startswith("references to 1 title by their words") for note in notes)

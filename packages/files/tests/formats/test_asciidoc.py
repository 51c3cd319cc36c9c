"""AsciiDoc: what is text, what is a code, and what stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from docmt_files import BlockSkeleton, Input
from docmt_files.base.documents import Document
from docmt_files.markup.asciidoc import Scanner
from docmt_files.markup.line_markup import blocks_of_lines


def read(folder: Path, text: str) -> tuple[Document, BlockSkeleton]:
    path = folder / "a.adoc"
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
    ["* item", ". item", "NOTE: x", "a:: b", "x *y* z", "a `b` c", "{name} x", "<<x>> y", "= t",
     "// x", ":a: b", "[x]", "a +b+ c", "link:a[b]", "&amp; x", "a (((b))) c", "\\{x} y", "> q"],
)  # fmt: skip
def test_a_translation_is_text_whatever_it_looks_like(tmp_path: Path, translation: str) -> None:
    text = filled(tmp_path, "One two.\n", lambda _: translation)
    (block,) = blocks_of_lines(Scanner, text).blocks
    assert "".join(part.text for part in block.parts) == translation


def test_an_underline_has_the_length_of_its_title(tmp_path: Path) -> None:
    text = "The title\n=========\n\nOne two\n-------\n\nText\n"
    longer = {"The title": "Der Titel des Texts", "One two": "二二二"}
    expected = "Der Titel des Texts\n===================\n\n二二二\n------\n\nText\n"
    assert filled(tmp_path, text, lambda s: longer.get(s, s)) == expected


def test_formatting_beside_a_letter_gets_double_marks(tmp_path: Path) -> None:
    text = "Press *red* and `f`.\n"
    written = filled(tmp_path, text, lambda _: "按红和f。")
    assert written.count("**") == 2 and blocks_of_lines(Scanner, written).blocks[0].parts[1:-1]


def test_references_by_the_words_of_a_title_are_counted(tmp_path: Path) -> None:
    document, skeleton = read(tmp_path, "See <<The title>>, <<_the_title,it>> and <<id>>.\n")
    notes = skeleton.fill_and_report([document.translated(document.source)]).notes
    assert any(note.startswith("2 references to titles") for note in notes)

"""AsciiDoc: what is text, what is a code, and what stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from docmt.formats import BlockSkeleton, Input
from docmt.formats.markup.asciidoc import find_blocks
from docmt.ground.documents import Document


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
    ("text", "expected"),
    [
        # Empty cells and cells without a line each are put together by po4a.
        ("|===\n|a b: |c d\n|e f |\n|===\n", "|===\n|A B: |C D\n|E F |\n|===\n"),
        # A text below an image in a cell becomes verbatim in po4a.
        (
            "|===\n|One\n|Two\n\nimage::a.png[Alt]\n\nBelow it\n|===\n",
            "|===\n|ONE\n|TWO\n\nimage::a.png[ALT]\n\nBELOW IT\n|===\n",
        ),
        # Macros without attributes stop po4a.
        ("One cell:x[] two\n\ntoc::[]\n", "ONE cell:x[] TWO\n\ntoc::[]\n"),
        (
            "|===\n2+|one a|two\n.2+|x y\nl|keep me\n|===\n",
            "|===\n2+|ONE a|TWO\n.2+|X Y\nl|keep me\n|===\n",
        ),
        (
            '[cols="1m,a"]\n|===\n|a.b\n|\n* one two\n|===\n',
            '[cols="1m,a"]\n|===\n|a.b\n|\n* ONE TWO\n|===\n',
        ),
        ("One\n----\n\none two\n", "ONE\n----\n\nONE TWO\n"),
        ("one\n\n----\nkept\n----\n", "ONE\n\n----\nkept\n----\n"),
        ("[source]\nkept\ntoo\n\none\n", "[source]\nkept\ntoo\n\nONE\n"),
        (" literal\n\none\n", " literal\n\nONE\n"),
        ("> one\n> two\n", "> ONE TWO\n"),
        (":x: y\n:figure-caption: Figure\n\na\n", ":x: y\n:figure-caption: FIGURE\n\nA\n"),
        (
            "= One\nA. Name <a@b.org>\nv1, two\n\nthree\n",
            "= ONE\nA. Name <a@b.org>\nv1, two\n\nTHREE\n",
        ),
        ("a:: b\n:c:: d\n", "A:: B\n:C:: D\n"),
        ("see https://x.org[`f()`] now\n", "SEE https://x.org[`f()`] NOW\n"),
        ("see <<a,the b>> and {u}[c d]\n", "SEE <<a,THE B>> AND {u}[C D]\n"),
        ("ifdef::x[one two]\nendif::[]\n", "ifdef::x[ONE TWO]\nendif::[]\n"),
        (
            'one image:a.png[alt, 100, title="the t"] two\n',
            'ONE image:a.png[ALT, 100, title="THE T"] TWO\n',
        ),
    ],
)
def test_text_is_replaced_and_the_rest_stays(tmp_path: Path, text: str, expected: str) -> None:
    assert filled(tmp_path, text) == expected


@pytest.mark.parametrize(
    "translation",
    ["* item", ". item", "NOTE: x", "a:: b", "x *y* z", "a `b` c", "{name} x", "<<x>> y", "= t",
     "// x", ":a: b", "[x]", "a +b+ c", "link:a[b]", "&amp; x", "a (((b))) c", "\\{x} y", "> q"],
)  # fmt: skip
def test_a_translation_is_text_whatever_it_looks_like(tmp_path: Path, translation: str) -> None:
    text = filled(tmp_path, "One two.\n", lambda _: translation)
    (block,) = find_blocks(text).blocks
    assert "".join(part.text for part in block.parts) == translation


def test_an_underline_has_the_length_of_its_title(tmp_path: Path) -> None:
    text = "The title\n=========\n\nOne two\n-------\n\nText\n"
    longer = {"The title": "Der Titel des Texts", "One two": "二二二"}
    expected = "Der Titel des Texts\n===================\n\n二二二\n------\n\nText\n"
    assert filled(tmp_path, text, lambda s: longer.get(s, s)) == expected


def test_formatting_beside_a_letter_gets_double_marks(tmp_path: Path) -> None:
    text = "Press *red* and `f`.\n"
    written = filled(tmp_path, text, lambda _: "按红和f。")
    assert written.count("**") == 2 and find_blocks(written).blocks[0].parts[1:-1]


def test_references_by_the_words_of_a_title_are_counted(tmp_path: Path) -> None:
    document, skeleton = read(tmp_path, "See <<The title>>, <<_the_title,it>> and <<id>>.\n")
    notes = skeleton.fill_and_report([document.translated(document.source)]).notes
    assert any(note.startswith("2 references to titles") for note in notes)

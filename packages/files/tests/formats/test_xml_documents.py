"""DITA and DocBook: what is text, what is a code, and what stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from docmt_files import BlockSkeleton, Input, format_of
from docmt_files.base.documents import Document


def read(
    folder: Path, text: str, name: str = "a.dbk", target: str | None = None
) -> tuple[Document, BlockSkeleton]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    (document,), skeleton = Input().read(path, "en", target)
    assert isinstance(skeleton, BlockSkeleton)
    return document, skeleton


def upper(folder: Path, text: str, name: str = "a.dbk", target: str | None = None) -> str:
    document, skeleton = read(folder, text, name, target)
    return skeleton.fill([document.translated([s.upper() for s in document.source])])


@pytest.mark.parametrize(
    ("text", "sentences", "expected"),
    [
        # A processing instruction within a sentence is lost by itstool.
        ("<para>One <?break?>two.</para>", ["One two."], "<para>ONE <?break?>TWO.</para>"),
        # Two listings in a paragraph truncate the file that po4a writes.
        (
            "<para>A:<screen>b\n  c</screen>or<screen>d</screen>end.</para>",
            ["A:", "or", "end."],
            "<para>A:<screen>b\n  c</screen>OR<screen>d</screen>END.</para>",
        ),
        # A line end after a full stop makes two spaces in po4a.
        (
            "<para>One two.\n   Three four.</para>",
            ["One two.", "Three four."],
            "<para>ONE TWO.\n   THREE FOUR.</para>",
        ),
        (
            "<para>S&#233;&nbsp;e &x; two</para>",
            ["Sé\N{NO-BREAK SPACE}e two"],
            "<para>SÉ\N{NO-BREAK SPACE}E &x; TWO</para>",
        ),
        (
            "<para>One<footnote><para>A.</para><para>B.</para></footnote> two</para>",
            ["One two", "A.", "B."],
            "<para>ONE<footnote><para>A.</para><para>B.</para></footnote> TWO</para>",
        ),
        ("<para xreflabel='a &x; b'>One</para>", ["One"], "<para xreflabel='a &x; b'>ONE</para>"),
        ("<para xml:lang='de'>Eins</para><para>One</para>", ["One"], None),
        ("<para>One <m:math xmlns:m='m'>x</m:math> two</para>", ["One two"], None),
    ],
)
def test_text_is_replaced_and_the_rest_stays(
    tmp_path: Path, text: str, sentences: list[str], expected: str | None
) -> None:
    document, _ = read(tmp_path, f"<chapter>{text}</chapter>")
    assert list(document.source) == sentences
    if expected is not None:
        assert upper(tmp_path, f"<chapter>{text}</chapter>") == f"<chapter>{expected}</chapter>"


def test_the_words_of_protected_elements_can_stay_in_the_sentence(tmp_path: Path) -> None:
    text = "<p>Run <cmdname>dita\n install</cmdname> and <keyword keyref='x'/> first.</p>"
    document, skeleton = read(tmp_path, f"<topic>{text}</topic>", "a.dita")
    assert document.source == ("Run and first.",)
    (kept,), _ = skeleton.keep_words([document], lambda *_: True)
    assert kept.source == ("Run dita install and first.",)


def test_replaced_content_and_references_stay(tmp_path: Path) -> None:
    text = "<topic><p>One <xref href='a'/> two</p><p conref='b#c'>Replaced</p></topic>"
    assert upper(tmp_path, text, "a.dita") == text.replace("One", "ONE").replace("two", "TWO")


def test_each_name_of_a_menu_is_a_block(tmp_path: Path) -> None:
    text = "<p>Choose <menucascade><uicontrol>File</uicontrol><uicontrol>Save</uicontrol>"
    document, _ = read(tmp_path, f"<topic>{text}</menucascade> now.</p></topic>", "a.dita")
    assert document.source == ("Choose now.", "File", "Save")


def test_the_output_names_its_language(tmp_path: Path) -> None:
    text = "<topic xml:lang='en-US'><p xml:lang='en'>One</p><p xml:lang='fr'>Un</p></topic>"
    expected = "<topic xml:lang='de'><p xml:lang='de'>ONE</p><p xml:lang='fr'>Un</p></topic>"
    assert upper(tmp_path, text, "a.dita", "de") == expected


def test_headings_have_the_level_of_their_section(tmp_path: Path) -> None:
    text = "<book><chapter><title>A</title><sect1><title>B</title><para>C</para></sect1></chapter>"
    _, skeleton = read(tmp_path, f"{text}<chapter><title>D</title></chapter></book>")
    assert [block.heading for block in skeleton.found.blocks] == [2, 3, 0, 2]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ('<!DOCTYPE concept PUBLIC "-//OASIS//DTD DITA Concept//EN" "c.dtd"><concept>', "dita"),
        ('<article xmlns="http://docbook.org/ns/docbook">', "docbook"),
        ("<resources >", "android"),
        ("<concept>", "dita"),
        ("<catalog>", None),
    ],
)
def test_an_xml_file_is_known_by_its_beginning(tmp_path: Path, head: str, name: str | None) -> None:
    path = tmp_path / "a.xml"
    path.write_text(f'<?xml version="1.0"?>\n{head}')
    found = format_of(path)
    assert (found and found.name) == name

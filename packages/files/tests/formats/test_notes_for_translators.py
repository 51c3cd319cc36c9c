"""The notes of programmers on strings describe the sentences of a request."""

from __future__ import annotations

import pytest

from docmt_files import read, value_in_scopes

PO = r"""msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\n"

#. A button.
#. Be short.
#: menu.c:1
msgctxt "menu"
msgid "Open"
msgstr ""

#. Gone.
#~ msgid "Leave it"
#~ msgstr ""

msgid "Close it"
msgstr ""
"""
FILES = {
    "a.po": PO,
    "a.arb": '{"open": "Open", "@open": {"description": "A button.\\nBe short."},'
    ' "close": "Close it"}',
    "messages.json": '{"open": {"message": "Open", "description": "A button.\\nBe short."},'
    ' "close": {"message": "Close it"}}',
    "Localizable.xcstrings": '{"sourceLanguage": "en", "strings": {"Open": {"comment":'
    ' "A button.\\nBe short."}, "Close it": {}}, "version": "1.0"}',
    "strings.xml": "<resources>\n  <!-- A button.\nBe short. -->\n"
    "  <string name='open'>Open</string>\n  <string name='close'>Close it</string>\n</resources>\n",
}


@pytest.fixture(params=FILES)
def file(request, tmp_path):
    path = tmp_path / request.param
    path.write_text(FILES[request.param], encoding="utf-8")
    return path


def test_a_note_is_on_the_string_after_or_beside_it(file):
    (document,), skeleton = read(file, "en", "de")
    assert document.source == ("Open", "Close it")
    assert [s.note for s in skeleton.sentences_of(document)] == ["A button.\nBe short.", ""]


UNIT = '<trans-unit id="a" resname="open" {}><source>Open</source>{}</trans-unit>'


@pytest.mark.parametrize(
    ("attributes", "content", "note", "limit"),
    [
        ("", "<note>A button.</note>", "A button.", None),
        ('its:locNote="A button."', "", "A button.", None),
        ('maxwidth="20" size-unit="char"', "", "", "20"),
        ('maxwidth="20" size-unit="pixel"', "", "", None),
        ("", '<its:note xmlns:its="urn:other">Not of XLIFF</its:note>', "", None),
    ],
)
def test_units_of_xliff_have_notes_and_limits(tmp_path, attributes, content, note, limit):
    path = tmp_path / "a.xlf"
    path.write_text(
        '<xliff version="1.2" xmlns:its="http://www.w3.org/2005/11/its"><file><body>'
        f"{UNIT.format(attributes, content)}</body></file></xliff>"
    )
    (document,), skeleton = read(path, "en", "de")
    (sentence,) = skeleton.sentences_of(document)
    assert (sentence.note, sentence.key) == (note, "open")
    (scope,) = skeleton.found.blocks[0].scopes
    assert value_in_scopes(scope, "max-length") == limit


def test_a_very_long_note_is_cut(tmp_path):
    path = tmp_path / "a.po"
    path.write_text(PO.replace("A button.", "a" * 5000), encoding="utf-8")
    (document,), skeleton = read(path, "en", "de")
    assert skeleton.sentences_of(document)[0].note == "a" * 1000 + "…"

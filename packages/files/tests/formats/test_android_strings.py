"""Android's string resources."""

from __future__ import annotations

import pytest
from lxml import etree

from docmt_files import Input
from docmt_files.base.errors import InputError
from docmt_files.strings import android_strings
from formats.samples.android import SAMPLES


def read(folder, text, target=None):
    path = folder / "strings.xml"
    path.write_bytes(text.encode())
    return android_strings.read(path, "en", target)


def filled(documents, skeleton, change=str.upper):
    (document,) = documents
    return skeleton.fill_and_report([document.translated([change(s) for s in document.source])])


TABLE = [
    # A string, its sentences, and the string filled with them in upper case
    (r"It\'s \"red\"", ['It\'s "red"'], r"IT\'S \"RED\""),
    ('"Don\'t  do it"', ["Don't do it"], '"DON\\\'T DO IT"'),
    (r"caf\u00e9 \@ home", ["café @ home"], "CAFÉ @ HOME"),
    (r"One.\nTwo", ["One.", "Two"], r"ONE.\nTWO"),
    ("a <b>b</b> c", ["a b c"], "A <b>B</b> C"),
    ('x <g:g xmlns:g="u" id="i">%1$s</g:g> y', ["x y"], 'X <g:g xmlns:g="u" id="i">%1$s</g:g> Y'),
    ("a %1$d b", ["a b"], "A %1$d B"),
    ("%1$.2fx faster", ["x faster"], "%1$.2fX FASTER"),
    ("a &lt;b>b&lt;/b> c", ["a b c"], "A &lt;b>B&lt;/b> C"),
    ("<![CDATA[a <b>b</b> it\\'s]]>", ["a b it's"], "<![CDATA[A <b>B</b> IT\\'S]]>"),
    ("a <![CDATA[<b>]]>b<![CDATA[</b>]]>", ["a b"], "A <![CDATA[<b>]]>B<![CDATA[</b>]]>"),
    ("a\n    b", ["a b"], "A B"),
    ("a<br/>b", ["a b"], "A<br/>B"),
]


@pytest.mark.parametrize(("string", "sentences", "expected"), TABLE)
def test_text_is_replaced_and_the_rest_stays(tmp_path, string, sentences, expected):
    text = '<resources><string name="one_two">{}</string></resources>'
    documents, skeleton = read(tmp_path, text.format(string))
    assert list(documents[0].source) == sentences
    assert filled(documents, skeleton, str).text == text.format(string)
    assert filled(documents, skeleton).text == text.format(expected)


@pytest.mark.parametrize("target", ["@1 b", "?c", 'it\'s "d" \\ e', "f & > g"])
def test_translations_are_escaped(tmp_path, target):
    text = "<resources><string name='a'>Word</string></resources>"
    result = filled(*read(tmp_path, text), lambda _: target)
    written = etree.fromstring(result.data)[0].text
    assert android_strings._ESCAPE.sub(lambda m: m[0][1:], written) == target
    assert not written.startswith(("@", "?"))


def test_what_is_translatable_is_translated(tmp_path):
    documents, skeleton = read(tmp_path, SAMPLES["strings.xml"], "ru")
    whole = "|".join(documents[0].source)
    for kept in ("DocMT", "title", "pref_dark", "No thing", "Not this", "license", "%"):
        assert kept not in whole
    for found in (
        "The pump & more",
        "Don't press it",
        'It\'s "red"… café 😀 at!',
        "Next\\",
        "Press the red button, then read.",
        "Press here now",
        "One two & it's three",
        "over several lines",
        "One thing",
        "file",
        "files",
    ):
        assert found in documents[0].source, found
    result = filled(documents, skeleton)
    assert result.kept == 0
    notes = " ".join(result.notes)
    assert "pref_dark_mode" in notes
    assert "1 message with plural forms" in notes and "few, many" in notes
    before, after = (
        [(e.tag, dict(e.attrib)) for e in etree.fromstring(data).iter(tag=etree.Element)]
        for data in (SAMPLES["strings.xml"].encode(), result.data)
    )
    assert before == after


def test_the_format_is_known_by_its_contents(tmp_path):
    read(tmp_path, SAMPLES["strings.xml"])
    documents, _ = Input().read(tmp_path / "strings.xml", "en")
    assert "One thing" in documents[0].source
    (tmp_path / "a.xml").write_text("<a/>")
    with pytest.raises(InputError, match="has no <resources>"):
        Input(file_format="android").read(tmp_path / "a.xml", "en")


def test_words_in_cdata_beside_other_text_are_noted(tmp_path):
    text = "<resources><string name='a'>one <![CDATA[two <b>]]> three</string></resources>"
    result = filled(*read(tmp_path, text))
    assert "ONE <![CDATA[two <b>]]> THREE" in result.text
    assert "the words in 1 CDATA section beside other text not translated" in result.notes

"""The marks of shortcuts in labels are no text, and come before a letter of the translation."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files import Input
from docmt_files.strings.accelerators import NOT_ACCELERATORS, find_accelerator, has_underscores
from docmt_files.text.columns import Columns

LABELS = [
    ("&Open", "", "&"),
    ("E&xit", "", "&"),
    ("Re&place All", "", "&"),
    ("Save &As…", "", "&"),
    ("_File", "", "_"),
    ("Save _As", "", "_"),
    ("(_Edit)", "", "_"),
    ("ファイル(&F)", "", "&"),
    ("파일 (_F)", "", "_"),
    ("R&D", "", ""),
    ("Q&A", "", ""),
    ("b&b", "", ""),
    ("a && b", "", ""),
    ("a &amp; b", "", ""),
    ("file_name", "", ""),
    ("_emphasis_", "", ""),
    ("Read $_GET first", "", ""),
    ("~Cut", "~", "~"),
    ("&Cut", "~", ""),
    ("This & that", "", ""),
    ("x?a=1&b=2 https://a.b/?c=1&d=2", "", ""),
    ("&" + "One two three. " * 6, "", ""),
]


@pytest.mark.parametrize(("source", "marker", "sign"), LABELS)
def test_marks_are_known(source, marker, sign):
    found = find_accelerator(source, marker)
    assert (found and source[found.sign]) == (sign or None)


@pytest.mark.parametrize("row", NOT_ACCELERATORS, ids=lambda row: row.what)
def test_every_exception_is_needed_for_its_example(row):
    others = [other for other in NOT_ACCELERATORS if other is not row]
    assert find_accelerator(row.example, is_usual=row.always) is None
    found = find_accelerator(row.example, is_usual=row.always, exceptions=others)
    assert found is not None and row.example[found.sign] == row.sign


def test_a_file_with_underscores_before_words_has_them_in_words_too():
    assert has_underscores(["_File", "Re_name"])
    assert not has_underscores(["file_name", "the _id", "_a_", "plain"])
    assert find_accelerator("Re_name") is None
    assert find_accelerator("Re_name", is_usual=True).letter == "n"
    assert find_accelerator("E_XIT", is_usual=True).letter == "X"
    for name in ("user_name", "MAX_VALUE", "utf_8"):
        assert find_accelerator(name, is_usual=True) is None
    assert find_accelerator("Zoom _out", is_usual=True).letter == "o"


FILES = {
    "a.properties": "k=Re&place All\n",
    "a.json": '{"k": "Re&place All"}',
    "a.arb": '{"k": "Re&place All"}',
    "a.strings": '"k" = "Re&place All";\n',
    "strings.xml": '<resources><string name="k">Re&amp;place All</string></resources>',
    "a.po": 'msgid "Re&place All"\nmsgstr ""\n',
    "a.xlf": '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file '
    'source-language="en" target-language="de" datatype="x" original="x"><body><trans-unit '
    'id="1"><source>Re&amp;place All</source></trans-unit></body></file></xliff>',
    "a.csv": "k,text\n1,Re&place All\n",
}


def read(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    columns = Columns(("text",)) if name.endswith(".csv") else None
    return Input(columns=columns).read(path, "en", "de")


@pytest.mark.parametrize("name", FILES)
def test_every_file_of_strings_has_the_mark_in_the_translation(tmp_path, name):
    (document,), skeleton = read(tmp_path, name, FILES[name])
    assert document.source == ("Replace All",)
    filled = skeleton.fill([document.translated(["Ersetzen: alle"])])
    sign = "&amp;" if name.endswith(("xml", "xlf")) else "&"
    assert f"{sign}Ersetzen: alle" in filled
    assert skeleton.fill([document.translated(document.source)]).count(sign) == filled.count(sign)


TRANSLATIONS = [
    ("Re&place All", "Alle Plätze", "Alle &Plätze"),
    ("E&xit", "Texte", "Te&xte"),
    ("&Zoom in", "Groß", "&Groß"),
    ("&Open {0}...", "Öffnen", "&Öffnen {0}..."),
    ("&Open...", "開く", "開く(&O)..."),
    ("&Open:", "開く:", "開く(&O):"),
    ("_File", "Datei", "_Datei"),
    ("ファイル(&F)", "File", "&File"),
    ("ファイル(&F)", "파일", "파일(&F)"),
    ("&Save &amp; close", "Sichern & zu", "&Sichern &amp; zu"),
    ("<b>&Open</b> it", "Es öffnen", "<b>&Es</b> öffnen"),
]


@pytest.mark.parametrize(("source", "target", "expected"), TRANSLATIONS)
def test_the_mark_goes_before_a_letter_of_the_translation(tmp_path, source, target, expected):
    text = json.dumps({"k": source}, ensure_ascii=False)
    (document,), skeleton = read(tmp_path, "a.json", text)
    filled = json.loads(skeleton.fill([document.translated([target])]))["k"]
    assert filled == expected


@given(st.text("aB &_().…=ä", min_size=1, max_size=20))
def test_any_string_is_the_same_with_its_source_as_translation(value):
    text = json.dumps({"k": f"One {value}", "l": "_File"}, ensure_ascii=False)
    with tempfile.TemporaryDirectory() as folder:
        (document,), skeleton = read(Path(folder), "a.json", text)
        assert skeleton.fill([document.translated(document.source)]) == text
        upper = skeleton.fill([document.translated([s.upper() for s in document.source])])
        assert json.loads(upper)["k"].count("&") == value.count("&")

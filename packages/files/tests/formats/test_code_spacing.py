"""The white space around placeholders, in scripts with spaces between words and without them."""

from __future__ import annotations

import json

import pytest

from docmt_files.core.placement.words import word_spans
from docmt_files.markup.html import read_html
from docmt_files.strings import json_strings

CASES = [
    ("en", "Running v{n}", "Läuft V", "Läuft V{n}"),
    ("en", "Delete {n} files", "Dateien löschen", "Dateien {n} löschen"),
    ("zh", "删除{n}文件", "Datei löschen", "Datei {n} löschen"),
    ("zh", "请点击{n}按钮", "Klicken Sie hier", "Klicken {n} Sie hier"),
    ("ja", "ファイル{n}を消す", "Delete the file", "Delete {n} the file"),
    ("en", "Delete {n} files", "删除文件", "删除{n}文件"),
    ("en", "Delete {n} files", "ลบไฟล์", "{n}ลบไฟล์"),
]

MARKS = [
    "Schlüssel",
    "Schlu\u0308ssel",
    "हिन्दी",
    "ไฟล์",
    "می\u200cخواهم",
    "كِتَابٌ",
    "か\u3099く",
    "\U0001f469\u200d\U0001f52c",
    "क्\u200dष",
]


@pytest.mark.parametrize(("language", "source", "target", "expected"), CASES)
def test_only_words_of_scripts_with_spaces_are_divided(
    tmp_path, language, source, target, expected
):
    path = tmp_path / "in.json"
    path.write_text(json.dumps({"a": source}), encoding="utf-8")
    (document,), skeleton = json_strings.read(path, language, None)
    filled = skeleton.fill([document.translated([target])])
    found = json.loads(filled)["a"]
    assert found == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('Save <x id="1"></x> in the folder.', 'Speichern <x id="1"></x> Sie im Ordner.'),
        ('Save<x id="1"></x> in the folder.', 'Speichern<x id="1"></x> Sie im Ordner.'),
        ('Save <x id="1"></x>in the folder.', 'Speichern <x id="1"></x>Sie im Ordner.'),
        ("Save <b><i></i></b> in the folder.", "Speichern <b><i></i></b> Sie im Ordner."),
        ('Save <x id="1"/> in the folder.', 'Speichern <x id="1"/> Sie im Ordner.'),
    ],
)
def test_an_element_without_words_keeps_the_spaces_around_it(source, expected):
    (document,), skeleton = read_html(source, "en", "de")
    translated = document.translated(["Speichern Sie im Ordner."])
    assert skeleton.fill([translated]) == expected


@pytest.mark.parametrize("word", MARKS)
def test_words_keep_their_combining_marks(word):
    first = word_spans(f"{word} x")[0]
    assert first == (0, 2 if word.startswith("か") else len(word))

"""Placeholders in quotation marks keep their marks and the spaces around them."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files import BlockSkeleton
from docmt_files.bilingual import xliff
from docmt_files.core.inline import CLOSING_MARKS
from docmt_files.strings import json_strings, po

TRANSLATIONS = [
    ("Delete '%(name)s' from the list?", "Löschen Sie%(name)s aus der Liste?"),
    ('The file "%s" in the folder', 'Die Datei%s" im Ordner'),
    ('The file "%s" in the folder', 'Die Datei" %s im Ordner'),
    ("Cannot open '%s': no such file", "Öffnen Sie \"%s': keine Datei"),
    ('No permission to read "%s".', "Keine Berechtigung zum Lesen von %s."),
    ("Type `%s' to continue.", "Geben Sie ‚%s‘ ein."),
    ("Replace “%s” now?", "Jetzt „%s“ ersetzen?"),
    ("Replace “%s” now?", "Jetzt „%s ersetzen?"),
    ("Save “%s” now", "Speichern%s”jetzt"),
    ("Value %d, name '%s'", "Wert %d , Name%s"),
    ("Delete '%s' now", "Jetzt l'eau d'Hans'%s löschen"),
    ("Read (%s) and '%s' now", "Jetzt (%s) und%s lesen"),
]
"""Sources with placeholders and what a system may make of them, with the words of their codes."""

EXPECTED = [
    "Löschen Sie '%(name)s' aus der Liste?",
    'Die Datei "%s" im Ordner',
    'Die Datei "%s" im Ordner',
    "Öffnen Sie '%s': keine Datei",
    'Keine Berechtigung zum Lesen von "%s".',
    "Geben Sie `%s' ein.",
    "Jetzt „%s“ ersetzen?",
    "Jetzt “%s” ersetzen?",
    "Speichern “%s” jetzt",
    "Wert %d, Name '%s'",
    "Jetzt l'eau d'Hans '%s' löschen",
    "Jetzt (%s) und '%s' lesen",
]

SUFFIXES = [".json", ".po", ".xlf"]


def read(
    folder: Path, suffix: str, source: str, *, words: bool = True
) -> tuple[str, BlockSkeleton]:
    """The sentence of a file with this string, with the words of its codes if a system can write
    them; and the file."""
    path = folder / f"in{suffix}"
    if suffix == ".json":
        text = json.dumps({"a": source}, ensure_ascii=False)
    elif suffix == ".po":
        quoted = json.dumps(source, ensure_ascii=False)
        text = f'msgid ""\nmsgstr ""\n"Language: \\n"\n\nmsgid {quoted}\nmsgstr ""\n'
    else:
        text = (
            '<xliff version="1.2"><file source-language="en" target-language="de" original="a" '
            'datatype="plaintext"><body><trans-unit id="1"><source>'
            f"{escape(source)}</source></trans-unit></body></file></xliff>"
        )
    path.write_text(text, encoding="utf-8")
    module = {".json": json_strings, ".po": po, ".xlf": xliff}[suffix]
    documents, skeleton = module.read(path, "en", "de")
    (document,), found = skeleton.keep_words(documents, lambda *_: words)
    assert isinstance(found, BlockSkeleton)
    (sentence,) = document.source
    return sentence, found


def filled(skeleton: BlockSkeleton, target: str) -> str:
    """The string with this translation of its sentence."""
    (document,) = skeleton.documents
    report = skeleton.fill_and_report([document.translated([target])])
    (block,) = skeleton.find(report.text).blocks
    assert report.kept == 0
    raw = report.text[block.parts[0].start : block.parts[-1].end]
    return re.sub(r'\\(["\\])', r"\1", raw).replace("&quot;", '"').replace("&#x27;", "'")


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [(*pair, expected) for pair, expected in zip(TRANSLATIONS, EXPECTED, strict=True)],
)
def test_a_quoted_placeholder_keeps_its_spaces_and_marks(
    tmp_path: Path, suffix: str, source: str, target: str, expected: str
) -> None:
    sentence, skeleton = read(tmp_path, suffix, source)
    assert sentence == source
    assert filled(skeleton, target) == expected


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_placeholder_that_is_taken_out_takes_its_marks_along(tmp_path: Path, suffix: str) -> None:
    sentence, skeleton = read(tmp_path, suffix, "Cannot open '%s': no such file", words=False)
    assert sentence == "Cannot open: no such file"
    assert "Öffnen '%s': keine" in filled(skeleton, "Öffnen: keine Datei")


def test_a_repeated_word_does_not_cost_the_marks(tmp_path: Path) -> None:
    _, skeleton = read(tmp_path, ".po", 'Error in line %d: "%s"')
    assert filled(skeleton, 'Fehler in Zeile %d %d: "%s"') == 'Fehler in Zeile %d: "%s"'


def test_marks_that_are_apostrophes_or_of_longer_quotations_stay_text(tmp_path: Path) -> None:
    for source in ("Take '%s file' now", "The users'%s'ers now", "It's '%s now"):
        sentence, skeleton = read(tmp_path, ".json", source, words=False)
        assert all(code.inner is None for _, code in skeleton.sentences[0][0].codes)
        assert "'" in sentence


MARKS = st.sampled_from([*CLOSING_MARKS, "", " "])


@given(
    st.sampled_from(['"', "'", "“", "«", "`"]), MARKS, MARKS, st.sampled_from(["a", ",", " ", "("])
)
def test_whatever_a_system_writes_around_it_a_placeholder_has_two_marks(
    tmp_path_factory: pytest.TempPathFactory, opening: str, before: str, after: str, next_to: str
) -> None:
    closing = CLOSING_MARKS[opening][0]
    folder = tmp_path_factory.mktemp("marks")
    _, skeleton = read(folder, ".json", f"Open {opening}%s{closing} now")
    new = filled(skeleton, f"Bitte{before}%s{after}{next_to}öffnen")
    match = re.fullmatch(r"Bitte (\S)%s(\S)(\W.*)", new)
    assert match is not None, new
    assert match[2] in CLOSING_MARKS[match[1]]
    assert not set(match[3]) & set(CLOSING_MARKS)

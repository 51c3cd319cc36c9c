"""Qt's files of translations. What others lose: `%n`, forms of the target language, messages with
a number (two `<source>`), finished translations."""

from __future__ import annotations

import pytest
from lxml import etree

from docmt_files import Input
from docmt_files.base.errors import InputError
from docmt_files.bilingual.bilingual_blocks import read_bilingual_blocks
from docmt_files.bilingual.bilingual_texts import read_bilingual, string_pairs
from docmt_files.core.scopes import key_path, value_in_scopes
from docmt_files.strings import qt_linguist
from docmt_files.strings.plural_forms import qt_formula, read_formula
from formats.every_format import translated, write_sample
from formats.samples.qt import SAMPLES

SAMPLE = SAMPLES["app_de.ts"].replace(
    "</TS>",
    """<message>
    <source>Close it</source>
    <translation>Schließen</translation>
</message>
<message>
    <source>Long text</source>
    <translation variants="yes"><lengthvariant>Langer Text</lengthvariant></translation>
</message>
</TS>""",
)


def read(folder, target, text=SAMPLE):
    documents, skeleton = qt_linguist.read(write_sample(folder, "a.ts", text), "en", target)
    return skeleton.keep_words(documents, lambda *_: True)


def message(text, attributes="", root='language="ru"'):
    return (
        f"<TS {root}><context><name>c</name><message {attributes}>{text}</message></context></TS>"
    )


def filled(folder, target, text, change=str.upper):
    documents, skeleton = read(folder, target, text)
    return skeleton.fill_and_report(translated(documents, change))


def test_what_is_not_finished_is_translated_and_the_rest_stays(tmp_path):
    report = filled(tmp_path, "de", SAMPLE, lambda s: s.upper())
    before, after = (
        {
            each.findtext("source"): each.find("translation")
            for each in etree.fromstring(text.encode()).iter("message")
        }
        for text in (SAMPLE, report.text)
    )
    assert list(before) == list(after)
    for source in ("Close it", "Gone away", "Old text", "Long text"):
        assert etree.tostring(after[source]) == etree.tostring(before[source])
    assert after["&Open the file %1 of %L2"].text == "&OPEN THE FILE %1 OF %L2"
    assert after["The menu"].text == "THE MENU"
    assert after["The menu"].get("type") == "unfinished"
    assert "IT&apos;S &lt;b&gt;NEW&lt;/b&gt; HERE.\nREAD &quot;IT&quot;." in report.text
    assert 'TAB<byte value="x9"/>HERE' in report.text
    assert "2 messages kept, translated already" in " ".join(report.notes)
    assert "5 messages translated and marked as unfinished" in " ".join(report.notes)


def test_a_number_has_the_forms_of_the_target_language(tmp_path):
    text = message("<source>%n file(s) in %1</source>", 'numerus="yes"')
    documents, skeleton = read(tmp_path, "ru", text)
    assert [s.replace(" in %1", "") for s in documents[0].source] == [
        "1 file(s) in",
        "2 file(s) in",
        "5 file(s) in",
    ]
    russian = {"1": "1 файл", "2": "2 файла", "5": "5 файлов"}
    forms = skeleton.fill(translated(documents, lambda s: f"в {russian[s[0]]}"))
    assert "".join(etree.fromstring(forms.encode()).itertext("numerusform")) == (
        "в %n файл %1в %n файла %1в %n файлов %1"
    )
    assert forms.count("<source>") == 1


@pytest.mark.parametrize(
    ("language", "count"),
    [("tr", 1), ("hu", 1), ("fr", 2), ("pl", 3), ("sl", 4), ("cy", 5), ("ar", 6)],
)
def test_forms_are_as_many_as_in_linguist(language, count):
    assert read_formula(qt_formula(language))[0] == count


def test_new_elements_stand_in_lines_like_their_neighbors(tmp_path):
    text = message("\n        <source>One two</source>\n    ", root="")
    assert filled(tmp_path, "pt_BR", text).text == (
        '<TS language="pt_BR" ><context><name>c</name><message >\n        <source>One two</source>'
        '\n        <translation type="unfinished">ONE TWO</translation>\n    '
        "</message></context></TS>"
    )
    text = message("\n        <source>One %n</source>\n    ", 'numerus="yes"')
    assert (
        '\n        <translation type="unfinished">\n            <numerusform>ONE %n</numerusform>'
        in filled(tmp_path, "ru", text).text
    )


def test_a_file_for_another_language_is_refused(tmp_path):
    with pytest.raises(InputError, match="has translations into de, not into fr"):
        read(tmp_path, "fr")


def test_a_file_that_is_done_is_refused(tmp_path):
    text = message("<source>One two</source><translation>Раз</translation>")
    with pytest.raises(InputError, match="its only message is translated already"):
        read(tmp_path, "ru", text)


def test_texts_in_the_source_language_are_translated_instead_of_keys(tmp_path):
    text = message(
        "<source>n_files</source><translation><numerusform>One file</numerusform>"
        "<numerusform>%n files</numerusform></translation>", 'numerus="yes"', 'language="en_US"',
    )  # fmt: skip
    documents, skeleton = read(tmp_path, "ru", text)
    assert documents[0].source == ("One file", "2 files", "5 files")
    assert '<TS language="ru">' in skeleton.fill(translated(documents, str))


def test_a_message_left_untranslated_is_as_before(tmp_path):
    text = message("<source>One two</source><translation type='unfinished'>Раз</translation>")
    report = filled(tmp_path, "ru", text, lambda _: "")
    assert report.text == text
    assert "1 message left as before" in report.notes


def test_a_file_of_both_languages_is_read_as_pairs(tmp_path):
    path = write_sample(tmp_path, "a.ts", SAMPLE)
    found = read_bilingual(path, "qt", None)
    assert found.languages == ("en", "de_DE")
    texts = {
        source.sentences[0]: (target.sentences, state.state)
        for source, target, state in (
            (*pair, raw) for pair, raw in zip(found.pairs, string_pairs(path, "qt")[2], strict=True)
        )
    }
    assert texts["Close it"] == (("Schließen",), "reviewed")
    assert texts["Tabhere"][1] == "draft"
    assert "Gone away" not in texts
    blocks = list(read_bilingual_blocks(path, "qt", ("en", "de")))
    assert [block.is_reviewed for block in blocks if block.source[0][0] == "Close it"] == [True]


def test_translations_in_the_language_asked_for_are_texts(tmp_path):
    text = message("<source>Close it</source><translation>Закрыть</translation>")
    documents, _ = qt_linguist.read(write_sample(tmp_path, "a.ts", text), "ru")
    assert documents[0].source == ("Закрыть",)


def test_a_message_has_its_context_and_comments(tmp_path):
    _, skeleton = read(tmp_path, "de")
    (scope,) = skeleton.found.blocks[0].scopes
    assert (key_path(scope), value_in_scopes(scope, "note")) == ("MainWindow", "A button")
    assert key_path(skeleton.found.blocks[-1].scopes[0]) == "menu-title"


def test_a_program_of_the_same_suffix_is_none(tmp_path):
    path = write_sample(tmp_path, "app.ts", "export const a = 'One two';\n")
    with pytest.raises(InputError, match=r"app\.ts"):
        Input().read(path, "en", "de")

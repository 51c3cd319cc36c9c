"""`docmt check`: faults put into a translation are found, at their place, and no others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docmt.translating.checks.check_reports import report_format, tsv_of, write_report
from docmt.translating.checks.checking import Checking, chosen_checks
from docmt.translating.checks.file_checks import CHECKS, CheckSettings, Finding, check_file
from docmt.translating.checks.text_pairs import CheckedFile, TextPair
from docmt_files import BILINGUAL_FORMATS, Columns, Input, read_exclusion_rules
from docmt_files.base.errors import InputError
from docmt_nmt.translators.checks.translation_checks import CheckThresholds
from formats.every_format import every_sample, samples_of, write_sample
from formats.odf_packages import SHEETS_ODF
from formats.office_packages import (
    docx,
    paragraph,
    pptx,
    row,
    run,
    shape,
    shape_paragraph,
    shape_run,
    xlsx,
)

EN_DE = ("en", "de")


def written(folder: Path, name: str, content: str | bytes | None) -> str | None:
    if content is None:
        return None
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def found(folder, name, source, target, *, languages=EN_DE, **how):
    """The place, the check and the detail of each finding."""
    form = how.pop("form", Input())
    checking = Checking(form, languages, frozenset(CHECKS), **how)
    report = checking.check(written(folder, name, source), written(folder, f"de-{name}", target))
    return [(each.place, each.check, each.detail) for each in report.findings]


def slides(*texts: str) -> bytes:
    return pptx([shape(shape_paragraph(shape_run(text))) for text in texts])


def sheet(*texts: str) -> bytes:
    strings = [f"<t>{text}</t>" for text in texts]
    return xlsx(strings, ["".join(row(n, "<c/>", n - 1) for n in range(1, len(texts) + 1))])


def word(*texts: str, page: str = "") -> bytes:
    return docx("".join(paragraph(page, run(text)) for text in texts))


PAGE = "<w:r><w:lastRenderedPageBreak/></w:r>"
CUES = "1\n00:00:01,000 --> 00:00:02,500\n{}\n\n2\n00:00:03,000 --> 00:00:04,000\n{}\n"
PO = """\
msgid ""
msgstr ""
"Language: de\\n"
"Content-Type: text/plain; charset=UTF-8\\n"

msgctxt "menu"
msgid "_Open %s"
msgstr "Ö_ffnen"

#, max-length:8
msgid "Save file"
msgstr "Datei speichern"

msgid "%d file"
msgid_plural "%d files"
msgstr[0] "%d Datei"
msgstr[1] "%d Dateien"

#, fuzzy
msgid "the file with the words"
msgstr "the file with the words"

msgid "Not yet"
msgstr ""
"""
XLIFF = """\
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file source-language="en" target-language="de" original="a" datatype="plaintext"><body>
<trans-unit id="1" resname="menu.open" maxwidth="5" size-unit="char"><source>Open</source>
<target>Öffnen</target></trans-unit>
<trans-unit id="2"><source>Press the <g id="1">red</g> one.</source><target>Rot, bitte.</target>
</trans-unit><trans-unit id="3"><source>Not yet</source></trans-unit>
</body></file></xliff>
"""
XLIFF_2 = """\
<xliff version="2.1" srcLang="en" trgLang="de" xmlns="urn:oasis:names:tc:xliff:document:2.0"
 xmlns:slr="urn:oasis:names:tc:xliff:sizerestriction:1.0">
<file id="f"><unit id="u" name="menu.open" slr:sizeRestriction="5"><segment><source>Open</source>
<target>Öffnen</target></segment></unit></file></xliff>
"""

FAULTS = [
    ("a.md", "# One\n\nIt has 15 parts.\n", "# Eins\n\nEs hat 16 Teile.\n",
     [("line 3", "numbers", "15 became 16")]),
    ("a.md", "It weighs 1.5 kg.\n", "Es wiegt 1.5 kg.\n",
     [("line 1", "numbers", "in the form of the source language: 1.5")]),
    ("a.html", "<p>Press the <b>red</b> button.</p>", "<p>Drücken Sie den roten Knopf.</p>",
     [("line 1", "codes", "<b> lost")]),
    ("a.html", '<p>See <a href="a.html">this</a>.</p>', '<p>Siehe <a href="b.html">dies</a>.</p>',
     [("line 1", "codes", "<a a.html> lost, <a b.html> added")]),
    ("a.json", '{"a": {"b": "Save {name} now"}, "c": "Open it"}',
     '{"a": {"b": "Jetzt sichern"}, "c": "Öffne es"}',
     [("a.b, line 1", "codes", "{name} lost")]),
    ("a.json", '{"a": "Save it now", "c": "Open it"}', '{"a": "Jetzt sichern", "d": "Neu hier"}',
     [("c, line 1", "empty", ""), ("d, line 1", "extra", "")]),
    ("a.properties", "a=Save the file\nb=Save the file\n", "a=Datei sichern\nb=Datei speichern\n",
     [("b, line 2", "inconsistent", "1 of 2 have: Datei sichern (a, line 1)")]),
    ("a.txt", "The red pump.\n\nThe blue pump.\n", "Die rote Pumpe.\n\nDie rote Pumpe.\n",
     [("line 3", "same-translation", "also of: The red pump. (line 1)")]),
    ("a.txt", "Open the files in the folder.\n", "Open the files in the folder.\n",
     [("line 1", "copy", "the same as the source")]),
    ("a.srt", CUES.format("It has 15 parts", "and a pump."),
     CUES.format("Es hat 16 Teile", "und eine Pumpe."),
     [("00:00:01.000, line 3", "numbers", "15 became 16")]),
    ("a.docx", word("The pump.", "It has 15 parts.", page=PAGE),
     word("Die Pumpe.", "Es hat 16 Teile.", page=PAGE),
     [("page 2, paragraph 2", "numbers", "15 became 16")]),
    ("a.docx", docx(paragraph(run("The "), run("red", "<w:b/>"), run(" pump."))),
     word("Die rote Pumpe."), [("paragraph 1", "codes", "formatting lost")]),
    ("a.pptx", slides("The pump.", "It has 15 parts."), slides("Die Pumpe.", "Es hat 16 Teile."),
     [("slide 2", "numbers", "15 became 16")]),
    ("a.xlsx", sheet("The pump.", "It has 15 parts."), sheet("Die Pumpe.", "Es hat 16 Teile."),
     [("S1!B2", "numbers", "15 became 16")]),
    ("a.fods", SHEETS_ODF, SHEETS_ODF.replace("Old pump", "14 alte Pumpen"),
     [("Prices!A4, line 14", "numbers", "14 added"),
      ("Notes!A1, line 17", "copy", "let is not translated")]),
    ("a.po", PO, None,
     [("menu, line 6", "codes", "%s lost"), ("line 11", "length", "15 characters, allowed are 8"),
      ("line 20", "copy", "the same as the source"), ("line 23", "empty", "")]),
    ("a.xlf", XLIFF, None,
     [("menu.open, line 3", "length", "6 characters, allowed are 5"),
      ("2, line 5", "codes", "<g 1> lost"), ("3, line 6", "empty", "")]),
    ("a.xlf", XLIFF_2, None, [("menu.open, line 3", "length", "6 characters, allowed are 5")]),
    ("a.tsv", "d\tIt has 15 parts.\tEs hat 16 Teile.\n", None,
     [("document d, sentence 1", "numbers", "15 became 16")]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "source", "target", "findings"), FAULTS)
def test_faults_are_found_at_their_places(name, source, target, findings, tmp_path):
    assert found(tmp_path, name, source, target) == findings


@every_sample("SAMPLES")
def test_a_file_beside_itself_has_its_own_codes_lengths_and_texts(file_format, name, tmp_path):
    """Whatever a format has, both sides are read alike."""
    source = write_sample(tmp_path, name, samples_of(file_format).SAMPLES[name])
    form = Input(file_format=file_format.name)
    checks = frozenset({"codes", "extra", "inconsistent", "same-translation", "numbers"})
    if file_format.name in BILINGUAL_FORMATS:
        pytest.skip("has both languages")
    report = Checking(form, ("en", "en"), checks).check(str(source), str(source))
    assert report.findings == []


def test_the_most_frequent_translation_of_a_text_counts(tmp_path):
    source = "\n\n".join(["Save it."] * 3 + ["save it"])
    target = "Speichern Sie.\n\nSichern Sie.\n\nSpeichern Sie.\n\nsichern"
    assert found(tmp_path, "a.txt", source, target) == [
        ("line 3", "inconsistent", "2 of 4 have: Speichern Sie. (line 1)"),
        ("line 7", "inconsistent", "2 of 4 have: Speichern Sie. (line 1)"),
    ]


def test_placeholders_are_shown_and_only_their_loss_is_a_finding(tmp_path):
    source = '{"a": "{n} files in {name}", "b": "See {name}. All of it. Go {n}"}'
    target = '{"a": "{n} Dateien in {name}", "b": "Siehe {name}. Alles. Geh"}'
    report = Checking(Input(), EN_DE, frozenset(CHECKS)).check(
        written(tmp_path, "a.json", source), written(tmp_path, "b.json", target)
    )
    assert [tuple(each)[2:6] for each in report.findings] == [
        ("codes", "{n} lost", "See {name}. All of it. Go {n}", "Siehe {name}. Alles. Geh")
    ]


def test_dialogue_may_translate_equal_lines_in_several_ways(tmp_path):
    assert found(tmp_path, "a.srt", CUES.format("Go.", "Go."), CUES.format("Geh.", "Los.")) == []


def test_plural_forms_of_an_entry_are_one_text():
    forms = (("%d files in all", "%d pliki"),), (("%d files in all", "%d plików"),)
    pairs = tuple(TextPair("line 1", sentences, sentences) for sentences in forms)
    file = CheckedFile("a.po", ("en", "pl"), pairs)
    assert check_file(file, CheckSettings(("en", "pl"))) == []


def test_terms_lengths_and_columns_are_given(tmp_path):
    glossary = written(tmp_path, "g.tsv", "pump\tPumpe\n")
    how = {"glossary": glossary, "max_length": 12}
    assert found(tmp_path, "a.txt", "The pump.", "Das Pumpwerk.", **how) == [
        ("line 1", "length", "13 characters, allowed are 12"),
        ("line 1", "terms", "pump: Pumpe is missing"),
    ]
    form = Input(columns=Columns(("b",)))
    table = "a,b\nx,{}\n"
    source, target = table.format("15 parts of it"), table.format("16 Teile davon")
    assert found(tmp_path, "a.csv", source, target, form=form) == [
        ("row 2, line 2", "numbers", "15 became 16")
    ]


def test_what_rules_leave_is_not_checked(tmp_path):
    (tmp_path / "rules.toml").write_text('[[leave]]\nelement = "pre-text"\n[[leave]]\nkey = "x"\n')
    notes: list[str] = []
    page = "<div><pre-text>It has 15 parts.</pre-text></div><p>{}</p>"
    source, target = page.format("The pump."), page.format("Die Pumpe.").replace("15", "16")
    form = Input(rules=read_exclusion_rules(tmp_path / "rules.toml"))
    how = {"form": form, "note": notes.append}
    assert [each[1] for each in found(tmp_path, "a.html", source, target, **how)] == []
    assert len(notes) == 1 and notes[0].endswith("(key = x) matched nothing")


def test_languages_are_given_named_or_detected(tmp_path):
    checking = Checking(Input(), (None, None), frozenset(CHECKS))
    po = written(tmp_path, "a.po", PO)
    assert checking.check(po, None).languages == ("en", "de")
    english = "You can open the files in the folder with any editor, and save them there."
    german = "Sie können die Dateien im Ordner mit jedem Editor öffnen und dort speichern."
    sides = written(tmp_path, "a.txt", english), written(tmp_path, "b.txt", german)
    assert checking.check(*sides).languages == ("en", "de")
    unclear = written(tmp_path, "a.md", "K2 M4"), written(tmp_path, "b.md", "K2 M4")
    with pytest.raises(InputError, match="the language of the source is not clear"):
        checking.check(*unclear)


def test_folders_are_checked_file_by_file(tmp_path):
    notes: list[str] = []
    for folder, texts in (
        ("en", ("15 parts.", "A pump.", "New.")),
        ("de", ("16 Teile.", "Pumpe.")),
    ):
        (tmp_path / folder).mkdir()
        for name, text in zip(("a.md", "b.md", "c.md"), texts, strict=False):
            (tmp_path / folder / name).write_text(f"{text}\n")
    checking = Checking(Input(), EN_DE, frozenset(CHECKS), note=notes.append)
    report = checking.check(str(tmp_path / "en"), str(tmp_path / "de"))
    assert [(Path(each.file).name, each.check) for each in report.findings] == [("a.md", "numbers")]
    assert notes == ["1 file without a translation: c.md"]
    assert report.checked == "2 files (en to de): 2 texts, 2 sentences"


REFUSED = [
    ("a.md", "One.\n\nTwo.\n", "Eins.\n", "not built as its source: it has 1 block of text, and"),
    ("a.html", "<h1>One</h1><p>Two.</p>", "<p>Eins</p><h1>Zwei.</h1>", "they differ at line 1"),
    ("a.md", "One.\n", None, "has the texts of one language"),
    ("a.po", PO, PO, "has the texts of both languages"),
    ("a.tsv", "d\tOne.\n", None, "has no translations"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "source", "target", "message"), REFUSED)
def test_what_cannot_be_compared_is_refused(name, source, target, message, tmp_path):
    with pytest.raises(InputError, match=message):
        found(tmp_path, name, source, target)


def test_checks_are_chosen_by_name():
    assert chosen_checks(None, None) == frozenset(CHECKS)
    assert chosen_checks("numbers, names", "names") == {"numbers"}
    with pytest.raises(InputError, match="did you mean 'numbers'"):
        chosen_checks("numbrs", None)


FOUND = Finding("a.md", "line 1", "numbers", "15 lost", "<b>15\tparts", 'Teile "x"')


def test_findings_are_written_as_tables(tmp_path):
    assert tsv_of([FOUND]).splitlines() == [
        "file\tplace\tcheck\tdetail\tprecision\tsource\ttranslation",
        'a.md\tline 1\tnumbers\t15 lost\t23 of 23\t<b>15 parts\tTeile "x"',
    ]
    write_report(tmp_path / "a.json", [FOUND], "a.md", EN_DE)
    assert json.loads((tmp_path / "a.json").read_text())["findings"][0]["place"] == "line 1"
    write_report(tmp_path / "a.html", [FOUND], "a.md", EN_DE)
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;15\tparts" in page and 'lang="de"' in page and "<script" not in page
    with pytest.raises(InputError, match=r"Name it \.tsv, \.json or \.html"):
        report_format("a.xlsx")


def test_improbable_sentences_are_below_the_run_or_far_below_the_file():
    both = [((f"word {n} of it", f"Wort {n} davon"),) for n in range(1, 31)]
    pairs = tuple(TextPair(f"line {n}", pair, pair) for n, pair in enumerate(both, start=1))
    file = CheckedFile("a.md", EN_DE, pairs)

    def improbable(values):
        usual = {"min_log_probability": -0.7}
        thresholds = CheckThresholds.default(EN_DE).model_copy(update=usual)
        checks = frozenset({"improbable"})
        settings = CheckSettings(EN_DE, None, None, thresholds, lambda _: values, checks)
        return [(each.place, each.precision) for each in check_file(file, settings)]

    own = [-0.2 - n % 5 / 20 for n in range(30)]
    assert improbable([*own[:29], -0.9]) == [("line 30", "209 of 225")]
    by_a_person = [value - 2 for value in own]
    assert improbable([*by_a_person[:29], -4.0]) == [("line 30", "")]


def test_singular_and_plural_are_one_text(tmp_path):
    source = "The file of %d month\n\nThe file of %d months\n\nThe text of a year"
    target = "Datei der %d Monate da\n\nDatei der %d Monate da\n\nDatei der %d Monate da"
    assert [(place, check) for place, check, _ in found(tmp_path, "a.txt", source, target)] == [
        ("line 5", "codes"),
        ("line 5", "same-translation"),
    ]


def test_words_of_the_source_are_no_other_script(tmp_path):
    found_ = found(tmp_path, "a.txt", "Running Sphinx.", "Запуск Sphinx.", languages=("en", "ru"))
    assert found_ == []


@pytest.mark.parametrize(
    ("source", "target", "detail"),
    [
        ("Open the file now.", "Öffnen Sie die Datei", "stop became none"),
        ("Open the new file", "Öffnen Sie die Datei:", "no punctuation became colon"),
        ("Open the file “now.”", "Öffnen Sie die Datei „jetzt“.", None),
        ("Open the file…", "Öffnen Sie die Datei...", None),
        ("Open file", "Öffnen.", None),
    ],
)
def test_texts_end_as_their_source(source, target, detail, tmp_path):
    endings = [each for each in found(tmp_path, "a.txt", source, target) if each[1] == "ending"]
    assert endings == ([("line 1", "ending", detail)] if detail else [])

"""Rules: what a translation leaves as it is stays byte for byte, everything else is translated."""

from __future__ import annotations

import time
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt_files import Columns, Input
from docmt_files.base.errors import InputError
from docmt_files.core.skeleton import NoTextError
from docmt_files.exclusion import exclusion
from docmt_files.exclusion.exclusion_rules import ExclusionRules, read_exclusion_rules
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
    with_part,
    xlsx,
)


def rules_of(folder: Path, text: str) -> ExclusionRules:
    path = folder / "rules.toml"
    path.write_text(text, encoding="utf-8")
    return read_exclusion_rules(path)


def upper(folder: Path, name: str, content: str | bytes, rules: ExclusionRules, **how):
    """A file filled with its sentences in upper case, and the notes about it."""
    source, target = write_sample(folder, name, content), folder / f"out-{name}"
    documents, skeleton = Input(rules=rules, **how).read(source, "en", "de")
    documents, skeleton = skeleton.keep_words(documents, lambda *_: True)
    done = []
    for document in documents:
        sentences = []
        for sentence in skeleton.sentences_of(document):
            text = sentence.text.upper()
            for word in sentence.protected:
                text = text.replace(word.upper(), word)
            sentences.append(text)
        done.append(document.translated(sentences))
    written = skeleton.write(done, target)
    return target.read_bytes(), list(written.notes)


STYLES = (
    '<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Quelltext1"><w:name w:val="Source Code"/></w:style>'
    '<w:style w:type="character" w:styleId="Marke"><w:name w:val="Brand name"/></w:style>'
)
WORD = docx(
    paragraph(run("The pump. "), run("Old Faithful", '<w:rStyle w:val="Marke"/>'), run(" runs."))
    + paragraph(
        run("let pump = new Pump", '<w:lang w:val="en-US"/>'),
        properties='<w:pStyle w:val="Quelltext1"/>',
    )
    + paragraph(run("Not for print.", "<w:vanish/>"))
    + paragraph(run("Read this.", '<w:lang w:val="en-US"/>')),
    styles=STYLES,
)
HIDDEN_COLUMN = '<cols><col min="2" max="2" width="9" hidden="1"/></cols><sheetData>'
SHEETS = xlsx(
    [f"<t>{text}</t>" for text in ("Name", "Notes", "Pump", "Mind the step", "Secret", "Both")],
    [row(1, 0, 1) + row(2, 2, 3) + row(3, 5, 5).replace("<row", '<row hidden="1"'), row(1, 4)],
)
SHEETS = with_part(
    SHEETS,
    "xl/worksheets/sheet1.xml",
    zipfile.ZipFile(BytesIO(SHEETS))
    .read("xl/worksheets/sheet1.xml")
    .replace(b"<sheetData>", HIDDEN_COLUMN.encode()),
)
SLIDES = pptx(
    [shape(shape_paragraph(shape_run(text))) for text in ("First slide.", "Second slide.")],
    notes=shape(shape_paragraph(shape_run("A remark."))),
)
HIDDEN_SLIDE = with_part(
    SLIDES,
    "ppt/slides/slide1.xml",
    zipfile.ZipFile(BytesIO(SLIDES))
    .read("ppt/slides/slide1.xml")
    .replace(b"<p:sld ", b'<p:sld show="0" '),
)
PO = """\
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgctxt "name"
msgid "Blue pump"
msgstr ""

msgid "Press the button."
msgstr ""
"""
XLIFF = """\
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2" \
xmlns:its="http://www.w3.org/2005/11/its">
<file source-language="en" original="a" datatype="plaintext"><body>
<trans-unit id="1" resname="title"><source>Blue pump</source></trans-unit>
<trans-unit id="2"><source>Press the button.</source></trans-unit>
<trans-unit id="3" its:translate="no"><source>Stay here.</source></trans-unit>
</body></file></xliff>
"""
ANDROID = (
    '<resources><string name="a">Blue pump</string><plurals name="p"><item quantity="one">One '
    'pump</item><item quantity="other">Some pumps</item></plurals></resources>'
)
SUBTITLES = "1\n00:00:01,000 --> 00:00:02,000\n♪ La la\n\n2\n00:00:03,000 --> 00:00:04,000\nGo.\n"
EN_US = b'<w:lang w:val="en-US"/></w:rPr>'

LEFT = [
    # name, content, rules, what is left, what is translated
    ("a.html", '<p class="x y">One. <b>Two.</b></p><p>Three.</p>', 'element = ".x"',
     [b'<p class="x y">One. <b>Two.</b></p>'], [b"THREE."]),
    ("a.html", '<div data-no="1"><p>One.</p></div><p>Take <code-word>Two cups</code-word> now.</p>',
     'element = ["[data-no]", "code-word"]', [b"<p>One.</p>", b"<code-word>Two cups</code-word>"],
     [b"TAKE", b"NOW."]),
    ("a.html", '<img alt="A pump" class="x"><p>The pump.</p>', 'element = "img.x"',
     [b'alt="A pump"'], [b"THE PUMP."]),
    ("a.md", "Order AC-12 and AC-99 now.\n\n# Pumps\n", "pattern = 'AC-[0-9]+'",
     [b"AC-12", b"AC-99"], [b"ORDER", b"# PUMPS"]),
    ("a.json", '{"a": {"b": "Blue pump", "c": ["Red pump"]}, "d": "Press it."}', 'key = "a.*"',
     [b"Blue pump", b"Red pump"], [b"PRESS IT."]),
    ("a.json", '{"a": {"b": "Blue pump"}, "d": ["Press it.", "Red pump"]}', 'key = ["a", "d.1"]',
     [b"Blue pump", b"Red pump"], [b"PRESS IT."]),
    ("a.properties", "menu.open = Open it\nmenu\\ b = Blue pump\n", 'key = "menu b"',
     [b"Blue pump"], [b"OPEN IT"]),
    ("a.strings", '"menu.open" = "Open it";\nplain = "Blue pump";\n', 'key = "plain"',
     [b"Blue pump"], [b"OPEN IT"]),
    ("strings.xml", ANDROID, 'key = "p.other"', [b"Some pumps"], [b"BLUE PUMP", b"ONE PUMP"]),
    ("a.po", PO, 'key = "name"', [b'msgctxt "name"\nmsgid "Blue pump"\nmsgstr ""\n'],
     [b'msgstr "PRESS THE BUTTON."']),
    ("a.xlf", XLIFF, 'key = "title"',
     [b'resname="title"><source>Blue pump</source></trans-unit>',
      b'<source>Stay here.</source></trans-unit>'], [b">PRESS THE BUTTON.</target>"]),
    ("a.srt", SUBTITLES,
     'style = "song"', ["♪ La la".encode()], [b"GO."]),
    ("a.docx", WORD, 'style = "source *"', [EN_US + b'<w:t xml:space="preserve">let '],
     [b"THE PUMP.", b"READ THIS.", b"NOT FOR"]),
    ("a.docx", WORD, 'style = ["Quelltext1", "Brand Name"]', [b"let pump", b"Old Faithful"],
     [b"READ THIS.", b"RUNS."]),
    ("a.docx", WORD, "hidden = true", [b"Not for print."], [b"READ THIS.", b"OLD FAITHFUL"]),
    ("a.xlsx", SHEETS, 'sheet = "S1"\ncolumn = "Notes"', [b"Notes", b"Mind the step", b"Both"],
     [b"NAME", b"PUMP", b"SECRET"]),
    ("a.xlsx", SHEETS, 'column = "A"\nsheet = "s2"', [b"Secret"], [b"NAME", b"BOTH"]),
    ("a.xlsx", SHEETS, "hidden = true", [b"Notes", b"Both", b"Mind the step"],
     [b"NAME", b"PUMP", b"SECRET"]),
    ("a.fods", SHEETS_ODF, 'column = "B"\nsheet = "prices"', [b"Red pump"],
     [b"BLUE PUMP", b"OLD PUMP", b"LET PUMP"]),
    ("a.fods", SHEETS_ODF, 'style = "Source Code"', [b"let pump"], [b"BLUE PUMP", b"RED PUMP"]),
    ("a.fods", SHEETS_ODF, "hidden = true", [b"Red pump", b"Old pump", b"let pump"],
     [b"BLUE PUMP"]),
    ("a.pptx", SLIDES, 'part = "notes"', [b"A remark."], [b"FIRST SLIDE.", b"SECOND SLIDE."]),
    ("a.pptx", HIDDEN_SLIDE, "hidden = true", [b"Second slide."], [b"FIRST SLIDE.", b"A REMARK."]),
]  # fmt: skip


def content(data: bytes) -> bytes:
    """The bytes of a file, of a package those of its parts."""
    if data[:2] != b"PK":
        return data
    package = zipfile.ZipFile(BytesIO(data))
    return b"\n".join(package.read(name) for name in package.namelist())


@pytest.mark.parametrize(("name", "source", "rule", "left", "translated"), LEFT)
def test_what_a_rule_names_is_left_and_the_rest_is_translated(
    name, source, rule, left, translated, tmp_path
):
    rules = rules_of(tmp_path, f"[[leave]]\n{rule}\n")
    data, notes = upper(tmp_path, name, source, rules)
    out = content(data)
    for text in left:
        assert text in content(source if isinstance(source, bytes) else source.encode())
        assert text in out
    for text in translated:
        assert text in out
    assert any(note.startswith("left as in the source by rules: ") for note in notes)
    assert rules.unused() == []


def test_marks_of_its_are_honored_in_xhtml(tmp_path):
    rules = rules_of(tmp_path, '[[leave]]\npattern = "x"\n')
    page = '<p its:translate="no">One.</p><p its-loc-note="A button">Two.</p>'
    data, _ = upper(tmp_path, "a.html", page, rules)
    assert data == page.replace("Two.", "TWO.").encode()


def test_columns_of_tables_are_named_by_their_headers(tmp_path):
    rules = rules_of(tmp_path, '[[leave]]\ncolumn = "b"\n')
    data, _ = upper(
        tmp_path, "a.csv", "a,b\nBlue pump,Red pump\n", rules, columns=Columns(("a", "b"))
    )
    assert data == b"a,b\nBLUE PUMP,Red pump\n"


def test_a_pattern_stands_beside_joined_tags(tmp_path):
    rules = rules_of(tmp_path, "[[leave]]\npattern = 'pump|two'\n")
    subtitle = SUBTITLES.replace("Go.", "<i>A pump</i>\n<i>and two</i> of it.")
    data, _ = upper(tmp_path, "a.srt", subtitle, rules)
    assert b"pump" in data and b"two" in data and b"OF IT." in data


def test_a_rule_may_be_for_some_files_only(tmp_path):
    rules = rules_of(tmp_path, '[[leave]]\npattern = "pump"\nfile = "b.*"\n')
    data, _ = upper(tmp_path, "a.txt", "The pump.", rules)
    assert data == b"THE PUMP."
    (note,) = rules.unused()
    assert note.endswith(
        "rules.toml, line 1: the rule (pattern = pump, file = b.*) matched nothing"
    )
    data, _ = upper(tmp_path, "b.txt", "The pump.", rules)
    assert data == b"THE pump."
    assert rules.unused() == []


def test_hidden_content_is_noted_where_it_is_translated_and_where_it_is_left(tmp_path):
    rules = ExclusionRules(())
    _, notes = upper(tmp_path, "a.xlsx", SHEETS, rules)
    assert "4 cells of hidden rows or columns, translated like the rest" in notes
    _, notes = upper(tmp_path, "a.xlsx", SHEETS, rules.with_hidden())
    assert "left as in the source by rules: 3 blocks (hidden)" in notes
    assert not any("translated like the rest" in note for note in notes)


def test_a_text_that_a_workbook_has_once_for_several_cells_is_left_in_all_with_a_note(tmp_path):
    rules = rules_of(tmp_path, '[[leave]]\ncolumn = "Notes"\n')
    _, notes = upper(tmp_path, "a.xlsx", SHEETS, rules)
    assert any(note.startswith("1 text of these also where no rule leaves it") for note in notes)


def test_a_file_that_rules_leave_as_a_whole_has_no_text(tmp_path):
    rules = rules_of(tmp_path, '[[leave]]\nelement = "p"\n')
    with pytest.raises(NoTextError, match="has no text but what the rules leave"):
        upper(tmp_path, "a.html", "<p>One.</p>", rules)


def test_rules_are_refused_for_corpora(tmp_path):
    rules = rules_of(tmp_path, '[[leave]]\npattern = "One"\n')
    with pytest.raises(InputError, match="one sentence per line, which `rules`"):
        upper(tmp_path, "a.txt", "One.\n", rules, segmented=True)


@every_sample("SAMPLES")
def test_a_file_with_left_words_keeps_its_structure(file_format, name, tmp_path):
    rules = rules_of(tmp_path, "[[leave]]\npattern = '(?i)[[:alpha:]]*p[[:alpha:]]*'\n")
    source = write_sample(tmp_path, name, samples_of(file_format).SAMPLES[name])
    documents, skeleton = Input(rules=rules, file_format=file_format.name).read(source, "en")
    _, plain = Input(file_format=file_format.name).read(source, "en")
    same = [document.translated(document.source) for document in documents]
    filled = skeleton.fill_and_report(same)
    unchanged = plain.fill_and_report(
        [document.translated(document.source) for document in plain.documents]
    )
    assert filled.data == unchanged.data
    again = skeleton.fill_and_report(
        [d.translated([s.upper() for s in d.source]) for d in documents]
    )
    kept = " ".join(matcher_words(skeleton))
    assert all(word in again.text for word in kept.split() if word.isalpha())


def matcher_words(skeleton):
    """The words of the protected codes of a file."""
    return {code.words for block in skeleton.found.blocks for code in block.parts
            if getattr(code, "words", "")}  # fmt: skip


FAULTY = [
    ('[[leave]]\nstyle = "x"\n\n[[leave]]\ncolum = "B"\n',
     "line 5: unknown key 'colum': did you mean 'column'?"),
    ("[[leave]]\nhidden = 3\n", "line 2: `hidden` is not true"),
    ('[[leave]]\npattern = "("\n', "line 2: `pattern` is not a regular expression"),
    ('[[leave]]\nkey = "a"\n[[leave]]\nelement = "a b"\n', "line 4: 'a b' does not select"),
    ("[[leave]]\n", "line 1: a rule without a condition"),
    ('[[leave]]\nfile = "*.md"\n', "line 1: a rule without a condition"),
    ("keep = 3\n", "line 1: unknown key 'keep'"),
    ("\n[[leave]\n", "line 2: is not valid TOML"),
    ("", "has no rules"),
    ("leave = 3\n", "has no rules"),
    ("[[leave]]\nkey = []\n", "line 2: 'key' is neither a text nor a list of texts"),
    ('[[leave]]\nlanguage = "la"\nkey = "b"\n', "line 2: `language` excludes other conditions"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), FAULTY)
def test_faulty_rules_are_refused_with_the_line(text, message, tmp_path):
    with pytest.raises(InputError) as caught:
        rules_of(tmp_path, text)
    assert message in str(caught.value)


@settings(max_examples=60)
@given(st.text(max_size=60) | st.lists(
    st.sampled_from(["[[leave]]\n", "key = ", "'a'\n", "hidden", " = ", "true\n", "[", '"', "\n"]),
    max_size=12,
).map("".join))  # fmt: skip
def test_any_file_is_read_as_rules_or_refused(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    try:
        assert read_exclusion_rules(path).rules
    except InputError as error:
        assert "any.toml" in str(error)


def test_deep_files_take_no_longer_than_flat_ones(tmp_path):
    rules = rules_of(tmp_path, '[[leave]]\nelement = ".x"\n')
    depth = 5_000
    page = '<div class="x">Stay.</div>' + "<div>Go." * depth + "</div>" * depth
    began = time.process_time()
    data, _ = upper(tmp_path, "a.html", page, rules)
    assert time.process_time() - began < 10
    assert data.count(b"GO.") == depth and b"Stay." in data


def test_own_placeholders_stay_in_every_format(tmp_path):
    rules = ExclusionRules(()).with_placeholders([r"<<.{1,40}?>>", r"\bAC-\d+"])
    for name, content in {
        "a.json": '{"a": "Open <<the file>> of AC-12"}',
        "a.md": "Open <<the file>> of AC-12\n",
        "a.txt": "Open <<the file>> of AC-12\n",
        "a.po": 'msgid "Open <<the file>> of AC-12"\nmsgstr ""\n',
    }.items():
        data, _ = upper(tmp_path, name, content, rules)
        assert b"OPEN <<the file>> OF AC-12" in data, name


def test_own_placeholders_may_have_known_ones_in_them(tmp_path):
    rules = rules_of(tmp_path, "placeholders = ['<!.{1,40}?!>', 'nothing']\n")
    text = '{"a": "Sent to <!the {n} users!> by {name}"}'
    data, notes = upper(tmp_path, "a.json", text, rules)
    assert data.decode() == '{"a": "SENT TO <!the {n} users!> BY {name}"}'
    assert any("1 part of sentences (placeholders = <!.{1,40}?!>)" in note for note in notes)
    assert rules.unused() == [
        f"{tmp_path / 'rules.toml'}, line 1: the rule (placeholders = nothing) matched nothing"
    ]


def test_a_pattern_that_divides_a_placeholder_leaves_it_whole(tmp_path):
    rules = ExclusionRules(()).with_placeholders([r"to \{"])
    data, _ = upper(tmp_path, "a.json", '{"a": "sent to {name}"}', rules)
    assert data.decode() == '{"a": "SENT TO {name}"}'


def test_a_pattern_without_an_end_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(exclusion, "_MAX_SECONDS", 0.3)
    rules = ExclusionRules(()).with_placeholders([f"{'(.*)' * 6}[^ -~]"])
    text = "".join(f'"k{i}": "{"ab c" * 500} c{i}",' for i in range(50))
    began = time.perf_counter()
    with pytest.raises(InputError, match=r"takes longer than 0.3 seconds to .*\[\^ -~\]"):
        upper(tmp_path, "a.json", f'{{{text} "z": "end of it"}}', rules)
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize("pattern", ["(", "[a", "x" * 3000, "(?<n>a)(?<n"])
def test_what_is_no_pattern_is_refused(tmp_path, pattern):
    with pytest.raises(InputError, match="`placeholders`"):
        ExclusionRules(()).with_placeholders([pattern])
    with pytest.raises(InputError, match="line 1"):
        rules_of(tmp_path, f"placeholders = '{pattern}'\n")


def test_placeholders_of_the_rules_are_texts(tmp_path):
    with pytest.raises(InputError, match="neither a text nor a list"):
        rules_of(tmp_path, "placeholders = 3\n")

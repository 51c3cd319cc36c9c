"""PO files: sources are translated into their places, and gettext takes the result."""

from __future__ import annotations

import re
import shutil
import subprocess

import polib
import pytest

from docmt_files.base.errors import InputError
from docmt_files.strings import po
from formats.samples.po import HEADER, SAMPLES


def read(folder, text, target="de"):
    path = folder / "in.po"
    path.write_text(text, encoding="utf-8", newline="")
    return po.read(path, "en", target)


def filled(folder, text, change, target="de"):
    documents, skeleton = read(folder, text, target)
    (document,) = documents
    return skeleton.fill_and_report([document.translated([change(s) for s in document.source])])


def entries(text):
    return {(e.msgctxt, e.msgid): e for e in polib.pofile(text)}


def messages(*pairs, flags=""):
    """A file with these sources and translations."""
    return HEADER + "\n".join(
        f'{flags}msgid "{source}"\nmsgstr "{translation}"\n' for source, translation in pairs
    )


def test_new_and_fuzzy_entries_are_translated_and_others_kept(tmp_path):
    text = messages(("One.", ""), ("Two.", "Zwei!")) + '\n#, fuzzy\nmsgid "Three."\nmsgstr "x"\n'
    result = filled(tmp_path, text, str.upper)
    found = {e.msgid: (e.msgstr, e.fuzzy) for e in polib.pofile(result.text)}
    assert found == {"One.": ("ONE.", True), "Two.": ("Zwei!", False), "Three.": ("THREE.", True)}
    assert "2 entries translated and marked as fuzzy, to be reviewed" in result.notes
    assert any("1 entry kept, translated already" in note for note in result.notes)
    # All that is no translation stays.
    assert result.text.startswith(HEADER)


def test_all_lines_of_flags_count(tmp_path):
    text = HEADER + '#, fuzzy\n#, c-format\nmsgid "Delete %s now?"\nmsgstr "Lösche %s jetzt?"\n'
    for flags in ("#, fuzzy\n#, c-format", "#, c-format\n#, fuzzy", "#, fuzzy, c-format"):
        given = text.replace("#, fuzzy\n#, c-format", flags)
        result = filled(tmp_path, given, lambda s: s.replace("Delete", "LÖSCHE"))
        assert result.text == given.replace("Lösche %s jetzt", "LÖSCHE %s now")
        assert not result.kept


def test_a_plural_form_that_is_lacking_is_said(tmp_path):
    plural = 'msgid "a file"\nmsgid_plural "%d files"\nmsgstr[0] "Datei"\nmsgstr[1] ""\n'
    text = messages(("One.", "")) + "\n" + plural
    result = filled(tmp_path, text, str.upper)
    assert plural in result.text
    assert "1 of these lacks a plural form" in result.notes


def test_several_entries_without_a_source_are_left_as_they_are(tmp_path):
    text = messages(("", ""), ("One.", ""))
    result = filled(tmp_path, text, str.upper)
    assert result.text.count('msgid ""') == text.count('msgid ""')
    assert 'msgstr "ONE."' in result.text


@pytest.mark.parametrize("change", [str.upper, lambda s: f"{s} {s}", lambda _: "Wort wort"])
def test_another_reader_sees_the_same_entries(tmp_path, change):
    result = filled(tmp_path, SAMPLES["menu.po"], change)
    before, after = polib.pofile(SAMPLES["menu.po"]), polib.pofile(result.text)
    assert len(before) == len(after) == 7
    for old, new in zip(before, after, strict=True):
        for key in (
            "msgid",
            "msgctxt",
            "msgid_plural",
            "flags",
            "comment",
            "tcomment",
            "occurrences",
            "obsolete",
            "previous_msgid",
        ):
            assert getattr(old, key) == getattr(new, key)
    assert before.metadata == after.metadata


def unflagged(text):
    """The text without the marks of what is to be reviewed, which msgfmt does not check."""
    return re.sub(r"#, fuzzy\n", "", text).replace("#, fuzzy,", "#,")


@pytest.mark.skipif(shutil.which("msgfmt") is None, reason="needs msgfmt of GNU gettext")
@pytest.mark.parametrize(
    "change",
    [str.upper, lambda s: " ".join(reversed(s.split())), lambda s: f"{s} 50 % ok", lambda _: ""],
)
def test_gettext_takes_the_result(tmp_path, change):
    result = filled(tmp_path, SAMPLES["menu.po"], change)
    path = tmp_path / "out.po"
    path.write_text(unflagged(result.text), encoding="utf-8")
    done = subprocess.run(
        ["msgfmt", "--check-format", "-o", tmp_path / "out.mo", path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


PLURALS = [
    # target language, plural forms of the header, translations
    ("de", "nplurals=2; plural=(n != 1);", ["ONE", "MANY"]),
    ("ja", "nplurals=1; plural=0;", ["MANY"]),
    ("fr", "nplurals=2; plural=(n > 1);", ["ONE", "MANY"]),
    ("ru", "nplurals=3; plural=(n%10==1", ["ONE", "", "MANY"]),
    ("sl", "nplurals=4; plural=(n%100==1", ["ONE", "", "", "MANY"]),
    ("ar", "nplurals=6; plural=(n==0", ["", "ONE", "", "", "MANY", ""]),
]


@pytest.mark.parametrize(("target", "header", "expected"), PLURALS)
def test_plural_forms_are_those_of_the_target_language(tmp_path, target, header, expected):
    text = (
        'msgid ""\nmsgstr ""\n"Language: \\n"\n"Content-Type: text/plain; charset=CHARSET\\n"\n'
        '"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"\n\n'
        'msgid "one"\nmsgid_plural "many"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    )
    result = filled(tmp_path, text, str.upper, target)
    file = polib.pofile(result.text)
    assert file.metadata["Language"] == target
    assert file.metadata["Content-Type"] == "text/plain; charset=UTF-8"
    assert file.metadata["Plural-Forms"].startswith(header)
    (entry,) = file
    assert list(entry.msgstr_plural.values()) == expected
    left = expected.count("")
    assert any("plural form" in note for note in result.notes) == bool(left)


def test_a_template_without_the_name_of_an_encoding_is_in_utf_8(tmp_path):
    header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=CHARSET\\n"\n\n'
    result = filled(tmp_path, f'{header}msgid "é"\nmsgstr ""\n', str.upper)
    assert 'charset=UTF-8\\n"' in result.text and 'msgstr "É"' in result.text


def test_a_header_without_a_language_gets_one(tmp_path):
    text = (
        'msgid ""\nmsgstr ""\n"PO-Revision-Date: YEAR\\n"\n\n'
        'msgid "a"\nmsgid_plural "b"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    )
    result = filled(tmp_path, text, str.upper, "pt-BR")
    assert polib.pofile(result.text).metadata == {
        "PO-Revision-Date": "YEAR",
        "Language": "pt_BR",
        "Plural-Forms": "nplurals=2; plural=(n > 1);",
    }


def test_a_translation_has_the_accelerator_of_its_source(tmp_path):
    text = messages(("E&xit the file", ""), ("_Open it", ""), ("&Zoom in", ""))
    change = dict(
        zip(["Exit the file", "Open it", "Zoom in"], ["Texte", "Es Öffnen", "Groß"], strict=True)
    ).get
    found = [e.msgstr for e in polib.pofile(filled(tmp_path, text, change).text)]
    assert found == ["Te&xte", "_Es Öffnen", "&Groß"]


def test_long_strings_are_wrapped_as_by_gettext(tmp_path):
    text = messages(("One two.\\nThree four.", ""))
    result = filled(tmp_path, text, lambda s: " ".join([s] * 12))
    own = result.text[len(HEADER) :].split("msgstr ")[1]
    lines = own.strip().split("\n")
    assert lines[0] == '""' and max(map(len, lines)) <= 79
    assert [line[-3:-1] for line in lines if line.endswith('\\n"')] == ["\\n"]
    wide = messages(("x " * 60, ""))
    result = filled(tmp_path, wide, lambda s: f"{s} {s}")
    assert result.text.count("\n") == wide.count("\n") + 1


ERRORS = [
    ('msgid "One\nmsgstr ""\n', "line 1: the line is not one of a PO file"),
    ('msgid "One"\n"Two"\nx\nmsgstr ""\n', "line 3: the line is not one of a PO file"),
    ('msgstr "One"\n', "line 1: msgstr without a msgid"),
    ('msgid "One"\n\n', "msgid without a msgstr"),
    ('msgid "One"\nmsgstr "Eins"\n', "its only entry is translated already"),
    ('msgid ""\nmsgstr "charset=ISO-8859-1\\n"\nmsgid "é"\nmsgstr ""\n', "says that it is in ISO"),
]


@pytest.mark.parametrize(("text", "message"), ERRORS)
def test_a_file_that_cannot_be_translated_is_refused_with_the_cure(tmp_path, text, message):
    with pytest.raises(InputError, match=re.escape(message)) as found:
        read(tmp_path, text)
    assert found.value.cure


def test_translations_without_words_leave_only_their_own_entries(tmp_path):
    text = messages(*[(f"This is entry {'a' * n}.", "") for n in range(1, 40)])
    result = filled(tmp_path, text, lambda s: "" if len(s) % 2 else s.upper())
    found = [entry.msgstr for entry in polib.pofile(result.text)]
    assert [value.isupper() for value in found] == [number % 2 == 1 for number in range(1, 40)]
    assert result.kept == 19


def test_a_translation_with_other_blocks_leaves_only_its_own_entry(tmp_path):
    # A number with a full stop is that of a list item.
    text = messages(*[(f"Entry {'a' * n}.", "") for n in range(1, 40)])
    result = filled(tmp_path, text, lambda s: "64." if len(s) % 2 else s.upper())
    found = [entry.msgstr for entry in polib.pofile(result.text)]
    assert sum(value.isupper() for value in found) == 20

    text = messages(*[(f"Entry {'a' * n} %s", "") for n in range(1, 40)], flags="#, c-format\n")
    result = filled(tmp_path, text, lambda s: "64. " if len(s) % 2 else s.upper())
    found = [entry.msgstr for entry in polib.pofile(result.text)]
    assert sum(value.replace(" %s", "").isupper() for value in found) >= 19


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        # placeholders in words, side by side and at the edges of a sentence
        ("Running v%s", "LÄUFT V", "LÄUFT V%s"),
        ("took %.3fs", "NAHM S", "NAHM %.3fS"),
        ("no code in %s at %s:%s", "KEIN CODE IN BEI:", "KEIN CODE IN %s BEI %s:%s"),
        ("%s:%s not found", "NICHT GEFUNDEN", "%s %s NICHT GEFUNDEN"),
        ("%d%% of %s", "VON", "%d%% VON %s"),
    ],
)
def test_all_placeholders_of_a_format_string_are_kept(tmp_path, source, target, expected):
    text = messages((source, ""), flags="#, python-format\n")
    result = filled(tmp_path, text, lambda _: target)
    assert entries(result.text)[None, source].msgstr == expected
    assert not result.kept


def test_directives_in_words_keep_their_order(tmp_path):
    text = messages(("from v%s to %d", ""), flags="#, c-format\n")
    _, skeleton = read(tmp_path, text)
    faulty = skeleton.text.replace('msgstr "from v%s to %d"', 'msgstr "%d nach v%s"')
    assert faulty != skeleton.text and skeleton.rules.faulty(faulty) == [0]


def test_an_entry_that_is_not_translated_stays_as_it_was(tmp_path):
    """It is neither marked as fuzzy nor filled with its source, and it is counted apart."""
    left = '#: a.c:1\n#, c-format\nmsgid "Delete %s and %d now?"\nmsgstr ""\n\n'
    old = '#, fuzzy, c-format\n#| msgid "Del %s."\nmsgid "Delete %s."\nmsgstr "Lösche %s."\n\n'
    plural = (
        '#, c-format\nmsgid "%d file here"\nmsgid_plural "%d files here"\n'
        'msgstr[0] ""\nmsgstr[1] ""\n\n'
    )
    text = HEADER + left + old + plural + 'msgid "Open it."\nmsgstr ""\n'

    def change(sentence):
        return "ÖFFNE ES." if sentence.startswith("Open") else "%d und %s und %s"

    result = filled(tmp_path, text, change)
    done = '#, fuzzy\nmsgid "Open it."\nmsgstr "ÖFFNE ES."\n'
    assert result.text == HEADER + left + old + plural + done
    assert "1 entry translated and marked as fuzzy, to be reviewed" in result.notes
    assert any(note.startswith("3 entries left without a new") for note in result.notes)
    russian = filled(tmp_path, HEADER + plural, change, "ru").text
    assert russian.endswith('"%d files here"\nmsgstr[0] ""\nmsgstr[1] ""\nmsgstr[2] ""\n\n')


def test_translations_into_the_source_language_are_what_is_translated(tmp_path):
    """As in a developer's own file, whose sources may be keys."""
    header = HEADER.replace('"Language: de', '"Language: en')
    plural = 'msgid "n.one"\nmsgid_plural "n.other"\nmsgstr[0] "%d file"\nmsgstr[1] "%d files"\n'
    text = header + 'msgid "b.save"\nmsgstr "Save it."\n\nmsgid "Open."\nmsgstr ""\n\n' + plural
    documents, skeleton = read(tmp_path, text)
    assert documents[0].source[:2] == ("Save it.", "Open.")
    result = skeleton.fill_and_report(
        [documents[0].translated([s.upper() for s in documents[0].source])]
    )
    found = polib.pofile(result.text)
    assert [(e.msgid, e.msgstr, e.fuzzy) for e in found[:2]] == [
        ("b.save", "SAVE IT.", True),
        ("Open.", "OPEN.", True),
    ]
    assert found[2].msgstr_plural == {0: "%d FILE", 1: "%d FILES"}
    assert found.metadata["Language"] == "de"
    assert any("msgstr of 2 entries translated" in note for note in result.notes)

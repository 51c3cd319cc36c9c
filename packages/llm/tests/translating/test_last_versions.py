"""The last version of a file and its translation: every edit of a person is in the next one."""

from __future__ import annotations

import io
import re
import zipfile

import pytest

import docmt
from docmt.memory import TranslationMemory
from docmt.translating.from_memory import FromMemory
from docmt.translating.memory_files import open_memories, units_of_file, units_of_pair
from docmt_files.base.errors import InputError
from formats.office_packages import docx, paragraph, run
from translating.test_from_memory import Listening

LANGUAGES = ("en", "de")

INSTALL = "Install", "Open the box.", "Insert *two* batteries now.", "Wait 20 seconds."
USE = "Use", "Press the button. Then look at the lamp."
CARE = "Care", "Clean it with water.", "Never open the motor."

V1 = [INSTALL, USE, CARE]
V2 = [
    (*CARE, "Store it dry."),
    (*INSTALL[:3], "Wait 30 seconds."),
    ("Use", "Press the red button. Then look at the lamp."),
]
"""Sections moved, a sentence new, one changed, and one with another number."""

EDITS = {
    "OPEN THE BOX.": "Karton öffnen.",
    "INSERT *TWO* BATTERIES NOW.": "Nun *zwei* Batterien einlegen.",
    "WAIT 20 SECONDS.": "20 Sekunden warten.",
    "NEVER OPEN THE MOTOR.": "Motor nie öffnen!",
}


class _Markup:
    """A format with tags around emphasized words, and a wrapping of every text."""

    def __init__(self, suffix, tags, line, whole="{}", review=None):
        self.suffix, self.tags, self.line, self.whole = suffix, tags, line, whole
        self.review = review

    def tagged(self, text):
        return re.sub(r"\*(\w+)\*", rf"{self.tags[0]}\1{self.tags[1]}", text)

    def made(self, sections):
        lines = (
            self.line.format(self.tagged(text), number=number)
            for number, text in enumerate(text for section in sections for text in section)
        )
        return self.whole.format("".join(lines)).encode()

    def edited(self, data):
        text = data.decode()
        for old, new in EDITS.items():
            old, new = self.tagged(old), self.tagged(new)
            assert text.count(old) == 1, old
            text = text.replace(old, new)
            if self.review:
                text = self.review(text, new)
        return text.encode()

    def plain(self, data):
        return data.decode().replace(self.tags[0], "*").replace(self.tags[1], "*")


class _Word:
    """Word, with emphasized words in bold runs."""

    suffix = ".docx"

    def made(self, sections):
        texts = [text.split("*") for section in sections for text in section]
        runs = [
            [run(part, "<w:b/>" if i % 2 else "") for i, part in enumerate(parts)]
            for parts in texts
        ]
        return docx("".join(paragraph(*each) for each in runs))

    def edited(self, data):
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
            for name in old.namelist():
                text = old.read(name).decode()
                if name == "word/document.xml":
                    for before, after in EDITS.items():
                        for one, other in zip(before.split("*"), after.split("*"), strict=True):
                            assert text.count(f">{one}<") == 1, one
                            text = text.replace(f">{one}<", f">{other}<")
                new.writestr(name, text)
        return out.getvalue()

    def plain(self, data):
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            text = package.read("word/document.xml").decode()
        text = re.sub(r"<w:r>(?=(?:(?!</w:r>).)*<w:b/>)(.*?)</w:r>", r"*\1*", text)
        return re.sub(r"<[^>]+>", "", text)


def _approved(text, target):
    """An XLIFF file with the state of a target set by a person."""
    old = 'state="needs-review-translation" state-qualifier="leveraged-mt">' + target
    assert old in text
    return text.replace(old, f'state="final">{target}')


def _not_fuzzy(text, target):
    """A PO file in which a person has taken the mark from an entry."""
    return re.sub(rf'#, fuzzy\n(msgid "[^"]*"\nmsgstr "{re.escape(target)}")', r"\1", text)


FORMATS = {
    "md": _Markup(".md", ("**", "**"), "{}\n\n"),
    "html": _Markup(".html", ("<b>", "</b>"), "<p>{}</p>\n"),
    "po": _Markup(".po", ("<b>", "</b>"), 'msgid "{}"\nmsgstr ""\n\n', review=_not_fuzzy),
    "xliff": _Markup(
        ".xlf",
        ('<g id="1">', "</g>"),
        '<trans-unit id="{number}"><source>{}</source></trans-unit>\n',
        '<xliff version="1.2"><file target-language="de"><body>{}</body></file></xliff>',
        _approved,
    ),
    "docx": _Word(),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_edit_is_in_the_next_version(tmp_path, name):
    made = FORMATS[name]
    paths = [tmp_path / f"{each}{made.suffix}" for each in ("v1", "v1.de", "v2", "v2.de")]
    v1, v1_de, v2, v2_de = paths
    v1.write_bytes(made.made(V1))
    docmt.translate_files(Listening(), [str(v1)], [str(v1_de)])
    v1_de.write_bytes(made.edited(v1_de.read_bytes()))
    v2.write_bytes(made.made(V2))
    notes = []
    inner = Listening()
    translator = FromMemory(inner, open_memories([], (v1, v1_de), LANGUAGES, notes.append))
    docmt.translate_files(translator, [str(v2)], [str(v2_de)], note=notes.append)
    text = made.plain(v2_de.read_bytes())
    for new in EDITS.values():
        assert new.replace("20", "30") in text
    (request,) = inner.asked
    asked = {request.documents[owner].source[i] for owner, i in request.revision.sentences}
    assert asked == {"Store it dry.", "Press the red button."}
    assert "STORE IT DRY." in text and "PRESS THE RED BUTTON. THEN LOOK" in text
    assert any("9 sentences of 11 from the memory" in note for note in notes), notes


def test_only_what_a_person_has_approved_grows_a_memory(tmp_path):
    made, notes = FORMATS["po"], []
    (tmp_path / "v1.po").write_bytes(made.made(V1))
    docmt.translate_files(Listening(), [str(tmp_path / "v1.po")], [str(tmp_path / "de.po")])
    (tmp_path / "de.po").write_bytes(made.edited((tmp_path / "de.po").read_bytes()))
    units = list(units_of_file(tmp_path / "de.po", LANGUAGES, notes.append))
    assert [unit.target.replace("zwei", "*zwei*") for unit in units] == list(EDITS.values())
    assert units[1].codes == ((7, 10), (4, 8))
    (note,) = notes
    assert "6 translations by a machine left out, which nobody has approved" in note


def _pair(tmp_path, source, target):
    (tmp_path / "a.md").write_text(source)
    (tmp_path / "b.md").write_text(target)
    notes = []
    units = units_of_pair(tmp_path / "a.md", tmp_path / "b.md", LANGUAGES, notes.append)
    return {unit.source: unit.target for unit in units}, notes


def test_sentences_of_blocks_that_do_not_fit_are_told(tmp_path):
    source = "One. Two. Three.\n\nFour.\n\nFive. Six.\n"
    units, notes = _pair(tmp_path, source, "Eins und zwei. Drei.\n\nVier. Vier!\n\nFünf. Sechs.\n")
    assert units == {"Four.": "Vier. Vier!", "Five.": "Fünf.", "Six.": "Sechs."}
    assert len(notes) == 1 and "1 of 3 blocks not used" in notes[0]


def test_blocks_are_paired_around_those_that_a_person_has_added(tmp_path):
    source = "# A\n\nOne.\n\nTwo.\n\n## Nr. 1\n\nThree.\n\nFour.\n\n## Nr. 2\n\nFive.\n"
    target = "# B\n\nEins.\n\nNeu.\n\nZwei.\n\n## Nr. 1\n\nDrei.\n\nVier.\n\n## Nr. 2\n\nFünf.\n"
    units, notes = _pair(tmp_path, source, target)
    assert units == {
        "A": "B", "Nr. 1": "Nr. 1", "Three.": "Drei.", "Four.": "Vier.", "Nr. 2": "Nr. 2",
        "Five.": "Fünf.",
    }  # fmt: skip
    assert len(notes) == 1 and "2 of 8 blocks not used" in notes[0]


def test_strings_with_the_same_key_belong_together(tmp_path):
    (tmp_path / "v1.json").write_text('{"a": {"open": "Open"}, "b": {"open": "Open"}, "c": "End"}')
    (tmp_path / "de.json").write_text('{"b": {"open": "Offen"}, "a": {"open": "Öffnen"}}')
    (tmp_path / "v2.json").write_text('{"c": "End", "b": {"open": "Open"}, "a": {"open": "Open"}}')
    previous, notes = (tmp_path / "v1.json", tmp_path / "de.json"), []
    translator = FromMemory(Listening(), open_memories([], previous, LANGUAGES, notes.append))
    paths = [str(tmp_path / "v2.json")], [str(tmp_path / "out.json")]
    docmt.translate_files(translator, *paths, note=notes.append)
    assert (tmp_path / "out.json").read_text(encoding="utf-8") == (
        '{"c": "END", "b": {"open": "Offen"}, "a": {"open": "Öffnen"}}'
    )
    assert "1 of 3 blocks not used" in notes[0]
    assert any("2 of them in the same context" in note for note in notes)


def test_files_of_another_language_or_form_are_refused(tmp_path):
    (tmp_path / "a.po").write_text(
        'msgid ""\nmsgstr "Language: fr\\n"\n\nmsgid "One."\nmsgstr "Un."\n'
    )
    with pytest.raises(InputError, match="is of fr, not of en → de"):
        list(units_of_file(tmp_path / "a.po", LANGUAGES, print))
    (tmp_path / "a.md").write_text("One.")
    with pytest.raises(InputError, match="does not have both languages"):
        list(units_of_file(tmp_path / "a.md", LANGUAGES, print))
    (tmp_path / "a.tsv").write_text("a\tOne.\n")
    with pytest.raises(InputError, match="has no translations"):
        list(units_of_file(tmp_path / "a.tsv", LANGUAGES, print))
    with pytest.raises(InputError, match="is not a translation memory"):
        open_memories([tmp_path / "a.md"], None, LANGUAGES, print)
    assert TranslationMemory(None, LANGUAGES).look_up("One.") == []

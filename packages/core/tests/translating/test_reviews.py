"""A translation goes to a person as XLIFF or JSON, and comes back into the file."""

from __future__ import annotations

import json
import re

import pytest

from docmt.memory import TranslationMemory, Unit
from docmt.output import Output
from docmt.translating import translate_files
from docmt.translating.from_memory import FromMemory
from docmt.translating.memory_files import units_of_file
from docmt.translating.reviews import merge_review
from docmt_files import Input, read_exclusion_rules
from docmt_files.base.errors import InputError
from docmt_files.review import read_xliff
from docmt_files.review.review_json import review_values
from shouting_translator import Shouting

TEXT = "# Pumps\n\nPress **OK** now. Wait `20` seconds. Go *on*.\n\nOpen it.\n"
LOUD = "# PUMPS\n\nPRESS **OK** NOW. WAIT `20` SECONDS. GO *ON*.\n\nOPEN IT.\n"


@pytest.fixture(params=["xliff", "xliff-1.2"])
def review(request, tmp_path):
    """A review of a Markdown file."""
    (tmp_path / "a.md").write_text(TEXT)
    form = Output(request.param)
    paths = [str(tmp_path / "a.md")], [str(tmp_path / "a.xlf")]
    translate_files(Shouting("en", "de"), *paths, form=form)
    return tmp_path / "a.xlf"


def _edit(review, old, new, count=1):
    text = review.read_text()
    assert len(re.findall(old, text)) == count, text
    review.write_text(re.sub(old, new, text))


def _merge(review, **options):
    notes: list[str] = []
    counts = merge_review(review, review.parent / "b.md", note=notes.append, **options)
    return (review.parent / "b.md").read_text(), "\n".join(notes), counts.problems


def test_an_untouched_review_is_the_translation(review):
    text, notes, problems = _merge(review)
    assert (text, problems) == (LOUD, 0)
    assert "5 sentences merged, 0 of them approved and 0 edited" in notes


def test_a_person_edits_words_and_moves_codes(review):
    _edit(review, r"PRESS (<(pc|g).*?>OK</\w+>) NOW\.", r"Nun \1 drücken &amp; warten.")
    text, notes, problems = _merge(review)
    assert text == LOUD.replace("PRESS **OK** NOW.", "Nun **OK** drücken & warten.")
    assert problems == 0
    assert "1 edited" in notes


def test_another_program_may_write_the_file_again(review):
    lxml_etree = pytest.importorskip("lxml.etree")
    tree = lxml_etree.parse(review)
    for element in tree.iter():
        attributes = sorted(element.attrib.items(), reverse=True)
        element.attrib.clear()
        element.attrib.update(attributes)
        if lxml_etree.QName(element).localname == "target":
            marked = lxml_etree.SubElement(element, f"{{{lxml_etree.QName(element).namespace}}}mrk")
            marked.set("id", "m1")
            marked.text, element.text = element.text, None
            element.remove(marked)
            element.insert(0, marked)
    tree.write(review, encoding="utf-16", pretty_print=False)
    text, _, problems = _merge(review)
    assert (text, problems) == (LOUD, 0)


def test_sections_of_character_data_are_text(review):
    _edit(review, "OPEN IT", "<![CDATA[Öffnen & schließen]]>")
    assert "Öffnen & schließen." in _merge(review)[0]


def test_a_divided_segment_and_joined_ones_find_their_sentences(tmp_path, review):
    values = review_values(read_xliff(review))
    (block,) = (unit for unit in values["units"] if len(unit["segments"]) == 3)
    first, second, third = block["segments"]
    half = {"id": "x", "source": ["Press "], "target": ["Eins "], "approved": False}
    rest = {**first, "id": "y", "source": first["source"][1:], "target": first["target"][1:]}
    joined = {
        "id": "z",
        "source": [*second["source"], " ", *third["source"]],
        "target": [*third["target"], " ", *second["target"]],
        "approved": True,
    }
    block["segments"] = [half, rest, joined]
    edited = tmp_path / "a.json"
    edited.write_text(json.dumps(values))
    text, _, problems = _merge(edited)
    assert "Eins **OK** NOW. GO *ON*. WAIT `20` SECONDS.\n" in text
    assert problems == 0


def test_units_that_do_not_fit_are_named(review):
    is_2 = "<unit" in review.read_text()
    name = "unit" if is_2 else "group"
    _edit(review, rf'(?s)<{name} id="u1".*?</{name}>\n', "")
    _edit(review, rf'(?s)(<{name} id="u3".*?)OPEN IT(.*?</{name}>\n)', r"\1OPEN IT\2\1OPEN IT\2")
    _edit(review, r"(?s)<target[^>]*>GO.*?</target>", "")
    if is_2:
        _edit(review, 'id="s3" state="translated"', 'id="s3" state="initial"')
    text, notes, problems = _merge(review)
    assert text == LOUD.replace("PUMPS", "Pumps").replace("GO *ON*.", "Go *on*.")
    assert "1 unit missing from the review, and left as in the source: u1" in notes
    assert "1 unit several times in the review, with the same translation: u3" in notes
    assert "1 unit without a translation, and left as in the source: u2" in notes
    assert problems == 3


def test_two_translations_of_a_unit_are_refused(review):
    name = "unit" if "<unit" in review.read_text() else "group"
    _edit(review, rf'(?s)(<{name} id="u3".*?)OPEN IT(.*?</{name}>\n)', r"\1OPEN IT\2\1ÖFFNEN\2")
    with pytest.raises(InputError, match="several translations for unit u3, in the lines"):
        _merge(review)
    assert not (review.parent / "b.md").exists()


def test_sorted_units_find_their_places(review):
    text = review.read_text()
    name = "unit" if "<unit" in text else "group"
    units = re.findall(rf"(?s)<{name} .*?</{name}>\n", text)
    review.write_text(text.replace("".join(units), "".join(reversed(units))))
    merged, notes, _ = _merge(review)
    assert merged == LOUD
    assert "2 units at another place" in notes


def test_codes_that_are_lost_doubled_or_unknown_are_named(review):
    is_2 = "<unit" in review.read_text()
    code = r'(<ph id="2"[^>]*>|<x id="2"[^>]*>)'
    _edit(review, rf"WAIT {code}", "WARTEN ")
    _edit(review, "OPEN IT", 'ÖFFNEN <ph id="9"/>' if is_2 else 'ÖFFNEN <x id="9"/>')
    text, notes, _ = _merge(review)
    assert text.count("`20`") == 1
    assert "ÖFFNEN" in text
    assert "without all inline codes, or with crossing ones; put in by alignment: u2" in notes
    assert "with inline codes that the source lacks or has once; left out: u3" in notes


def test_a_placeholder_typed_as_text_is_the_placeholder(review):
    _edit(review, r'WAIT (<ph id="2"[^>]*>|<x id="2"[^>]*>)', "WARTEN 20")
    assert "WARTEN `20` SECONDS." in _merge(review)[0]


def test_the_source_file_may_not_have_changed(review):
    (review.parent / "a.md").write_text(TEXT.replace("Open it.", "New.\n\nOpen it."))
    with pytest.raises(InputError, match=r"another version of a\.md: 2 units .* differ: u3, u4"):
        _merge(review)
    (review.parent / "a.md").write_text(TEXT.replace("**OK**", "__OK__"))
    assert _merge(review)[0] == LOUD.replace("**OK**", "__OK__")
    (review.parent / "a.md").unlink()
    with pytest.raises(InputError, match=r"'a.md' is not beside it. Name the file .* as `source`"):
        _merge(review)


def test_a_review_without_its_skeleton_can_be_merged(review):
    _edit(review, "(?s)<(skeleton|header)>.*</(skeleton|header)>", "")
    text, notes, problems = _merge(review)
    assert (text, problems) == (LOUD, 0)
    assert "has lost its <skeleton>" in notes


def test_edited_and_approved_sentences_go_to_a_memory(review):
    memory = review.parent / "m.db"
    _edit(review, "WAIT", "Warte")
    is_2 = "<unit" in review.read_text()
    if is_2:
        _edit(review, r'(?s)(<unit id="u3".*?)state="translated"', r'\1state="final"')
    else:
        _edit(review, 'trans-unit id="u3-s1"', 'trans-unit id="u3-s1" approved="yes"')
    _, notes, _ = _merge(review, memory=memory)
    assert "1 of them approved and 1 edited" in notes
    with TranslationMemory(memory) as opened:
        units = list(opened.units())
    assert [(u.source, u.target, u.before, u.after) for u in units] == [
        ("Wait 20 seconds.", "Warte 20 SECONDS.", "Press OK now.", "Go on."),
        ("Open it.", "OPEN IT.", "Go on.", ""),
    ]
    directly = list(units_of_file(review, ("en", "de"), pytest.fail))
    assert [(u.source, u.target, u.codes) for u in directly] == [
        (u.source, u.target, u.codes) for u in units
    ]


def test_a_text_of_several_documents_has_a_unit_for_each_sentence(tmp_path):
    (tmp_path / "a.txt").write_text("One. Two.\n\nThree.\n")
    paths = [str(tmp_path / "a.txt")], [str(tmp_path / "a.xlf")]
    translate_files(Shouting("en", "de"), *paths, form=Output("xliff"))
    _edit(tmp_path / "a.xlf", "TWO", "Zwei")
    merge_review(tmp_path / "a.xlf", tmp_path / "b.txt")
    assert (tmp_path / "b.txt").read_text() == "ONE. Zwei.\n\nTHREE.\n"


def test_a_corpus_comes_back_too(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": "a", "source": ["One.", ""]}\n')
    paths = [str(tmp_path / "a.jsonl")], [str(tmp_path / "a.xlf")]
    translate_files(Shouting("en", "de"), *paths, form=Output("xliff"))
    merge_review(tmp_path / "a.xlf", tmp_path / "b.jsonl")
    assert json.loads((tmp_path / "b.jsonl").read_text())["target"] == ["ONE.", ""]


PO = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "Open the file"
msgstr ""

msgid "Close it"
msgstr ""
"""


def test_what_a_person_has_edited_is_not_marked_as_fuzzy(tmp_path):
    (tmp_path / "a.po").write_text(PO)
    paths = [str(tmp_path / "a.po")], [str(tmp_path / "a.xlf")]
    translate_files(Shouting("en", "de"), *paths, form=Output("xliff"))
    _edit(tmp_path / "a.xlf", "CLOSE IT", "Schließen")
    merge_review(tmp_path / "a.xlf", tmp_path / "b.po")
    assert (tmp_path / "b.po").read_text().split("\n\n", 1)[1] == (
        '#, fuzzy\nmsgid "Open the file"\nmsgstr "OPEN THE FILE"\n\n'
        'msgid "Close it"\nmsgstr "Schließen"\n'
    )


def test_matches_of_a_memory_are_shown_and_stay_a_persons(tmp_path):
    (tmp_path / "a.po").write_text(PO)
    memory = TranslationMemory(None, ("en", "de"))
    memory.add([Unit("Close it", "Schließen"), Unit("Open the big file", "Große Datei")])
    translator = FromMemory(Shouting("en", "de"), (memory,))
    for kind, candidate in (("xliff", "<mtc:match "), ("xliff-1.2", "<alt-trans ")):
        paths = [str(tmp_path / "a.po")], [str(tmp_path / "a.xlf")]
        translate_files(translator, *paths, form=Output(kind))
        text = (tmp_path / "a.xlf").read_text()
        assert candidate in text
        assert "the memory has a similar sentence (75 %)" in text
        assert ("exact-match" in text) or ("docmt:memory" in text)
        merge_review(tmp_path / "a.xlf", tmp_path / "b.po")
        translate_files(translator, [str(tmp_path / "a.po")], [str(tmp_path / "c.po")])
        assert (tmp_path / "b.po").read_text() == (tmp_path / "c.po").read_text()


def test_rules_of_a_review_are_named_again(tmp_path):
    (tmp_path / "a.md").write_text("See ACME-12 now.\n\nGo.\n")
    (tmp_path / "r.toml").write_text("[[leave]]\npattern = 'ACME-\\d+'\n")
    rules = read_exclusion_rules(tmp_path / "r.toml")
    paths = [str(tmp_path / "a.md")], [str(tmp_path / "a.xlf")]
    reading = Input(rules=rules)
    translate_files(Shouting("en", "de"), *paths, form=Output("xliff"), input_form=reading)
    with pytest.raises(InputError, match="made with other `rules`"):
        merge_review(tmp_path / "a.xlf", tmp_path / "b.md")
    merge_review(tmp_path / "a.xlf", tmp_path / "b.md", rules=rules)
    assert (tmp_path / "b.md").read_text() == "SEE ACME-12 NOW.\n\nGO.\n"


def test_a_review_that_could_not_be_read_again_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr("docmt_files.review.review_units.MAX_REVIEW", 1000)
    (tmp_path / "a.md").write_text(TEXT)
    paths = [str(tmp_path / "a.md")], [str(tmp_path / "a.xlf")]
    with pytest.raises(InputError, match=r"a\.md: its review would have more than 1,000"):
        translate_files(Shouting("en", "de"), *paths, form=Output("xliff"))
    assert not (tmp_path / "a.xlf").exists()


def test_notes_of_authors_are_shown_to_the_reviewer(tmp_path):
    page = '<p its-loc-note="A button of the pump">Press it. Then go.</p><p>Wait.</p>'
    (tmp_path / "a.html").write_text(page)
    paths = [str(tmp_path / "a.html")], [str(tmp_path / "a.xlf")]
    translate_files(Shouting(), *paths, form=Output("xliff"))
    text = (tmp_path / "a.xlf").read_text()
    (note,) = re.findall(r"<note[^>]*>([^<]*)</note>", text)
    assert note == "s1: A button of the pump"
    assert text.index(note) < text.index("Wait.")


def test_the_source_is_looked_for_beside_the_review_alone(review):
    inner = review.parent / "inner"
    inner.mkdir()
    moved = inner / "a.xlf"
    moved.write_text(review.read_text().replace('original="a.md"', r'original="..\..\x/../a.md"'))
    with pytest.raises(InputError, match=r"'a\.md' is not beside it"):
        merge_review(moved, inner / "b.md")


@pytest.mark.parametrize(
    "empty", ["<target></target>", "<target/>", '<target state="final"> </target>']
)
def test_a_sentence_whose_target_is_emptied_stays_as_in_the_source(review, empty):
    _edit(review, r"(?s)<target[^>]*>GO.*?</target>", empty)
    text, notes, _ = _merge(review)
    assert "Go *on*." in text
    assert "without a translation, and left as in the source" in notes

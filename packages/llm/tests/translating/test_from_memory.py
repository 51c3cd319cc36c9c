"""What a person has translated is taken, and the rest translated around it."""

from __future__ import annotations

from dataclasses import replace

import pytest

import docmt
import docmt_nmt.translators
from docmt.memory import MatchPenalties, TranslationMemory, Unit
from docmt.translating.from_memory import FromMemory
from docmt.translating.memory_files import open_memories, units_of_pair
from docmt_files.base.documents import InlineCode
from docmt_nmt.base.translations import Candidate
from docmt_nmt.translators.requests import Revision, TranslationRequest
from scripted_model import ScriptedModel, data_of
from scripted_model import translate as scripted
from shouting_translator import Shouting

V1 = """# Install

Open the file **setup** in the folder. Wait 20 seconds.

Click **OK**. The program is ready.

Never delete the file.
"""


class Listening(Shouting):
    """Shouts, and keeps the requests."""

    def __init__(self, *languages):
        super().__init__(*languages or ("en", "de"))
        self.asked = []

    @property
    def gives(self):
        return frozenset({"sentences", "revisions"})

    def translate(self, request, **keys):
        self.asked.append(docmt_nmt.translators.request_of(request))
        return super().translate(request, **keys)


def _memory(*units):
    memory = TranslationMemory(None, ("en", "de"))
    memory.add(units)
    return memory


def _translated(translator, *sentences):
    (translation,) = docmt.translate(translator, [docmt.Document("a", sentences)])
    return translation.document.target


def test_the_rest_is_asked_for_with_the_taken_sentences_given():
    inner = Listening()
    translator = FromMemory(inner, (_memory(Unit("Two.", "Zwei.")),))
    assert _translated(translator, "One.", "Two.", "Three.") == ("ONE.", "Zwei.", "THREE.")
    revision = inner.asked[0].revision
    assert revision.sentences == {(0, 0), (0, 2)}
    assert revision.known[0].target == ("", "Zwei.", "")
    assert revision.continued


def test_nothing_is_asked_for_if_all_is_there():
    inner = Listening()
    translator = FromMemory(inner, (_memory(Unit("Two.", "Zwei."), Unit("One.", "Eins.")),))
    assert _translated(translator, "One.", "Two.", "") == ("Eins.", "Zwei.", "")
    assert inner.asked == []


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Wait 30 seconds.", "Warten Sie 30 Sekunden."),
        ("Wait 1.5 seconds.", "Warten Sie 1.5 Sekunden."),
        ("wait 20 seconds.", "WAIT 20 SECONDS."),  # another spelling is another sentence
        ("Wait 20 minutes.", "WAIT 20 MINUTES."),
    ],
)
def test_numbers_alone_may_differ(source, target):
    memory = _memory(Unit("Wait 20 seconds.", "Warten Sie 20 Sekunden."))
    assert _translated(FromMemory(Listening(), (memory,)), source) == (target,)


def test_a_number_that_is_not_in_the_translation_once_is_not_put_in():
    memory = _memory(
        Unit("Wait 20 s.", "Zwanzig Sekunden."), Unit("Add 2 to 3.", "3 plus 2, also 2.")
    )
    translator = FromMemory(Listening(), (memory,))
    assert _translated(translator, "Wait 30 s.", "Add 4 to 3.") == ("WAIT 30 S.", "ADD 4 TO 3.")


def test_codes_go_where_the_person_has_put_them():
    memory = _memory(Unit("Click OK now.", "Jetzt OK wählen.", codes=((6, 8), (6, 8))))
    sentence = docmt.Sentence("Click OK now.", codes=(InlineCode(6, 1), InlineCode(8, 0)))
    request = TranslationRequest([docmt.SourceDocument("a", (sentence,))])
    (translation,) = docmt.translate(FromMemory(Listening(), (memory,)), request)
    assert translation.sentences[0].codes == (6, 8)


class Sliding(Shouting):
    """Translates each sentence at two positions of a window."""

    def translate(self, request, **keys):
        return [
            translation.with_sentences(
                replace(each, positions=(Candidate(f"{each.target}?"), each.best))
                for each in translation.sentences
            )
            for translation in super().translate(request, **keys)
        ]


def test_a_taken_sentence_is_the_memorys_at_every_position_of_a_window():
    memory = _memory(Unit("Open it.", "Zu öffnen."))
    document = docmt.Document("a", ("Open it.", "Close it."))
    (translation,) = docmt.translate(FromMemory(Sliding("en", "de"), (memory,)), [document])
    assert translation.target == ("Zu öffnen.", "CLOSE IT.")
    assert [version.sentences for version in translation.positions] == [
        ("Zu öffnen.", "CLOSE IT.?"),
        ("Zu öffnen.", "CLOSE IT."),
    ]


def test_the_last_version_of_a_file_keeps_the_work_of_a_person(tmp_path):
    old, translated = tmp_path / "v1.md", tmp_path / "v1.de.md"
    old.write_text(V1)
    docmt.translate_files(Listening(), [str(old)], [str(translated)])
    edited = translated.read_text().replace("NEVER DELETE THE FILE.", "Nie löschen!")
    edited = edited.replace("CLICK **OK**. THE PROGRAM", "Wählen Sie nun **OK**. Das Programm")
    translated.write_text(edited)
    new = tmp_path / "v2.md"
    new.write_text(
        V1.replace("# Install\n", "Never delete the file.\n\nA new line.\n").replace("20", "30")
    )
    inner = Listening()
    memories = open_memories([], (old, translated), ("en", "de"), print)
    docmt.translate_files(FromMemory(inner, memories), [str(new)], [str(tmp_path / "v2.de.md")])
    assert (tmp_path / "v2.de.md").read_text() == (
        "Nie löschen!\n\nA NEW LINE.\n\nOPEN THE FILE **SETUP** IN THE FOLDER. WAIT 30 SECONDS.\n\n"
        "Wählen Sie nun **OK**. Das Programm IS READY.\n\nNie löschen!\n"
    )
    (asked,) = inner.asked
    assert asked.revision.sentences == {(0, 1)}


def test_a_file_and_another_one_are_not_a_pair(tmp_path):
    (tmp_path / "a.md").write_text("One.\n\nTwo.\n")
    (tmp_path / "b.md").write_text("Eins.\n")
    with pytest.raises(docmt.InputError, match=r"has 1 block, and .*a\.md has 2 blocks"):
        list(units_of_pair(tmp_path / "a.md", tmp_path / "b.md", ("en", "de"), print))


def _of_model(model, *units, **settings):
    """A language model over a memory."""
    from docmt_llm.language_model.language_model import LanguageModelTranslator

    return FromMemory(
        LanguageModelTranslator.of(model, ("en", "de"), **settings), (_memory(*units),)
    )


def test_a_language_model_reads_similar_sentences_and_its_own_translations():
    model = ScriptedModel()
    units = Unit("Open the red file.", "Die rote Datei öffnen."), Unit("Two.", "Zwei.")
    sources = ("Open the blue file.", "Two.", "Three.")
    assert _translated(_of_model(model, *units), *sources) == (
        scripted(sources[0]), "Zwei.", scripted(sources[2])
    )  # fmt: skip
    first, last = map(data_of, model.requests)
    similar = {"source": "Open the red file.", "translation": "Die rote Datei öffnen."}
    assert first["similar"] == similar
    assert [each["translation"] for each in last["before"]] == [scripted(sources[0]), "Zwei."]
    assert "similar" not in last


def test_a_similar_sentence_is_part_of_the_fingerprint():
    plain, similar = (
        _of_model(ScriptedModel(), Unit(text, "a")) for text in ("Else.", "Open the red file.")
    )
    request = TranslationRequest([docmt.Document("a", ("Open the blue file.",))])
    assert plain.fingerprint(request) != similar.fingerprint(request)


def test_matches_are_part_of_the_translation():
    units = [
        Unit("Wait 20 seconds.", "20 Sekunden warten.", "Open it.", origin="a.tmx"),
        Unit("Open it.", "Öffnen.", "", "Wait 20 seconds."),
        Unit("Open the long file.", "Die lange Datei öffnen."),
    ]
    document = docmt.Document(
        "a", ("Open it.", "Wait 20 seconds.", "Wait 30 seconds.", "Open the file.", "!")
    )
    (translation,) = docmt.translate(FromMemory(Listening(), (_memory(*units),)), [document])
    kinds = {index: (match.kind, match.percent) for index, match in translation.matches.items()}
    assert kinds == {
        0: ("in-context", 100), 1: ("exact", 100), 2: ("adapted", 100), 3: ("fuzzy", 80)
    }  # fmt: skip
    assert translation.matches[1].origin == "a.tmx"


def test_sentences_of_a_text_in_capitals_are_found_and_stay_as_written():
    from docmt.translating.capitals import Capitals

    capitals = Capitals.of([], ("en", "de"), lambda _: True)
    lowered = capitals.lowered_sentence(docmt.Sentence("OPEN THE DOOR"))
    memory = _memory(Unit("OPEN THE DOOR", "TÜR ÖFFNEN (groß)"))
    request = TranslationRequest([docmt.SourceDocument("a", (lowered,))])
    (translation,) = docmt.translate(FromMemory(Listening(), (memory,)), request)
    restored = capitals.restored(translation.sentences[0], docmt.Sentence("OPEN THE DOOR"))
    assert restored.target == "TÜR ÖFFNEN (groß)"


@pytest.mark.parametrize(
    ("unit", "penalties", "target"),
    [
        (Unit("OPEN THE DOOR.", "ÖFFNE DIE TÜR."), {}, "Open the door."),
        (Unit("OPEN THE DOOR.", "ÖFFNE DIE TÜR."), {"case": 0.0}, "ÖFFNE DIE TÜR."),
        (Unit("Open The Door.", "Die Tür Auf."), {"case": 0.0}, "Die Tür Auf."),
        (Unit("Open the door.", "Tür auf.", is_reviewed=False), {}, "Tür auf."),
        (
            Unit("Open the door.", "Tür auf.", is_reviewed=False),
            {"machine": 0.05},
            "Open the door.",
        ),
        (Unit("Open the door.", "Tür auf.", codes=((4,), (3,))), {"tags": 0.02}, "Open the door."),
        (Unit("Open the door.", "Tür auf."), {"other": 0.5}, "Tür auf."),
    ],
)
def test_a_match_with_a_penalty_is_shown_and_not_taken(unit, penalties, target):
    translator = FromMemory(Listening(), (_memory(unit),), penalties=MatchPenalties(**penalties))
    (translation,) = docmt.translate(translator, [docmt.Document("a", ("Open the door.",))])
    (match,) = translation.matches.values()
    assert match.is_taken == (target == unit.target)
    expected = 1.0 if match.is_taken else 1 - {"case": 0.01, **penalties}[_only(penalties)]
    assert match.rate == pytest.approx(expected)


def _only(penalties):
    return next(iter(penalties), "case")


def test_other_memories_than_the_first_cost_their_penalty():
    own, other = _memory(), _memory(Unit("Open the door.", "Tür auf."))
    document = docmt.Document("a", ("Open the door.",))
    for memories, is_taken in (((own, other), False), ((other, own), True)):
        translator = FromMemory(Listening(), memories, penalties=MatchPenalties(other=0.1))
        (translation,) = docmt.translate(translator, [document])
        assert [match.is_taken for match in translation.matches.values()] == [is_taken]


def _filled(tmp_path, name, content, *units):
    """The translation of a file with a memory."""
    (tmp_path / name).write_text(content, encoding="utf-8")
    output = tmp_path / f"out-{name}"
    translator = FromMemory(Listening(), (_memory(*units),))
    notes = []
    docmt.translate_files(translator, [str(tmp_path / name)], [str(output)], note=notes.append)
    return output.read_text(encoding="utf-8"), notes


OPEN = Unit("Open the red file.", "Die rote Datei öffnen.", origin="old.tmx")


def test_equal_blocks_keep_the_different_translations_of_a_person(tmp_path):
    units = Unit("Open", "Offen", "A.", "B."), Unit("Open", "Öffnen", "B.", "")
    text, _ = _filled(tmp_path, "a.md", "A.\n\nOpen\n\nB.\n\nOpen\n", *units)
    assert text == "A.\n\nOffen\n\nB.\n\nÖffnen\n"


XLIFF = (
    '<xliff version="1.2"><file target-language="de"><body>{}</body></file></xliff>',
    '<trans-unit id="1"><source>Open the red file.</source></trans-unit>'
    '<trans-unit id="2"><source>Open the file.</source></trans-unit>',
)


def test_xliff_has_states_and_the_similar_sentence(tmp_path):
    text, _ = _filled(tmp_path, "a.xlf", XLIFF[0].format(XLIFF[1]), OPEN)
    assert text == XLIFF[0].format(
        '<trans-unit id="1"><source>Open the red file.</source>'
        '<target state="translated" state-qualifier="exact-match">Die rote Datei öffnen.</target>'
        '</trans-unit><trans-unit id="2"><source>Open the file.</source>'
        '<target state="needs-review-translation" state-qualifier="leveraged-mt">OPEN THE FILE.'
        '</target><alt-trans match-quality="80%" origin="old.tmx"><source>Open the red file.'
        "</source><target>Die rote Datei öffnen.</target></alt-trans></trans-unit>"
    )
    again, _ = _filled(tmp_path, "b.xlf", text, OPEN)
    assert again == text


def test_xliff_2_has_translation_candidates(tmp_path):
    content = (
        '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en">'
        '<file id="f"><unit id="u">{}</unit></file></xliff>'
    )
    sources = "Open the red file.", "Open the file.", "Wait for the red file."
    segments = "".join(f"<segment><source>{each}</source></segment>" for each in sources)
    text, _ = _filled(
        tmp_path, "a.xlf", content.format(segments), OPEN, Unit("Wait for the file.", "Warten.")
    )
    assert '<segment state="translated" subState="docmt:memory"><source>Open the red' in text
    assert text.count("<mtc:matches") == 1 and text.count("<mtc:match ") == 2
    assert (
        '<mtc:match ref="#docmt-1" type="tm" matchQuality="80" origin="old.tmx"><source>Open the '
        "red file.</source><target>Die rote Datei öffnen.</target></mtc:match>"
    ) in text
    assert '<segment id="docmt-1" state="translated" subState="docmt:machine-translation">' in text
    again, _ = _filled(tmp_path, "b.xlf", text, OPEN)
    assert again == text


def test_po_marks_only_translations_that_nobody_has_approved(tmp_path):
    entries = '#, c-format\nmsgid "Open the red file."\nmsgstr ""\n\nmsgid "Open."\nmsgstr ""\n'
    text, notes = _filled(tmp_path, "a.po", entries, OPEN)
    assert text.replace('\n"', '"') == (
        '#, c-format\nmsgid "Open the red file."\nmsgstr "Die rote Datei öffnen."\n\n'
        '#, fuzzy\nmsgid "Open."\nmsgstr "OPEN."\n'
    )
    assert any("1 entry translated and marked as fuzzy" in note for note in notes)
    assert any("1 entry from the memory, not marked" in note for note in notes)


def test_a_revision_never_changes_what_is_taken():
    inner = Listening()
    translator = FromMemory(inner, (_memory(Unit("Two.", "Zwei.")),))
    document = docmt.Document("a", ("One.", "Two."))
    known = document.translated(("x", "y"))
    revision = Revision((known,), frozenset({(0, 0), (0, 1)}))
    (translation,) = translator.translate(TranslationRequest([document], revision=revision))
    assert translation.document.target == ("ONE.", "Zwei.")
    assert inner.asked[0].revision.sentences == {(0, 0)}

"""What a person has translated is taken, and the rest translated around it."""

from __future__ import annotations

import pytest

import docmt
from docmt.ground.documents import InlineCode
from docmt.memory import TranslationMemory, Unit
from docmt.translating.from_memory import FromMemory
from docmt.translating.memory_files import open_memories, units_of_pair
from docmt.translators.requests import TranslationRequest
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
        self.asked.append(docmt.translators.request_of(request))
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
    codes = {(0, 0): [InlineCode(6, 1), InlineCode(8, 0)]}
    request = TranslationRequest([docmt.Document("a", ("Click OK now.",))], codes=codes)
    (translation,) = docmt.translate(FromMemory(Listening(), (memory,)), request)
    assert translation.codes == {0: (6, 8)}


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
    memories = open_memories([], (old, translated), ("en", "de"))
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
        list(units_of_pair(tmp_path / "a.md", tmp_path / "b.md", ("en", "de")))

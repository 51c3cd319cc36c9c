"""A translator of another kind: what stands above translators needs nothing else of it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import docmt_nmt
from docmt.output import Output
from docmt.translating import TermChoices, repairs, translate_files, translate_folder
from docmt.translating.from_memory import FromMemory
from docmt_files.base.errors import InputError
from docmt_nmt.base.translations import Translation
from docmt_nmt.translators import Translator, planned, request_of


@dataclass(frozen=True)
class Shouting(Translator):
    """Translates into capitals."""

    languages = ("en", "en")

    def translate(self, request, *, progress=None, journal=None):  # noqa: ARG002
        request = planned(self, request).request
        translations = []
        for document in request.documents:
            target = tuple(sentence.upper() for sentence in document.source)
            translations.append(Translation.of(document.id, document.source, target))
        return translations


@dataclass(frozen=True)
class Obedient(Shouting):
    """Writes what it is told to, in capitals."""

    gives = frozenset({"sentences", "words", "revisions"})

    def can_keep(self, sentence, words):  # noqa: ARG002
        return all(word.isupper() for word in words)

    def plan(self, request):
        return docmt_nmt.translators.Plan(request, ("may be loud",))


def test_it_is_a_translator_and_threads_cannot_change_it():
    assert isinstance(Shouting(), docmt_nmt.Translator)
    with pytest.raises(AttributeError):
        Shouting().languages = ("en", "de")


def test_it_translates_text():
    assert docmt_nmt.translate_text(Shouting(), "Open it.") == "OPEN IT."
    assert docmt_nmt.translate_text(Shouting(), ["One.", "Two."]) == ["ONE.", "TWO."]
    assert docmt_nmt.translate_text(Shouting(), []) == []


def test_it_translates_files_with_codes_and_a_page_to_review(tmp_path):
    source = tmp_path / "in.html"
    source.write_text('<p class="a">Open <b>the</b> file.</p>')
    notes = []
    outputs = [str(tmp_path / "out.html")]
    counts = translate_files(Shouting(), [str(source)], outputs, note=notes.append)
    assert (tmp_path / "out.html").read_text() == '<p class="a">OPEN <b>THE</b> FILE.</p>'
    assert counts == (0, 0, 0, 0)
    assert any("1 document, 1 sentence" in note for note in notes)
    page = str(tmp_path / "page.html")
    translate_files(Shouting(), [str(source)], [page], form=Output("html-review"))
    assert "OPEN" in Path(page).read_text()


def test_it_translates_folders(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.md").write_text("# One\n\nTwo *three*.\n")
    (tmp_path / "in" / "b.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nHello there.\n")
    result = translate_folder(Shouting(), tmp_path / "in", tmp_path / "out")
    assert (result.translated, result.failed) == (2, ())
    assert (tmp_path / "out" / "a.md").read_text() == "# ONE\n\nTWO *THREE*.\n"
    assert "HELLO THERE." in (tmp_path / "out" / "b.srt").read_text()
    assert not list((tmp_path / "out").glob(".*"))


def test_its_cautions_are_notes_and_words_that_it_can_keep_stay(tmp_path):
    source = tmp_path / "in.md"
    source.write_text("Open `FILE` now.\n")
    notes = []
    outputs = [str(tmp_path / "out.md")]
    translate_files(Obedient(), [str(source)], outputs, note=notes.append)
    assert (tmp_path / "out.md").read_text() == "OPEN `FILE` NOW.\n"
    assert any("may be loud" in note for note in notes)


def test_terms_are_made_consistent_by_the_statistics_of_the_text_or_refused(tmp_path):
    documents = [docmt_nmt.Document("d", ("Open the file.", "Close the file.", "Save the file."))]
    (translation,) = docmt_nmt.translate(Obedient(), documents, repairs(consistent=True))
    assert translation.document.target == ("OPEN THE FILE.", "CLOSE THE FILE.", "SAVE THE FILE.")
    assert translation.terms == ()
    with pytest.raises(InputError, match="can be made to write given words"):
        docmt_nmt.translate(Shouting(), documents, repairs(consistent=True))
    with pytest.raises(InputError, match="can be made to write given words"):
        translate_files(Shouting(), [], [], terms=TermChoices(consistent=True))


@pytest.mark.parametrize("n_best, protected", [(2, ()), (1, ("One",))])
def test_what_it_cannot_do_is_refused(n_best, protected):
    document = docmt_nmt.SourceDocument("d", (docmt_nmt.Sentence("One.", protected=protected),))
    request = docmt_nmt.TranslationRequest([document], n_best=n_best)
    with pytest.raises(InputError, match="does not give"):
        Shouting().translate(request)
    with pytest.raises(InputError, match="positions"):
        translate_files(Shouting(), [], [], form=Output("jsonl", positions=True))


def test_requests_do_not_load_torch():
    code = "import docmt_nmt.translators.requests, sys; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


class Silent(Shouting):
    """Has nothing to say."""

    def notes(self, request, translations):  # noqa: ARG002
        return []


def test_an_engine_without_notes_is_counted_all_the_same(tmp_path):
    (tmp_path / "in.txt").write_text("One. Two.\n")
    notes = []
    for translator in (Silent(), FromMemory(Silent(), ())):
        paths = [str(tmp_path / "in.txt")], [str(tmp_path / "out.txt")]
        translate_files(translator, *paths, note=notes.append)
        assert any("1 document, 2 sentences" in note for note in notes)
        notes.clear()


class Attentive(Shouting):
    """Has attention, and perhaps aligns words by it."""

    gives = frozenset({"sentences", "attention"})


class Aligning(Attentive):
    """Writes the words in reverse, and says so."""

    def translate(self, request, **_):
        return [
            Translation.of(each.id, each.source, [" ".join(s.split()[::-1]) for s in each.source])
            for each in request_of(request).documents
        ]

    def align(self, document, words):  # noqa: ARG002
        return [np.eye(len(source), dtype=np.float32)[::-1] for source, _ in words]


@pytest.mark.parametrize(
    ("translator", "expected"),
    [
        (Attentive(), "SELECT THE **OK** BUTTON NOW.\n"),
        (Aligning(), "now. button **OK** the Select\n"),
        (FromMemory(Aligning(), ()), "now. button **OK** the Select\n"),
    ],
)
def test_words_are_aligned_by_an_engine_or_by_statistics(translator, expected, tmp_path):
    (tmp_path / "in.md").write_text("Select the **OK** button now.\n")
    translate_files(translator, [str(tmp_path / "in.md")], [str(tmp_path / "out.md")])
    assert (tmp_path / "out.md").read_text() == expected

"""A revision that goes on from known translations reads them as what the system wrote itself."""

from __future__ import annotations

import pytest

import docmt_nmt
from docmt_nmt import Document, TranslationRequest
from docmt_nmt.data import InstanceSettings
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.translators.requests import Revision

SOURCE = ("Create a workbook.", "", "Save the workbook.", "Then delete the workbook.")


@pytest.fixture(scope="module")
def translator():
    return docmt_nmt.load(beam_size=3)


def _revised(translator, target, wanted, **keys):
    known = Document("d", SOURCE, target)
    revision = Revision((known,), frozenset((0, i) for i in wanted), **keys)
    request = TranslationRequest([Document("d", SOURCE)], revision=revision)
    (translation,) = translator.translate(request)
    return translation


def test_what_the_system_wrote_itself_is_continued_as_it_was(translator):
    (first,) = translator.translate([Document("d", SOURCE)])
    again = _revised(translator, first.document.target, [2, 3], continued=True)
    assert again.document == first.document
    assert again.log_probabilities[2:] == pytest.approx(first.log_probabilities[2:], abs=1e-4)


def test_an_edit_is_read_by_what_follows_and_changes_nothing_before(tiny_run):
    window = InstanceSettings(kind="window", window=4)
    keys = tiny_run.system(), tiny_run.pipeline, window, SearchSettings(beam_size=2)
    translator, source = BeamSearchTranslator.build(*keys), ("one two", "three", "four five")
    (first,) = translator.translate([Document("d", source)])
    known = Document("d", source, ("sechs sieben acht", *first.document.target[1:]))

    def revised(**continued):
        revision = Revision((known,), frozenset({(0, 1), (0, 2)}), **continued)
        request = TranslationRequest([Document("d", source)], revision=revision)
        return translator.translate(request)[0]

    read, unread = revised(continued=True), revised()
    assert read.document.target[0] == known.target[0]
    assert read.log_probabilities[1] != pytest.approx(first.log_probabilities[1], abs=1e-4)
    assert unread.log_probabilities[1:] == pytest.approx(first.log_probabilities[1:], abs=1e-6)


def test_only_the_sentences_before_the_first_wanted_one_are_given(translator):
    (first,) = translator.translate([Document("d", SOURCE)])
    assert (
        _revised(translator, first.document.target, [0], continued=True).document == first.document
    )

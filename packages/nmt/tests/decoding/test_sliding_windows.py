"""A window that slides over a document (Zhang et al. 2020, section 3.1)."""

from __future__ import annotations

import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.data import InstanceSettings
from docmt_nmt.decoding import BeamSearchTranslator
from docmt_nmt.decoding.assembling import locations_in_windows
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.translators.requests import Revision, TranslationRequest

SENTENCES = ("one two", "three", "four five six", "seven", "eight nine")
WINDOW = 3


def sliding(run, *, window=WINDOW, **search):
    instances = InstanceSettings(kind="window", window=window)
    settings = SearchSettings(beam_size=2, windows="sliding", **search)
    return BeamSearchTranslator.build(run.system(), run.pipeline, instances, settings)


def by_hand(run, sentences, first, window=WINDOW):
    """The sentences of the window that begins with this one, translated alone."""
    instances = InstanceSettings(kind="whole")
    translator = BeamSearchTranslator.build(
        run.system(), run.pipeline, instances, SearchSettings(beam_size=2)
    )
    document = Document("w", sentences[first : first + window])
    return translator.translate([document])[0].document.target


def test_sentence_5_is_in_turn_the_fourth_to_the_first_of_its_window():
    # The example of section 3.1, with k = 4: windows begin with sentences 2, 3, 4 and 5.
    found = {j: locations_in_windows(8, j)[5 - 1] for j in (4, 3, 2, 1)}
    assert found == {4: (2 - 1, 4 - 1), 3: (3 - 1, 3 - 1), 2: (4 - 1, 2 - 1), 1: (5 - 1, 1 - 1)}


def test_the_first_sentences_stand_where_they_can():
    assert locations_in_windows(5, 3) == [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)]
    assert locations_in_windows(2, 3) == [(0, 0), (0, 1)]
    assert locations_in_windows(0, 3) == []


@pytest.mark.by_default(1)
@pytest.mark.parametrize("run", ["tiny_run", "long_short_run"])
@pytest.mark.parametrize(
    "sentences", [5, *(pytest.param(n, marks=pytest.mark.slow) for n in (3, 2, 1))]
)
def test_each_version_is_made_of_windows_translated_alone(run, sentences, request):
    run = request.getfixturevalue(run)
    source = SENTENCES[:sentences]
    (found,) = sliding(run).translate([Document("d", source)])
    assert len(found.positions) == WINDOW
    for j, version in enumerate(found.positions, start=1):
        expected = []
        for sentence in range(sentences):
            first = max(sentence + 1 - j, 0)
            expected.append(by_hand(run, source, first)[sentence - first])
        assert version.sentences == tuple(expected)
        assert len(version.log_probabilities) == sentences


def test_the_last_place_is_taken_unless_asked_otherwise(tiny_run):
    document = Document("d", SENTENCES)
    (found,) = sliding(tiny_run).translate([document])
    assert found.document.target == found.positions[-1].sentences
    assert found.log_probabilities == found.positions[-1].log_probabilities
    assert found.alternatives[0] == found.positions[-1]
    assert found.chunks == (3, 1, 1)
    for position in (1, 2):
        (other,) = sliding(tiny_run, window_position=position).translate([document])
        assert other.document.target == found.positions[position - 1].sentences
        assert other.positions == found.positions
    assert other.chunks == (2, 1, 1, 1)


def test_alternatives_are_taken_from_the_same_places(tiny_run):
    translator = sliding(tiny_run)
    (found,) = translator.translate([Document("d", SENTENCES)])
    assert len(found.alternatives) == 2
    assert all(len(other.sentences) == len(SENTENCES) for other in found.alternatives)
    assert found.alternatives[0] != found.alternatives[1]


def test_empty_sentences_take_no_part(tiny_run):
    source = ("", *SENTENCES[:2], " ", *SENTENCES[2:])
    translator = sliding(tiny_run)
    (with_empty, nothing) = translator.translate([Document("d", source), Document("e", ("",))])
    (without,) = translator.translate([Document("d", SENTENCES)])
    for version, plain in zip(with_empty.positions, without.positions, strict=True):
        assert version.sentences[0] == version.sentences[3] == ""
        assert tuple(s for s in version.sentences if s) == plain.sentences
    assert [version.sentences for version in nothing.positions] == [("",)] * WINDOW


def test_sentences_beside_known_ones_have_their_translation_at_every_position(tiny_run):
    translator, document = sliding(tiny_run), Document("d", SENTENCES)
    (whole,) = translator.translate([document])
    known = document.translated(("WON", "", "", "", ""))
    rest = frozenset((0, index) for index in range(1, len(SENTENCES)))
    request = TranslationRequest([document], revision=Revision((known,), rest, continued=True))
    (found,) = translator.translate(request)
    assert [each.positions for each in found.sentences[1:]] == [
        each.positions for each in whole.sentences[1:]
    ]


def test_a_window_of_one_sentence_is_a_sentence(tiny_run):
    (found,) = sliding(tiny_run, window=1).translate([Document("d", SENTENCES)])
    expected = [by_hand(tiny_run, SENTENCES, place, 1)[0] for place in range(len(SENTENCES))]
    assert found.document.target == tuple(expected)


def test_windows_that_lie_apart_have_no_positions_whatever_the_stride(tiny_run):
    instances = InstanceSettings(kind="window", window=2, stride=1)
    apart = BeamSearchTranslator.build(
        tiny_run.system(), tiny_run.pipeline, instances, SearchSettings(beam_size=2)
    )
    (found,) = apart.translate([Document("d", SENTENCES)])
    assert (found.positions, found.chunks) == ((), (2, 2, 1))


def test_progress_counts_every_sentence_once(tiny_run):
    seen = []
    documents = [Document("d", SENTENCES), Document("e", ("", *SENTENCES[:2]))]
    sliding(tiny_run).translate(documents, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (8, 8)


def test_settings_that_do_not_fit_are_errors_that_name_both_keys(tiny_run):
    with pytest.raises(InputError, match=r"search\.window_position 4 .* instances\.window 3"):
        sliding(tiny_run, window_position=4)
    with pytest.raises(InputError, match="window_position: 2 has no effect with windows: disjoint"):
        BeamSearchTranslator.load(tiny_run.directory, window_position=2)
    with pytest.raises(
        InputError, match=r"search\.window_position 3 is more than instances\.window 2"
    ):
        BeamSearchTranslator.load(tiny_run.directory, windows="sliding", window_position=3)
    with pytest.raises(InputError, match=r"windows sliding needs instances\.kind window"):
        BeamSearchTranslator.build(
            tiny_run.system(),
            tiny_run.pipeline,
            InstanceSettings(),
            SearchSettings(windows="sliding"),
        )

"""Word alignment by a run's own attention, where the right links are known."""

from __future__ import annotations

import numpy as np
import pytest

from docmt.alignment.aligned_sentence import AlignedSentence
from docmt.alignment.by_attention import AttentionAligner
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.runs.attention_choice import AttentionChoice
from docmt_research.analysis.alignment_tuning import alignment_error_rate
from toy import trained


@pytest.fixture(scope="module")
def digits(tiny_corpus):
    """Each word is translated by the one in its place."""
    return list(corpora.read(tiny_corpus / "test.en", tiny_corpus / "test.de"))


@pytest.fixture(scope="module")
def recurrent_run(tiny_corpus, tmp_path_factory):
    """A recurrent system, sentence by sentence."""
    return trained(
        tiny_corpus,
        tmp_path_factory.mktemp("run") / "run",
        system={"name": "rnnsearch"},
        instances={"kind": "sentence"},
        training={"max_steps": 200, "validate_every": 200},
    )


def aer(aligned, **options):
    sentences = [sentence for document in aligned for sentence in document]
    right = [frozenset((i, i) for i in range(len(s.source))) for s in sentences]
    return alignment_error_rate([s.links(**options) for s in sentences], right)


@pytest.mark.slow
def test_digits_are_aligned_with_their_translations(tiny_run, digits):
    aligner = AttentionAligner.load(tiny_run.directory)
    aligned = aligner.align(digits)
    assert [[s.source for s in d] for d in aligned] == [
        [s.split() for s in d.source] for d in digits
    ]
    assert aer(aligned) < 0.25
    assert aer(aligned, symmetrize=True) < 0.25
    # The steps that have read a digit look for the next one.
    wrong = AttentionAligner.load(tiny_run.directory, step="input").align(digits)
    assert aer(wrong) > 0.5
    for document in aligned:
        for sentence in document:
            assert sentence.weights.shape == (len(sentence.source), len(sentence.target))
            assert sentence.weights.sum(0).max() <= 1 + 1e-5
            assert sentence.weights.min() >= 0


@pytest.mark.slow
def test_recurrent_systems_align_too(recurrent_run, digits):
    assert aer(AttentionAligner.load(recurrent_run.directory).align(digits)) < 0.1


def test_the_batch_and_words_of_other_sentences_change_nothing(tiny_run, digits):
    aligner = AttentionAligner.load(tiny_run.directory)
    together = aligner.align(digits)
    alone = [aligner.align([document])[0] for document in digits]
    for ours, theirs in zip(together, alone, strict=True):
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(a.weights, b.weights, atol=1e-5)


def test_words_may_be_others_than_those_between_spaces(tiny_run):
    aligner = AttentionAligner.load(tiny_run.directory)
    document = Document("1", ("two six",), ("zwei sechs",))
    (whole,) = aligner.align([document])[0]
    halves = ["tw", "o", "six"], ["zwei", "sec", "hs"]
    (split,) = aligner.align([document], [[halves]])[0]
    assert split.weights[2, 1] == pytest.approx(whole.weights[1, 1], abs=1e-6)
    # What is given to a word is divided among its parts; the parts of a target word look alike.
    assert split.weights[:2, 0].sum() == pytest.approx(whole.weights[0, 0], abs=1e-6)
    np.testing.assert_allclose(split.weights[:, 1], split.weights[:, 2], atol=1e-6)


def test_empty_sentences_have_no_links(tiny_run):
    aligner = AttentionAligner.load(tiny_run.directory)
    document = Document("1", ("two", "", "six four"), ("zwei", "", ""))
    first, empty, untranslated = aligner.align([document])[0]
    assert first.links() == {(0, 0)}
    assert empty.links() == untranslated.links() == frozenset()
    assert untranslated.weights.shape == (2, 0)
    for nothing in [], [Document("1", ("",), ("zwei",))]:
        for layer in None, 0:
            found = AttentionAligner.load(tiny_run.directory, layer=layer).align(nothing)
            assert [one.weights.size for own in found for one in own] == [0] * len(nothing)


def test_links_are_the_strongest_and_may_be_symmetrized():
    weights = np.array([[0.8, 0.1, 0.5], [0.1, 0.2, 0.4]], np.float32)
    sentence = AlignedSentence(["a", "b"], ["c", "d", "e"], weights)
    assert sentence.links() == {(0, 0), (1, 1), (0, 2)}
    assert sentence.links(min_weight=0.3) == {(0, 0), (0, 2)}
    assert sentence.links(symmetrize=True) == {(0, 0), (1, 2), (1, 1)}


def test_joined_sentences_are_aligned_one_by_one(tinier_corpus, tmp_path):
    run = trained(
        tinier_corpus,
        tmp_path / "run",
        instances={"kind": "window", "window": 2, "join_sentences": True},
        evaluation={"metrics": ["d-bleu"]},
    )
    document = Document("1", ("two six", "four", "nine"), ("zwei", "vier sechs", "neun"))
    aligned = AttentionAligner.load(run.directory).align([document])[0]
    assert [s.weights.shape for s in aligned] == [(2, 1), (1, 2), (1, 1)]
    assert all(s.weights.min() > 0 for s in aligned)


def test_a_layer_that_is_not_there_is_an_error(tiny_run, digits):
    with pytest.raises(InputError, match="no cross-attention in layer 7") as error:
        AttentionAligner.load(tiny_run.directory, layer=7).align(digits)
    assert error.value.cure == "Choose from the layers 0"


def test_both_steps_of_all_layers_are_found_in_one_pass(tiny_run, digits):
    found = AttentionAligner.load(tiny_run.directory).align_by_choice(digits)
    assert set(found) == {AttentionChoice(0, "output"), AttentionChoice(0, "input")}

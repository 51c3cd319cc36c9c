"""BlonDe, on counts worked out by hand."""

from __future__ import annotations

import math

import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file
from docmt_research.discourse import blonde as module
from docmt_research.discourse.blonde import blonde_score
from docmt_research.discourse.blonde_lists import MARKERS, PRONOUN_CLASSES, PRONOUN_WEIGHTS

NGRAMS = {"1-gram", "2-gram", "3-gram", "4-gram"}


def documents(*sentences: str) -> list[Document]:
    return [Document("1", sentences, sentences)]


def parts(hypothesis: list[Document], reference, language="en", **settings):
    found = blonde_score(
        hypothesis, reference, language=language, **{"tense": False, **settings}
    ).parts
    return {name: pytest.approx(score) for name, (score, _) in found.items() if name not in NGRAMS}


def test_pronouns_are_matched_by_class_within_a_sentence():
    # Sentence 1: he, his: 2 masculine expected, 1 translated and matched; "her" is one too many.
    # Sentence 2: she expected, not translated. "it" has no weight.
    score = parts(
        documents("He saw her thing .", "It left ."),
        documents("He saw his thing .", "She left it ."),
    )
    # recall 1 of 3, precision 1 of 2
    assert score["pronoun"] == 100 * 2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2)


def test_discourse_markers_are_matched_by_relation():
    score = parts(
        documents("However, I stayed because of it.", "As a result I left."),
        documents("But I stayed, so there.", "Then I left."),
    )
    # Sentence 1: comparison and cause match. Sentence 2: cause translated, asynchronous expected.
    assert score["marker"] == 100 * 2 / 3


def test_tenses_are_matched_by_class():
    pytest.importorskip("HanTa")
    score = parts(
        documents("He goes to the town and has eaten bread."),
        documents("He went to the town and has eaten bread."),
        tense=True,
    )
    # went / goes differ; has and eaten match: 2 of 3 either way.
    assert score["tense"] == 100 * 2 / 3


def test_the_score_joins_all_categories():
    ours = documents("he sat but she ran home")
    theirs = documents("he sat so she ran away")
    score = blonde_score(ours, theirs, language="en", tense=False)
    # Recalls and precisions are the same: pronouns 2 of 2, markers 0 of 1 (0.00001), 1-grams 4 of
    # 6, 2-grams 2 of 5, 3-grams 0 of 4 (1/2 · 1/4), 4-grams 0 of 3 (1/4 · 1/3).
    values = [1, 1e-5, 4 / 6, 2 / 5, 1 / 8, 1 / 12]
    assert score.score == pytest.approx(100 * math.prod(values) ** (1 / 6))
    assert score.parts["3-gram"] == (pytest.approx(12.5), 4)
    assert score.parts["pronoun"] == (100, 2)
    assert score.name == "BlonDe-without-entities"
    assert "categories:pronoun,marker,1-gram,2-gram,3-gram,4-gram" in score.signature


def test_of_several_references_the_larger_number_counts():
    references = [documents("He left ."), documents("He left him .")]
    assert parts(documents("He and his ."), references)["pronoun"] == 100
    assert parts(documents("He and his ."), references[0])["pronoun"] == pytest.approx(200 / 3)


def test_case_counts_in_n_grams_unless_told_otherwise():
    ours, theirs = documents("THE END"), documents("the end")
    mixed = blonde_score(ours, theirs, language="en", tense=False)
    assert (
        mixed.parts["1-gram"][0]
        < blonde_score(ours, theirs, language="en", tense=False, lowercase=True).parts["1-gram"][0]
        == pytest.approx(100)
    )


def test_a_category_that_the_reference_lacks_is_said_and_left_out():
    score = blonde_score(documents("so it is"), documents("it is"), language="en", tense=False)
    assert "marker" not in score.parts
    assert "the reference has nothing of the category marker" in score.notes


def test_german_pronouns_are_matched_by_form():
    score = parts(documents("Er sah sie."), documents("Er sah ihn."), language="de-AT")
    # er, ihn are one class: 1 of 2 expected, 1 of 2 translated.
    assert score["pronoun"] == 50


def test_an_empty_translation_matches_nothing():
    score = blonde_score(
        documents(""), documents("he left but she stayed"), language="en", tense=False
    )
    assert score.score < 1
    assert score.parts["pronoun"][0] == score.parts["marker"][0] == 0


def test_what_cannot_be_counted_is_an_error(monkeypatch):
    one = documents("a")
    with pytest.raises(InputError, match=r"no lists for 'fr'.*de and en"):
        blonde_score(one, one, language="fr")
    with pytest.raises(InputError, match="in English only"):
        blonde_score(one, one, language="de", tense=True)
    monkeypatch.setattr(module, "_tagger", lambda: None)
    with pytest.raises(InputError, match=r"pip install 'docmt-research\[lemmas\]'"):
        blonde_score(one, one, language="en", tense=True)
    assert "tense" not in blonde_score(one, one, language="en").parts


def test_no_word_is_in_two_classes():
    for lists in (PRONOUN_CLASSES, MARKERS):
        for classes in lists.values():
            words = [word for of_class in classes.values() for word in of_class]
            assert len(words) == len(set(words))
    assert all(PRONOUN_WEIGHTS[code].keys() == PRONOUN_CLASSES[code].keys() for code in MARKERS)


@pytest.mark.parametrize("language", ["en", "de"])
def test_real_text_scores_100_against_itself_and_less_with_words_exchanged(language):
    text = [
        d.translated(d.source if language == "en" else d.target)
        for d in corpora.read(
            corpus_file("dev.en.xz"), corpus_file("dev.de.xz"), boundaries="markers"
        )
    ]
    same = blonde_score(text, text, language=language, tense=False)
    assert same.score == pytest.approx(100)
    assert same.parts["marker"][1] > 150 and same.parts["pronoun"][1] > 30
    he, she = (" he ", " she ") if language == "en" else (" er ", " sie ")
    swapped = [d.translated([s.replace(he, she) for s in d.target]) for d in text]
    other = blonde_score(swapped, text, language=language, tense=False)
    assert other.parts["marker"][0] == pytest.approx(100)
    assert other.parts["pronoun"][0] < 95

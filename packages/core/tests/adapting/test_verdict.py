"""A model is adopted if it is better on what it has not seen, surely, and not worse elsewhere."""

from __future__ import annotations

import pytest

from docmt.adapting.verdict import GeneralChange, general_change, judge
from docmt_files.base.documents import Document

SOURCE = tuple(f"Open the file number {n} in the customer account." for n in range(60))
PERSON = tuple(f"Abra o arquivo número {n} na conta do cliente." for n in range(60))
START = tuple(f"Abrir ficheiro número {n} na conta do freguês." for n in range(60))
GENERAL = GeneralChange(400, 100, 96.0, 10, 11)


def verdict(before, after, general=GENERAL, glossary=None):
    documents = [[Document("d", SOURCE, texts)] for texts in (PERSON, before, after)]
    return judge(*documents, general, glossary or {})


def test_a_better_model_is_adopted():
    found = verdict(START, PERSON)
    assert found.is_better
    assert found.reason_against == ""
    assert "BLEU" in found.summary
    assert "60 held-out pairs" in found.summary


def test_a_worse_model_is_not_adopted():
    assert "is not better" in verdict(PERSON, START).reason_against
    assert "kept although" in verdict(PERSON, START).summary


def test_the_same_translations_are_not_better():
    assert "is not better" in verdict(START, START).reason_against


def test_a_gain_that_may_be_chance_is_not_enough():
    one_better = (PERSON[0], *START[1:])
    assert "may be chance" in verdict(START, one_better).reason_against


@pytest.mark.parametrize(
    ("general", "reason"),
    [
        (GeneralChange(400, 200, 93.9, 10, 10), "in another way"),
        (GeneralChange(400, 200, 95.4, 10, 10, is_translated=True), "at least 95.5"),
        (GeneralChange(400, 100, 96.0, 10, 20), "10 more translations are suspicious"),
    ],
)
def test_a_model_that_forgets_is_not_adopted(general, reason):
    assert reason in verdict(START, PERSON, general).reason_against


def test_where_docmt_has_no_general_text_the_held_out_documents_decide():
    assert verdict(START, PERSON, GeneralChange()).is_better


def test_terms_count_where_the_person_uses_them():
    found = verdict(START, PERSON, glossary={"customer": ["cliente"], "file": ["dossiê"]})
    assert (found.terms.uses, found.terms.before, found.terms.after) == (60, 0, 60)


def test_examples_are_sentences_that_changed():
    after = (*PERSON[:20], *START[20:])
    found = verdict(START, after)
    assert len(found.examples) == 10
    assert all(each.before != each.after == each.person for each in found.examples)


def test_general_changes_and_suspicious_translations_are_counted():
    source = ("The cat sleeps on the mat by the window.", "It rains the whole day today.")
    before = Document("g", source, ("O gato dorme no tapete junto à janela.", "Chove o dia todo."))
    after = Document("g", source, (before.target[0], "chove chove chove chove chove chove chove"))
    found = general_change(before, after, ("en", "pt"))
    assert (found.sentences, found.changed) == (2, 1)
    assert found.chrf < 100
    assert (found.warnings_before, found.warnings_after) == (0, 1)

"""Scores of translations by category of the source sentence."""

from __future__ import annotations

import random

import pytest
import sacrebleu

from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_research.analysis.categories import categorize
from docmt_research.discourse import evaluate_where

SOURCE = ["The dog barks.", "It sleeps now.", "I did.", "We eat bread.", "My dog eats it all."]
REFERENCE = [
    "Der Hund bellt.",
    "Er schläft jetzt.",
    "Doch.",
    "Wir essen mittags Brot.",
    "Mein Hund frisst.",
]
WRONG = [
    "Der Hund bellt.",
    "Es schläft jetzt.",
    "Ich tat.",
    "Wir essen mittags Brot.",
    "Mein Hund frisst.",
]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """30 documents; the baseline has other pronouns and ellipses, and noise."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(1)
    sides = {"test.en": SOURCE, "test.de": REFERENCE, "out.de": REFERENCE, "base.de": WRONG}
    for name, sentences in sides.items():
        lines = []
        for _ in range(30):
            own = [
                s + " Ja ja." if name == "base.de" and draw.random() < 0.1 else s for s in sentences
            ]
            lines += ["<d>", *own]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def where(**more):
    given = {"languages": ("en", "de"), "source": "test.en", "baselines": ["base.de"], **more}
    return evaluate_where("out.de", ["test.de"], **given)


def test_the_score_of_a_category_is_that_of_its_sentences(files):
    found = where()
    documents, translated = (list(corpora.read("test.en", name)) for name in ("test.de", "base.de"))
    members = categorize(documents, "en").members
    references = [sentence for document in documents for sentence in document.target]
    hypotheses = [sentence for document in translated for sentence in document.target]
    checked = 0
    for score in found.scores:
        if score.system != "base.de" or score.category == "all sentences":
            continue
        rows = members[score.category]
        ours = [s for s, is_member in zip(hypotheses, rows, strict=True) if is_member]
        theirs = [s for s, is_member in zip(references, rows, strict=True) if is_member]
        metric = sacrebleu.corpus_bleu if score.metric == "s-BLEU" else sacrebleu.corpus_chrf
        assert score.score == pytest.approx(metric(ours, [theirs]).score)
        assert score.low <= score.score <= score.high
        assert (score.sentences, score.documents) == (30, 30)
        checked += 1
    assert checked == 2 * 5


def test_a_system_is_compared_with_a_baseline_in_each_category(files):
    found = where(metrics=["s-chrf"])
    p = {s.category: s.comparison.p for s in found.scores if s.system == "base.de"}
    assert all(s.comparison is None for s in found.scores if s.system == "out.de")
    assert p["ambiguous pronoun"] < 0.001 and p["ellipsis"] < 0.001
    assert p["none of these"] > 0.001
    assert {s.comparison.resampled for s in found.scores if s.comparison} == {"document"}
    assert any("6 comparisons" in note for note in found.notes)
    assert not any("only" in note for note in found.notes)


def test_what_is_missing_is_an_error(files):
    for more, message in (
        ({"source": None}, "no source"),
        ({"metrics": ["d-bleu"]}, "d-BLEU cannot be computed on some"),
        ({"metrics": ["comet"]}, "COMET cannot be computed on some"),
    ):
        with pytest.raises(InputError, match=message):
            where(**more)
    with pytest.raises(InputError, match="no reference"):
        evaluate_where("out.de", [], languages=("en", "de"), source="test.en")
    (files / "short.en").write_text("<d>\nThe dog.\n")
    with pytest.raises(InputError, match="the source has 1 document"):
        where(source="short.en")


def test_few_documents_are_noted(files):
    for name in ("test.en", "test.de", "out.de", "base.de"):
        text = (files / name).read_text("utf-8").splitlines()[:12]
        (files / name).write_text("\n".join(text) + "\n", encoding="utf-8")
    assert any("only 2 documents to resample" in note for note in where().notes)


def test_a_free_translation_of_the_same_sentences_scores_alike(files):
    free = (files / "out.de").read_text().replace(".\n", ". ").replace("<d>", "\n<d>").lstrip()
    (files / "free.de").write_text(free)
    aligned = evaluate_where(
        "free.de", ["test.de"], languages=("en", "de"), source="test.en", realign=True
    )
    given = evaluate_where("out.de", ["test.de"], languages=("en", "de"), source="test.en")
    assert [one.score for one in aligned.scores] == [one.score for one in given.scores]
    assert all("realign:lexical" in signature for signature in aligned.signatures)
    assert aligned.realignments[0].counts.lost == 0

"""Input of which no score means anything is warned of in words, and other input is not."""

from __future__ import annotations

import pytest

from docmt_files.base.documents import Document
from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.evaluation import MetricSettings, evaluate
from docmt_nmt.evaluation.output_checks import input_notes
from docmt_nmt.evaluation.segments import ParallelDocuments

ENGLISH, GERMAN = (
    [d.translated(d.source) for d in corpora.read(corpus_file(f"test.{side}.xz"))]
    for side in ("en", "de")
)


def notes(hypothesis, reference=GERMAN, sources=None, **settings) -> list[str]:
    return input_notes(ParallelDocuments.of(hypothesis, reference), sources, **settings)


def changed(documents, change) -> list[Document]:
    return [d.translated([change(s) for s in d.target]) for d in documents]


def shortened(sentence: str) -> str:
    return " ".join(sentence.split()[:-1]) or sentence


def test_an_empty_translation_is_said_to_be_so():
    assert notes(changed(GERMAN, lambda _: " ")) == ["every translation is empty"]


def test_a_reference_as_translation_is_said_to_be_so():
    assert notes(GERMAN, [ENGLISH, GERMAN]) == ["the translation is the same as a reference"]


def test_a_translation_into_another_language_is_warned_of():
    (note,) = notes(changed(ENGLISH, shortened))
    assert note.startswith("the 20 most frequent words of the reference are 3")
    assert note.endswith("of those of the translation: is it in the right language?")


def test_a_translation_in_another_script_is_warned_of():
    russian = changed(GERMAN, lambda _: "Это не немецкий.")
    assert notes(russian) == [
        "the translation is mostly in Cyrillic letters, the reference in Latin ones: is it in the "
        "right language?"
    ]


def test_untranslated_sentences_are_warned_of():
    copies = [Document(d.id, d.target, d.target) for d in ENGLISH]
    mixed = (
        copies[:20]
        + [Document(e.id, e.target, g.target) for e, g in zip(ENGLISH, GERMAN, strict=True)][20:]
    )
    assert "translated sentences are copies of their source" in notes(mixed)[0]
    # Without its source it cannot be told, unless that is given.
    assert not any("copies" in note for note in notes(copies))
    assert "825 of 825 translated sentences are copies" in notes(copies, sources=ENGLISH)[0]


def test_a_translation_in_lower_case_is_warned_of():
    lower = changed(GERMAN, str.lower)
    (note,) = notes(lower)
    assert "no capital letters, but the reference does" in note
    assert notes(lower, lowercase=True) == []
    assert notes(lower, changed(GERMAN, lambda s: shortened(s).lower())) == []


@pytest.mark.parametrize(
    "change",
    [
        shortened,
        lambda s: " ".join(s.split()[::2]) or s,
        lambda s: shortened(s) if len(s) % 3 else "",
    ],
    ids=["shorter", "half", "partly empty"],
)
def test_a_bad_translation_is_not_warned_of(change):
    assert notes(changed(GERMAN, change)) == []


def test_short_text_is_not_judged():
    one = [Document("a", ("x",), ("yes it is",))]
    assert notes(one, [Document("a", ("x",), ("ja so ist es",))]) == []


def test_every_score_has_the_notes():
    scores = evaluate(
        changed(ENGLISH, shortened), GERMAN, MetricSettings(metrics=["s-bleu", "s-chrf"])
    )
    assert all("is it in the right language?" in score.notes[0] for score in scores)

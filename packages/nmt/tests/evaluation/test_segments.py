"""Translations and references that do not match are errors; those that do make segments."""

from __future__ import annotations

import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.evaluation import MetricSettings, evaluate
from docmt_nmt.evaluation.segments import ParallelDocuments


def document(name: str, *sentences: str) -> Document:
    return Document(name, sentences, sentences)


TWO = [document("a", "a1", "a2"), document("b", "b1")]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "message"),
    [
        pytest.param(
            TWO[:1],
            TWO,
            "the translation has 1 document and 2 sentences, the reference 2 documents and "
            "3 sentences",
            id="a document is missing",
        ),
        pytest.param(
            [document("a", "a1"), *TWO],
            TWO,
            "the first to differ: document 1 ('a') has 1 sentence in the translation but "
            "2 in the reference",
            id="a document too many, at the beginning",
        ),
        pytest.param(
            [TWO[0], document("b", "b1", "b2")],
            TWO,
            "document 2 ('b') has 2 sentences in the translation but 1 in the reference",
            id="a sentence too many",
        ),
        pytest.param(
            TWO[::-1],
            [document("a", "a1"), document("b", "b1", "b2")],
            "document 1 is 'b' in the translation but 'a' in the reference",
            id="another order",
        ),
        pytest.param(
            TWO,
            [document("a", "a1", " "), TWO[1]],
            "sentence 2 of document 'a' of the reference is empty",
            id="an empty reference sentence",
        ),
        pytest.param(
            [document("a")],
            [document("a")],
            "document 'a' of the reference is empty",
            id="an empty document",
        ),
        pytest.param(
            [Document("a", ("a1", "a2")), TWO[1]],
            TWO,
            "document 'a' has no target sentences",
            id="no translation",
        ),
        pytest.param([], TWO, "the translation has no documents", id="no translations at all"),
        pytest.param(TWO, [], "the reference has no documents", id="no references at all"),
        pytest.param(
            TWO,
            [TWO, TWO[:1]],
            "the translation has 2 documents and 3 sentences, reference 2 1 document and",
            id="the second reference is short",
        ),
    ],
)
def test_sides_that_do_not_match_are_an_error_with_both_counts(hypothesis, reference, message):
    with pytest.raises(InputError) as caught:
        evaluate(hypothesis, reference)
    assert message in str(caught.value)
    assert caught.value.cure


@pytest.mark.parametrize(
    ("instances", "message"),
    [
        ([2], "the last one, instance 1, ends before document 'b' does"),
        ([1, 2], "instance 2 has 2 sentences, but document 'a' has 1 left"),
        ([2, 0, 1], "instance 2 has 0 sentences, but document 'b' has 1 left"),
        ([2, 1, 4], "the documents end after instance 2 of 3"),
    ],
)
def test_instances_that_do_not_end_with_their_document_are_an_error(instances, message):
    with pytest.raises(InputError) as caught:
        evaluate(TWO, TWO, MetricSettings(metrics=["instance-bleu"], instances=instances))
    assert message in str(caught.value)


def test_documents_with_other_names_are_compared_in_order():
    assert ParallelDocuments.of(TWO, [document("1", "x", "y"), document("2", "z")]).sentences == 3


def test_a_segment_is_its_sentences_joined_by_one_space():
    ours = [document("a", " one ", "", "two"), document("b", "")]
    theirs = [document("a", "uno", "e", "due"), document("b", "tre")]
    parallel = ParallelDocuments.of(ours, [theirs, theirs], [2, 1, 1])
    assert parallel.segments("sentence") == (
        ["one", "", "two", ""],
        [["uno", "e", "due", "tre"]] * 2,
    )
    assert parallel.segments("document") == (["one two", ""], [["uno e due", "tre"]] * 2)
    assert parallel.segments("instance") == (["one", "two", ""], [["uno e", "due", "tre"]] * 2)
    assert parallel.empty == 2

"""Properties of scores: what documents, instances and their order change, and what not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt_files.base.documents import Document
from docmt_nmt.evaluation import MetricSettings, evaluate

words = st.lists(st.sampled_from(["a", "b", "c", "D", "e."]), min_size=1, max_size=6).map(" ".join)
pairs = st.tuples(words | st.just(""), words)
parallel = st.lists(st.lists(pairs, min_size=1, max_size=4), min_size=1, max_size=4)
few = settings(max_examples=30, deadline=None)


def documents(*sides: list[str]) -> list[Document]:
    return [Document(str(i), tuple(side), tuple(side)) for i, side in enumerate(sides, 1)]


def score(hypotheses, references, metric, **settings) -> float:
    return evaluate(hypotheses, references, MetricSettings(metrics=[metric], **settings))[0].score


def both_sides(corpus) -> tuple[list[Document], list[Document]]:
    return (
        documents(*([a for a, _ in document] for document in corpus)),
        documents(*([b for _, b in document] for document in corpus)),
    )


@few
@given(st.lists(pairs, min_size=1, max_size=5))
def test_with_one_sentence_a_document_d_scores_are_s_scores(sentences):
    sides = both_sides([[pair] for pair in sentences])
    assert score(*sides, "d-bleu") == score(*sides, "s-bleu")
    assert score(*sides, "d-chrf") == score(*sides, "s-chrf")


@few
@given(parallel)
def test_instances_lie_between_sentences_and_documents(corpus):
    sides = both_sides(corpus)
    sentences = [1 for document in corpus for _ in document]
    whole = [len(document) for document in corpus]
    assert score(*sides, "instance-bleu", instances=sentences) == score(*sides, "s-bleu")
    assert score(*sides, "instance-bleu", instances=whole) == score(*sides, "d-bleu")


@few
@given(parallel, st.randoms())
def test_the_order_of_documents_does_not_matter(corpus, random):
    shuffled = random.sample(corpus, len(corpus))
    metrics = ["s-bleu", "d-bleu", "s-chrf", "d-chrf", "ter"]
    before, after = (
        evaluate(*both_sides(c), MetricSettings(metrics=metrics)) for c in (corpus, shuffled)
    )
    assert [s.score for s in before] == pytest.approx([s.score for s in after])


@few
@given(parallel)
def test_where_documents_end_does_not_matter_for_s_scores(corpus):
    joined = [[pair for document in corpus for pair in document]]
    metrics = ["s-bleu", "s-chrf", "ter"]
    apart, together = (
        evaluate(*both_sides(c), MetricSettings(metrics=metrics)) for c in (corpus, joined)
    )
    assert [s.score for s in apart] == pytest.approx([s.score for s in together])

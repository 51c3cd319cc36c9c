"""Scores of sums of counts are sacrebleu's, and so, by `test_scoring.py`, those by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt_nmt.evaluation.metrics import MetricSettings, build_metric, metric_kind

words = st.lists(st.sampled_from(["a", "b", "c", "D", "e."]), max_size=7).map(" ".join)
corpora = st.lists(st.tuples(words, words, words), min_size=1, max_size=6)
METRICS = ["s-bleu", "multi-bleu", "mteval-v13a", "s-chrf", "ter"]


@pytest.mark.by_default(4)
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("references", [1, 2])
@settings(max_examples=25, deadline=None)
@given(corpus=corpora)
def test_the_score_of_summed_counts_is_that_of_the_corpus(name, references, corpus):
    ours, *expected = map(list, zip(*corpus, strict=True))
    metric = build_metric(metric_kind(name), MetricSettings(language="en"))
    found = metric.statistics(ours, expected[:references])
    score, signature = metric.corpus_score(ours, expected[:references])
    assert found.score == pytest.approx(score.score, abs=1e-9)
    assert found.signature == signature


@pytest.mark.parametrize("name", METRICS)
def test_many_sums_are_scored_at_once(name):
    metric = build_metric(metric_kind(name), MetricSettings(language="en"))
    found = metric.statistics(["a b c d e", "a x"], [["a b c d f", "a y"]])
    samples = np.array([[1, 1], [2, 0], [0, 2], [5, 1]]) @ found.counts
    assert list(found.scores(samples)) == [float(found.scores(one)) for one in samples]


def test_groups_are_sums_of_their_segments():
    metric = build_metric(metric_kind("ter"), MetricSettings())
    found = metric.statistics(["a b", "c", "d e"], [["a x", "c", "d f g"]])
    assert found.counts.tolist() == [[1, 2], [0, 1], [2, 3]]
    assert found.grouped([2, 1]).counts.tolist() == [[1, 3], [2, 3]]
    assert found.grouped([2, 1]).score == found.score == pytest.approx(50)

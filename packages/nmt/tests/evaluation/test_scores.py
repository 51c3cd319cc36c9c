"""`Score`: its line to quote, and its plain values."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files.base.documents import Document
from docmt_nmt.base.choices import Metric
from docmt_nmt.evaluation import MetricSettings, Score, evaluate
from docmt_nmt.evaluation.metric_settings import DEFAULT_METRICS
from docmt_nmt.evaluation.metrics import METRICS
from docmt_nmt.recipes.evaluation import EvaluationSettings

SCORE = Score("s-BLEU", 25.1234, 23, 2271, "sentence", 2271, "nrefs:1|case:mixed|tok:13a")


def _from_values(values: dict) -> Score:
    """The score that `to_dict` gave as plain values, read back from JSON."""
    lists = {name: tuple(values[name]) for name in ("precisions", "notes")}
    return Score(**{k: v for k, v in (values | lists).items() if k != "signature"})


def test_a_score_reads_as_one_line_with_all_that_is_needed_to_reproduce_it():
    assert str(SCORE) == (
        "s-BLEU 25.12 · docs 23 · sents 2271 · unit sentence · nrefs:1|case:mixed|tok:13a"
    )


def test_recipes_know_the_same_metrics():
    assert set(get_args(Metric)) == set(METRICS)
    assert EvaluationSettings().metrics == DEFAULT_METRICS


@pytest.mark.parametrize("metric", [name for name in METRICS if "comet" not in name])
def test_every_score_survives_json(metric):
    documents = [Document("a", ("x", "y"), ("so be it now.", "…und “fertig”"))]
    (score,) = evaluate(
        documents, documents, MetricSettings(metrics=[metric], instances=[2], language="de")
    )
    values = json.loads(json.dumps(score.to_dict()))
    assert _from_values(values) == score
    assert values["signature"] == score.signature


@given(
    st.builds(
        Score,
        name=st.text(),
        score=st.floats(allow_nan=False, allow_infinity=False),
        documents=st.integers(0),
        sentences=st.integers(0),
        unit=st.sampled_from(["sentence", "document", "instance"]),
        segments=st.integers(0),
        settings=st.text(),
        precisions=st.lists(st.floats(0, 100), max_size=4).map(tuple),
        brevity_penalty=st.none() | st.floats(0, 1),
        hypothesis_length=st.none() | st.integers(0),
        reference_length=st.none() | st.integers(0),
        empty=st.integers(0),
        notes=st.lists(st.text(), max_size=2).map(tuple),
    )
)
def test_whatever_a_score_holds_survives_json(score):
    assert _from_values(json.loads(json.dumps(score.to_dict()))) == score

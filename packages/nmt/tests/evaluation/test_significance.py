"""Comparisons of two systems: their scores, p-values and intervals."""

from __future__ import annotations

import itertools
import random

import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from sacrebleu.significance import PairedTest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.evaluation import MetricSettings, SignificanceTest, compare, evaluate
from docmt_nmt.evaluation.significance import Comparer


def documents(*sides: list[str]) -> list[Document]:
    return [Document(str(i), tuple(side), tuple(side)) for i, side in enumerate(sides, 1)]


REFERENCE = documents(
    *([f"this is sentence {i} of document {d} ." for i in range(4)] for d in range(30))
)


def spoiled(every: int, first: int = 0) -> list[Document]:
    """The reference, with a word left out of every so many sentences."""
    number = itertools.count(first)
    return [
        d.translated([s if next(number) % every else s.replace(" is ", " ") for s in d.source])
        for d in REFERENCE
    ]


def test_scores_are_those_of_evaluate():
    system, baseline = spoiled(5), spoiled(2)
    metrics = ["s-bleu", "d-bleu", "instance-bleu"]
    instances = [2] * 60
    got = compare(
        system,
        baseline,
        REFERENCE,
        MetricSettings(metrics=metrics, instances=instances),
        SignificanceTest(trials=10),
    )
    for comparison, ours, theirs in zip(
        got,
        evaluate(system, REFERENCE, MetricSettings(metrics=metrics, instances=instances)),
        evaluate(baseline, REFERENCE, MetricSettings(metrics=metrics, instances=instances)),
        strict=True,
    ):
        assert comparison.score == pytest.approx(ours.score, abs=1e-10)
        assert comparison.baseline == pytest.approx(theirs.score, abs=1e-10)
        assert comparison.difference == comparison.score - comparison.baseline
        assert comparison.segments == ours.segments


def test_a_clearly_better_system_is_significantly_better():
    by_sentence, by_document = compare(
        spoiled(50), spoiled(2), REFERENCE, test=SignificanceTest(trials=999)
    )
    for comparison in (by_sentence, by_document):
        assert comparison.p == pytest.approx(0.001)
        assert 0 < comparison.low < comparison.difference < comparison.high


def test_systems_with_the_same_faults_elsewhere_do_not_differ():
    by_sentence, by_document = compare(
        spoiled(7), spoiled(7, first=3), REFERENCE, test=SignificanceTest(trials=999)
    )
    for comparison in (by_sentence, by_document):
        assert comparison.p > 0.2
        assert comparison.low < 0 < comparison.high


def test_a_system_does_not_differ_from_itself():
    for comparison in compare(spoiled(3), spoiled(3), REFERENCE, test=SignificanceTest(trials=100)):
        assert (comparison.p, comparison.low, comparison.high) == (1, 0, 0)


def test_one_document_proves_nothing():
    comparison = compare(
        spoiled(50)[:1], spoiled(2)[:1], REFERENCE[:1], MetricSettings(metrics=["d-bleu"])
    )[0]
    assert comparison.p == 1
    assert comparison.notes == (
        "only 1 document to resample; with fewer than 20, the interval is too narrow and p is "
        "coarse",
        "with 1 document, p cannot be less than 1",
    )


def test_the_sign_test_of_a_comparison_counts_its_segments():
    by_sentence = compare(
        spoiled(50),
        spoiled(2),
        REFERENCE,
        MetricSettings(metrics=["s-bleu"]),
        SignificanceTest(trials=9),
    )[0]
    sign = by_sentence.sign
    assert (sign.better, sign.worse) == (57, 0)
    assert sign.better + sign.worse + sign.same == by_sentence.segments
    assert sign.p == pytest.approx(2 * 0.5**57)
    assert "sign test p < 0.0001 (57 better, 0 worse)" in str(by_sentence)
    assert by_sentence.to_dict()["sign"]["better"] == 57


def test_a_comparison_is_the_same_every_time():
    once, again = (
        compare(spoiled(9), spoiled(8), REFERENCE, test=SignificanceTest(trials=50))
        for _ in range(2)
    )
    assert once == again
    assert "approximate randomization 50 · bootstrap 1000 · seed 12345 · nrefs:1|case:" in str(
        once[0]
    )
    assert (
        once[0].settings
        == evaluate(REFERENCE, REFERENCE, MetricSettings(metrics=["s-bleu"]))[0].settings
    )
    assert once[0].to_dict()["difference"] == once[0].difference


@pytest.mark.by_default(1)
@pytest.mark.parametrize(
    ("name", "metric"), [("s-bleu", BLEU(force=True)), ("s-chrf", CHRF()), ("ter", TER())]
)
def test_p_is_that_of_sacrebleu_on_many_segments(name, metric):
    draw = random.Random(3)
    reference = [" ".join(draw.choices("abcdefghij", k=draw.randint(6, 20))) for _ in range(400)]

    def translation(rate: float) -> list[str]:
        """The reference, with this share of its words left out."""
        return [" ".join(w for w in s.split() if draw.random() > rate) for s in reference]

    theirs, ours = translation(0.11), translation(0.1)
    test = PairedTest([("theirs", theirs), ("ours", ours)], {name: metric}, [reference])
    _, results = test()
    (expected,) = [values[1].p_value for key, values in results.items() if key != "System"]
    one, other, right = documents(ours), documents(theirs), documents(reference)
    (found,) = compare(one, other, right, MetricSettings(metrics=[name]))
    assert 0.01 < expected < 0.9
    # sacrebleu leaves out swaps with the very same difference, which is of few edits in TER.
    assert expected - 0.01 <= found.p <= expected + 0.03


@pytest.mark.parametrize("metric", ["s-chrf", "d-chrf", "ter", "mteval-v13a", "multi-bleu"])
def test_every_metric_is_compared_in_its_own_direction(metric):
    settings = MetricSettings(metrics=[metric], language="en")
    (found,) = compare(spoiled(50), spoiled(2), REFERENCE, settings, SignificanceTest(trials=999))
    (ours,), (theirs,) = (evaluate(spoiled(n), REFERENCE, settings) for n in (50, 2))
    assert found.score == pytest.approx(ours.score, abs=1e-10)
    assert found.baseline == pytest.approx(theirs.score, abs=1e-10)
    assert found.settings == ours.settings
    assert found.lower_is_better == (metric == "ter") == (found.difference < 0)
    assert found.p == pytest.approx(0.001)
    assert found.bootstrap_p == pytest.approx(1 / 1001)
    assert found.sign.better > 0 == found.sign.worse


def test_sentences_of_a_document_are_resampled_together():
    by_sentence, by_document = (
        compare(
            spoiled(7),
            spoiled(3),
            REFERENCE,
            MetricSettings(metrics=["s-bleu"]),
            SignificanceTest(resample=unit, trials=99),
        )[0]
        for unit in ("sentence", "document")
    )
    assert by_document.score == by_sentence.score
    assert (by_sentence.segments, by_document.segments) == (120, 30)
    assert (by_document.unit, by_document.resampled) == ("sentence", "document")
    assert "unit sentence · resampled documents · segments 30 · " in by_document.signature
    assert (by_sentence.low, by_sentence.high) != (by_document.low, by_document.high)
    assert by_document.notes == ()


def test_instances_of_a_document_are_resampled_together():
    (found,) = compare(
        spoiled(7),
        spoiled(3),
        REFERENCE,
        MetricSettings(metrics=["instance-bleu"], instances=[1, 3] * 30),
        SignificanceTest(resample="document", trials=9),
    )
    assert found.segments == 30


def test_few_documents_are_warned_about():
    for count, warned in ((19, True), (20, False)):
        (found,) = compare(
            spoiled(7)[:count],
            spoiled(3)[:count],
            REFERENCE[:count],
            MetricSettings(metrics=["s-bleu"]),
            SignificanceTest(resample="document", trials=9),
        )
        assert any("with fewer than 20, the interval is too narrow" in n for n in found.notes) == (
            warned
        )


def test_the_same_translation_twice_is_said_to_be_so():
    (found,) = compare(
        spoiled(3),
        spoiled(3),
        REFERENCE,
        MetricSettings(metrics=["s-bleu"]),
        SignificanceTest(trials=9),
    )
    assert found.notes == (
        "the translation and the baseline have the same text, so they do not differ",
    )


def test_documents_cannot_be_resampled_by_sentence():
    with pytest.raises(InputError, match="d-BLEU compares documents, so sentences cannot"):
        compare(
            REFERENCE,
            REFERENCE,
            REFERENCE,
            MetricSettings(metrics=["d-bleu"]),
            SignificanceTest(resample="sentence"),
        )


def compare_seeds(system, baseline, **numbers):
    settings, test = MetricSettings(metrics=["s-bleu"]), SignificanceTest(**numbers)
    comparer = Comparer({"ours": system, "theirs": baseline}, REFERENCE, settings, test)
    (low, high), score = comparer.interval("ours")[0], comparer.compare("ours", "theirs")[0].score
    assert low < score < high
    return comparer.compare("ours", "theirs")


def test_seeds_are_compared_by_their_means():
    systems = [spoiled(7), spoiled(9)], [spoiled(3), spoiled(4)]
    (found,) = compare_seeds(*systems, trials=999)
    every = [*systems[0], *systems[1]]
    scores = [
        evaluate(one, REFERENCE, MetricSettings(metrics=["s-bleu"]))[0].score for one in every
    ]
    assert found.score == pytest.approx((scores[0] + scores[1]) / 2)
    assert found.baseline == pytest.approx((scores[2] + scores[3]) / 2)
    assert found.low < found.difference < found.high
    assert (found.seeds, found.baseline_seeds, found.p) == (2, 2, 0.001)
    assert "seeds 2 and 2 · segments 120" in found.signature
    assert any("not whether other seeds would" in note for note in found.notes)


def test_systems_with_different_numbers_of_seeds_have_an_interval_but_no_swaps():
    (found,) = compare_seeds([spoiled(9), spoiled(8)], [spoiled(2)])
    assert found.p is None and found.sign is None
    assert 0 < found.low < found.difference < found.high
    assert found.bootstrap_p < 0.01
    assert "p = " in str(found) and "sign test" not in str(found)


def test_a_baseline_of_other_documents_is_an_error():
    with pytest.raises(InputError, match="the baseline has 29 documents"):
        compare(REFERENCE, REFERENCE[1:], REFERENCE)

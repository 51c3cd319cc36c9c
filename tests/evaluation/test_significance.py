"""Comparisons of two systems: their scores, p-values and intervals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from docmt.documents import Document
from docmt.errors import InputError
from docmt.evaluation import compare, evaluate
from docmt.evaluation.significance import Counts, corpus_bleu, p_value, sign_test


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
        system, baseline, REFERENCE, metrics=metrics, instances=instances, trials=10
    )  # fmt: skip
    for comparison, ours, theirs in zip(
        got,
        evaluate(system, REFERENCE, metrics=metrics, instances=instances),
        evaluate(baseline, REFERENCE, metrics=metrics, instances=instances),
        strict=True,
    ):
        assert comparison.score == pytest.approx(ours.score, abs=1e-10)
        assert comparison.baseline == pytest.approx(theirs.score, abs=1e-10)
        assert comparison.difference == comparison.score - comparison.baseline
        assert comparison.segments == ours.segments


def test_a_clearly_better_system_is_significantly_better():
    by_sentence, by_document = compare(spoiled(50), spoiled(2), REFERENCE, trials=999)
    for comparison in (by_sentence, by_document):
        assert comparison.p == pytest.approx(0.001)
        assert 0 < comparison.low < comparison.difference < comparison.high


def test_systems_with_the_same_faults_elsewhere_do_not_differ():
    by_sentence, by_document = compare(spoiled(7), spoiled(7, first=3), REFERENCE, trials=999)
    for comparison in (by_sentence, by_document):
        assert comparison.p > 0.2
        assert comparison.low < 0 < comparison.high


def test_a_system_does_not_differ_from_itself():
    for comparison in compare(spoiled(3), spoiled(3), REFERENCE, trials=100):
        assert (comparison.p, comparison.low, comparison.high) == (1, 0, 0)


def test_one_document_proves_nothing():
    comparison = compare(spoiled(50)[:1], spoiled(2)[:1], REFERENCE[:1], metrics=["d-bleu"])[0]
    assert comparison.p == 1
    assert comparison.notes == ("with 1 document, p cannot be less than 1",)


def test_p_is_the_share_of_all_swaps_that_are_as_extreme():
    random = np.random.default_rng(1)
    ngrams = np.sort(random.integers(10, 60, size=(7, 4)))[:, ::-1]
    lengths = np.stack([ngrams[:, 0], ngrams[:, 0]], axis=1)
    systems = [
        np.concatenate([lengths, random.binomial(ngrams, share), ngrams], axis=1)
        for share in (0.58, 0.5)
    ]
    observed = abs(corpus_bleu(systems[0].sum(0)) - corpus_bleu(systems[1].sum(0)))
    extreme = 0
    for swaps in itertools.product([0, 1], repeat=7):
        one = np.where(np.array(swaps)[:, None], systems[1], systems[0])
        other = np.where(np.array(swaps)[:, None], systems[0], systems[1])
        extreme += abs(corpus_bleu(one.sum(0)) - corpus_bleu(other.sum(0))) >= observed
    exact = extreme / 2**7
    assert 0.02 < exact < 0.9
    assert p_value(*systems, trials=4000) == pytest.approx(exact, abs=0.03)
    assert p_value(*systems[::-1], trials=4000) == p_value(*systems, trials=4000)


def counts(matches: list[int]) -> Counts:
    """Segments of ten tokens, of which this many match the reference at every length."""
    ngrams = [[10, 10, *(max(m - n, 0) for n in range(4)), 10, 9, 8, 7] for m in matches]
    return np.array(ngrams)


@pytest.mark.parametrize(
    ("better", "worse", "same", "p"),
    [
        # Twice the sum of the smaller tail of Pascal's triangle, over 2 to the better and worse.
        (5, 0, 0, 2 * 1 / 32),
        (6, 0, 3, 2 * 1 / 64),
        (8, 2, 0, 2 * (1 + 10 + 45) / 1024),
        (2, 8, 5, 2 * (1 + 10 + 45) / 1024),
        (4, 3, 0, 1.0),  # 2 · (1 + 7 + 21 + 35) / 128
        (5, 5, 1, 1.0),
        (15, 5, 0, 2 * (1 + 20 + 190 + 1140 + 4845 + 15504) / 2**20),
        (0, 0, 4, 1.0),
    ],
)
def test_the_sign_test_counts_segments_and_throws_coins(better, worse, same, p):
    baseline = counts([6] * (better + worse + same))
    found = sign_test(counts([8] * better + [5] * worse + [6] * same), baseline)
    assert (found.better, found.worse, found.same) == (better, worse, same)
    assert found.p == pytest.approx(p, abs=1e-12)


def test_the_sign_test_judges_a_segment_within_the_whole():
    # Alone both translations of the first segment score 0, as neither has a 4-gram that matches.
    baseline, system = counts([2, 9, 9]), counts([3, 9, 9])
    alone = [corpus_bleu(one[0]) for one in (baseline, system)]
    found = sign_test(system, baseline)
    assert (found.better, found.worse, found.same) == (1, 0, 2)
    assert alone[0] < 10 and alone[1] < 20


def test_the_sign_test_of_thousands_of_segments_is_a_number():
    found = sign_test(counts([8] * 1100 + [5] * 900), counts([6] * 2000))
    # The normal approximation with continuity correction gives 8.7e-6.
    assert found.p == pytest.approx(8.7e-6, rel=0.03)


def test_the_sign_test_of_a_comparison_counts_its_segments():
    by_sentence = compare(spoiled(50), spoiled(2), REFERENCE, metrics=["s-bleu"], trials=9)[0]
    sign = by_sentence.sign
    assert (sign.better, sign.worse) == (57, 0)
    assert sign.better + sign.worse + sign.same == by_sentence.segments
    assert f"sign test p = {sign.p:.4f} (57 better, 0 worse)" in str(by_sentence)
    assert by_sentence.to_dict()["sign"]["better"] == 57


def test_a_comparison_is_the_same_every_time():
    once, again = (compare(spoiled(9), spoiled(8), REFERENCE, trials=50) for _ in range(2))
    assert once == again
    assert "approximate randomization 50 · bootstrap 1000 · seed 12345 · nrefs:1|case:" in str(
        once[0]
    )
    assert once[0].settings == evaluate(REFERENCE, REFERENCE, metrics=["s-bleu"])[0].settings
    assert once[0].to_dict()["difference"] == once[0].difference


def test_only_bleu_is_compared():
    with pytest.raises(InputError, match="no significance test for s-chrF"):
        compare(REFERENCE, REFERENCE, REFERENCE, metrics=["s-chrf"])


def test_a_baseline_of_other_documents_is_an_error():
    with pytest.raises(InputError, match="the baseline has 29 documents"):
        compare(REFERENCE, REFERENCE[1:], REFERENCE)

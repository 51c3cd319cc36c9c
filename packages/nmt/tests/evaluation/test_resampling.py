"""Tests of significance on tables of counts: exact permutations, coins, and samples by hand."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

from docmt_nmt.evaluation import statistics
from docmt_nmt.evaluation.resampling import bootstrap, interval, randomization_p, seeds_p, sign_test
from docmt_nmt.evaluation.statistics import Statistics


def of(counts: np.ndarray, scores: statistics.Scores = statistics.bleu) -> Statistics:
    return Statistics(np.asarray(counts, dtype=np.float64), scores, "")


def corpus_bleu(counts: np.ndarray) -> float:
    return float(statistics.bleu(counts.astype(np.float64)))


def means(values: list[float]) -> Statistics:
    """Segments whose mean is the score."""
    return of(np.stack([values, np.ones(len(values))], axis=1), statistics.mean)


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
    one, other = ([of(table)] for table in systems)
    assert randomization_p(one, other, trials=4000) == pytest.approx(exact, abs=0.03)
    assert randomization_p(other, one, trials=4000) == randomization_p(one, other, trials=4000)


def counts(matches: list[int]) -> np.ndarray:
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
    found = sign_test([of(counts([8] * better + [5] * worse + [6] * same))], [of(baseline)])
    assert (found.better, found.worse, found.same) == (better, worse, same)
    assert found.p == pytest.approx(p, abs=1e-12)


def test_the_sign_test_judges_a_segment_within_the_whole():
    # Alone both translations of the first segment score 0, as neither has a 4-gram that matches.
    baseline, system = counts([2, 9, 9]), counts([3, 9, 9])
    alone = [corpus_bleu(one[0]) for one in (baseline, system)]
    found = sign_test([of(system)], [of(baseline)])
    assert (found.better, found.worse, found.same) == (1, 0, 2)
    assert alone[0] < 10 and alone[1] < 20


def test_the_sign_test_of_thousands_of_segments_is_a_number():
    found = sign_test([of(counts([8] * 1100 + [5] * 900))], [of(counts([6] * 2000))])
    # The normal approximation with continuity correction gives 8.7e-6.
    assert found.p == pytest.approx(8.7e-6, rel=0.03)


def test_p_of_a_mean_is_that_of_all_permutations():
    ours, theirs = [5.0, 3.0, 4.0, 6.0, 2.0], [4.0, 3.5, 2.0, 3.0, 2.0]
    differences = np.array(ours) - np.array(theirs)
    signs = np.array(list(itertools.product([1, -1], repeat=5)))
    exact = (np.abs(signs @ differences) >= differences.sum() - 1e-9).mean()
    assert exact == 0.25  # 8 of 32 by hand: 1, -0.5, 2, 3 and 0 add up to 5.5 and 6.5
    p = randomization_p([means(ours)], [means(theirs)], trials=20_000)
    assert p == pytest.approx(exact, abs=0.01)


def test_swaps_of_seeds_are_those_of_their_segments():
    one, other = means([5, 3, 4, 6, 2]), means([4, 3.5, 2, 3, 2])
    doubled = randomization_p([one, one], [other, other], trials=500)
    assert doubled == randomization_p([one], [other], trials=500)


@pytest.mark.parametrize(
    ("ours", "theirs", "p"),
    [
        # The six ways to choose two of 1, 2, 3 and 4: sums 3, 4, 5, 5, 6 and 7; two are as extreme.
        ([3, 4], [1, 2], 2 / 6),
        ([2, 4], [1, 3], 4 / 6),
        ([1, 2, 3], [4, 5, 6], 2 / 20),
        ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 2 / 252),
        ([5, 5], [5, 5], 1),
        ([5], [1, 2], None),
        (list(range(11)), list(range(11, 22)), None),
    ],
)
def test_p_of_seeds_is_that_of_all_ways_to_divide_them(ours, theirs, p):
    systems = ([means([float(score)]) for score in side] for side in (ours, theirs))
    assert seeds_p(*systems) == (None if p is None else pytest.approx(p))


def test_the_interval_is_that_of_all_samples():
    values = [1.0, 2.0, 4.0, 8.0]
    every = [np.mean(sample) for sample in itertools.product(values, repeat=4)]
    low, high = np.percentile(every, [2.5, 97.5])
    assert interval([means(values)], 20_000) == pytest.approx((low, high), abs=0.26)
    drawn = bootstrap([means(values)], [means([0.0] * 4)], 20_000)
    assert (drawn.low, drawn.high) == interval([means(values)], 20_000)


def test_the_bootstrap_p_is_that_of_all_samples():
    values = np.array([3.0, -1.0, 2.0, 2.0])
    every = np.array([np.mean(sample) for sample in itertools.product(values, repeat=4)])
    exact = (np.abs(every - every.mean()) >= values.mean() - 1e-9).mean()
    drawn = bootstrap([means(list(values))], [means([0.0] * 4)], 20_000)
    assert drawn.p == pytest.approx(exact, abs=0.01)


def test_a_chunk_of_samples_is_as_all_of_them(monkeypatch):
    one, other = means([5, 3, 4, 6, 2]), means([4, 3.5, 2, 3, 2])
    whole = bootstrap([one], [other], 1000)
    monkeypatch.setattr("docmt_nmt.evaluation.resampling._CELLS", 50)
    assert bootstrap([one], [other], 1000) == whole


def test_a_thousand_samples_of_a_test_set_take_about_a_second():
    random = np.random.default_rng(1)
    total = np.repeat(random.integers(20, 30, size=(2500, 1)), 4, axis=1) - np.arange(4)
    tables = [
        of(np.concatenate([total[:, :1], total[:, :1], random.binomial(total, p), total], axis=1))
        for p in (0.4, 0.42)
    ]
    start = time.process_time()
    bootstrap([tables[0]], [tables[1]], 1000)
    assert time.process_time() - start < 2

"""Accuracies against published and hand-worked values."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_nmt.evaluation.resampling import binomial_p
from docmt_research.analysis.proportions import accuracy, mcnemar, mean_interval


def test_wilsons_interval_of_newcombe_1998():
    # Newcombe 1998, "Two-sided confidence intervals for the single proportion", Table I.
    for right, total, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        found = accuracy([True] * right + [False] * (total - right))
        assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)
        assert found.share == right / total


def test_the_accuracy_of_no_cases_is_unknown():
    assert accuracy([]) == (0, 0, 0.0, 1.0)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=8))
def test_mcnemar_is_the_exact_permutation_of_the_discordant_cases(pairs):
    own, other = ([pair[i] for pair in pairs] for i in (0, 1))
    differences = [a - b for a, b in pairs if a != b]
    observed = abs(sum(differences))
    swaps = list(product((1, -1), repeat=len(differences)))
    extreme = sum(abs(sum(swap)) >= observed for swap in swaps)
    assert mcnemar(own, other) == pytest.approx(extreme / len(swaps))


def test_coins():
    assert binomial_p(0, 0) == 1
    assert binomial_p(10, 0) == pytest.approx(2 / 1024)
    assert 0 < binomial_p(6000, 4000) < 1e-50


def test_an_interval_by_groups_is_wider_where_groups_differ():
    draw = np.random.default_rng(1)
    groups = np.arange(40).repeat(25)
    same_inside = draw.normal(size=40).repeat(25)
    low, high = mean_interval(same_inside, groups)
    # 1.96 standard errors of the mean of 40 groups.
    error = 1.96 * same_inside.std() / 40**0.5
    assert (high - low) / 2 == pytest.approx(error, rel=0.15)
    assert low < same_inside.mean() < high
    assert mean_interval(same_inside, groups) == (low, high)

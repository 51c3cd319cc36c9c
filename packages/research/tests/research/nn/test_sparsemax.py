"""Sparsemax against its definition: the nearest distribution, found by bisection of the threshold
and by trying every support."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from torch.testing import assert_close

from docmt_research.nn.sparsemax import sparsemax

SCORES = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 3), st.integers(1, 9)),
    elements=st.floats(-50, 50, allow_subnormal=False),
)


def by_bisection(scores):
    """max(z − τ, 0), with τ where these add up to 1."""
    low, high = max(scores) - 1, max(scores)
    for _ in range(200):
        middle = (low + high) / 2
        if sum(max(z - middle, 0) for z in scores) > 1:
            low = middle
        else:
            high = middle
    return [max(z - low, 0) for z in scores]


def by_trying_supports(scores):
    """The nearest of the distributions that are nearest with their support."""
    found = []
    for size in range(1, len(scores) + 1):
        for support in itertools.combinations(range(len(scores)), size):
            threshold = (sum(scores[i] for i in support) - 1) / size
            shares = [z - threshold if i in support else 0 for i, z in enumerate(scores)]
            if min(shares) >= 0:
                distance = sum((p - z) ** 2 for p, z in zip(shares, scores, strict=True))
                found.append((distance, shares))
    return min(found)[1]


@settings(deadline=None)
@given(SCORES)
def test_it_is_the_nearest_distribution(scores):
    expected = torch.tensor([by_bisection(row) for row in scores.tolist()])
    assert_close(sparsemax(torch.tensor(scores)).float(), expected, atol=1e-6, rtol=0)


@settings(deadline=None)
@given(st.lists(st.integers(-8, 8), min_size=1, max_size=6))
def test_ties_share_alike(quarters):
    scores = [quarter / 4 for quarter in quarters]
    found = sparsemax(torch.tensor(scores, dtype=torch.float64)).tolist()
    assert found == pytest.approx(by_trying_supports(scores), abs=1e-9)
    assert len({(z, p) for z, p in zip(scores, found, strict=True)}) == len(set(scores))


@settings(deadline=None)
@given(SCORES, st.floats(-1000, 1000))
def test_shares_add_up_to_one_and_only_differences_count(scores, constant):
    z = torch.tensor(scores)
    shares = sparsemax(z)
    assert (shares >= 0).all()
    assert_close(shares.sum(dim=1), torch.ones(len(z), dtype=z.dtype))
    assert_close(sparsemax(z + constant), shares, atol=1e-9, rtol=0)
    backwards = sparsemax(z.flip(1)).flip(1)
    assert_close(backwards, shares)


def test_what_is_far_from_the_greatest_has_nothing():
    assert sparsemax(torch.tensor([2.0, 1.5, 0.5])).tolist() == [0.75, 0.25, 0.0]
    assert sparsemax(torch.tensor([3.0, 1.0])).tolist() == [1.0, 0.0]
    assert sparsemax(torch.tensor([1e4, 1e4 - 0.5])).tolist() == [0.75, 0.25]


def test_what_is_hidden_has_nothing_and_takes_nothing():
    inf = torch.inf
    scores = torch.tensor([[0.2, -inf, 0.4], [-inf, -inf, -inf], [-inf, -3.0, -inf]])
    expected = torch.tensor([[0.4, 0.0, 0.6], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    assert_close(sparsemax(scores), expected)


def test_the_gradient_is_that_of_differences():
    torch.manual_seed(1)
    scores = torch.randn(4, 3, 7, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(sparsemax, scores)
    assert torch.autograd.gradgradcheck(sparsemax, scores)


def test_the_gradient_is_finite_where_something_is_hidden():
    inf = torch.inf
    scores = torch.tensor([[0.2, -inf, 0.4], [-inf, -inf, -inf]], requires_grad=True)
    sparsemax(scores)[:, 0].sum().backward()
    assert_close(scores.grad, torch.tensor([[0.5, 0.0, -0.5], [0.0, 0.0, 0.0]]))

"""The course of the learning rate."""

from __future__ import annotations

import pytest

from docmt.training.schedule import rate_factor


@pytest.mark.parametrize(
    ("step", "warmup", "factor"),
    [(1, 4000, 1 / 4000), (2000, 4000, 0.5), (4000, 4000, 1.0), (16000, 4000, 0.5),
     (400_000, 4000, 0.1), (1, 1, 1.0), (4, 1, 0.5)],
)  # fmt: skip
def test_the_rate_grows_linearly_and_falls_with_the_inverse_square_root(step, warmup, factor):
    assert rate_factor(step, warmup) == pytest.approx(factor)


def test_the_peak_is_at_the_end_of_warm_up():
    rates = [rate_factor(step, 30) for step in range(1, 200)]
    assert max(rates) == rates[29] == 1.0

"""The course of the learning rate."""

from __future__ import annotations

import pytest

from docmt_files.base.errors import InputError
from docmt_nmt.recipes.training import TrainingSettings
from docmt_nmt.training.optimizer import rate_factor


@pytest.mark.parametrize(
    ("step", "warmup", "factor"),
    [
        (1, 4000, 1 / 4000),
        (2000, 4000, 0.5),
        (4000, 4000, 1.0),
        (16000, 4000, 0.5),
        (400_000, 4000, 0.1),
        (1, 1, 1.0),
        (4, 1, 0.5),
    ],
)
def test_the_rate_grows_linearly_and_falls_with_the_inverse_square_root(step, warmup, factor):
    assert rate_factor(TrainingSettings(warmup_steps=warmup), step) == pytest.approx(factor)


@pytest.mark.parametrize(
    ("keys", "factors"),
    [
        ({"max_steps": 40_000}, {1: 1 / 2500, 2500: 1, 21_250: 0.5, 36_250: 0.1, 40_000: 0}),
        ({"decay_steps": 1_002_500}, {2500: 1, 40_000: 0.9625, 502_500: 0.5, 2_000_000: 0}),
        ({"max_steps": 4500, "decay_power": 2.0}, {1250: 0.5, 3500: 0.25, 4000: 0.0625}),
    ],
)
def test_a_polynomial_schedule_falls_to_zero_at_its_last_step(keys, factors):
    settings = TrainingSettings(schedule="polynomial", warmup_steps=2500, **keys)
    for step, factor in factors.items():
        assert rate_factor(settings, step) == pytest.approx(factor)


def test_an_epoch_schedule_falls_from_epoch_to_epoch():
    settings = TrainingSettings(schedule="epoch", warmup_steps=0, decay_factor=0.5, decay_epoch=9)
    assert [rate_factor(settings, 1, epoch) for epoch in (1, 8, 9, 10, 13)] == [
        1,
        1,
        0.5,
        0.25,
        1 / 32,
    ]


def test_a_constant_schedule_stays_at_its_peak():
    settings = TrainingSettings(schedule="constant", warmup_steps=10)
    assert [rate_factor(settings, step) for step in (5, 10, 10_000)] == [0.5, 1, 1]
    without = TrainingSettings(schedule="constant", warmup_steps=0)
    assert rate_factor(without, 1) == 1


@pytest.mark.parametrize(
    "keys",
    [
        {"schedule": "inverse-sqrt"},
        {"schedule": "polynomial", "max_steps": 500},
        {"schedule": "constant"},
    ],
)
def test_the_peak_is_at_the_end_of_warm_up(keys):
    settings = TrainingSettings(warmup_steps=30, **keys)
    rates = [rate_factor(settings, step) for step in range(1, 200)]
    assert max(rates) == rates[29] == 1.0


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"warmup_steps": 0}, "inverse-sqrt needs warmup_steps"),
        ({"schedule": "polynomial"}, "polynomial needs decay_steps or max_steps"),
        ({"schedule": "polynomial", "max_steps": 4000}, "warmup_steps 4000, but max_steps is 4000"),
        ({"schedule": "polynomial", "max_steps": 9000, "decay_steps": 1}, "but decay_steps is 1"),
        ({"decay_factor": 0.9}, "decay_factor: 0.9 has no effect with schedule: inverse-sqrt"),
        ({"decay_steps": 9}, "decay_steps: 9 has no effect with schedule: inverse-sqrt"),
    ],
)
def test_keys_that_do_not_fit_the_schedule_are_errors(keys, message):
    with pytest.raises(InputError, match=message):
        TrainingSettings.read(keys)

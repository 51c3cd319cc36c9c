"""How long and in which precision a model is tuned follows from the material and the processor, and
is not measured: the same command makes the same model."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from docmt.adapting import tuning
from docmt.adapting.tuning import TuningSettings, averaged, recipe_of

SETTINGS = TuningSettings(batch_tokens=1000, own_share=0.0, max_epochs=6, repeated_updates=90)
HOURS = 1e9


@pytest.fixture
def steps(tiny_run, tmp_path):
    """Gives the number of updates for so many words, in so many seconds."""

    def of(words, seconds=HOURS, settings=SETTINGS):
        return recipe_of(tiny_run, tmp_path, settings, words, seconds).training.max_steps

    return of


@pytest.mark.parametrize(
    ("words", "updates"),
    [
        (1_000, 21),  # 6 passes of 1.5 updates: no fewer than the warm-up
        (4_000, 36),  # 6 passes of 6
        (20_000, 90),  # 3 passes of 30
        (40_000, 120),  # 2 passes of 60
    ],
)
def test_small_material_is_learned_more_often(steps, words, updates):
    assert steps(words) == updates


def test_the_learning_rate_falls_to_zero_within_the_time(steps, monkeypatch):
    monkeypatch.setattr(tuning, "_seconds_of_update", lambda *_: 2.0)
    assert steps(40_000, seconds=120) == 60


def test_general_sentences_take_their_share_of_the_updates(steps):
    assert steps(40_000, settings=replace(SETTINGS, own_share=0.5)) == 240


@pytest.mark.parametrize(("instructions", "precision"), [(True, "bf16"), (False, "fp32")])
def test_the_precision_is_that_of_the_processor(
    tiny_run, tmp_path, monkeypatch, instructions, precision
):
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: False)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False, raising=False)
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: instructions, raising=False)
    recipe = recipe_of(tiny_run, tmp_path, SETTINGS, 1_000, HOURS)
    assert recipe.training.precision == precision


def test_the_weights_are_the_weighted_mean_of_the_start_and_the_tuned_ones(tiny_run):
    start = tiny_run.state()
    tuned = {name: tensor + 1 for name, tensor in start.items()}
    mean = averaged(start, tuned, 0.25)
    assert all(torch.allclose(mean[name], start[name] + 0.25, atol=1e-6) for name in start)

"""Training in bf16 says so if the processor computes it more slowly than fp32."""

import pytest
import torch
from torch import nn

import docmt_nmt
from docmt_nmt.nn import fastest_precision
from docmt_nmt.training.precision import slow_precision_note
from toy import toy_recipe

LAYERS = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 8))


@pytest.fixture
def seconds(monkeypatch):
    """Sets the seconds that bf16 takes where fp32 takes two."""

    def set_seconds(bf16):
        taken = {"fp32": 2.0, "bf16": bf16}
        monkeypatch.setattr(fastest_precision, "_linear_time", lambda _, one, __: taken[one])

    return set_seconds


@pytest.mark.parametrize("precision", ["fp32", "fp16", "bf16"])
def test_what_is_as_fast_as_fp32_needs_no_note(seconds, precision):
    seconds(2.1)  # within the noise of a measurement
    assert slow_precision_note(LAYERS, precision) == ""


def test_only_the_slow_format_is_named(seconds):
    seconds(7.0)
    assert "bf16 takes 3.5 times as long as fp32" in slow_precision_note(LAYERS, "bf16")
    assert slow_precision_note(LAYERS, "fp32") == ""


def test_the_speed_is_measured_without_drawing():
    state = torch.get_rng_state()
    assert fastest_precision.training_speed(LAYERS, "bf16") > 0
    assert torch.equal(torch.get_rng_state(), state)


def test_a_training_begins_with_the_note(seconds, tinier_corpus, tmp_path, capsys):
    seconds(5.0)
    training = {"max_steps": 1, "precision": "bf16"}
    docmt_nmt.train(toy_recipe(tinier_corpus, training=training), tmp_path / "run")
    assert "bf16 takes 2.5 times as long" in capsys.readouterr().err

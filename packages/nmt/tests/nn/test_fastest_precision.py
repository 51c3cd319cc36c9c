"""`precision: auto` is what is fastest among what keeps the quality, as measured."""

import pytest
import torch
from torch import nn

import docmt_nmt
from docmt_files.base.documents import Document
from docmt_nmt.nn import fastest_precision as module
from docmt_nmt.nn.fastest_precision import fastest_precision
from docmt_nmt.translators.requests import TranslationRequest

LAYERS = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 8))


@pytest.fixture
def measured(monkeypatch):
    """Sets the seconds that each precision takes."""
    module._fastest.cache_clear()

    def set_seconds(**seconds):
        monkeypatch.setattr(module, "_seconds", lambda _, precision: seconds[precision])

    yield set_seconds
    module._fastest.cache_clear()


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ({"fp32": 3.0, "bf16": 1.5, "int8": 2.0}, ("bf16", 2.0)),
        ({"fp32": 3.0, "bf16": 1.5, "int8": 1.0}, ("int8", 3.0)),
        ({"fp32": 3.0, "bf16": 2.8, "int8": 9.0}, ("fp32", 1.0)),
        ({"fp32": 1.0, "bf16": 5.0, "int8": 5.0}, ("fp32", 1.0)),
    ],
)
def test_the_fastest_is_chosen_if_it_gains_enough(measured, monkeypatch, seconds, expected):
    monkeypatch.setattr(module.private_ops, "weight_code_limit", lambda: 127)
    measured(**seconds)
    assert fastest_precision(LAYERS) == expected


def test_int8_is_not_chosen_where_it_rounds_coarsely(measured, monkeypatch):
    monkeypatch.setattr(module.private_ops, "weight_code_limit", lambda: 63)
    measured(fp32=3.0, bf16=2.0)
    assert fastest_precision(LAYERS) == ("bf16", 1.5)


def test_every_precision_is_measured_once_per_process_and_draws_nothing(monkeypatch):
    module._fastest.cache_clear()
    state = torch.get_rng_state()
    real, asked = module._seconds, []
    monkeypatch.setattr(module, "_seconds", lambda *given: asked.append(given[1]) or real(*given))
    assert fastest_precision(LAYERS) == fastest_precision(LAYERS)
    assert asked == module._candidates()
    assert torch.equal(torch.get_rng_state(), state)
    module._fastest.cache_clear()


@pytest.mark.slow
def test_a_translator_says_what_was_chosen_and_counts_as_if_it_had_been_asked_for(
    tiny_run, measured, monkeypatch
):
    monkeypatch.setattr(module.private_ops, "weight_code_limit", lambda: 63)
    measured(fp32=3.0, bf16=1.0)
    auto, given = (docmt_nmt.load(tiny_run.directory, precision=each) for each in ("auto", "bf16"))
    request = TranslationRequest([Document("a", ("a b c", "d"))])
    assert auto.search.precision == "bf16"
    assert auto.fingerprint(request) == given.fingerprint(request)
    found, wanted = auto.translate(request), given.translate(request)
    assert found == wanted
    assert auto.notes(request, found)[-1] == (
        "computed in bf16, 3.0 times as fast as fp32 on this processor"
    )
    assert given.notes(request, wanted) == auto.notes(request, found)[:-1]

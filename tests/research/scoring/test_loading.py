"""The scorer of a run is that of the run's translator."""

from __future__ import annotations

import pytest

from docmt.ground import entry_points
from docmt.ground.errors import InputError
from docmt_research.scoring import load_scorer
from docmt_research.scoring.system_scorer import SystemScorer


def test_the_bundled_model_has_the_scorer_of_a_trained_system():
    assert isinstance(load_scorer(precision="fp32"), SystemScorer)


def test_a_translator_without_a_scorer_is_an_error_that_names_the_run(monkeypatch):
    monkeypatch.setattr(entry_points, "load", lambda *_: None)
    with pytest.raises(InputError, match="translator beam-search gives no log-probabilities") as e:
        load_scorer()
    assert e.value.path is not None


def test_a_scorer_of_another_type_is_an_error_that_names_its_package(monkeypatch):
    plugin = entry_points.Plugin("docmt.scorers", "beam-search", "wrong", "wrong:open_scorer")
    monkeypatch.setattr(entry_points, "load", lambda *_: (plugin, lambda _run: "a scorer"))
    with pytest.raises(InputError, match="the package wrong returns str, not a docmt"):
        load_scorer()

"""The study's modules, importable."""

from pathlib import Path

import pytest

STUDY = Path(__file__).parents[1]


@pytest.fixture
def papers(monkeypatch):
    """The folder of the study, importable, with the benchmarks that it measures by."""
    monkeypatch.syspath_prepend(STUDY.parents[1] / "benchmarks")
    monkeypatch.syspath_prepend(STUDY)
    return STUDY

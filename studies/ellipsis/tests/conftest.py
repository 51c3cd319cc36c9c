"""The study's modules, importable."""

from pathlib import Path

import pytest

STUDY = Path(__file__).parents[1]


@pytest.fixture
def study(monkeypatch):
    """The folder of the study, importable."""
    monkeypatch.syspath_prepend(STUDY)
    return STUDY

"""The recorder for `training.log_attention` comes from an installed package."""

from __future__ import annotations

import pytest

from docmt_files.base import entry_points
from docmt_files.base.errors import InputError
from docmt_nmt.base import plugin_groups
from docmt_nmt.training.attention_log import attention_recorder
from docmt_research.analysis.attention_statistics import StatisticsRecorder


def test_the_recorder_is_the_one_of_docmt_research():
    assert attention_recorder() is StatisticsRecorder


def test_a_recorder_of_another_type_is_an_error_that_names_its_package(monkeypatch):
    plugin = entry_points.Plugin(plugin_groups.RECORDERS, "attention", "broken", "string:digits")
    monkeypatch.setattr(entry_points, "load", lambda *_: (plugin, "0123456789"))
    with pytest.raises(InputError, match="the package broken is not a subclass"):
        attention_recorder()

"""The forced decoder of a run is that of the run's translator."""

from __future__ import annotations

import pytest

from docmt_files.base import entry_points
from docmt_files.base.errors import InputError
from docmt_nmt.base import plugin_groups
from docmt_research.forced_decoding import load_forced_decoder
from docmt_research.forced_decoding.system_forced_decoder import SystemForcedDecoder


def test_the_bundled_model_has_the_forced_decoder_of_a_trained_system():
    assert isinstance(load_forced_decoder(precision="fp32"), SystemForcedDecoder)


def test_a_translator_without_a_forced_decoder_is_an_error_that_names_the_run(monkeypatch):
    monkeypatch.setattr(entry_points, "load", lambda *_: None)
    with pytest.raises(InputError, match="translator beam-search gives no log-probabilities") as e:
        load_forced_decoder()
    assert e.value.path is not None


def test_a_forced_decoder_of_another_type_is_an_error_that_names_its_package(monkeypatch):
    plugin = entry_points.Plugin(
        plugin_groups.FORCED_DECODERS, "beam-search", "wrong", "wrong:open_forced_decoder"
    )
    monkeypatch.setattr(entry_points, "load", lambda *_: (plugin, lambda _run: "a forced decoder"))
    with pytest.raises(InputError, match="the package wrong returns str, not a docmt"):
        load_forced_decoder()

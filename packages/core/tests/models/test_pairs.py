"""The installed models translate by language: alone, or two through English."""

from __future__ import annotations

import pytest

from docmt.models import PairTranslators
from docmt.translating.pivot import Pivot
from docmt_files.base.errors import InputError


def _install(installed, served, *pairs):
    registry = installed.registry(served.registry)
    for pair in pairs:
        installed.install(registry.model(pair), registry)


def test_pairs_are_those_of_models_and_of_two_through_english(installed, served):
    assert PairTranslators(installed).pairs() == []
    _install(installed, served, "de-en", "en-de")
    directory = installed.folder / "de-en"
    directory.rename(installed.folder / "pt-en")
    assert PairTranslators(installed).pairs() == [("en", "de"), ("pt", "en"), ("pt", "de")]
    translator = PairTranslators(installed).translator("pt-BR", "de")
    assert isinstance(translator, Pivot)


def test_the_bundled_model_is_never_a_bridge_nor_chosen(installed, served):
    _install(installed, served, "de-en")
    (installed.folder / "de-en").rename(installed.folder / "pt-en")
    pairs = PairTranslators(installed)
    assert pairs.pairs() == [("pt", "en")]
    for pair in (("pt", "de"), ("en", "de")):
        with pytest.raises(InputError, match="no installed model"):
            pairs.translator(*pair)


def test_a_model_is_loaded_once(installed, served):
    _install(installed, served, "en-de")
    pairs = PairTranslators(installed)
    assert pairs.translator("en", "de") is pairs.translator("en", "de")


@pytest.mark.parametrize(
    ("pair", "command"),
    [
        (("de", "en"), "docmt models get de-en"),
        (("pt", "de"), "docmt models get pt-en en-de"),
        (("pt", "fr"), "docmt models get pt-en en-fr"),
        (("en", "fr"), "docmt models get en-fr"),
    ],
)
def test_the_command_that_gets_a_missing_model_is_told(installed, pair, command):
    with pytest.raises(InputError, match=f"no installed model.*Run `{command}`,"):
        PairTranslators(installed).translator(*pair)


def test_size_and_licence_are_told_where_a_registry_was_read(installed, served):
    installed.registry(served.registry)
    with pytest.raises(InputError, match=r"`docmt models get de-en` \(1 MB, MPL-2.0\)"):
        PairTranslators(installed).translator("de", "en")
    with pytest.raises(InputError, match=r"models.json has no model en-fr\. Name"):
        PairTranslators(installed).translator("en", "fr")

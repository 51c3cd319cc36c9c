"""General sentences: docmt's own, or translated by an installed model from English."""

from __future__ import annotations

import pytest

from docmt.adapting import general_text
from docmt.models import InstalledModels
from docmt.models.adding import add_run


@pytest.fixture
def models(tiny_run, tmp_path):
    """A model from English to German, by name."""
    found = InstalledModels(tmp_path)
    add_run(found, tiny_run.directory)
    return found


def shout(model, sentences):
    return [f"{model.name} {text}".upper() for text in sentences]


def test_english_sentences_come_with_docmt(models):
    text = general_text.find("en-GB", models, shout)
    assert (len(text.measured), len(text.mixed), text.made_by) == (400, 1200, "")
    assert not set(text.measured) & set(text.mixed)


def test_an_installed_model_translates_them_into_the_language(models):
    text = general_text.find("de", models, shout)
    assert text.made_by == "en-de"
    assert (len(text.measured), len(text.mixed)) == (400, 1200)
    assert all(each.startswith("EN-DE ") for each in text.sentences)


def test_a_sentence_without_a_translation_is_left_out(models):
    text = general_text.find("de", models, lambda _, texts: ["", *texts[1:]])
    assert len(text.sentences) == 1599


def test_there_are_none_without_such_a_model(models):
    text = general_text.find("fr", models, shout)
    assert (text.measured, text.mixed, text.made_by) == ((), (), "")

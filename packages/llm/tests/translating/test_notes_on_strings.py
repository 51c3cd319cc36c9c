"""Translators are given the notes of programmers on strings."""

from __future__ import annotations

import pytest

from docmt.translating import translate_files
from formats.test_notes_for_translators import FILES
from language_models.stories import translator
from scripted_model import ScriptedModel, data_of
from translating.test_passage import Numbering


@pytest.fixture(params=FILES)
def file(request, tmp_path):
    path = tmp_path / request.param
    path.write_text(FILES[request.param], encoding="utf-8")
    return path


def test_a_language_model_reads_the_note_as_a_description(file, tmp_path):
    model = ScriptedModel()
    translate_files(translator(model, shape="sentence"), [str(file)], [str(tmp_path / "out")])
    first, second = map(data_of, model.requests)
    assert first["description"] == "A button.\nBe short."
    assert "description" not in second
    assert all("button" not in str(data.get("before")) for data in (first, second))


def test_a_translator_without_descriptions_translates_the_file_all_the_same(file, tmp_path):
    translate_files(Numbering(), [str(file)], [str(tmp_path / "out")])
    assert "Close i 1." in (tmp_path / "out").read_text("utf-8")

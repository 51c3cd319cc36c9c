"""Inline codes are placed by the attention of the system that translated their sentences."""

from __future__ import annotations

from types import SimpleNamespace

from docmt.alignment.code_alignment import CodeAligner
from docmt.translating.file_translation import translate_files
from docmt_files.base.documents import Document
from docmt_nmt.decoding import BeamSearchTranslator

PAGE = "<p>two <b>six</b> four</p><p>nine</p><p><b>one</b></p><p>five <i>two</i></p>"


def files(tmp_path):
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    return [str(tmp_path / "page.html")], [str(tmp_path / "out.html")]


def test_codes_go_around_the_words_that_translate_theirs(tiny_run, tmp_path):
    notes = []
    inputs, outputs = files(tmp_path)
    translator = BeamSearchTranslator.load(tiny_run.directory)
    translate_files(translator, inputs, outputs, note=notes.append)
    written = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "<p>zwei <b>sechs</b> vier</p>" in written
    assert "<p>fünf <i>zwei</i></p>" in written
    assert not any("order and spelling" in note for note in notes)


def test_sentences_are_aligned_alone(tiny_run):
    aligner = CodeAligner(BeamSearchTranslator.load(tiny_run.directory))
    document = Document("1", ("one", "two six four", "nine"), ("eins", "zwei sechs vier", "neun"))
    weights = aligner(document, [1])
    assert list(weights) == [1]
    assert weights[1].argmax(0).tolist() == [0, 1, 2]
    alone = aligner(Document("1", document.source[1:2], ("zwei sechs vier",)), [0])
    assert (weights[1] == alone[0]).all()
    assert aligner.notes == ()


def test_a_system_without_attention_places_codes_by_order_and_says_so():
    corrects = SimpleNamespace(system=SimpleNamespace(draft_system=object()))
    aligner = CodeAligner(corrects)
    assert aligner.notes == ()
    assert aligner(Document("1", ("two six",), ("zwei sechs",)), [0]) == {}
    (note,) = aligner.notes
    assert "by the order and spelling of words" in note
    assert "corrects drafts has no attention" in note

"""Outputs can be read again, with the same text, whatever characters a translation has."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import docmt_nmt
from docmt.output import Output
from docmt_files import Input
from docmt_files.bilingual import tmx_files
from docmt_files.core.skeleton import NOT_HELD
from docmt_nmt.base.translations import Translation
from docmt_nmt.corpora import corpus_files
from readable_characters import INVISIBLE, marks, on_one_line

CORPORA = {
    "in.tsv": "d\tOne word.\nd\tTwo words.\n",
    "in.jsonl": json.dumps({"id": "d", "source": ["One word.", "Two words."]}) + "\n",
}


@pytest.mark.parametrize("name", CORPORA)
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(mark=marks)
def test_corpora_can_be_read_again(
    tmp_path_factory: pytest.TempPathFactory, name: str, mark: str
) -> None:
    path = tmp_path_factory.mktemp("text") / name
    path.write_text(CORPORA[name])
    documents, skeleton = Input().read(str(path), "en", read_corpus=corpus_files.read)
    target = f"Ein W{mark}Z Wort."
    written = skeleton.write([d.translated([target] * len(d)) for d in documents], path)
    again, _ = Input().read(str(path), "en", read_corpus=corpus_files.read)
    texts = " ".join(text for one in again for text in (*one.source, *(one.target or ())))
    shown = f"W{on_one_line(mark)}Z".translate(INVISIBLE)
    if shown not in on_one_line(texts).translate(INVISIBLE):
        assert written.kept == 2 and any("not translated, because" in n for n in written.notes)


@pytest.mark.parametrize("kind", ["tsv", "jsonl", "tmx"])
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(mark=marks)
def test_views_of_both_sides_can_be_read_again(
    tmp_path_factory: pytest.TempPathFactory, kind: Any, mark: str
) -> None:
    path = tmp_path_factory.mktemp("view") / "in.txt"
    path.write_text("One word.\n")
    documents, skeleton = Input().read(str(path), "en")
    target = " ".join(f"Ein W{mark}Z Wort.".splitlines()).replace("\t", " ")
    translations = [
        Translation.of(document.id, document.source, [target]) for document in documents
    ]
    view = path.with_name(f"view.{kind}")
    written = Output(kind).write(view, translations, skeleton, languages=("en", "de"))
    text = view.read_text(encoding="utf-8")
    assert "\0" not in text and "\ufffd" not in text
    if kind == "tmx":
        tmx_files.read(view, "en", "fr")
    else:
        (again,) = docmt_nmt.read(view)
        assert again.target in ((target,), ("One word.",))
    if "Wort" not in re.sub(r"<[^<>]*>", "", text):
        assert any(NOT_HELD in note for note in written.notes) and written.kept == 1


def test_what_a_source_has_and_xml_cannot_hold_is_noted(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(
        '{"id": "d", "source": ["One\\u001b word.", "Two words."]}\n'
    )
    (document,), skeleton = corpus_files.read(tmp_path / "in.jsonl")
    translation = Translation.of(document.id, document.source, ["a", "b"])
    path = tmp_path / "out.tmx"
    written = Output("tmx").write(path, [translation], skeleton, languages=("en", "de"))
    assert "1 source sentence with characters that XML cannot hold" in written.notes[0]
    assert written.kept == 0 and path.read_text().count("\ufffd") == 1

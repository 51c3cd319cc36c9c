"""Corpora among the input files of a translation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lxml import etree

from docmt_files import Input, write_tmx
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.corpora import corpus_files


def read_corpus(path, **settings):
    """A corpus and the file without its sentences."""
    return Input(**settings).read(path, "en", read_corpus=corpus_files.read)


def test_a_table_without_document_ids_is_not_read_as_one_with_ids(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("Where is she?\tWo ist sie?\nShe is not here.\tSie ist nicht hier.\n")
    with pytest.raises(InputError, match=r"the first of two columns, .* 'Where is she"):
        read_corpus(path)
    path.write_text("talk 1\tWo ist sie?\ntalk 2\tSie ist nicht hier.\n")
    assert len(read_corpus(path)[0]) == 2
    path.write_text("A long title here\tOne.\nA long title here\tTwo.\n")
    assert len(read_corpus(path)[0]) == 1


def test_corpora_are_read_by_their_names(tmp_path: Path) -> None:
    tsv, jsonl = tmp_path / "a.tsv", tmp_path / "a.jsonl"
    tsv.write_text("a\tOne.\tEins.\na\tTwo.\tZwei.\nb\tThree.\tDrei.\n")
    values = {"id": "a", "source": ["One.", "Two."]}
    jsonl.write_text(json.dumps(values) + "\n")
    documents, corpus = read_corpus(tsv, segmented=True)
    assert [(d.id, d.source) for d in documents] == [("a", ("One.", "Two.")), ("b", ("Three.",))]
    corpus.write([d.translated(["x"] * len(d)) for d in documents], tmp_path / "out.tsv")  # type: ignore[union-attr]
    assert (tmp_path / "out.tsv").read_text() == "a\tOne.\tx\na\tTwo.\tx\nb\tThree.\tx\n"
    corpus.write([d.translated(["x\ty"] * len(d)) for d in documents], tmp_path / "out.de")  # type: ignore[union-attr]
    assert (tmp_path / "out.de").read_text() == "<d>\nx y\nx y\n<d>\nx y\n"
    assert read_corpus(jsonl)[0][0].source == ("One.", "Two.")
    assert Input(file_format="text").read(tsv, "en")[0][0].source[:2] == ("a", "One.")
    tsv.write_text("a\t \n")
    with pytest.raises(InputError, match="has no text"):
        read_corpus(tsv)


def test_a_written_memory_is_read_again(tmp_path):
    documents = [
        Document("a & <b>", ('One "two".', "]]> 'x'"), ("Eins <zwei>.", "ß & 𝄞")),
        Document("c", ("Three.",), ("Drei.",)),
    ]
    path = tmp_path / "out.tmx"
    path.write_text(write_tmx(documents, "en_GB", "de"), encoding="utf-8")
    assert list(corpora.read(path)) == documents
    header = etree.parse(path).find("header")
    assert (header.get("srclang"), header.get("segtype")) == ("en-GB", "sentence")

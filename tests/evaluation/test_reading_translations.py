from __future__ import annotations

import pytest

from docmt import corpora
from docmt.demo import corpus_file
from docmt.documents import Document
from docmt.errors import InputError
from docmt.evaluation.reading import as_target, read_text


@pytest.fixture
def written(tmp_path):
    def write(name: str, *lines: str) -> str:
        path = tmp_path / name
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return str(path)

    return write


def test_marks_are_found_by_themselves_and_sentences_may_be_empty(written):
    path = written("out.de", "<d>", "a", "", "<d>", " ")
    assert [d.source for d in read_text(path)] == [("a", ""), (" ",)]


def test_without_marks_the_docids_say_where_documents_begin(written):
    path, docids = written("out.de", "a", "", "c"), written("out.docids", "x\t1", "y\t2")
    assert read_text(path, docids=docids) == [Document("x", ("a",)), Document("y", ("", "c"))]


def test_without_marks_and_docids_a_file_is_one_document(written):
    assert [d.source for d in read_text(written("out.de", "", "b"))] == [("", "b")]


def test_a_mark_after_text_is_an_error(written):
    with pytest.raises(InputError, match="line 2: a <d> line"):
        read_text(written("out.de", "a", "<d>", "b"))


def test_the_boundaries_that_are_asked_for_are_used(written):
    path = written("out.de", "a", "", "b")
    assert [d.source for d in read_text(path, boundaries="blank")] == [("a",), ("b",)]


def test_a_source_may_not_have_empty_sentences(written):
    with pytest.raises(InputError, match="line 2: the sentence is empty") as caught:
        read_text(written("in.en", "a", ""), allow_empty=False)
    # What to do is about scoring, not about training.
    assert "--segmented" in str(caught.value) and "filter" not in str(caught.value)


@pytest.mark.parametrize("suffix", [".tsv", ".jsonl", ".jsonl.xz", ".parquet"])
def test_a_file_of_both_sides_is_scored_by_its_target_side(tmp_path, suffix):
    documents = [Document("a", ("x", "y"), ("X", "")), Document("b", ("z",), ("Z",))]
    path = tmp_path / f"out{suffix}"
    corpora.write(documents, path)
    # A docids file is for the line files it is given with.
    assert [as_target(d) for d in read_text(path, docids="other.docids")] == documents


def test_a_file_of_one_side_is_scored_by_it():
    (first, *rest) = [as_target(d) for d in read_text(corpus_file("test.de.xz"))]
    assert len(rest) == 24
    assert first.target == first.source

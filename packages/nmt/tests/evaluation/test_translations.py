"""How files of translations and references are read."""

from __future__ import annotations

import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.corpora.demo import corpus_file
from docmt_nmt.data.data_settings import EvaluationCorpusSettings
from docmt_nmt.evaluation import (
    MetricSettings,
    evaluate_files,
    read_references,
    read_translations,
    scored_references,
)


@pytest.fixture
def written(tmp_path):
    def write(name: str, *lines: str) -> str:
        path = tmp_path / name
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return str(path)

    return write


def test_markers_are_recognized_and_sentences_may_be_empty(written):
    path = written("out.de", "<d>", "a", "", "<d>", " ")
    assert [d.source for d in read_translations(path)] == [("a", ""), (" ",)]


def test_a_document_without_any_line_is_kept_with_an_empty_one(written):
    with pytest.raises(InputError, match="the document that begins here is empty") as caught:
        read_translations(written("out.de", "<d>", "a", "<d>", "<d>", "b"))
    assert "put an empty line after the line that begins it" in str(caught.value)
    found = read_translations(written("out.de", "<d>", "a", "<d>", "", "<d>", "b"))
    assert [d.source for d in found] == [("a",), ("",), ("b",)]
    with pytest.raises(InputError, match="Remove the line"):
        read_translations(written("in.en", "<d>", "a", "<d>", "<d>", "b"), allow_empty=False)


def test_without_markers_the_docids_show_where_documents_begin(written):
    path, docids = written("out.de", "a", "", "c"), written("out.docids", "x\t1", "y\t2")
    assert read_translations(path, docids=docids) == [
        Document("x", ("a",), ("a",)),
        Document("y", ("", "c"), ("", "c")),
    ]


def test_without_markers_and_docids_a_file_is_one_document(written):
    assert [d.source for d in read_translations(written("out.de", "", "b"))] == [("", "b")]


def test_a_marker_after_text_is_an_error(written):
    with pytest.raises(InputError, match="line 2: a <d> line"):
        read_translations(written("out.de", "a", "<d>", "b"))


def test_given_boundaries_are_used(written):
    path = written("out.de", "a", "", "b")
    assert [d.source for d in read_translations(path, boundaries="blank")] == [("a",), ("b",)]


def test_a_source_may_not_have_empty_sentences(written):
    with pytest.raises(InputError, match="line 2: the sentence is empty") as caught:
        read_translations(written("in.en", "a", ""), allow_empty=False)
    # The cure is about scoring, not about training.
    assert "--segmented" in str(caught.value) and "filter" not in str(caught.value)


@pytest.mark.parametrize("suffix", [".tsv", ".jsonl", ".jsonl.xz", ".parquet"])
def test_a_file_of_both_sides_is_scored_by_its_target_side(tmp_path, suffix):
    documents = [Document("a", ("x", "y"), ("X", "")), Document("b", ("z",), ("Z",))]
    path = tmp_path / f"out{suffix}"
    corpora.write(documents, path)
    # Docids are for line files, and ignored here.
    assert read_translations(path, docids="other.docids") == documents


def test_a_file_of_one_side_is_scored_by_it():
    first, *rest = read_translations(corpus_file("test.de.xz"))
    assert len(rest) == 24
    assert first.target == first.source


def test_all_references_of_an_evaluation_set_are_read(written):
    text = "<refset>" + "".join(
        f'<doc docid="a" sysid="{name}"><seg id="1">{name}</seg></doc>' for name in ("x", "y", "z")
    )
    path = written("ref.sgm", text)
    source = written("src.sgm", '<srcset><doc docid="a"><seg id="1">s</seg></doc>')
    assert [[d.target for d in r] for r in read_references([path])] == [
        [("x",)],
        [("y",)],
        [("z",)],
    ]
    split = EvaluationCorpusSettings(source=str(source), target=str(path))
    documents = [Document("a", ("s",), ("x",))]

    def scored(split):
        return [
            [d.target for d in reference]
            for reference in scored_references(split, documents, "data.test")
        ]

    assert scored(split) == [[("x",)], [("y",)], [("z",)]]
    assert scored(split.model_copy(update={"score_target": False})) == [[("y",)], [("z",)]]
    twice = EvaluationCorpusSettings(source=str(source), target=str(path), references=(str(path),))
    assert len(scored(twice)) == 6


def test_translations_are_scored_against_all_references_of_an_evaluation_set(written):
    reference = "<refset>" + "".join(
        f'<doc docid="a" sysid="{n}"><seg id="1">{text}</seg></doc>'
        for n, text in enumerate(("One two three four five.", "Six seven eight nine ten."))
    )
    hypothesis = (
        '<tstset><doc docid="a" sysid="m"><seg id="1">Six seven eight nine ten.</seg></doc>'
    )
    files = str(written("out.sgm", hypothesis)), [str(written("ref.sgm", reference))]
    assert evaluate_files(*files, MetricSettings(metrics=["s-bleu"])).scores[
        0
    ].score == pytest.approx(100)

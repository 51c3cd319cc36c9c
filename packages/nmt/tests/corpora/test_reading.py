"""Every format gives the documents of its files, in order, one at a time."""

from __future__ import annotations

import gzip
import lzma
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage import files
from docmt_nmt import corpora
from docmt_nmt.corpora import jsonl, parquet
from docmt_nmt.corpora.demo import corpus_file

TWO = [Document("1", ("One.", "Two."), ("Eins.", "Zwei.")), Document("2", ("Three.",), ("Drei.",))]
ALONE = [Document(document.id, document.source) for document in TWO]


def put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("boundaries", "source", "target"),
    [
        ("markers", "<d>\nOne.\nTwo.\n<d>\nThree.\n", "<d>\nEins.\nZwei.\n<d>\nDrei.\n"),
        ("markers", "<d> \r\nOne.\r\nTwo.\r\n<d>\r\nThree.", "<d>\nEins.\nZwei.\n<d>\nDrei."),
        ("blank", "One.\nTwo.\n\nThree.\n", "Eins.\nZwei.\n \nDrei.\n"),
        ("blank", "One.\nTwo.\n\nThree.\n\n", "Eins.\nZwei.\n\nDrei.\n\n"),
        ("docids", "One.\nTwo.\nThree.\n", "\ufeffEins.\nZwei.\nDrei.\n"),
    ],
)
def test_line_files_show_where_documents_begin(tmp_path, boundaries, source, target):
    en, de = put(tmp_path / "a.en", source), put(tmp_path / "a.de", target)
    docids = put(tmp_path / "ids", "1\t2\n2\t1\n") if boundaries == "docids" else None
    settings = {"boundaries": boundaries, "docids": docids}
    assert list(corpora.read(en, de, **settings)) == TWO
    assert list(corpora.read(en, **settings)) == ALONE


@pytest.mark.parametrize(
    ("text", "with_docids", "sizes"),
    [
        ("<d>\nA\nB\n<d>\nC\n", False, {"1": 2, "2": 1}),
        ("<d>\nA\nB\n<d>\nC\n", True, {"x": 2, "y": 1}),
        ("A\nB\nC\n", True, {"x": 2, "y": 1}),
        ("A\nB\nC\n", False, {"1": 3}),
    ],
)
def test_the_first_line_and_the_docids_file_show_where_documents_begin(
    tmp_path, text, with_docids, sizes
):
    docids = put(tmp_path / "ids", "x\t2\ny\t1\n") if with_docids else None
    documents = corpora.read(put(tmp_path / "a.en", text), docids=docids)
    assert {document.id: len(document) for document in documents} == sizes


def test_with_boundaries_none_a_file_is_one_document(tmp_path):
    en, de = put(tmp_path / "a.en", "One.\nTwo.\n"), put(tmp_path / "a.de", "Eins.\nZwei.\n")
    assert list(corpora.read(en, de, boundaries="none")) == [TWO[0]]


def test_every_sentence_may_be_a_document(tmp_path):
    en, de = put(tmp_path / "a.en", "One.\nTwo.\n"), put(tmp_path / "a.de", "Eins.\nZwei.\n")
    assert list(corpora.read(en, de, boundaries="sentences")) == [
        Document("1", ("One.",), ("Eins.",)),
        Document("2", ("Two.",), ("Zwei.",)),
    ]


@pytest.mark.parametrize("boundaries", ["markers", "blank"])
def test_a_docids_file_names_documents_that_have_boundaries(tmp_path, boundaries):
    text = {"markers": "<d>\nOne.\nTwo.\n<d>\nThree.\n", "blank": "One.\nTwo.\n\nThree.\n"}
    en = put(tmp_path / "a.en", text[boundaries])
    ids = put(tmp_path / "ids", "talk a\t2\ntalk/b\t1\n")
    documents = list(corpora.read(en, boundaries=boundaries, docids=ids))
    assert [document.id for document in documents] == ["talk a", "talk/b"]


def test_a_tsv_file_without_third_column_has_no_target(tmp_path):
    path = put(tmp_path / "a.tsv", "1\tOne.\n1\tTwo.\n2\tThree.\n")
    assert list(corpora.read(path)) == ALONE


def test_json_lines_may_leave_the_target_out_and_have_other_keys(tmp_path):
    rows = [
        '{"id": "1", "source": ["One.", "Two."], "target": ["Eins.", "Zwei."], "year": 1999}',
        '{"id": "2", "source": ["Three."], "target": null}',
    ]
    path = put(tmp_path / "a.jsonl", "\n".join(rows))
    assert list(corpora.read(path)) == [TWO[0], ALONE[1]]


def test_a_document_on_one_json_line_may_be_longer_than_a_sentence_may(tmp_path):
    document = Document("long", ("A sentence of some length.",) * 50_000)
    corpora.write([document], tmp_path / "a.jsonl")
    assert (tmp_path / "a.jsonl").stat().st_size > files.MAX_LINE_BYTES
    assert list(corpora.read(tmp_path / "a.jsonl")) == [document]


def test_parquet_columns_may_be_of_the_large_types_and_among_others(tmp_path):
    large = pa.large_list(pa.large_string())
    schema = pa.schema([("n", pa.int64()), ("source", large), ("id", pa.large_string())])
    rows = [{"n": n, "id": d.id, "source": d.source} for n, d in enumerate(ALONE)]
    pq.write_table(pa.Table.from_pylist(rows, schema), tmp_path / "a.parquet")
    assert list(corpora.read(tmp_path / "a.parquet")) == ALONE


@pytest.mark.parametrize("suffix", ["en", "en.gz", "en.xz", "tsv.gz", "tsv.xz", "jsonl.gz"])
def test_text_may_be_compressed(tmp_path, suffix):
    plain = tmp_path / suffix.split(".")[0]
    name = tmp_path / f"a.{suffix}"
    corpora.write(ALONE, name)
    corpora.write(ALONE, plain if "en" in suffix else plain.with_name(f"b.{plain.name}"))
    raw = name.read_bytes()
    text = {".gz": gzip.decompress, ".xz": lzma.decompress}.get(name.suffix, bytes)(raw)
    assert "Three." in text.decode()
    assert list(corpora.read(name)) == ALONE


def test_pairs_with_an_empty_side_are_read_if_allowed(tmp_path):
    en, de = put(tmp_path / "a.en", "<d>\nOne.\n\n"), put(tmp_path / "a.de", "<d>\n \nZwei.\n")
    assert list(corpora.read(en, de, allow_empty=True)) == [
        Document("1", ("One.", ""), (" ", "Zwei."))
    ]


@pytest.mark.parametrize(("split", "count", "sentences"), [("dev", 25, 721), ("train", 525, 14825)])
def test_the_bundled_corpus_is_whole_and_its_docids_fit(split, count, sentences):
    sides = [corpus_file(f"{split}.{side}.xz") for side in ("en", "de", "docids")]
    documents = list(corpora.read(sides[0], sides[1], docids=sides[2]))
    assert len(documents) == count
    assert sum(len(document) for document in documents) == sentences


def test_line_files_are_read_no_further_than_needed(tmp_path):
    text = "<d>\n" + "One.\n" * 10
    (tmp_path / "a.en").write_bytes(text.encode() * 1000 + b"\xff\n")
    assert len(list(islice(corpora.read(tmp_path / "a.en"), 5))) == 5


def test_a_parquet_row_group_is_not_read_at_once(tmp_path, monkeypatch):
    rows = [{"id": str(n), "source": [f"{n} " * 50] * 40, "target": None} for n in range(2000)]
    table = pa.Table.from_pylist(rows, parquet.SCHEMA)
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=len(rows))
    before = pa.total_allocated_bytes()
    most = 0
    for document in corpora.read(tmp_path / "a.parquet"):
        assert len(document) == 40
        most = max(most, pa.total_allocated_bytes() - before)
    assert most < table.nbytes / 3


def test_what_is_written_in_json_is_readable_text(tmp_path):
    corpora.write([Document("ü", ("Grüße",))], tmp_path / "a.jsonl")
    assert "Grüße" in (tmp_path / "a.jsonl").read_text(encoding="utf-8")
    assert jsonl.MAX_DOCUMENT_BYTES > files.MAX_LINE_BYTES


@pytest.mark.parametrize("ids", ["x\nx\ny\n", "news\tx\nnews\tx\nnews\ty\n", "a x\na x\nb y\n"])
def test_a_docids_file_may_name_the_document_of_each_sentence(tmp_path, ids):
    """As `sacrebleu --echo docid` writes it, and the folder `documents` of mt-metrics-eval."""
    text, docids = put(tmp_path / "a.en", "One.\nTwo.\nThree.\n"), put(tmp_path / "ids", ids)
    found = [(one.id, one.source) for one in corpora.read(text, docids=docids)]
    assert found == [("x", ("One.", "Two.")), ("y", ("Three.",))]


@pytest.mark.parametrize(
    ("ids", "problem"),
    [
        ("x\ny\nx\n", "the document id 'x' is repeated"),
        ("x\nx\t2\n", "is not a document id"),
        ("x\n\ny\n", "is not a document id"),
        ("\nx\ny\n", "is not a document id"),
        ("x\nx\n", "belongs to no document"),
        ("One is a sentence.\nTwo is, too.\n", "is not a document id"),
    ],
)
def test_documents_of_sentences_that_are_not_in_order_are_refused(tmp_path, ids, problem):
    text, docids = put(tmp_path / "a.en", "One.\nTwo.\nThree.\n"), put(tmp_path / "ids", ids)
    with pytest.raises(InputError, match=problem):
        list(corpora.read(text, docids=docids))

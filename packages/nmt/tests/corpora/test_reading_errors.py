"""Damaged and missing files, and settings that do not fit, are errors with a cure."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.corpora import parquet
from faulty_corpora import GOOD


def damaged_parquet() -> bytes:
    """A file whose pages are overwritten and whose footer is whole."""
    rows = [{"id": str(n), "source": [f"sentence {n}"]} for n in range(500)]
    sink = pa.BufferOutputStream()
    parquet.write_rows(sink, parquet.SCHEMA, rows)
    raw = bytearray(sink.getvalue().to_pybytes())
    raw[40:4000] = b"\xa5" * 3960
    return bytes(raw)


def invalid_text_parquet() -> bytes:
    """A file whose string column holds bytes that are not UTF-8."""
    ids = pa.array([b"\xff\xfe"], pa.binary()).view(pa.string())
    table = pa.Table.from_arrays([ids, pa.array([["x"]])], ["id", "source"])
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize(
    ("name", "raw", "problem"),
    [
        ("a.en.gz", gzip.compress(GOOD, mtime=0)[:-10], "cannot be decompressed"),
        ("a.en.gz", GOOD, "cannot be decompressed"),
        ("a.en.xz", lzma.compress(GOOD * 500)[:-40], "cannot be decompressed"),
        ("a.en.xz", GOOD, "cannot be decompressed"),
        ("a.tsv.gz", b"a\tb\tc\n", "cannot be decompressed"),
        ("a.jsonl.xz", b"{}\n", "cannot be decompressed"),
        ("a.parquet", b"PAR1" + GOOD, "is not a valid Parquet file, or only part of one"),
        ("a.parquet", b"", "is not a valid Parquet file, or only part of one"),
        ("a.parquet", damaged_parquet(), "is not a valid Parquet file, or only part of one"),
        ("a.parquet", invalid_text_parquet(), "is not a valid Parquet file, or only part of one"),
        (
            "a.parquet.gz",
            gzip.compress(b"PAR1", mtime=0),
            "Parquet files are compressed internally",
        ),
    ],
)
def test_damaged_files_are_errors(tmp_path, name, raw, problem):
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(InputError, match=problem) as caught:
        list(corpora.read(tmp_path / name))
    assert Path(caught.value.path) == tmp_path / name
    assert caught.value.cure


@pytest.mark.parametrize("name", ["a.en", "a.en.xz", "a.tsv", "a.jsonl", "a.parquet"])
def test_a_missing_file_is_an_error(tmp_path, name):
    with pytest.raises(InputError, match="no such file"):
        list(corpora.read(tmp_path / name))


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"source": "a.en", "boundaries": "docids"}, "boundaries 'docids' need a docids file"),
        ({"source": "a.en", "boundaries": "none", "docids": "ids"}, "do not use a docids file"),
        ({"source": "a.en", "boundaries": "sentences", "docids": "i"}, "'sentences' do not use"),
        ({"source": "a.en", "boundaries": "lines"}, "unknown boundaries 'lines'"),
        ({"source": "-", "target": "-"}, "only one side can be standard input"),
        ({"source": "a.tsv", "target": "b.en"}, "Leave out 'target'"),
        ({"source": "a.jsonl.gz", "docids": "ids"}, "Leave out 'docids'.* write docids: null"),
        ({"source": "a.parquet", "boundaries": "blank"}, "Leave out 'boundaries'"),
    ],
)
def test_settings_that_do_not_fit_are_errors_at_once(settings, problem):
    with pytest.raises(InputError, match=problem):
        corpora.read(**settings)


def test_an_error_message_says_file_line_problem_and_cure(tmp_path):
    (tmp_path / "a.en").write_bytes(GOOD)
    (tmp_path / "a.de").write_bytes(GOOD.replace(b"Two.\n", b""))
    with pytest.raises(InputError) as caught:
        list(corpora.read(tmp_path / "a.en", tmp_path / "a.de"))
    assert str(caught.value) == (
        f"{tmp_path}/a.en, line 3: a document begins (<d>) in the target only. "
        "Compare the two files before this line; a sentence is missing on one side."
    )

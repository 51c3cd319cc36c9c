"""Faults of files that hold both sides (TSV, JSON lines, Parquet) are errors with a cure."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from docmt_nmt.corpora import parquet
from faulty_corpora import assert_location

TSV = [
    ("one column", "a\n", 1, r"the row has 1 column, not 2 or 3 \(document id, source, target\)"),
    ("a lost third column", "a\tb\tc\na\tb\n", 2, "the row has 2 columns, not 3"),
    ("a third column in a file of two", "a\tb\na\tb\tc\n", 2, "the row has 3 columns, not 2"),
    ("four columns", "a\tb\tc\td\n", 1, "the row has 4 columns, not 2 or 3"),
    ("a blank line", "a\tb\tc\n\n", 2, "the row has 1 column, not 3"),
    (
        "a document in two places",
        "a\tx\ty\nb\tx\ty\na\tx\ty\n",
        3,
        "the document id 'a' is repeated",
    ),
    ("an empty sentence", "a\tx\ty\na\tx\t\n", 2, "the target sentence is empty"),
    ("an empty id", "a\tx\ty\n\tx\ty\n", 2, "the document id is empty"),
    ("no rows", "", None, "there are no documents"),
]

WMT = [
    ("one column", "a\tb\nc\n", 2, "the row has 1 column, not 2"),
    ("three columns", "a\tb\tc\n", 1, "the row has 3 columns, not 2"),
    ("an empty sentence", "a\tb\n\n\tc\n", 3, "the source sentence is empty"),
    ("only rows between documents", "\t\n\n", None, "there are no documents"),
]

JSONL = [
    ("no JSON", '{"id": "a"', 1, r"not JSON \(.* at column 11\)"),
    ("a blank line", '{"id": "a", "source": ["x"]}\n\n', 2, "not JSON"),
    ("no object", '["a"]', 1, "not a JSON object"),
    ("no id", '{"source": ["x"]}', 1, "'id' is missing or not a string"),
    ("a number as id", '{"id": 7, "source": ["x"]}', 1, "'id' is missing or not a string"),
    ("a number of 5000 digits", '{"id": %s}' % ("7" * 5000), 1, "'id' is missing or not a string"),
    ("no source", '{"id": "a", "target": ["x"]}', 1, "'source' is missing or not a list"),
    ("a string as source", '{"id": "a", "source": "x"}', 1, "'source' is missing or not a list"),
    ("a number as sentence", '{"id": "a", "source": ["x", 1]}', 1, "not a list of strings"),
    ("a string as target", '{"id": "a", "source": ["x"], "target": "y"}', 1, "'target' is missing"),
    ("a key twice", '{"id": "a", "source": ["x"], "source": ["y"]}', 1, "'source' is repeated"),
    (
        "unequal sides",
        '{"id": "a", "source": ["x"], "target": []}',
        1,
        "1 source sentence but 0 target sentences",
    ),
    ("an empty document", '{"id": "a", "source": []}', 1, "the document is empty"),
    (
        "an empty sentence",
        '{"id": "a", "source": ["x", ""], "target": ["x", "y"]}',
        1,
        "sentence 2: the source sentence is empty",
    ),
    ("a line break", '{"id": "a", "source": ["x\\ny"]}', 1, "sentence 1: .* holds a line break"),
    ("a NUL", '{"id": "a", "source": ["x\\u0000"]}', 1, "holds a NUL character"),
    (
        "half a surrogate pair",
        '{"id": "a", "source": ["\\ud83d"]}',
        1,
        r"holds half a surrogate pair, U\+D83D",
    ),
    (
        "a long sentence",
        json.dumps({"id": "a", "source": ["x" * 1_000_001]}),
        1,
        "holds more than 1,000,000 bytes",
    ),
    ("an id twice", '{"id": "a", "source": ["x"]}\n' * 2, 2, "'a' is repeated"),
    ("a tab in an id", '{"id": "a\\tb", "source": ["x"]}', 1, "document id .* holds a tab"),
    ("deep nesting", '{"id": ' + "[" * 200_000, 1, r"not JSON \(nested too deeply"),
]


@pytest.mark.parametrize(
    "case",
    [("a.tsv", *case) for case in TSV] + [("a.jsonl", *case) for case in JSONL],
    ids=lambda case: f"{case[0]}: {case[1]}",
)
def test_faults_of_files_that_hold_both_sides(tmp_path, case):
    name, _, text, line, problem = case
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=problem) as caught:
        list(corpora.read(tmp_path / name))
    assert_location(caught.value, tmp_path / name, line)


@pytest.mark.parametrize("case", WMT, ids=lambda case: case[0])
def test_faults_of_files_of_wmt(tmp_path, case):
    _, text, line, problem = case
    path = tmp_path / "news.de-en.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=problem) as caught:
        list(corpora.read(path, boundaries="blank"))
    assert_location(caught.value, path, line)


def test_a_file_of_wmt_in_other_languages_is_refused(tmp_path):
    path = tmp_path / "news-commentary-v15.en-zh.tsv"
    path.write_text("a\tb\n")
    with pytest.raises(InputError, match="columns are en and zh, but the languages are en and de"):
        list(corpora.read(path, boundaries="blank", languages=("en", "de")))


PARQUET = [
    (
        "no source column",
        {"id": pa.string(), "text": pa.string()},
        [],
        "there is no column 'source', only id, text",
    ),
    (
        "a source of strings",
        {"id": pa.string(), "source": pa.string()},
        [],
        "column 'source' is of type string",
    ),
    (
        "a target of numbers",
        {"id": pa.string(), "source": pa.list_(pa.string()), "target": pa.list_(pa.int64())},
        [],
        "column 'target' is of type list<.*int64>",
    ),
    ("no rows", None, [], "there are no documents"),
    ("a null id", None, [{"source": ["x"]}], "row 1: a null where text should be"),
    ("a null sentence", None, [{"id": "a", "source": ["x", None]}], "row 1: a null"),
    ("a null source", None, [{"id": "a", "source": ["x"]}, {"id": "b"}], "row 2: a null"),
    (
        "an empty target",
        None,
        [{"id": "a", "source": ["x"], "target": []}],
        "row 1: document 'a': 1 source sentence but 0 target sentences",
    ),
    (
        "an empty sentence",
        None,
        [{"id": "a", "source": ["x", ""]}],
        "row 1: document 'a': sentence 2: the sentence is empty",
    ),
    (
        "an id twice",
        None,
        [{"id": "a", "source": ["x"]}] * 2,
        "row 2: the document id 'a' is repeated",
    ),
]


@pytest.mark.parametrize("case", PARQUET, ids=[case[0] for case in PARQUET])
def test_faults_of_parquet_files(tmp_path, case):
    _, columns, rows, problem = case
    schema = parquet.SCHEMA if columns is None else pa.schema(list(columns.items()))
    pq.write_table(pa.Table.from_pylist(rows, schema), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=problem) as caught:
        list(corpora.read(tmp_path / "a.parquet"))
    assert_location(caught.value, tmp_path / "a.parquet", None)

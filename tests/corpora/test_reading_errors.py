"""What would silently spoil a corpus is an error that names the file, the line and the cure."""

from __future__ import annotations

import gzip
import json
import lzma
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from docmt import corpora
from docmt.corpora import parquet
from docmt.errors import InputError

LONG = b"x" * 1_000_001
GOOD = b"<d>\nOne.\nTwo.\n<d>\nThree.\n"

LINES = [
    # id, source, target, boundaries, file, line, problem
    (
        "more source lines",
        GOOD + b"Four.\n",
        GOOD,
        "markers",
        "a.en",
        6,
        r"the source has 6 lines but the target .*a\.de has 5",
    ),
    (
        "more target lines",
        GOOD,
        GOOD + b"Four.\nFive.\n",
        "markers",
        "a.de",
        6,
        r"the source has 5 lines but the target .*a\.de has 7",
    ),
    ("an empty target file", GOOD, b"", "markers", "a.en", 1, "5 lines but the target .* has 0"),
    (
        "a marker on one side",
        GOOD,
        GOOD.replace(b"Two.", b"<d>", 1),
        "markers",
        "a.en",
        3,
        r"a document begins \(<d>\) in the target only",
    ),
    (
        "a marker on the other",
        GOOD,
        GOOD.replace(b"d>\nTh", b">\nTh"),
        "markers",
        "a.en",
        4,
        r"a document begins \(<d>\) in the source only",
    ),
    (
        "text before the first marker",
        b"One.\n<d>\nTwo.\n",
        None,
        "markers",
        "a.en",
        1,
        "text before the first <d> line",
    ),
    ("no markers", b"One.\n", b"Eins.\n", "markers", "a.en", 1, "text before the first <d> line"),
    (
        "an empty document",
        b"<d>\n<d>\nOne.\n",
        None,
        "markers",
        "a.en",
        1,
        "the document that begins here is empty",
    ),
    (
        "an empty last document",
        GOOD + b"<d>\n",
        GOOD + b"<d>\n",
        "markers",
        "a.en",
        6,
        "the document that begins here is empty",
    ),
    (
        "two blank lines",
        b"One.\n\n\nTwo.\n",
        None,
        "blank",
        "a.en",
        3,
        "the document that begins here is empty",
    ),
    ("a blank first line", b"\nOne.\n", None, "blank", "a.en", 1, "begins here is empty"),
    (
        "a blank line on one side",
        b"One.\n\nTwo.\n",
        b"Eins.\nX\nZwei.\n",
        "blank",
        "a.en",
        2,
        "the line is blank in the source only",
    ),
    (
        "an empty source sentence",
        GOOD.replace(b"Two.", b" \t"),
        GOOD,
        "markers",
        "a.en",
        3,
        "the source sentence is empty, the target sentence is not",
    ),
    (
        "an empty target sentence",
        GOOD,
        GOOD.replace(b"Two.", b""),
        "markers",
        "a.de",
        3,
        "the target sentence is empty, the source sentence is not",
    ),
    (
        "two empty sentences",
        *[GOOD.replace(b"Two.", b"")] * 2,
        "markers",
        "a.en",
        3,
        "both sentences of the pair are empty",
    ),
    (
        "an empty sentence alone",
        GOOD.replace(b"Two.", b"\xc2\xa0"),
        None,
        "markers",
        "a.en",
        3,
        "the sentence is empty",
    ),
    ("markers with boundaries none", GOOD, None, "none", "a.en", 1, "a <d> line, but boundaries"),
    ("markers with blank lines", GOOD, None, "blank", "a.en", 1, "a <d> line, but boundaries"),
    ("no documents", b"", b"", "markers", "a.en", None, "there are no documents"),
    ("no sentences", b"", None, "none", "a.en", None, "there are no documents"),
    (
        "invalid UTF-8",
        GOOD,
        GOOD.replace(b"Two.", b"Zw\xf6lf"),
        "markers",
        "a.de",
        3,
        "invalid UTF-8 .byte 0xf6 at column 3",
    ),
    ("a NUL byte", GOOD.replace(b"Two.", b"Tw\0."), None, "markers", "a.en", 3, "NUL byte"),
    ("UTF-16", "<d>\nOne.\n".encode("utf-16"), None, "markers", "a.en", 1, "NUL byte"),
    (
        "a carriage return",
        GOOD.replace(b"Two.", b"Two\rand"),
        None,
        "markers",
        "a.en",
        3,
        "the sentence holds a line break",
    ),
    (
        "a long line",
        GOOD.replace(b"Two.", LONG),
        None,
        "markers",
        "a.en",
        3,
        "the line is longer than 1,000,000 bytes",
    ),
]


@pytest.mark.parametrize("case", LINES, ids=[case[0] for case in LINES])
def test_faults_of_line_files(tmp_path, case):
    _, source, target, boundaries, file, line, problem = case
    en, de = tmp_path / "a.en", tmp_path / "a.de"
    en.write_bytes(source)
    if target is not None:
        de.write_bytes(target)
    with pytest.raises(InputError, match=problem) as caught:
        list(corpora.read(en, None if target is None else de, boundaries=boundaries))
    assert_location(caught.value, tmp_path / file, line)


def assert_location(error: InputError, path: Path, line: int | None) -> None:
    assert (Path(error.path), error.line) == (path, line)
    assert error.cure


DOCIDS = [
    ("too few sentences", "a\t2\nb\t2\n", "docids", "ids", 2, "'b' has 2 .* line 3, after 1"),
    ("too many sentences", "a\t2\n", "docids", "a.en", 3, "belongs to no document; .* counts 2"),
    ("no number", "a\t2\nb\n", "docids", "ids", 2, "'b' is not a document id, a tab and a number"),
    ("no sentences", "a\t3\nb\t0\n", "docids", "ids", 2, "number of sentences above 0"),
    ("spaces for a tab", "a 3\n", "docids", "ids", 1, "is not a document id, a tab"),
    ("a huge number", f"a\t{'9' * 30}\n", "docids", "ids", 1, "is not a document id, a tab"),
    ("an id twice", "a\t2\na\t1\n", "docids", "ids", 2, "the document id 'a' is repeated"),
    ("an empty id", "\t3\n", "docids", "ids", 1, "the document id is empty"),
    (
        "another count than the markers",
        "a\t1\nb\t2\n",
        "markers",
        "ids",
        1,
        "'a' has 1 sentence, but the one that begins at line 1 of .* has 2",
    ),
    (
        "fewer names than markers",
        "a\t2\n",
        "markers",
        "ids",
        None,
        "document 2, which begins at line 4 of .*, is missing",
    ),
    (
        "more names than markers",
        "a\t2\nb\t1\nc\t1\n",
        "markers",
        "ids",
        3,
        "document 'c' is missing from .*, which has 2",
    ),
]


@pytest.mark.parametrize("case", DOCIDS, ids=[case[0] for case in DOCIDS])
def test_faults_of_docids_files(tmp_path, case):
    _, docids, boundaries, file, line, problem = case
    (tmp_path / "a.en").write_bytes(
        GOOD if boundaries == "markers" else GOOD.replace(b"<d>\n", b"")
    )
    (tmp_path / "ids").write_text(docids)
    with pytest.raises(InputError, match=problem) as caught:
        list(corpora.read(tmp_path / "a.en", boundaries=boundaries, docids=tmp_path / "ids"))
    assert_location(caught.value, tmp_path / file, line)


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

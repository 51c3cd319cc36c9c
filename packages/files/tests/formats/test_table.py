"""Tables: the cells of some columns are translated, and everything else stays."""

from __future__ import annotations

import csv
import io
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt_files import Columns, Input
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from tables import rows


def read(folder, text, names, name="in.csv", new=False, target="de"):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return Input(columns=Columns(tuple(names.split(",")), new)).read(path, "en", target)


def filled(documents, skeleton, change=str.upper):
    (document,) = documents
    return skeleton.fill_and_report([document.translated([change(s) for s in document.source])])


TABLE = rows("formats/contracts/table.yaml")


@pytest.mark.parametrize(("text", "names", "sentences", "expected"), TABLE)
def test_cells_are_translated_and_the_rest_stays(tmp_path, text, names, sentences, expected):
    documents, skeleton = read(tmp_path, text, names)
    assert list(documents[0].source) == sentences
    assert filled(documents, skeleton, str).text == text
    if expected is not None:
        assert filled(documents, skeleton).text == expected


def test_a_cell_gets_quotation_marks_if_its_translation_needs_them(tmp_path):
    documents, skeleton = read(tmp_path, "id,text\n1,One. Two.\n2,a\n", "text")
    written = filled(documents, skeleton, lambda s: f'{s}, "x"' if s == "One." else s)
    assert written.text == 'id,text\n1,"One., ""x"" Two."\n2,a\n'
    assert written.kept == 0
    documents, skeleton = read(tmp_path, 'id,text\n1,5" disk\n', "text")
    written = filled(documents, skeleton, lambda s: f"{s}, x").text
    assert list(csv.reader(io.StringIO(written))) == [["id", "text"], ["1", '5" disk, x']]


def test_a_tsv_file_without_quotation_marks_gets_none(tmp_path):
    documents, skeleton = read(tmp_path, "id\ttext\n1\ta b\n", "text", "in.tsv")
    assert filled(documents, skeleton, lambda s: f'"{s}",\t').text == 'id\ttext\n1\t"a b",\n'
    text = 'id\ttext\n1\t"a\tb"\n2\tHe said "x" now\n3\t"x" he said\n'
    documents, skeleton = read(tmp_path, text, "text", "in.tsv")
    assert documents[0].source == ("a b", 'He said "x" now', '"x" he said')
    assert filled(documents, skeleton, str).text == text


def test_new_columns_stand_beside_the_old_ones(tmp_path):
    text = 'id,text,n,"title"\r\n1,One. Two.,x,"a ""b"""\r\n2,,y,c\r\n'
    documents, skeleton = read(tmp_path, text, "text,title", new=True)
    assert documents[0].source == ("One.", "Two.", 'a "b"', "c")
    expected = (
        'id,text,text_de,n,"title","title_de"\r\n1,One. Two.,ONE. TWO.,x,"a ""b""","A ""B"""\r\n'
        "2,,,y,c,C\r\n"
    )
    assert filled(documents, skeleton).text == expected
    documents, skeleton = read(tmp_path, "a b\n", "1", new=True)
    assert filled(documents, skeleton).text == "a b,A B\n"


def test_utf_16_stays_utf_16(tmp_path):
    text = "\ufeffid\ttext\r\n1\tgrün ist\r\n"
    for encoding in ("utf-16-le", "utf-16-be"):
        documents, skeleton = read(tmp_path, text.encode(encoding), "text", "in.tsv")
        assert filled(documents, skeleton).data == text.replace("grün ist", "GRÜN IST").encode(
            encoding
        )
    with pytest.raises(InputError, match="line 1: invalid UTF-16"):
        read(tmp_path, b"\xff\xfea\x00\x00\xd8", "1")


@pytest.mark.parametrize(
    ("text", "names", "message"),
    [
        ("id,text\n1,a,b\n", "text", r"in\.csv, line 2: the row has 3 cells, and the first"),
        ('id,text\n1,"a\nb"\n2\n', "text", "line 4: the row has 1 cell,"),
        ("id,text\n1,a\n", "txt", "has no column 'txt', but 'id', 'text': did you mean 'text'"),
        ("id,text\n1,a\n", "3", "has no column '3'"),
        ("a,a\n1,a\n", "a", "has 2 columns with the name 'a'"),
        ("", "text", "has no rows"),
        ("id,text\n1,12\n", "text", "has no text"),
    ],
)
def test_what_is_no_table_with_these_columns_is_refused(tmp_path, text, names, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, text, names)


def test_a_table_needs_columns_and_only_a_table_has_them(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("id,text\n1,One.\n")
    with pytest.raises(InputError, match=r"Add `columns` with their names.* 1 \(id\), 2 \(text\)"):
        Input().read(path, "en")
    (tmp_path / "in.json").write_text('["a"]')
    with pytest.raises(InputError, match="is not a table, which `columns` is for"):
        Input(columns=Columns(("text",))).read(tmp_path / "in.json", "en")
    with pytest.raises(InputError, match="`columns` excludes"):
        Input(segmented=True, columns=Columns(("text",)))
    with pytest.raises(InputError, match="`columns` has an empty name"):
        Columns(("a", ""))


def test_of_a_folder_only_tables_are_translated_with_columns():
    tables, all_files = Input(columns=Columns(("text",))).chooser(), Input().chooser()
    assert [tables(Path(name)) for name in ("a.csv", "a.TSV", "a.json")] == [True, True, False]
    names = ("a.csv", "a.tsv", "a.json", "package.json", "tsconfig.base.json", "vite.config.json")
    assert [all_files(Path(name)) for name in names] == [False, False, True, False, False, False]


def test_a_tsv_file_is_a_corpus_unless_columns_are_named(tmp_path):
    path = tmp_path / "in.tsv"
    path.write_text("a\tOne. Two.\nb\tThree.\n")
    documents, _ = Input().read(
        path, "en", read_corpus=lambda *_: ([Document("corpus", ("One.",))], None)
    )
    assert [d.id for d in documents] == ["corpus"]
    ((document,), _) = Input(columns=Columns(("2",))).read(path, "en")
    assert document.source == ("One.", "Two.", "Three.")


CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=8) | (
    st.sampled_from(["One. Two", 'a "b"', "x,y", "a;b\tc", "p\r\nq", "<b>r</b> {n}"])
)


@settings(max_examples=150)
@given(
    st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=5),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    st.booleans(),
)
def test_filled_with_its_source_a_table_is_as_it_was(
    tmp_path_factory, rows, delimiter, end, quoting, new
):
    rows = [("id", "text", "title"), ("1", "some words", "more words"), *rows]
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(rows)
    text = stream.getvalue()
    folder = tmp_path_factory.mktemp("table")
    documents, skeleton = read(folder, text, "title", new=new)
    same = filled(documents, skeleton, str).text
    changed = filled(documents, skeleton, lambda s: f'{s}ü",;\t|').text

    def parsed(text):
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))

    if not new:
        assert same == text
        assert [row[:2] for row in parsed(changed)] == [list(row[:2]) for row in parsed(text)]
    else:
        copies = [[*row, row[-1] + "_de" * (i == 0)] for i, row in enumerate(parsed(text))]
        assert parsed(same) == copies
        assert [row[:3] for row in parsed(changed)] == [row[:3] for row in copies]
    assert parsed(changed)[0] == parsed(same)[0]


@pytest.mark.by_default(2)
@pytest.mark.parametrize("unit", ["a,b c\n", '"a","""b"""\n', 'a,"b c\n', '"a,b\n', "a,b, c\n"])
def test_reading_takes_linear_time(tmp_path, unit):
    start = time.process_time()
    try:
        documents, skeleton = read(tmp_path, unit * 1_500, "2")
        filled(documents, skeleton, lambda s: f"{s}, d")
    except InputError:
        pass
    assert time.process_time() - start < 2

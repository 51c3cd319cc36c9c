"""Faults of line files and docids files are errors that name the file, the line and the cure."""

from __future__ import annotations

import pytest

from docmt_files.base.errors import InputError
from docmt_nmt import corpora
from faulty_corpora import GOOD, LONG, assert_location

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

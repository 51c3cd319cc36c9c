"""Files that are not plain text are refused, with what they are and what to do."""

from __future__ import annotations

import gzip
import io
import sys
import zipfile
from pathlib import Path

import pytest

from docmt_files import Input
from docmt_files.base.errors import InputError
from docmt_files.text.plain_text import read_plain_text

SRT = "1\n00:00:01,000 --> 00:00:03,500\n<i>Where are you going?</i>\n"
PO = 'msgid ""\nmsgstr ""\n\nmsgid "Open"\nmsgstr ""\n'


def _zipped() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("word/document.xml", "<w:p/>")
    return stream.getvalue()


BY_NAME = [
    ("film.SBV", "a file of subtitles"),
    ("notes.tex", "a file with markup"),
    ("data.tex.gz", "a file with markup"),
    ("letter.doc", "a text document of an old or closed format"),
    ("letter.PAGES", "a text document of an old or closed format"),
    ("table.xls", "a spreadsheet of an old or closed format"),
    ("talk.ppt", "a presentation of an old or closed format"),
    ("letter.rtf", "a document in RTF"),
    ("letter.pdf", "a PDF document, which has characters in places but no paragraphs"),
    ("a.toml", "a data file"),
    ("book.mobi", "an e-book of a closed format"),
]


@pytest.mark.parametrize(("name", "what"), BY_NAME)
@pytest.mark.parametrize("segmented", [False, True])
def test_a_name_says_what_a_file_is(tmp_path: Path, name: str, what: str, segmented: bool) -> None:
    path = tmp_path / name
    path.write_bytes(b"Some text.\n")
    with pytest.raises(InputError, match=f"{name}: is {what}, not plain text.* `file_format=text`"):
        Input(segmented=segmented).read(path, "en")


@pytest.mark.parametrize(
    "name",
    [
        *(f"a{suffix}" for suffix in (".typ", ".eml", ".lrc")),
        *(f"a{suffix}" for suffix in (".py", ".h", ".css", ".sql", ".log", ".1", ".de", ".CSS.gz")),
        ".env",
        "Makefile",
        "Dockerfile",
    ],
)
def test_a_name_of_no_known_format_is_refused_unless_asked_for(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    content = b"Open the file.\n"
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    with pytest.raises(InputError, match=r"plain text.* add `file_format=text`"):
        Input().read(path, "en")
    (document,), _ = Input(file_format="text").read(path, "en")
    assert document.source == ("Open the file.",)


@pytest.mark.parametrize(
    "name",
    [
        *("README", "LICENSE", "Letter to Mr. Smith", "a.txt", "A.TXT", "a.text", "a.txt.gz"),
        *("b.txt.utf-8", "test.en", "test.en-GB", "test.en_us"),
    ],
)
def test_plain_text_is_known_by_its_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    content = b"Open the file.\n"
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert Input().read(path, "en-GB")[0][0].source == ("Open the file.",)


def test_lines_may_have_any_name_of_no_format(tmp_path: Path) -> None:
    path = tmp_path / "newstest.src"
    path.write_text("One.\nTwo.\n")
    assert Input(segmented=True).read(path, "en")[0][0].source == ("One.", "Two.")


@pytest.mark.parametrize("name", ["README.md", "a.markdown", "page.html", "a.xhtml.gz"])
def test_lines_are_not_markup(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"Some text.\n")
    with pytest.raises(InputError, match=f"{name}: is an? .*(Markdown|HTML).*, not plain text"):
        Input(segmented=True).read(path, "en")


BY_CONTENT = [
    (SRT, "a file of subtitles"),
    ("\ufeff" + SRT.replace("\n", "\r\n"), "a file of subtitles"),
    ("WEBVTT\n\n00:01.000 --> 00:02.000\nHi.\n", "a file of subtitles"),
    ("<!DOCTYPE html>\n<html><body>Hi.</body></html>\n", "an HTML page"),
    ("\n<p>Hi.\nHow are you?</p>\n", "an HTML page"),
    ('<?xml version="1.0"?>\n<a>Hi.</a>\n', "a file with markup"),
    (PO, "a file of messages to translate"),
    ("#!/bin/sh\necho Hi.\n", "the source code of a program"),
    ("<?php\nreturn ['a' => 'Hi.'];\n", "the source code of a program"),
    ('{"id": "a", "source": ["Hi."]}\n{"id": "b", "source": ["Hi."]}\n', "JSON"),
    ('[\n  "Hi."\n]\n', "JSON"),
]


@pytest.mark.parametrize(("text", "what"), BY_CONTENT)
def test_its_contents_say_what_a_file_is(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "in.txt"
    path.write_bytes(text.encode())
    with pytest.raises(InputError, match=f"is {what}, not plain text"):
        Input().read(path, "en")
    lines = read_plain_text(path, force=True)
    assert lines.mark + "".join(map(str.__add__, lines.lines, lines.ends)) == text


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (_zipped(), "a ZIP file, as are .docx"),
        (b"%PDF-1.7\n\xe2\xe3\n", r"a PDF document.*save it as \.docx"),
        (b"{\\rtf1 Hi.}", r"a document in RTF.*Save it as \.docx"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document of an old format"),
        (gzip.compress(b"Hi.", mtime=0), "compressed"),
        ("Hi.".encode("utf-16"), "text in UTF-16"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
    ],
)
@pytest.mark.parametrize("force", [False, True])
def test_its_first_bytes_say_that_a_file_is_not_text(
    tmp_path: Path, content: bytes, what: str, force: bool
) -> None:
    path = tmp_path / "in.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"is {what}"):
        Input(file_format="text" if force else None).read(path, "en")


CODE = [
    '"a" = "Open the file";\n"b" = "Save";\n',
    "# Names\na.b=Open the file\na.c=Save\n",
    'en:\n  hello: "Hello"\n  bye: "Bye"\n',
    "#include <stdio.h>\nint main(void) { return 0; }\n",
    "import os\n\ndef main():\n    print(os.name)\n",
    "[core]\n\teditor = vim\n\tpager = less\n",
]


@pytest.mark.parametrize("text", CODE)
def test_code_without_a_suffix_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "in"
    path.write_text(text)
    with pytest.raises(InputError, match=r"is a file of code, settings or strings.*file_format"):
        Input().read(path, "en")
    path.rename(tmp_path / "in.txt")
    assert Input().read(tmp_path / "in.txt", "en")
    assert Input(file_format="text").read(tmp_path / "in.txt", "en")


def test_what_is_no_text_is_not_said_to_be_forced(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.7\n")
    with pytest.raises(InputError) as caught:
        Input().read(path, "en")
    assert "is a PDF document" in str(caught.value) and "`file_format`" not in str(caught.value)


def test_standard_input_is_looked_at_too(monkeypatch: pytest.MonkeyPatch) -> None:
    for content, what in ((_zipped(), "a ZIP file"), (SRT.encode(), "a file of subtitles")):
        stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(content)))  # type: ignore[arg-type]
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(InputError, match=f"standard input: is {what}"):
            Input().read("-", "en")


@pytest.mark.parametrize(
    "text",
    [
        "1\nChapter\n",
        "<3 is a heart.\nNot markup.\n",
        "[1] See there.\n[2] And here.\n",
        "{0} files\n",
        "a --> b\n",
        "msgid is a word of PO files\n",
        "A < b and c > d\n",
        "At 10:30:00, he --> left\n",
        'Anna: "Hello."\nBob: "Good morning."\n',
        "apples;\npears (green);\nplums.\n",
        "Let x = 3.\ny = 4\nThen the sum is 7.\n",
    ],
)
@pytest.mark.parametrize("name", ["in.txt", "in"])
def test_plain_text_may_look_a_little_like_other_files(
    tmp_path: Path, text: str, name: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    (document,), _ = Input().read(path, "en")
    assert document.source


def test_a_file_with_markers_is_not_taken_for_running_text(tmp_path: Path) -> None:
    path = tmp_path / "test.en"
    path.write_text("<d>\nOne.\nTwo.\n")
    with pytest.raises(InputError, match=r"begins with a <d> line.*Add `segmented`"):
        Input().read(path, "en")
    assert len(Input(segmented=True).read(path, "en")[0][0]) == 2


def test_formats_alone_refuse_corpora(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "a", "source": ["One."]}\n')
    for form in (Input(), Input(shard="1/2")):
        with pytest.raises(InputError, match=r"the name of a corpus.*docmt_nmt\.corpora\.read"):
            form.read(tmp_path / "a.jsonl", "en")

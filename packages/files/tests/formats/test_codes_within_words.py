"""Codes within words in every format with formatting, through files."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docmt_files.core.inline import Text
from docmt_files.format_registry import FORMATS
from formats.every_format import read, translated
from formats.office_packages import (
    docx,
    paragraph,
    pptx,
    row,
    run,
    shape,
    shape_paragraph,
    shape_run,
    xlsx,
)
from formats.samples.epub import book, page
from formats.test_odf_paragraphs import package


def tagged(opening, closing):
    """What writes `<x>` as this."""
    return lambda text: text.replace("<", "\1").replace(">", closing).replace("\1", opening)


def in_runs(plain, raised):
    """What writes text in runs, `<x>` as a raised one."""

    def write(text):
        pieces = re.split(r"<(.*?)>", text)
        return "".join((raised if i % 2 else plain)(p) for i, p in enumerate(pieces) if p)

    return write


def rich(properties):
    return lambda text: f'<r>{properties}<t xml:space="preserve">{text}</t></r>'


WORD = in_runs(run, lambda text: run(text, '<w:vertAlign w:val="superscript"/>'))
SLIDE = in_runs(shape_run, lambda text: shape_run(text, ' baseline="30000"'))
CELL = in_runs(rich(""), rich('<rPr><vertAlign val="superscript"/></rPr>'))
HTML = tagged("<sup>", "</sup>")
ODF = tagged('<text:span text:style-name="T1">', "</text:span>")
XLIFF = tagged('<g id="1">', "</g>")

FILES = {
    "html": lambda text: f"<p>{HTML(text)}</p>".encode(),
    "markdown": lambda text: tagged("*", "*")(text).encode(),
    "android": lambda text: (
        f'<resources><string name="a">{HTML(text)}</string></resources>'.encode()
    ),
    "xliff": lambda text: (
        '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" '
        'datatype="plaintext" source-language="en"><body><trans-unit id="1"><source>'
        f"{XLIFF(text)}</source></trans-unit></body></file></xliff>".encode()
    ),
    "epub": lambda text: book({"OPS/text/two.xhtml": page(f"<p>{HTML(text)}</p>")}),
    "docx": lambda text: docx(paragraph(WORD(text))),
    "pptx": lambda text: pptx([shape(shape_paragraph(SLIDE(text)))]),
    "xlsx": lambda text: xlsx([CELL(text)], [row(1, 0)]),
    "odf": lambda text: package(f"<text:p>{ODF(text)}</text:p>", own=False),
}
"""By format, what writes a file with a text, in which `<x>` is raised."""

SUFFIX = {"markdown": ".md", "xliff": ".xlf", "android": ".xml", "odf": ".odt"}
by_format = pytest.mark.parametrize(
    "file_format", [f for f in FORMATS if f.name in FILES], ids=lambda each: each.name
)
WORDS = st.from_regex(r"[A-Z][a-z]{3,5}[0-9]{0,2}[a-z]{0,2}", fullmatch=True)


def shown(blocks):
    """The texts of blocks with `<` and `>` for the ends of pairs."""
    marks = {"open": "<", "close": ">", "void": ""}
    return [
        "".join(p.text if isinstance(p, Text) else marks[p.kind] for p in block.parts)
        for block in blocks
    ]


def filled(file_format, folder, source, change):
    """A file with a source text filled with the translation by `change`, and read again: the texts
    with codes, and the result."""
    path = Path(folder) / f"in{SUFFIX.get(file_format.name, file_format.suffixes[0])}"
    path.write_bytes(FILES[file_format.name](source))
    documents, skeleton = read(file_format, path, "de")
    assert re.sub("[<>]", "", source) in documents[0].source
    same = skeleton.fill_and_report(translated(documents, lambda text: text))
    result = skeleton.fill_and_report(translated(documents, change))
    return shown(skeleton.find(result.text).blocks), result, same


@by_format
@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=3, unique=True), st.data())
def test_words_that_are_kept_have_their_codes_at_the_same_characters(file_format, words, data):
    marked = [f"{first}<{second[:2]}>{second[2:]}" for first, second in words]
    turned = data.draw(st.permutations(marked))
    source = f"the {' is '.join(marked)} now"
    target = f"der {' war '.join(turned)} nun"

    def change(text):
        return re.sub("[<>]", "", target) if text == re.sub("[<>]", "", source) else text

    with TemporaryDirectory() as folder:
        texts, result, same = filled(file_format, folder, source, change)
    assert target in texts and not result.moved and not result.kept
    assert not same.moved


@by_format
def test_a_word_that_is_another_has_the_codes_around_it_and_a_note(tmp_path, file_format):
    known = {"an unbelievable file": "eine unglaubliche Datei"}
    texts, result, _ = filled(
        file_format, tmp_path, "an un<believ>able file", lambda text: known.get(text, text)
    )
    assert "eine <unglaubliche> Datei" in texts
    assert result.moved == 1
    assert "1 word with inline codes within, put around whole words: unbelievable" in result.notes

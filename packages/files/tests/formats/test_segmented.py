"""Segmented text: the same lines come out, each sentence in its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.text import segmented

LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\n\r")).map(
    # A sentence that is filled in is on one line.
    lambda line: " ".join(line.splitlines())
)


def same(documents):
    """The documents with their source as translation."""
    return [document.translated(document.source) for document in documents]


def written(tmp_path, text):
    path = tmp_path / "in.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_may_hold_many_documents(tmp_path):
    path = written(tmp_path, "<d>\nOne.\nTwo.\n\n<d>\n  Three.\n")
    documents, skeleton = segmented.read(path, "en")
    assert [document.source for document in documents] == [("One.", "Two.", ""), ("Three.",)]
    assert [document.id for document in documents] == [f"{path}:1", f"{path}:2"]
    german = [["Eins.", "Zwei.", ""], ["Drei."]]
    translated = [d.translated(target) for d, target in zip(documents, german, strict=True)]
    assert skeleton.fill(translated) == "<d>\nEins.\nZwei.\n\n<d>\n  Drei.\n"


def test_without_markers_a_file_is_one_document(tmp_path):
    path = written(tmp_path, "One.\nTwo.")
    documents, skeleton = segmented.read(path, "en")
    assert documents == [Document(str(path), ("One.", "Two."))]
    assert skeleton.fill(same(documents)) == "One.\nTwo."


def test_blank_lines_separate_documents_if_that_is_said(tmp_path):
    path = written(tmp_path, "One.\nTwo.\n\nThree.\n")
    documents, skeleton = segmented.read(path, "en", boundaries="blank")
    assert [document.source for document in documents] == [("One.", "Two."), ("Three.",)]
    assert skeleton.fill(same(documents)) == "One.\nTwo.\n\nThree.\n"
    (document,), skeleton = segmented.read(path, "en", boundaries="none")
    assert document.source == ("One.", "Two.", "", "Three.")
    assert skeleton.fill(same([document])) == "One.\nTwo.\n\nThree.\n"


def test_a_blank_line_that_may_end_a_document_is_an_error(tmp_path):
    path = written(tmp_path, "One.\nTwo.\n\nThree.\n")
    with pytest.raises(InputError, match=r"in\.txt, line 3: a blank line .*`boundaries=blank`"):
        segmented.read(path, "en")
    (document,), _ = segmented.read(written(tmp_path, "\nOne.\n\n"), "en")
    assert document.source == ("", "One.", "")


def test_docids_name_the_documents(tmp_path):
    path, docids = written(tmp_path, "One.\nTwo.\nThree.\n"), tmp_path / "docids"
    docids.write_text("a\t1\nb\t2\n")
    documents, skeleton = segmented.read(path, "en", docids=docids)
    assert [(d.id, d.source) for d in documents] == [("a", ("One.",)), ("b", ("Two.", "Three."))]
    assert skeleton.fill(same(documents)) == "One.\nTwo.\nThree.\n"


@pytest.mark.parametrize("boundaries", ["sentences", "none"])
def test_a_file_of_sentences_is_filled_alike(tmp_path, boundaries):
    path = written(tmp_path, "One.\nTwo.\n")
    documents, skeleton = segmented.read(path, "en", boundaries=boundaries)
    assert len(documents) == {"sentences": 2, "none": 1}[boundaries]
    assert skeleton.fill(same(documents)) == "One.\nTwo.\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("One.\n<d>\nTwo.\n", "line 2: a <d> line, but boundaries are 'none'"),
        ("<d>\n<d>\nTwo.\n", "line 1: the document that begins here is empty"),
    ],
)
def test_documents_are_told_apart_as_in_corpora(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        segmented.read(written(tmp_path, text), "en")


@given(
    st.lists(LINE | st.sampled_from(["", "  ", " indented", "trailing\t"])),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\ufeff"]),
    st.booleans(),
)
def test_filled_with_its_source_a_file_is_as_it_was(tmp_path_factory, lines, end, mark, last):
    text = mark + end.join(line for line in ["<d>", *lines]) + (end if last else "")
    path = tmp_path_factory.mktemp("segmented") / "in.txt"
    path.write_text(text, encoding="utf-8", newline="")
    if not any(line.strip() for line in lines):
        with pytest.raises(InputError, match="has no text"):
            segmented.read(path, "en")
        return
    documents, skeleton = segmented.read(path, "en")
    assert skeleton.fill(same(documents)) == text


def test_a_line_break_in_a_translation_does_not_shift_lines(tmp_path):
    documents, skeleton = segmented.read(written(tmp_path, "One.\nTwo.\n"), "en")
    assert skeleton.fill([documents[0].translated(["Ei\nns.", "Zwei.\n"])]) == "Ei ns.\nZwei.\n"


@pytest.mark.parametrize(
    "returned",
    [
        lambda documents: documents,
        lambda documents: same(documents)[:1],
        lambda documents: same(documents)[::-1],
        lambda documents: [*same(documents), Document("more", ("a",), ("a",))],
        lambda documents: [Document(documents[0].id, ("a",), ("a",)), *same(documents)[1:]],
    ],
)
def test_a_lost_sentence_is_an_error(tmp_path, returned):
    path = written(tmp_path, "<d>\nOne.\nTwo.\n<d>\nThree.\n")
    documents, skeleton = segmented.read(path, "en")
    with pytest.raises(InputError, match="Return every document"):
        skeleton.fill(returned(documents))


@pytest.mark.parametrize("text", ["", "\n\n", "<d>\n \n"])
def test_a_file_without_text_is_an_error(tmp_path, text):
    with pytest.raises(InputError, match=r"in\.txt: has no text"):
        segmented.read(written(tmp_path, text), "en")


def test_a_file_that_is_not_text_is_named(tmp_path):
    path = tmp_path / "in.txt"
    path.write_bytes(b"One.\n\xff\n")
    with pytest.raises(InputError, match=r"in\.txt, line 2: invalid UTF-8"):
        segmented.read(path, "en")

"""Segmented text: the same lines come out, each sentence in its place."""

from __future__ import annotations

import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.demo import corpus_file
from docmt.documents import Document
from docmt.errors import InputError
from docmt.formats import segmented

LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\n\r")).map(
    # What read_lines takes away, or str.splitlines would take for a line's end.
    lambda line: " ".join(line.splitlines()).removeprefix("\ufeff").rstrip()
)


def same(documents):
    """The documents with their source as translation."""
    return [document.translated(document.source) for document in documents]


def written(tmp_path, text):
    path = tmp_path / "in.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_may_hold_many_documents(tmp_path):
    path = written(tmp_path, "<d>\nOne.\nTwo.\n\n<d>\n<d>\n  Three.\n")
    documents, skeleton = segmented.read(path, "en")
    assert [document.source for document in documents] == [("One.", "Two."), ("Three.",)]
    assert [document.id for document in documents] == [f"{path}:1", f"{path}:2"]
    translated = [documents[0].translated(["Eins.", "Zwei."]), documents[1].translated(["Drei."])]
    assert skeleton.fill(translated) == "<d>\nEins.\nZwei.\n\n<d>\n<d>\n  Drei.\n"


def test_without_markers_a_file_is_one_document(tmp_path):
    path = written(tmp_path, "One.\n\nTwo.")
    documents, skeleton = segmented.read(path, "en")
    assert documents == [Document(str(path), ("One.", "Two."))]
    assert skeleton.fill(same(documents)) == "One.\n\nTwo.\n"


def test_text_before_the_first_marker_is_a_document(tmp_path):
    documents, skeleton = segmented.read(written(tmp_path, "One.\n<d>\nTwo.\n"), "en")
    assert [document.source for document in documents] == [("One.",), ("Two.",)]
    assert skeleton.fill(same(documents)) == "One.\n<d>\nTwo.\n"


@given(st.lists(LINE | st.sampled_from(["", "<d>", "  ", " indented"])))
def test_filled_with_its_source_a_file_is_as_it_was(tmp_path_factory, lines):
    text = "".join(line + "\n" for line in lines)
    path = written(tmp_path_factory.mktemp("segmented"), text)
    if all(line.strip() in ("", "<d>") for line in lines):
        with pytest.raises(InputError, match="has no text"):
            segmented.read(path, "en")
        return
    documents, skeleton = segmented.read(path, "en")
    assert skeleton.fill(same(documents)) == text


def test_real_files_are_as_they_were():
    path = corpus_file("dev.de.xz")
    documents, skeleton = segmented.read(path, "de")
    assert len(documents) == 25
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        assert skeleton.fill(same(documents)) == lines.read()


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

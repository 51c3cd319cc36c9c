"""Documents split into words."""

from __future__ import annotations

import pytest

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_research.discourse import Text

SOURCE = [Document("a", ("I see.", "It is.")), Document("b", ("No.",))]
TARGET = [Document("a", ("", ""), ("Ich sehe.", "Es ist.")), Document("b", ("",), ("Nein.",))]


def test_every_sentence_has_the_words_of_its_sides():
    text = Text.of(SOURCE, TARGET, None, languages=("en", "de"))
    assert [(s.document, s.number) for s in text.sentences] == [("a", 1), ("a", 2), ("b", 1)]
    assert text.sentences[1].source == ["It", "is", "."]
    assert text.sentences[1].hypothesis == ["Es", "ist", "."]
    assert text.sentences[1].reference == []
    assert (text.documents, text.document_ids) == (2, ["a", "b"])


def test_an_empty_translation_has_no_words():
    empty = [TARGET[0].translated(["", "Es ist."]), TARGET[1]]
    assert Text.of(SOURCE, empty, TARGET, languages=("en", "de")).sentences[0].hypothesis == []


def test_documents_that_do_not_match_are_named():
    with pytest.raises(InputError, match=r"the source has 2 documents .* out.de 1 document"):
        Text.of(SOURCE, TARGET[:1], None, languages=("en", "de"), name="out.de")
    with pytest.raises(InputError, match="document 1 is 'a' in the source but 'b'"):
        Text.of(
            [Document("a", ("x",)), Document("b", ("y",))],
            [Document("b", ("x",), ("x",)), Document("a", ("y",), ("y",))],
            None,
            languages=("en", "de"),
        )
    with pytest.raises(InputError, match="reference is empty"):
        Text.of(
            SOURCE, TARGET, [TARGET[0].translated(["", "x"]), TARGET[1]], languages=("en", "de")
        )


def test_joined_sentences_cannot_be_aligned_with_the_source():
    joined = [document.join([len(document)]) for document in TARGET]
    with pytest.raises(InputError, match=r"not aligned with those of the source.*d-bleu"):
        Text.of(SOURCE, joined, None, languages=("en", "de"))

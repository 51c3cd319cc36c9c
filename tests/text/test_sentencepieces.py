"""Sentencepiece gives back every sentence, whatever its characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt.errors import InputError
from docmt.text import sentencepieces
from docmt.text.normalization import collapse
from docmt.text.sentencepieces import SentencePieces

ANY = st.characters(exclude_categories=["Cs"])
LITERAL = st.sampled_from(
    ["▁", "<s>", "</s>", "<unk>", "<pad>", "<0x41>", " ", "@@", "\0", "▅", "\ufffd"]
)
TEXT = st.lists(ANY | LITERAL | st.sampled_from("aeinrst ,.")).map("".join).map(collapse)


@pytest.fixture(scope="module", params=["unigram", "bpe"])
def pieces(request, english, german) -> SentencePieces:
    return SentencePieces.learn([english, german], kind=request.param, size=1000)


def test_every_text_comes_back(pieces):
    @given(TEXT)
    def comes_back(text):
        (numbers,) = pieces.apply([text])
        assert pieces.invert(numbers) == text
        assert not pieces.vocabulary.special_ids.intersection(numbers)

    comes_back()


def test_real_text_comes_back(pieces, unseen):
    for text, numbers in zip(unseen, pieces.apply(unseen), strict=True):
        assert pieces.invert(numbers) == text


def test_text_of_any_script_comes_back(pieces, any_script):
    text = collapse(any_script)
    assert pieces.invert(pieces.apply([text])[0]) == text


def test_the_vocabulary_is_that_of_the_model(pieces):
    assert len(pieces.vocabulary) == 1000
    assert pieces.vocabulary.tokens[:5] == ("<s>", "<pad>", "</s>", "<unk>", "<0x00>")
    assert pieces.pieces("▁ the") == ["▁", "<0xE2>", "<0x96>", "<0x81>", "▁the"]
    assert pieces.invert([3]) == "<unk>"
    assert pieces.apply([""]) == [[]]


def test_rare_characters_are_spelled_by_bytes_beyond_the_coverage(english):
    corpus = [*english, "✂ ☕"]
    for coverage, has_piece in ((1.0, True), (0.999, False)):
        pieces = SentencePieces.learn([corpus], kind="unigram", size=1000, coverage=coverage)
        assert ("✂" in "".join(pieces.vocabulary.tokens)) == has_piece
        assert pieces.invert(pieces.apply(["✂ ☕"])[0]) == "✂ ☕"


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_the_same_corpus_gives_the_same_model(kind, english):
    models = [SentencePieces.learn([english[:2000]], kind=kind, size=600).model for _ in range(2)]
    assert models[0] == models[1]


def test_a_large_corpus_is_thinned_evenly_and_always_alike(monkeypatch, english):
    monkeypatch.setattr(sentencepieces, "SENTENCES", 1000)
    thinned = SentencePieces.learn([english], kind="bpe", size=600).model
    assert thinned == SentencePieces.learn([english[::4]], kind="bpe", size=600).model


def test_text_like_marks_in_the_corpus_makes_no_marks(english):
    corpus = [*english[:500], *["<s> a </s> <unk> <pad> <0x41> b▁c ▅ d\0e"] * 500]
    pieces = SentencePieces.learn([corpus], kind="unigram", size=500)
    text = corpus[-1]
    assert pieces.invert(pieces.apply([text])[0]) == text
    assert not pieces.vocabulary.special_ids.intersection(pieces.apply([text])[0])


def test_a_sentence_of_any_length_is_learnt_from():
    corpus = ["ab" * 200_000, "c d"]
    pieces = SentencePieces.learn([corpus], kind="bpe", size=266)
    assert "ab" in pieces.vocabulary.ids


@pytest.mark.parametrize(
    ("sentences", "size", "message"),
    [
        (["the cat sat on the mat"] * 9, 8000, "Set text.vocabulary to 2.. or less"),
        (["the cat sat on the mat"] * 9, 262, "Set text.vocabulary to more than 2"),
        (["▁"], 300, "may hold next to no text|or less"),
    ],
)
def test_a_size_that_the_corpus_does_not_fit_is_an_error(sentences, size, message):
    with pytest.raises(InputError, match=message):
        SentencePieces.learn([sentences], kind="unigram", size=size)


@pytest.mark.parametrize("content", [b"", b"no model", b"\x0a\xff\xff\xff\xff"])
def test_a_file_that_is_no_model_is_named(tmp_path, content):
    (tmp_path / "joint.model").write_bytes(content)
    with pytest.raises(InputError, match=r"joint\.model: is (empty|no sentencepiece model)"):
        SentencePieces.load(tmp_path / "joint")

"""Sentencepiece gives back every sentence, whatever its characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docmt_files.base.errors import InputError
from docmt_nmt.text import sentencepiece
from docmt_nmt.text.normalization import collapse_whitespace
from docmt_nmt.text.sentencepiece import SentencePiece

ANY = st.characters(exclude_categories=["Cs"])
LITERAL = st.sampled_from(
    ["▁", "<s>", "</s>", "<unk>", "<pad>", "<0x41>", " ", "@@", "\0", "▅", "\ufffd"]
)
TEXT = st.lists(ANY | LITERAL | st.sampled_from("aeinrst ,.")).map("".join).map(collapse_whitespace)


@pytest.fixture(scope="module", params=["unigram", "bpe"])
def model(request, english, german) -> SentencePiece:
    return SentencePiece.learn([english, german], kind=request.param, size=1000)


def test_every_text_comes_back(model):
    @given(TEXT)
    def comes_back(text):
        (ids,) = model.encode([text])
        assert model.decode(ids) == text
        assert not model.vocabulary.special_ids.intersection(ids)

    comes_back()


def test_real_text_comes_back(model, unseen):
    for text, ids in zip(unseen, model.encode(unseen), strict=True):
        assert model.decode(ids) == text


def test_text_of_any_script_comes_back(model, any_script):
    text = collapse_whitespace(any_script)
    assert model.decode(model.encode([text])[0]) == text


def test_the_vocabulary_is_that_of_the_model(model):
    assert len(model.vocabulary) == 1000
    assert model.vocabulary.tokens[:5] == ("<s>", "<pad>", "</s>", "<unk>", "<0x00>")
    assert model.split("▁ the") == ["▁", "<0xE2>", "<0x96>", "<0x81>", "▁the"]
    assert model.decode([3]) == "<unk>"
    assert model.encode([""]) == [[]]


def test_rare_characters_are_spelled_by_bytes_beyond_the_coverage(english):
    corpus = [*english, "✂ ☕"]
    for coverage, in_vocabulary in ((1.0, True), (0.999, False)):
        model = SentencePiece.learn([corpus], kind="unigram", size=1000, coverage=coverage)
        assert ("✂" in "".join(model.vocabulary.tokens)) == in_vocabulary
        assert model.decode(model.encode(["✂ ☕"])[0]) == "✂ ☕"


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_the_same_corpus_gives_the_same_model(kind, english):
    models = [SentencePiece.learn([english[:2000]], kind=kind, size=600).model for _ in range(2)]
    assert models[0] == models[1]


def test_a_large_corpus_is_thinned_evenly_and_always_alike(monkeypatch, english):
    monkeypatch.setattr(sentencepiece, "MAX_SENTENCES", 1000)
    thinned = SentencePiece.learn([english], kind="bpe", size=600).model
    assert thinned == SentencePiece.learn([english[::4]], kind="bpe", size=600).model


def test_text_like_special_tokens_in_the_corpus_is_text(english):
    corpus = [*english[:500], *["<s> a </s> <unk> <pad> <0x41> b▁c ▅ d\0e"] * 500]
    model = SentencePiece.learn([corpus], kind="unigram", size=500)
    text = corpus[-1]
    assert model.decode(model.encode([text])[0]) == text
    assert not model.vocabulary.special_ids.intersection(model.encode([text])[0])


def test_a_sentence_of_any_length_is_learned_from():
    corpus = ["ab" * 200_000, "c d"]
    model = SentencePiece.learn([corpus], kind="bpe", size=266)
    assert "ab" in model.vocabulary.ids


@pytest.mark.parametrize(
    ("sentences", "size", "message"),
    [
        (["the cat sat on the mat"] * 9, 8000, "Set text.vocabulary_size to 2.. or less"),
        (["the cat sat on the mat"] * 9, 262, "Set text.vocabulary_size to more than 2"),
        (["▁"], 300, "may hold almost no text|or less"),
    ],
)
def test_a_size_that_the_corpus_does_not_fit_is_an_error(sentences, size, message):
    with pytest.raises(InputError, match=message):
        SentencePiece.learn([sentences], kind="unigram", size=size)


@pytest.mark.parametrize("content", [b"", b"no model", b"\x0a\xff\xff\xff\xff"])
def test_a_file_that_is_not_a_model_is_named(tmp_path, content):
    (tmp_path / "joint.model").write_bytes(content)
    with pytest.raises(
        InputError, match=r"joint\.model: is (an empty|not a valid) sentencepiece model"
    ):
        SentencePiece.load(tmp_path / "joint")

"""Splitting sentences into words, and stems."""

from __future__ import annotations

import sys

import pytest

from docmt_files.base.errors import InputError
from docmt_nmt.text import word_splitting as words
from docmt_nmt.text.word_splitting import has_stemmer, is_word, split_words, stem


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "He’s here, isn't he?", ["He", "’s", "here", ",", "is", "n't", "he", "?"]),
        ("en", "I can't; I'll ask.", ["I", "ca", "n't", ";", "I", "'ll", "ask", "."]),
        (
            "en-GB",
            "the well-known monks' 1,250 robes",
            ["the", "well-known", "monks", "'", "1,250", "robes"],
        ),
        ("de", "„Geht's?“, fragte er.", ["„", "Geht's", "?", "“", ",", "fragte", "er", "."]),
        ("fr", "L’homme qu’il a vu", ["L’", "homme", "qu’", "il", "a", "vu"]),
        ("pi", "Mahāmoggallāna  … ", ["Mahāmoggallāna", "…"]),
        ("zh", "他们说，我们来了。", ["他们", "说", "，", "我们", "来", "了", "。"]),
    ],
)
def test_sentences_are_split_as_the_language_needs_it(language, text, expected):
    if language == "zh":
        pytest.importorskip("rjieba")
    assert split_words(text, language) == expected


def test_words_of_tokenized_text_stand_between_spaces():
    assert split_words("l'homme isn't 他们 ,", "ja", tokenized=True) == [
        "l'homme",
        "isn't",
        "他们",
        ",",
    ]


def test_a_language_without_spaces_needs_segmented_text():
    with pytest.raises(InputError, match=r"cannot split 'ja' into words.*`tokenized`"):
        split_words("彼は来た。", "ja")


def test_chinese_without_its_segmenter_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "rjieba", None)
    words._segmenter.cache_clear()
    with pytest.raises(InputError, match=r"pip install 'docmt\[chinese\]'"):
        split_words("他们", "zh")
    words._segmenter.cache_clear()


def test_stems_are_those_of_snowball_in_lower_case():
    assert stem(["Häuser", "Haus", "Hauses", "Häuser"], "de") == ["haus"] * 4
    assert stem(["Monks", "Monk"], "en-US") == ["monk", "monk"]
    assert has_stemmer("de-AT")


def test_a_language_without_a_stemmer_has_lower_case_only():
    assert not has_stemmer("pi")
    assert stem(["Buddhassa"], "pi") == ["buddhassa"]


def test_numbers_and_punctuation_are_not_words():
    assert [token for token in ["n't", "3.5", "“", "Mönch"] if is_word(token)] == ["n't", "Mönch"]

"""Which words the subwords of a sentence belong to."""

from __future__ import annotations

import numpy as np
import pytest

from docmt_nmt.text.subword_words import subword_spans, word_shares

WHOLE = [
    (["the", "dog"], ["the", "dog"], [[0], [1]]),
    (["the", "do@@", "g@@", "s"], ["The", "dogs"], [[0], [1, 2, 3]]),
    (["▁the", "▁", "do", "g", "."], ["the", "dog", "."], [[0], [2, 3], [4]]),
    (["Ġthe", "Ġdog"], ["the", "dog"], [[0], [1]]),
    (["do", "##g"], ["dog"], [[0, 1]]),
    # Words may be smaller than subwords between spaces.
    (["it", "&apos;s", "he"], ["it", "'s", "he"], [[0], [1], [2]]),
    (
        ["I", "say", "<0xE2>", "<0x80>", "<0x9C>", "no"],
        ["I", "say", "“", "no"],
        [[0], [1], [2, 3, 4], [5]],
    ),
    (["ﬁne", "day"], ["fine", "day"], [[0], [1]]),
    ([], ["dog"], [[]]),
]


def shares_of(subwords, words):
    text = " ".join(words)
    return word_shares(text, subword_spans(subwords, text), words)


@pytest.mark.parametrize(("subwords", "words", "expected"), WHOLE)
def test_a_subword_belongs_to_the_word_of_its_characters(subwords, words, expected):
    shares = shares_of(subwords, words)
    assert shares.shape == (len(words), len(subwords))
    assert [np.flatnonzero(row > 0.5).tolist() for row in shares] == expected


def test_a_subword_of_two_words_is_shared_by_its_characters():
    assert word_shares("dog's", [(0, 5)], ["dog", "'s"])[:, 0] == pytest.approx([3 / 5, 2 / 5])
    # A mark of a space alone is in no word.
    assert shares_of(["▁", "a"], ["a"]).tolist() == [[0, 1]]


def test_without_words_or_subwords_there_are_no_shares():
    assert shares_of(["a"], []).shape == (0, 1)
    assert shares_of([], []).shape == (0, 0)

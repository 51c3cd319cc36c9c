"""Words with characters that a vocabulary lacks, whole."""

from __future__ import annotations

import pytest

from docmt_nmt.text.missing_words import missing_words

LACKING = "£€é→™°×—日本и龘\u0301\ufffd👩\u200d💻"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It is £1,000.50, ok", ["£1,000.50"]),
        ("(£25)", ["£25"]),
        ("André's «José.»", ["André", "José"]),
        ("a café.txt and x_é-y", ["café.txt", "x_é-y"]),
        ("A → B", ["→"]),
        ("taxes—or", ["—"]),
        ("Acme™, 10°C 3×4", ["Acme™", "10°C", "3×4"]),
        ("in 日本 now", ["日本"]),
        ("他叫龘龘。", ["龘龘"]),
        ("ftp://é.org/x, ok", ["ftp://é.org/x"]),
        ("Cafe\u0301 \ufffd", ["Cafe\u0301", "\ufffd"]),
        ("👩\u200d💻 done", ["👩\u200d💻"]),
        ("nothing here", []),
    ],
)
def test_a_word_is_kept_whole(text, words):
    missing = [(i, i + 1) for i, character in enumerate(text) if character in LACKING]
    assert [text[start:end] for start, end in missing_words(text, missing)] == words


def test_private_characters_that_are_known_are_not_missing():
    text = "Click \ue000 or \ue001\ue001."
    assert missing_words(text, []) == []
    assert missing_words(text, [(6, 7)]) == [(6, 7)]

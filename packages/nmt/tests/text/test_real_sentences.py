"""Text of the demo corpus is split into its sentences."""

from __future__ import annotations

import re

import sentencex

from docmt_files import sentence_spans
from docmt_files.core.sentences import _segments


def test_a_text_longer_than_the_window_is_split_as_a_whole(english, german):
    for language, sentences in (("en", english), ("de", german)):
        # A quotation longer than the lookahead is split at the end of the window.
        text = re.sub("[“”„‘’‚\"'()]", "", " ".join(sentences)[:80_000])
        whole = sentencex.segment(language, text)
        assert list(_segments(text, language)) == whole
        assert len(whole) > 100


def test_real_sentences_are_found_again(english):
    whole = [text for text in english if re.fullmatch(r"[A-Z][a-z ,]+[.?!]", text)]
    found = sentence_spans(" ".join(whole), "en")
    assert len(whole) > 50
    assert len(found) == len(whole)

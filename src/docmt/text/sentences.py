"""Sentence splitting by sentencex, which knows the abbreviations of many languages."""

from __future__ import annotations

import sentencex

from docmt.text.languages import primary_language


def sentence_spans(paragraph: str, language: str) -> list[tuple[int, int]]:
    """The character offsets at which the sentences of a paragraph start and end, without the white
    space around them.

    Args:
        paragraph: running text; a line break in it does not end a sentence.
        language: a language code, whose script and region do not matter. If sentencex does not know
            the language, it uses the rules of the nearest language that it knows, or else those of
            English.
    """
    # Lines may be wrapped anywhere.
    segments = sentencex.segment(primary_language(language), paragraph.replace("\n", " "))
    spans = []
    start = 0
    for segment in segments:
        end = start + len(segment)
        first = end - len(segment.lstrip())
        last = start + len(segment.rstrip())
        if first < last:
            spans.append((first, last))
        start = end
    assert start == len(paragraph), "sentencex lost or added text"
    return spans

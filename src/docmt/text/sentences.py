"""Running text into sentences, by sentencex, which knows the abbreviations of many languages."""

from __future__ import annotations

import sentencex

from docmt.text.base import primary


def spans(paragraph: str, language: str) -> list[tuple[int, int]]:
    """Where the sentences of a paragraph begin and end, without the white space around them.

    Args:
        language: a language code, whose script and region do not matter. A language that sentencex
            does not know is split by the rules of the language nearest to it that it knows, and in
            the end by those of English.
    """
    # A line break is no sentence boundary: lines may be wrapped anywhere.
    pieces = sentencex.segment(primary(language), paragraph.replace("\n", " "))
    found = []
    start = 0
    for piece in pieces:
        end = start + len(piece)
        first = start + len(piece) - len(piece.lstrip())
        last = end - len(piece) + len(piece.rstrip())
        if first < last:
            found.append((first, last))
        start = end
    assert start == len(paragraph), "sentencex lost or added text"
    return found

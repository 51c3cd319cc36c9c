"""Sentence splitting by sentencex, which knows the abbreviations of many languages."""

from __future__ import annotations

from collections.abc import Iterator

from docmt.text.languages import primary_language

_WINDOW, _LOOKAHEAD = 20_000, 5_000
"""How many characters sentencex gets at once, because its time is quadratic in them, and how many
of these it may need to see after the end of a sentence: those of a quotation, which it does not
split."""


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
    text = paragraph.replace("\n", " ")
    spans = []
    start = 0
    for segment in _segments(text, primary_language(language)):
        end = start + len(segment)
        first = end - len(segment.lstrip())
        last = start + len(segment.rstrip())
        if first < last:
            spans.append((first, last))
        start = end
    assert start == len(paragraph), "sentencex lost or added text"
    return spans


def _segments(text: str, language: str) -> Iterator[str]:
    """The sentences of a text with the white space around them, in time linear in its length.

    A text longer than the window is split a window at a time, from the beginning of a sentence on.
    A window without the end of a sentence is doubled.
    """
    # Slow to import, and text that is already split does not need it.
    import sentencex

    start, window = 0, _WINDOW
    while len(text) - start > window:
        end = start
        for segment in sentencex.segment(language, text[start : start + window]):
            if end + len(segment) > start + window - _LOOKAHEAD:
                break
            end += len(segment)
            yield segment
        window = _WINDOW if end > start else 2 * window
        start = end
    yield from sentencex.segment(language, text[start:])

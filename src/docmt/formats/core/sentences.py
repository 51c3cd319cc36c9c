"""Sentence splitting by sentencex, which knows the abbreviations of many languages."""

from __future__ import annotations

from collections.abc import Iterator

from docmt.ground.languages import primary_language

_WINDOW, _LOOKAHEAD = 20_000, 5_000
"""Number of characters passed to sentencex at once, because the time is quadratic in them, and
number of characters of lookahead after the end of a sentence: a quotation is not split."""


def sentence_spans(paragraph: str, language: str) -> list[tuple[int, int]]:
    """Return the character offsets at which the sentences of a paragraph start and end, without
    the white space around them.

    Args:
        paragraph: running text; a line break in it does not end a sentence.
        language: a language code; the script and the region in it do not matter. If sentencex does
            not know the language, it uses the rules of the nearest known language, or else the
            rules of English.

    >>> sentence_spans("Dr. Weber waved. She left.", "en")
    [(0, 16), (17, 26)]
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
    """Yield the sentences of a text with the white space around them, in time linear in the length.

    A text longer than the window is split a window at a time, from the beginning of a sentence on.
    A sentence that does not end in the window continues in the next.
    """
    # Slow to import, and not needed for text already split.
    import sentencex

    start, begun = 0, ""
    while len(text) - start > _WINDOW:
        end, limit = start, start + _WINDOW - _LOOKAHEAD
        for segment in sentencex.segment(language, text[start : start + _WINDOW]):
            if end + len(segment) > limit:
                break
            end += len(segment)
            yield begun + segment
            begun = ""
        if end == start:
            begun += text[start:limit]
            end = limit
        start = end
    for segment in sentencex.segment(language, text[start:]):
        yield begun + segment
        begun = ""

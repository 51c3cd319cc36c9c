"""Sentence splitting by sentencex, with abbreviations of many languages."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, pairwise

from docmt_files.base.languages import primary_language
from docmt_files.core.quotations import is_opening, with_known_pairs

_WINDOW, _LOOKAHEAD = 20_000, 5_000
"""Characters given to sentencex at once, because its time is quadratic, and characters it may need
after the end of a sentence: the length of a quotation, never split."""


def sentence_spans(paragraph: str, language: str) -> list[tuple[int, int]]:
    """Return the character offsets at which the sentences of a paragraph start and end, without the
    white space around them.

    Args:
        paragraph: running text; a line break in it does not end a sentence.
        language: a language code; script and region do not matter. For a language unknown to
            sentencex, the rules are those of the nearest known language, or else of English.

    >>> sentence_spans("Dr. Weber waved. She left.", "en")
    [(0, 16), (17, 26)]
    """
    # Lines may be wrapped anywhere.
    text = paragraph.replace("\n", " ")
    segments = _segments(with_known_pairs(text), primary_language(language))
    ends = list(accumulate(map(len, segments)))
    assert not text or ends[-1] == len(text), "sentencex lost or added text"
    starts = [0, *(_before_marks(text, end) for end in ends)]
    starts[-1] = len(text)
    spans = []
    for start, end in pairwise(starts):
        first, last = end - len(text[start:end].lstrip()), start + len(text[start:end].rstrip())
        if first < last:
            spans.append((first, last))
    return spans


def _before_marks(text: str, end: int) -> int:
    """The end of a segment without the opening quotation marks of the next."""
    while end and text[end - 1 : end].strip() and is_opening(text, end - 1):
        end -= 1
    return end


def _segments(text: str, language: str) -> Iterator[str]:
    """Yield the sentences of a text with the white space around them, in linear time.

    A text longer than the window is split a window at a time, each from the beginning of a
    sentence. A sentence without an end in the window goes on in the next.
    """
    # Slow to import, and not needed for split text.
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

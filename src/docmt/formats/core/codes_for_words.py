"""Codes in the place of the words that stood for them while a sentence was translated
(`kept_words`)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from docmt.formats.core.inline import Code, InlineSentence

if TYPE_CHECKING:
    # NumPy takes long to load.
    from docmt.formats.core.word_links import WordScores

PlaceCodes = Callable[[InlineSentence, str, "WordScores | None"], tuple[list["str | Code"], bool]]
"""Places the codes of a source sentence in its translation, given how the words of both are
aligned; and whether they are between words, not around the sentence."""


def place_with_words(
    sentence: InlineSentence, target: str, scores: WordScores | None, place: PlaceCodes
) -> tuple[list[str | Code], bool]:
    """A translation with the codes of its source: those that stand in the text as words where these
    are, the others where they are placed.

    Args:
        sentence: the source sentence.
        target: its translation.
        scores: how much the words of both look at each other, if they were aligned.
        place: places the codes that are not in the text.

    Returns:
        As `place`.
    """
    parts, between = place(sentence, target, scores)
    if sentence.without_words is None:
        return parts, between
    with_codes = _codes_for_words(sentence, parts)
    if with_codes is not None:
        return with_codes, between
    words = [word for word, _ in sentence.words]
    text = " ".join(any_of(words).sub("", target).split())
    return place(sentence.without_words, text, None)


def _codes_for_words(
    sentence: InlineSentence, parts: Sequence[str | Code]
) -> list[str | Code] | None:
    """The parts of a translation with codes in the place of their words; None unless each code is
    there once."""
    codes: dict[str, list[Code]] = defaultdict(list)
    for word, code in sentence.words:
        codes[word].append(code)
    pattern = any_of(codes)
    made: list[str | Code] = []
    for part in parts:
        if isinstance(part, Code):
            made.append(part)
            continue
        at = 0
        for match in pattern.finditer(part):
            if not codes[match[0]]:
                return None
            made += [part[at : match.start()], codes[match[0]].pop(0)]
            at = match.end()
        made.append(part[at:])
    return None if any(codes.values()) else [part for part in made if part != ""]


def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern that finds words, the longest where several begin."""
    return re.compile("|".join(map(re.escape, sorted(set(words), key=lambda w: (-len(w), w)))))

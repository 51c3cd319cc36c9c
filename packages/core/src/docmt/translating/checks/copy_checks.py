"""Texts of a few words that were left in the source language. Names are left, too, so a copy is
marked only if the file itself, or the words, say that it should have been translated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import regex

from docmt_files.base.languages import primary_language
from docmt_nmt.text.word_lists import FUNCTION_WORDS

_WORD = regex.compile(
    r"(?<![\p{L}\p{M}\p{N}_./@$%&{}-])\p{L}[\p{L}\p{M}'’]*(?![\p{N}_/@(}-]|\.\p{L})"
)
_MAX_WORDS = 5
_MIN_LETTERS = 3
_MAX_KEPT = 0.2
"""A word is translated if at most this share of its sentences keeps it."""
_MIN_LOWER = 4
"""The least letters of a word in lower case within a label, which is part of no name."""


def short_copies(
    pairs: Sequence[tuple[str, str]], languages: tuple[str, str]
) -> Iterator[tuple[int, str]]:
    """Yield the index of each short text whose translation is the text itself, and the word that
    says it: one that other texts of the file translate, a function word of the source language, or
    a longer word in lower case beside others.

    Args:
        pairs: the texts and their translations.
        languages: the codes of the languages.
    """
    own, theirs = (primary_language(code) for code in languages)
    if own == theirs:
        return
    function_words = FUNCTION_WORDS.get(own, frozenset()) - FUNCTION_WORDS.get(theirs, frozenset())
    copies = []
    seen: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for index, (source, target) in enumerate(pairs):
        words = _WORD.findall(source)
        if _same(source, target):
            copies += [(index, words)] if 0 < len(words) <= _MAX_WORDS else []
            continue
        folded = target.lower()
        stems = {_stem(word) for word in words}
        seen.update(stems)
        kept.update(stem for stem in stems if stem[: max(4, len(stem) - 2)] in folded)
    for index, words in copies:
        for position, word in enumerate(words):
            stem = _stem(word)
            is_translated = len(word) >= _MIN_LETTERS and seen[stem] > 0
            is_function_word = len(words) > 1 and word.lower() in function_words
            is_lower = position > 0 and word.islower() and len(word) >= _MIN_LOWER
            if (
                (is_translated and kept[stem] <= _MAX_KEPT * seen[stem])
                or is_function_word
                or (is_lower and kept[stem] <= _MAX_KEPT * seen[stem])
            ):
                yield index, f"{word} is not translated"
                break


def copied_run(source: str, target: str, languages: tuple[str, str]) -> str:
    """Words of the source language that a translation has in succession, among them a function
    word; empty if there are none.

    >>> copied_run("Then save the file and close it.", "Dann save the file and Ende.", ("en", "de"))
    'save the file and'
    """
    own, theirs = (primary_language(code) for code in languages)
    if own == theirs or _same(source, target):
        return ""
    function_words = FUNCTION_WORDS.get(own, frozenset()) - FUNCTION_WORDS.get(theirs, frozenset())
    words, others = _WORD.findall(source), _WORD.findall(target)
    runs = {tuple(words[start : start + _RUN]) for start in range(len(words) - _RUN + 1)}
    for start in range(len(others) - _RUN + 1):
        run = tuple(others[start : start + _RUN])
        lower = [word for word in run if word.islower()]
        if run in runs and len(lower) >= _RUN - 1 and any(w in function_words for w in lower):
            return " ".join(run)
    return ""


_RUN = 4
"""Words in succession that are no name."""


def _same(source: str, target: str) -> bool:
    return source.strip().lower() == target.strip().lower()


def _stem(word: str) -> str:
    low = word.lower()
    return low[:-1] if len(low) > 3 and low.endswith("s") else low

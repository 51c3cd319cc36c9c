"""`placed_terms`: the terms of a sentence, put into its free translation in place of the words that
alignment says. The form of the words stays: their capitals and, of several forms of a term, the one
with the same ending.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

import numpy as np
import regex

from docmt_files import WordWeights, apply_patches, word_spans
from docmt_nmt.translators.glossary import Glossary
from docmt_nmt.translators.term_uses import TermUse

_MIN_WEIGHT = 0.15
"""The least weight of a target word that alone stands for a term."""
_MAX_EXTRA = 2
"""The most words that a translation of a term has besides one for each word of the term."""
_SHORT = 3
"""The most letters of articles and the like, which stay before and after a term."""
_LONG_WORD = regex.compile(r"\p{L}{4,}")
_MIN_TITLE_WORDS = 2
_MIN_REST = 0.5
"""The least long words of a translation beside the terms, for one of the source."""

Span = tuple[int, int]


class Placed(NamedTuple):
    """A translation with terms.

    Attributes:
        text: the translation.
        spans: the ranges of the terms in it.
        replaced: the words that stood there.
    """

    text: str
    spans: tuple[Span, ...]
    replaced: tuple[str, ...]


def placed_terms(
    glossary: Glossary, uses: Sequence[TermUse], source: str, target: str, weights: WordWeights
) -> Placed | None:
    """A translation with terms that it lacks; None if the words of one are not known.

    Args:
        glossary: the terms, which find their places in the source.
        uses: the lacking terms.
        source, target: the sentence and its free translation.
        weights: the alignment of the words of both (`word_spans`).
    """
    table = np.asarray(weights, np.float32)
    spans = word_spans(source), word_spans(target)
    if table.shape != tuple(map(len, spans)) or not table.size:
        return None
    patches: list[tuple[int, int, str]] = []
    known: list[Span] = []
    for use in uses:
        places = list(_places(glossary, use, source))[: use.times]
        found = [_aligned(place, spans, table, target) for place in places]
        if len(found) < use.times:
            return None
        for span in found:
            if span is None or any(a < span[1] and span[0] < b for a, b, _ in patches):
                return None
            patches.append((*span, _form(use.forms, target, span)))
        known += places
    others, rest = _words_besides(source, known), _words_besides(target, [p[:2] for p in patches])
    if rest < _MIN_REST * others:
        return None  # words of others have been taken for the term's
    patches.sort()
    made: list[Span] = []
    shift = 0
    for start, end, form in patches:
        made.append((start + shift, start + shift + len(form)))
        shift += len(form) - (end - start)
    replaced = tuple(target[start:end] for start, end, _ in patches)
    return Placed(apply_patches(target, patches), tuple(made), replaced)


def with_capitals_of(text: str, free: str, forms: Sequence[str]) -> str:
    """A translation with the capital of the free one at the beginning; in a title whose words have
    capitals, the terms have some, too.

    >>> with_capitals_of("cópia de segurança falhou.", "Backup falhou.", ["cópia de segurança"])
    'Cópia de segurança falhou.'
    """
    if _is_title(free):
        for form in forms:
            text = text.replace(form, _as_title(form))
    if _begins_upper(free):
        begin = next((i for i, character in enumerate(text) if character.isalpha()), len(text))
        word = "".join(takewhile(str.isalpha, text[begin:]))
        if word.islower():
            return text[:begin] + text[begin : begin + 1].upper() + text[begin + 1 :]
    return text


def _words_besides(text: str, spans: Sequence[Span]) -> int:
    """The number of long words of a text outside of some ranges."""
    return sum(
        not any(a < match.end() and match.start() < b for a, b in spans)
        for match in _LONG_WORD.finditer(text)
    )


def _places(glossary: Glossary, use: TermUse, source: str) -> Iterator[Span]:
    """The ranges of a term in the source."""
    position = 0
    for match in glossary.find(source):
        pattern = r"\s+".join(map(re.escape, match.text.split()))
        found = re.compile(pattern, re.IGNORECASE).search(source, position)
        if found is None:
            continue
        position = found.end()
        if match.term == use.term:
            yield found.span()


def _aligned(
    place: Span, spans: tuple[list[Span], list[Span]], table: WordWeights, target: str
) -> Span | None:
    """The range of the translation of a range of the source; None if it is not clear."""
    rows = [i for i, (a, b) in enumerate(spans[0]) if a < place[1] and place[0] < b]
    columns = [j for j, span in enumerate(spans[1]) if target[span[0]].isalnum()]
    if not rows or not columns:
        return None
    mass = np.asarray(table)[rows].max(axis=0)
    best = max(columns, key=lambda j: float(mass[j]))
    chosen = {j for j in columns if int(np.asarray(table)[:, j].argmax()) in rows}
    if not chosen:
        if mass[best] < _MIN_WEIGHT:
            return None
        chosen = {best}
    elif best not in chosen:
        best = max(chosen, key=lambda j: float(mass[j]))
    first = last = best
    # Words between the words of a translation may belong to none of the term's.
    while near := [j for j in chosen if 0 < first - j <= 2]:
        first = min(near)
    while near := [j for j in chosen if 0 < j - last <= 2]:
        last = max(near)
    words = [target[slice(*span)] for span in spans[1][first : last + 1]]
    if any(not word.isalnum() and word not in "-'’" for word in words):
        first = last = best
        words = [target[slice(*spans[1][best])]]
    long = [j for j, word in enumerate(words, first) if len(word) > _SHORT or not word.islower()]
    if long:
        first, last = long[0], long[-1]
    if last - first + 1 > 2 * len(rows) + _MAX_EXTRA:
        return None
    return spans[1][first][0], spans[1][last][1]


def _form(forms: Sequence[str], target: str, span: Span) -> str:
    """The form of a term in place of a range of the translation."""
    old = target[slice(*span)]
    form = max(forms, key=lambda each: _common_ending(each, old))
    if _is_title(target):
        return _as_title(form)
    is_capital = old[0].isupper() and not old.isupper()
    return form[:1].upper() + form[1:] if is_capital and form.islower() else form


def _common_ending(one: str, other: str) -> int:
    pairs = zip(reversed(one.casefold()), reversed(other.casefold()), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _is_title(text: str) -> bool:
    """Return whether all long words of a text have capitals."""
    words = _LONG_WORD.findall(text)
    return len(words) >= _MIN_TITLE_WORDS and all(word[0].isupper() for word in words)


def _as_title(form: str) -> str:
    if not form.islower():
        return form
    return str(_LONG_WORD.sub(lambda match: match[0][0].upper() + match[0][1:], form))


def _begins_upper(text: str) -> bool:
    return next((character.isupper() for character in text if character.isalpha()), False)

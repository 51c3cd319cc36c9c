"""`adapt_unit`: the translation of a sentence that differs from a sentence of a memory in numbers
and placeholders alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from docmt.memory.similarity import find_values, without_values
from docmt.memory.units import Unit

_SEPARATORS = str.maketrans(".,", ",.")


def adapt_unit(unit: Unit, source: str) -> Unit | None:
    """A unit with the numbers and placeholders of another sentence, put into the translation. The
    inline codes stay at their words.

    Args:
        unit: a unit with the words of the sentence.
        source: the sentence.

    Returns:
        The unit of the sentence; None if the sentences differ in words, or a value that differs is
        not in the translation as often as in the sentence, as it is there or with the other decimal
        separator.

    >>> adapt_unit(Unit("Wait 2.5 s.", "2,5 s warten."), "Wait 10.5 s.").target
    '10,5 s warten.'
    """
    if without_values(unit.source) != without_values(source):
        return None
    old, new = find_values(unit.source), find_values(source)
    changes: dict[str, str] = {}
    for known, wanted in zip(old, new, strict=True):
        if changes.setdefault(known[0], wanted[0]) != wanted[0]:
            return None
    edits: list[tuple[int, int, str]] = []
    for before, after in changes.items():
        if before == after:
            continue
        often = sum(each[0] == before for each in old)
        found = _written(before, after, unit.target)
        if len(found) != often:
            return None
        edits += found
    own, theirs = unit.codes
    in_source = [(a.start(), a.end(), b[0]) for a, b in zip(old, new, strict=True)]
    codes = _moved(own, in_source), _moved(theirs, edits)
    return replace(unit, source=source, target=_edited(unit.target, edits), codes=codes)


def _written(before: str, after: str, target: str) -> list[tuple[int, int, str]]:
    """The places of a value in a translation, each with the value to put there."""
    forms = [(before, after)]
    if before[0].isdecimal():
        forms.append((before.translate(_SEPARATORS), after.translate(_SEPARATORS)))
    for old, new in forms:
        pattern = rf"(?<![\w.,]){re.escape(old)}(?![.,]?\w)"
        if not old[0].isdecimal():
            pattern = re.escape(old)
        if found := [(*match.span(), new) for match in re.finditer(pattern, target)]:
            return found
    return []


def _edited(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _moved(offsets: Sequence[int], edits: Sequence[tuple[int, int, str]]) -> tuple[int, ...]:
    """Offsets in a text after edits."""
    return tuple(
        offset + sum(len(new) - (end - start) for start, end, new in edits if end <= offset)
        for offset in offsets
    )

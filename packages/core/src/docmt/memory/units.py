"""`Unit`: a sentence and the translation by a person; `MemoryMatch`: a unit for a sentence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence and the translation by a person.

    Attributes:
        source, target: the texts, without inline codes.
        before, after: the source sentences around it; empty at the ends of a text.
        key: key of the text in a file of strings, or "".
        codes: offsets of the inline codes of the source, and in the same order those of the target.
        origin: name of the file that it comes from.
        changed: time of the last change, as TMX writes it; or "".
        is_reviewed: whether a person has approved the translation, as far as it is known.
    """

    source: str
    target: str
    before: str = ""
    after: str = ""
    key: str = ""
    codes: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    origin: str = ""
    changed: str = ""
    is_reviewed: bool = True


@dataclass(frozen=True, slots=True)
class MemoryMatch:
    """A unit for a sentence.

    Attributes:
        unit: the unit.
        rate: how alike the sentences are, from 0 to 1.
        in_context: whether the key or both sentences around are the same, too.
        values_differ: whether the sentences differ in numbers or placeholders.
    """

    unit: Unit
    rate: float
    in_context: bool = False
    values_differ: bool = False

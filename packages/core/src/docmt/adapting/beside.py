"""What a person gets beside an adapted model: a memory of the same translations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docmt.adapting.division import Division
from docmt.memory import TranslationMemory, Unit


def remember(path: Path, division: Division, languages: tuple[str, str]) -> tuple[int, int]:
    """Put all pairs of a material into a memory, which is made if there is none.

    Args:
        path: the file of the memory.
        division: the parts of the material.
        languages: source and target language.

    Returns:
        The number of units that are new or changed, and the number of all.

    Raises:
        InputError: the file is another one, of other languages, or cannot be written.
    """
    with TranslationMemory(path, languages, create=True) as memory:
        added = memory.add(_units(division))
        return added, len(memory)


def _units(division: Division) -> Iterator[Unit]:
    for document in (*division.train, *division.valid, *division.held_out):
        pairs = list(zip(document.source, document.target or (), strict=True))
        for index, (source, target) in enumerate(pairs):
            before = pairs[index - 1][0] if index else ""
            after = pairs[index + 1][0] if index + 1 < len(pairs) else ""
            yield Unit(source, target, before, after, origin=document.id)

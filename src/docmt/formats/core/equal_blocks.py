"""`with_equal_blocks`: equal blocks of a file get equal translations, so that a heading is called
in the table of contents what it is called above its section. Whatever is written, the file itself
or a view of it, shows the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from docmt.documents import Alternative, Translation
from docmt.formats.core.blocks import BlockSkeleton

_T = TypeVar("_T")


def with_equal_blocks(translation: Translation, skeleton: BlockSkeleton) -> Translation:
    """A translation in which every block has all that is known of the first block with the same
    sentences.

    Args:
        translation: that of the document of a file.
        skeleton: the file without its sentences.
    """
    origins = _origins(skeleton)
    document = translation.document
    if len(origins) != len(document) or origins == list(range(len(origins))):
        return translation

    def taken(values: Sequence[_T]) -> tuple[_T, ...]:
        return tuple(values[origin] for origin in origins)

    def all_taken(alternatives: Sequence[Alternative]) -> tuple[Alternative, ...]:
        return tuple(Alternative(taken(a.sentences), taken(a.scores)) for a in alternatives)

    return replace(
        translation,
        document=document.translated(taken(document.target or ())),
        scores=taken(translation.scores),
        truncated=tuple(i for i, origin in enumerate(origins) if origin in translation.truncated),
        alternatives=all_taken(translation.alternatives),
        positions=all_taken(translation.positions),
        warnings=tuple(
            replace(warning, sentence=index)
            for index, origin in enumerate(origins)
            for warning in translation.warnings
            if warning.sentence == origin
        ),
    )


def _origins(skeleton: BlockSkeleton) -> list[int]:
    """For each sentence of a file the one whose translation it gets."""
    first: dict[tuple[str, ...], int] = {}
    origins: list[int] = []
    for block in skeleton.sentences:
        start = len(origins)
        if skeleton.found.equal:
            start = first.setdefault(tuple(sentence.text for sentence in block), start)
        origins += range(start, start + len(block))
    return origins

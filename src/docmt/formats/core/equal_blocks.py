"""`with_origins`: equal blocks of a file get equal translations, so that a heading is called in the
table of contents what it is called above its section. Whatever is written, the file itself or a
view of it, shows the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from docmt.ground.documents import Alternative, Translation

_T = TypeVar("_T")


def with_origins(translation: Translation, origins: Sequence[int]) -> Translation:
    """A translation in which every sentence has all that is known of another.

    Args:
        translation: that of a document.
        origins: for each of its sentences the index of the one whose translation it gets.
    """
    document = translation.document

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
        codes={index: own for index, own in translation.codes.items() if origins[index] == index},
    )

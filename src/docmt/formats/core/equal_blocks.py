"""`with_origins`: equal blocks of a file get equal translations, so a heading has one name in the
table of contents and above its section. The file itself and all views of it show the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from typing import TypeVar

from docmt.formats.core.inline import InlineSentence
from docmt.ground.documents import Alternative, Translation

_T = TypeVar("_T")


def origins_of(
    blocks: Iterable[Sequence[InlineSentence]], *, equal: bool, own: Set[int] = frozenset()
) -> list[int]:
    """For each sentence, the index of the sentence with the translation to use.

    Args:
        blocks: the sentences of each block.
        equal: whether equal blocks get the translation of the first of them.
        own: indices of sentences with translations by a person, which their blocks keep.
    """
    first: dict[tuple[str, ...], int] = {}
    origins: list[int] = []
    for block in blocks:
        start = len(origins)
        if equal and own.isdisjoint(range(start, start + len(block))):
            start = first.setdefault(tuple(sentence.text for sentence in block), start)
        origins += range(start, start + len(block))
    return origins


def with_origins(translation: Translation, origins: Sequence[int]) -> Translation:
    """A translation with all results of a sentence taken from another sentence.

    Args:
        translation: the translation of a document.
        origins: for each sentence, the index of the sentence with the results to use.
    """
    document = translation.document

    def taken(values: Sequence[_T]) -> tuple[_T, ...]:
        return tuple(values[origin] for origin in origins)

    def all_taken(alternatives: Sequence[Alternative]) -> tuple[Alternative, ...]:
        return tuple(
            Alternative(taken(a.sentences), taken(a.log_probabilities)) for a in alternatives
        )

    return replace(
        translation,
        document=document.translated(taken(document.target or ())),
        log_probabilities=taken(translation.log_probabilities),
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
        matches={
            index: translation.matches[origin]
            for index, origin in enumerate(origins)
            if origin in translation.matches
        },
    )

"""Whether the two sides of a file belong together, by the start's translations of a sample.

A person's translation of a sentence is more like the start's than the translations of other
sentences are. Of a file whose sides were shuffled, one in five is.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from rapidfuzz.fuzz import ratio

from docmt.adapting.file_pairs import Translate
from docmt_files.base.documents import Document

LEAST = 0.6
"""The least share of pairs whose sides belong together with which a file is used."""

_SAMPLE, _MIN_SAMPLE = 60, 10
"""Numbers of pairs that are looked at: at most, and at least."""

_OTHERS = 4
"""Number of other translations with which each is compared."""

_MIN_WORDS = 4


def share_that_belongs(documents: Sequence[Document], translate: Translate) -> float | None:
    """The share of the pairs of a file whose sides belong together; None if it has too few.

    Args:
        documents: the documents of the file.
        translate: the start's translator.
    """
    pairs = [
        pair
        for document in documents
        for pair in zip(document.source, document.target or (), strict=True)
        if len(pair[0].split()) >= _MIN_WORDS
    ]
    if len(pairs) < _MIN_SAMPLE:
        return None
    drawn = random.Random(1)
    sample = drawn.sample(pairs, min(_SAMPLE, len(pairs)))
    machine = translate([source for source, _ in sample])
    targets = [target for _, target in sample]
    belong = 0
    for index, made in enumerate(machine):
        others = drawn.sample([t for i, t in enumerate(targets) if i != index], _OTHERS)
        own = _alike(made, targets[index])
        belong += all(own > _alike(made, other) for other in others)
    return belong / len(sample)


def _alike(one: str, other: str) -> float:
    return ratio(one.lower(), other.lower())

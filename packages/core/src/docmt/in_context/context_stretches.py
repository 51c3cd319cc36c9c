"""Stretches of documents: what is read to translate some of its sentences in context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Stretch(NamedTuple):
    """Consecutive sentences of a document, of which some are translated in context.

    Attributes:
        owner: the index of the document.
        indices: the indices of the sentences, none empty.
        wanted: the positions in the stretch of the sentences to translate.
    """

    owner: int
    indices: tuple[int, ...]
    wanted: tuple[int, ...]


def stretches_of(
    owner: int, indices: Sequence[int], wanted: Sequence[int], before: int | None
) -> Iterator[Stretch]:
    """The stretches of a document, as short as they can be.

    Args:
        indices: the sentences that are not empty.
        wanted: the positions among them to translate, in order.
        before: the number of sentences before one that are read; None for all.
    """
    open_from = open_to = -1
    inside: list[int] = []

    def closed() -> Stretch:
        positions = tuple(position - open_from for position in inside)
        return Stretch(owner, tuple(indices[open_from : open_to + 1]), positions)

    for position in wanted:
        first = 0 if before is None else max(0, position - before)
        if inside and first > open_to + 1:
            yield closed()
            inside = []
        if not inside:
            open_from = first
        inside.append(position)
        open_to = position
    if inside:
        yield closed()

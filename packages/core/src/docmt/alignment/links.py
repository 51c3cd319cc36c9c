"""Word alignments: the links between the words of a sentence and the words of the translation, from
the attention of a run, from statistics (`docmt.alignment.statistical`), or from a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Links = frozenset[tuple[int, int]]
"""Pairs of the index of a source word and the index of a target word, from 0."""

_NEIGHBORS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


@dataclass(frozen=True, slots=True)
class Alignment:
    """The word alignment of a text.

    Attributes:
        links: the links of each sentence.
        method: where they come from, for the signature of a score: `file`, `attention` and so on.
    """

    links: Sequence[Links]
    method: str


def grow_diag_final_and(forward: Links, backward: Links) -> Links:
    """Combine the alignments of two directions (Koehn et al. 2003, "Statistical phrase-based
    translation", in the version of Moses).

    It starts from the links of both directions; adds links of either direction next to a link, also
    diagonally, as long as one of the two words has no link; and last, links of either direction
    between two words without links.

    Args:
        forward, backward: the links of the two directions, both as (source, target).
    """
    union = forward | backward
    links = set(forward & backward)
    sources, targets = {i for i, _ in links}, {j for _, j in links}

    def add(link: tuple[int, int]) -> None:
        links.add(link)
        sources.add(link[0])
        targets.add(link[1])

    grows = True
    while grows:
        grows = False
        for i, j in sorted(links):
            for di, dj in _NEIGHBORS:
                link = (i + di, j + dj)
                unlinked = link[0] not in sources or link[1] not in targets
                if link in union and link not in links and unlinked:
                    add(link)
                    grows = True
    for direction in (forward, backward):
        for link in sorted(direction):
            if link[0] not in sources and link[1] not in targets:
                add(link)
    return frozenset(links)

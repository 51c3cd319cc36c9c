"""Word alignments: the links between the words of a sentence and those of its translation, from a
file, from the attention of a run, or from `aligner.align_words`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docmt.errors import InputError
from docmt.files import PathLike, read_lines
from docmt.wording import counted

Links = frozenset[tuple[int, int]]
"""Pairs of the index of a source word and the index of a target word, from 0."""

_NEIGHBORS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


@dataclass(frozen=True, slots=True)
class Alignment:
    """The word alignment of a text.

    Attributes:
        links: for each sentence, its links.
        method: where they come from, for the signature of a score: `file`, `attention` and so on.
    """

    links: Sequence[Links]
    method: str


def read_alignment(
    path: PathLike, sentences: Sequence[tuple[Sequence[str], Sequence[str]]]
) -> Alignment:
    """Read an alignment in the Pharaoh format: one line per sentence, such as `0-0 1-2`, where
    `1-2` links the second source word with the third target word.

    Args:
        sentences: the words of each source sentence and of its translation.

    Raises:
        InputError: the number of lines is not that of the sentences, a line is not in this format,
            or a word does not exist.
    """
    lines = list(read_lines(path))
    links = [
        _parse(line, len(source), len(target), path, number)
        for number, (line, (source, target)) in enumerate(
            zip(lines, sentences, strict=False), start=1
        )
    ]
    if len(lines) != len(sentences):
        raise InputError(
            f"has {counted(len(lines), 'line')}, the text {counted(len(sentences), 'sentence')}",
            path=str(path),
            cure="Align exactly this text: one line per sentence, no lines for boundaries",
        )
    return Alignment(links, "file")


def _parse(line: str, sources: int, targets: int, path: PathLike, number: int) -> Links:
    """The links on a line."""
    links = set()
    for pair in line.split():
        left, _, right = pair.partition("-")
        if not (left.isdecimal() and right.isdecimal()):
            raise InputError(
                f"{pair!r} is not a link between two words",
                path=str(path),
                line=number,
                cure="Write links as the index of the source word, a hyphen, and the index of the "
                "target word: 0-0 1-2",
            )
        i, j = int(left), int(right)
        if i >= sources or j >= targets:
            raise InputError(
                f"the link {pair} is between words that do not exist: the sentence has "
                f"{counted(sources, 'word')}, its translation {counted(targets, 'word')}",
                path=str(path),
                line=number,
                cure="Align the text with the spaces that it has here; indices start from 0",
            )
        links.add((i, j))
    return frozenset(links)


def grow_diag_final_and(forward: Links, backward: Links) -> Links:
    """Combine the alignments of two directions (Koehn et al. 2003, "Statistical phrase-based
    translation", in the version of Moses).

    It starts from the links that both directions have; adds links of either direction that are
    next to a link, also diagonally, as long as one of the two words has no link; and last, links
    of either direction between two words that have none.

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


def alignment_error_rate(
    links: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links] | None = None
) -> float:
    """The alignment error rate (AER; Och and Ney 2003) of links against those of people, from 0,
    the best, to 1:

        AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

    Args:
        links: A, of each sentence.
        sure: S, the links that an alignment must have.
        possible: P, the links that it may have; those of `sure` are among them. Default: `sure`.
    """
    right = total = 0
    for ours, must, may in zip(links, sure, possible or sure, strict=True):
        right += len(ours & must) + len(ours & (may | must))
        total += len(ours) + len(must)
    return 1 - right / total if total else 0.0

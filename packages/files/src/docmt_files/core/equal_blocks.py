"""`origins_of`: equal blocks of a file get equal translations, so a heading has one name in the
table of contents and above its section. The file itself and all views of it show the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from docmt_files.core.inline import InlineSentence


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

"""Documents of sentence pairs published without boundaries, from another version of the corpus with
boundaries. News Commentary is one: version 9, in the training data of WMT 2014, is lines alone, and
the articles of version 15 begin at blank rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from docmt_files.base.documents import Document

Pair = tuple[str, str]
_Place = tuple[int, int]
"""A document, by index, and the index of a sentence in it."""


def recover_documents(
    pairs: Sequence[Pair], other: Iterable[Document]
) -> tuple[list[Document], list[Pair]]:
    """Cut sentence pairs into the documents of another version of the corpus.

    A pair found in a single document is in this document, unless the pairs before and after it are
    both in another one. Pairs between two in the same document are in it, too. Between the end of
    one document and the beginning of another, a pair belongs to the document that continues, or
    begins, with a sentence of the pair. This holds up to the first pair for which both documents,
    or neither, qualify.

    Args:
        pairs: source and target sentences, in the order of the corpus.
        other: the documents of the other version, with targets.

    Returns:
        The documents in the order of the pairs, and the pairs without a certain document. The
        documents have the ids of the other version; the second part of a document in several places
        has an id ending in `/2`.

    >>> other = [
    ...     Document("a", ("One.", "Two."), ("Eins.", "Zwei.")),
    ...     Document("b", ("Six.",), ("Sechs.",)),
    ... ]
    >>> pairs = [("One.", "Eins."), ("Two.", "Zwo."), ("Six.", "Sechs.")]
    >>> documents, left_out = recover_documents(pairs, other)
    >>> [(document.id, document.source) for document in documents], left_out
    ([('a', ('One.', 'Two.')), ('b', ('Six.',))], [])
    """
    ids: list[str] = []
    places = (defaultdict[str, set[_Place]](set), defaultdict[str, set[_Place]](set))
    for number, document in enumerate(other):
        ids.append(document.id)
        for side, sentences in zip(places, (document.source, document.target or ()), strict=True):
            for index, sentence in enumerate(sentences):
                side[_key(sentence)].add((number, index))
    owners = _owners(
        [
            _Found(places[0].get(_key(source), set()), places[1].get(_key(target), set()))
            for source, target in pairs
        ]
    )
    documents, parts = list[Document](), Counter[str]()
    for owner, group in groupby(zip(owners, pairs, strict=True), key=lambda entry: entry[0]):
        if owner is not None:
            parts[ids[owner]] += 1
            suffix = "" if parts[ids[owner]] == 1 else f"/{parts[ids[owner]]}"
            sides = zip(*(pair for _, pair in group), strict=True)
            documents.append(Document(ids[owner] + suffix, *map(tuple, sides)))
    return documents, [pair for owner, pair in zip(owners, pairs, strict=True) if owner is None]


@dataclass(frozen=True, slots=True)
class _Found:
    """Places of the sentences of a pair in the other version."""

    source: set[_Place]
    target: set[_Place]

    @property
    def documents(self) -> set[int]:
        """The documents with both sentences."""
        return {number for number, _ in self.source} & {number for number, _ in self.target}

    def indices(self, number: int | None) -> list[int]:
        """The indices of the sentences in a document."""
        return [index for owner, index in self.source | self.target if owner == number]


def _owners(found: Sequence[_Found]) -> list[int | None]:
    """Return the document of each pair; None if it is not certain."""
    owners: list[int | None] = [None] * len(found)
    certain = [(k, *f.documents) for k, f in enumerate(found) if len(f.documents) == 1]
    for k, (pair, owner) in enumerate(certain):
        around = {certain[j][1] for j in (k - 1, k + 1) if 0 <= j < len(certain)}
        if owner in around or len(around) == 2 or k in (0, len(certain) - 1):
            owners[pair] = owner
    known = [pair for pair, owner in enumerate(owners) if owner is not None]
    for start, end in pairwise([-1, *known, len(owners)]):
        before = owners[start] if start >= 0 else None
        after = owners[end] if end < len(owners) else None
        gap = range(start + 1, end)
        if before == after:
            owners[start + 1 : end] = [before] * len(gap)
            continue
        first = min(found[start].indices(before)) if before is not None else 0
        last = max(found[end].indices(after)) if after is not None else 0
        goes_on = [any(i > first for i in found[pair].indices(before)) for pair in gap]
        begins = [any(i < last for i in found[pair].indices(after)) for pair in gap]
        for neighbor, order, wanted, contested in (
            (before, gap, goes_on, begins),
            (after, gap[::-1], begins[::-1], goes_on[::-1]),
        ):
            for pair, is_wanted, is_contested in zip(order, wanted, contested, strict=True):
                if not is_wanted or is_contested:
                    break
                owners[pair] = neighbor
    return owners


def _key(sentence: str) -> str:
    """Return a sentence without differences of white space."""
    return " ".join(sentence.split())

"""Sentences with chosen context: the requested number of preceding sentences of the same document,
or the sentences before another sentence."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from operator import gt, lt

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_research.forced_decoding.forced_decoder import ForcedDecoder


def check_context(forced_decoder: ForcedDecoder, context: int) -> None:
    """Refuse more context than a system reads.

    Raises:
        InputError: it reads fewer sentences, or the number is negative.
    """
    limit = forced_decoder.max_context
    if context < 0:
        raise InputError(f"context is {context}, and cannot be negative")
    if limit is not None and context > limit:
        raise InputError(
            f"context is {context}, and this run reads at most {limit} previous sentences",
            cure=f"Ask for context of up to {limit}, or use a run that reads more",
        )


def sentences_with_text(documents: Sequence[Document]) -> list[tuple[int, int]]:
    """The sentences with text, in order: the index of the document and the index of the sentence in
    it."""
    return [
        (owner, index)
        for owner, document in enumerate(documents)
        for index, sentence in enumerate(document.source)
        if sentence.strip()
    ]


def with_context(document: Document, index: int, context: int) -> Document:
    """The document of a sentence and of so many before it, or as many as there are."""
    first = max(index - context, 0)
    target = None if document.target is None else document.target[first : index + 1]
    return Document(document.id, document.source[first : index + 1], target)


def shuffled_contexts(
    documents: Sequence[Document], seed: int, places: Sequence[tuple[int, int]] | None = None
) -> list[Document | None]:
    """Documents with other sentences of context before the unchanged last sentence. The context
    comes from another document, drawn among the documents of the same length; where there is none,
    the context is the last sentences of a longer document, or all of a shorter one. Where there is
    none either, there is no shuffled document: None. A sentence without context stays as it is.

    A context does not count as another one if it has the same source sentences, or sentences of the
    document itself.

    Args:
        documents: documents, each with the given sentence at the end.
        seed: of the draw.
        places: the origin of each document, if several are cut from one: the index of the original
            document, and of the given sentence.
    """
    draw = random.Random(seed)
    by_length: dict[int, list[int]] = {}
    for index, document in enumerate(documents):
        by_length.setdefault(len(document), []).append(index)
    places = places or [(owner, len(one) - 1) for owner, one in enumerate(documents)]
    parts = [
        _Part(owner, last + 1 - len(one), last, one.source[:-1])
        for (owner, last), one in zip(places, documents, strict=True)
    ]
    chosen: dict[int, int] = {}
    for indices in by_length.values():
        order = draw.sample(indices, len(indices))  # a cycle, in which each context occurs once
        chosen |= zip(order, order[1:] + order[:1], strict=True)
    shuffled: list[Document | None] = [*documents]
    for position, document in enumerate(documents):
        if len(document) == 1:
            continue
        other: int | None = chosen[position]
        if not parts[position].is_foreign(parts[chosen[position]]):
            longer, shorter = (
                [
                    i
                    for length, some in by_length.items()
                    if wanted(length, len(document))
                    for i in some
                ]
                for wanted in (gt, lt)
            )
            pools = (by_length[len(document)], longer, shorter)
            foreign = ([i for i in pool if parts[position].is_foreign(parts[i])] for pool in pools)
            other = draw.choice(next(filter(None, foreign), [None]))
        shuffled[position] = None if other is None else _with_context_of(document, documents[other])
    return shuffled


@dataclass(frozen=True, slots=True)
class _Part:
    """The place of a sentence with context in a document, and the context."""

    document: int
    first: int
    last: int
    context: tuple[str, ...]

    def is_foreign(self, other: _Part) -> bool:
        """Return whether another part has a context, which is another one and not of this part."""
        if not other.context or other.context == self.context:
            return False
        apart = other.last <= self.first or other.first > self.last
        return other.document != self.document or apart


def _with_context_of(document: Document, other: Document) -> Document:
    """A document with the sentences of another document before the last sentence, up to the number
    of the document's own context sentences."""
    size = min(len(document), len(other)) - 1
    target = None
    if document.target is not None and other.target is not None:
        target = (*other.target[-1 - size : -1], document.target[-1])
    return Document(document.id, (*other.source[-1 - size : -1], document.source[-1]), target)

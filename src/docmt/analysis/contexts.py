"""Sentences with chosen context: as many sentences of their own documents as are asked for, or
those before another sentence."""

from __future__ import annotations

import random
from collections.abc import Sequence

from docmt.decoding import Scorer
from docmt.documents import Document
from docmt.errors import InputError


def max_context(scorer: Scorer) -> int | None:
    """The most sentences before a sentence that a system reads with it; None without a limit but
    that of tokens."""
    settings = scorer.translator.instances
    if settings.kind == "sentence":
        contexts = scorer.translator.contexts
        return settings.previous_sentences if contexts is None else None
    return settings.window - 1 if settings.kind == "window" else None


def check_context(scorer: Scorer, context: int) -> None:
    """Refuse more context than a system reads.

    Raises:
        InputError: it reads fewer sentences, or the number is negative.
    """
    limit = max_context(scorer)
    if context < 0:
        raise InputError(f"context is {context}, and cannot be negative")
    if limit is not None and context > limit:
        raise InputError(
            f"context is {context}, and this run reads at most {limit} previous sentences",
            cure=f"Ask for context of up to {limit}, or use a run that reads more",
        )


def scored_sentences(documents: Sequence[Document]) -> list[tuple[int, int]]:
    """The sentences that are not empty, in order: the index of the document and that of the
    sentence in it."""
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


def shuffled_contexts(documents: Sequence[Document], seed: int) -> list[Document]:
    """Documents whose last sentence stays and whose other sentences are those of another document,
    drawn among those that have as many sentences; where there is no other, of any.

    Args:
        documents: documents that end with the sentence that is scored.
        seed: of the draw.
    """
    draw = random.Random(seed)
    by_length: dict[int, list[int]] = {}
    for index, document in enumerate(documents):
        by_length.setdefault(len(document), []).append(index)
    found = list(documents)
    for indices in by_length.values():
        # A random cycle, so that none keeps its own context.
        order = draw.sample(indices, len(indices))
        for own, other in zip(order, order[1:] + order[:1], strict=True):
            found[own] = _with_context_of(documents[own], documents[other])
    return found


def _with_context_of(document: Document, other: Document) -> Document:
    """A document with the sentences of another one of its length before its last."""
    target = None
    if document.target is not None and other.target is not None:
        target = (*other.target[:-1], document.target[-1])
    return Document(document.id, (*other.source[:-1], document.source[-1]), target)

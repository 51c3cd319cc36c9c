"""Which pairs a model learns, which end its training, and which are held out for the verdict.

Whole documents are held out, chosen by the hash of their names, whatever the order of the files. No
sentence of a held-out document is in training, in the source or the target, however it is
capitalized and whatever its numbers are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import count
from typing import NamedTuple

from docmt.adapting.cleaning import key_of
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted

MIN_PAIRS = 500
"""The fewest pairs from which a model is adapted."""

_MIN_HELD_OUT, _MAX_HELD_OUT = 100, 1_000
"""Numbers of pairs that are held out: a tenth between these."""

_MAX_VALID = 200
"""The most pairs by which the training ends."""

_STRETCH = 25
"""Pairs in each part of a document that is too long to be held out whole."""


class Division(NamedTuple):
    """The parts of a material.

    Attributes:
        train: the pairs to learn.
        valid: the pairs by which the training ends.
        held_out: the pairs for the verdict.
        shared: the number of pairs that are not learned because held-out documents have them.
    """

    train: list[Document]
    valid: list[Document]
    held_out: list[Document]
    shared: int


def divide(
    documents: Sequence[Document],
    held_out: Sequence[Document] = (),
    earlier: Sequence[Document] = (),
) -> Division:
    """Divide a material.

    Args:
        documents: the documents.
        held_out: documents that were held out when the model was adapted before, and stay so.
        earlier: pairs that the model learned then, and goes on to learn.

    Raises:
        InputError: fewer than `MIN_PAIRS` pairs are left to learn and be held out.
    """
    total = sum(map(len, documents))
    wanted = min(max(_MIN_HELD_OUT, total // 10), _MAX_HELD_OUT)
    known = _keys(held_out)
    parts = sorted(_parts(documents, wanted), key=lambda d: sha256(d.id.encode()).hexdigest())
    kept_out = list(held_out)
    new, rest = _taken(parts, wanted)
    kept_out += new
    known = known | _keys(new)
    rest, shared = _without([*rest, *earlier], known)
    valid, train = _taken(rest, min(_MAX_VALID, sum(map(len, rest)) // 20))
    # What ends the training may be repeated in it, but not the verdict.
    pairs = sum(map(len, (*train, *valid, *new)))
    if pairs < MIN_PAIRS:
        raise TooFewPairsError(pairs)
    return Division(train, valid, kept_out, shared)


class TooFewPairsError(InputError):
    """There are too few pairs to adapt a model.

    Attributes:
        pairs: the number.
    """

    def __init__(self, pairs: int) -> None:
        if not pairs:
            problem, cure = "no pairs are left to learn from", "Look at why they were left out"
        else:
            is_are = "is" if pairs == 1 else "are"
            problem = (
                f"there {is_are} {counted(pairs, 'pair')} to learn from, and fewer than "
                f"{MIN_PAIRS} change a model for little"
            )
            cure = (
                "Use them as a memory, which takes them over word for word: `docmt memory add "
                "own.memory FILES`, and then `docmt translate --memory own.memory`"
            )
        super().__init__(problem, cure=cure)
        self.pairs = pairs


def _parts(documents: Sequence[Document], wanted: int) -> list[Document]:
    """The documents, those longer than half of what is held out in stretches."""
    parts: list[Document] = []
    names: set[str] = set()
    for document in documents:
        pairs = list(zip(document.source, document.target or (), strict=True))
        size = _STRETCH if len(pairs) > max(wanted // 2, _STRETCH) else len(pairs)
        for start in range(0, len(pairs), size):
            name = document.id if size == len(pairs) else f"{document.id} from {start + 1}"
            unique = next(
                each
                for each in (name if n == 1 else f"{name} ({n})" for n in count(1))
                if each not in names
            )
            names.add(unique)
            source, target = zip(*pairs[start : start + size], strict=True)
            parts.append(Document(unique, source, target))
    return parts


def _taken(documents: Sequence[Document], wanted: int) -> tuple[list[Document], list[Document]]:
    """The first documents with so many pairs, and the rest."""
    taken: list[Document] = []
    pairs = 0
    for document in documents:
        if pairs >= wanted:
            break
        taken.append(document)
        pairs += len(document)
    return taken, list(documents[len(taken) :])


def _keys(documents: Iterable[Document]) -> set[str]:
    """The sentences of both sides, by which sentences are the same."""
    return {
        f"{side} {key_of(sentence)}"
        for document in documents
        for side, sentences in (("<", document.source), (">", document.target or ()))
        for sentence in sentences
    }


def _without(documents: Iterable[Document], known: set[str]) -> tuple[list[Document], int]:
    """The documents without the pairs of which a side is known, and the number of these pairs."""
    left: list[Document] = []
    removed = 0
    for document in documents:
        pairs = [
            (source, target)
            for source, target in zip(document.source, document.target or (), strict=True)
            if f"< {key_of(source)}" not in known and f"> {key_of(target)}" not in known
        ]
        removed += len(document) - len(pairs)
        if pairs:
            own_source, own_target = zip(*pairs, strict=True)
            left.append(Document(document.id, own_source, own_target))
    return left, removed

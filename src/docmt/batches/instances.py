"""Instances: the pieces of a document that are translated at once.

A document is cut at sentence boundaries into single sentences, windows of k sentences, pieces of
up to N tokens (Bao et al. 2021, section 2: 512) or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from docmt.settings import Conditions, Settings
from docmt.text.pipeline import EncodedDocument


class InstanceSettings(Settings):
    """How a document is cut."""

    kind: Literal["sentence", "window", "tokens", "whole"] = "tokens"
    """What is translated at once: a `sentence`, a `window` of k sentences, up to so many
    `tokens`, or the `whole` document."""

    window: Annotated[int, Field(ge=1)] = 4
    """Sentences in an instance of kind `window`."""

    tokens: Annotated[int, Field(ge=1)] = 512
    """Tokens an instance of kind `tokens` may have on its longer side, two marks a sentence
    included. A sentence that is longer stands alone."""

    previous: Annotated[int, Field(ge=0)] = 0
    """Source sentences before an instance that are read with it as context, by systems that read
    context."""

    only_with: ClassVar[Conditions] = {
        "window": {"kind": ("window",)},
        "tokens": {"kind": ("tokens",)},
    }


@dataclass(frozen=True, slots=True)
class Instance:
    """Consecutive sentences of one document, as token numbers without marks.

    Attributes:
        document: the document's id.
        first: the place of the first sentence in its document, from 0.
        source, target: the sentences; the target is None where it is to be found.
        context: the source sentences before it that are read with it, in their order.
    """

    document: str
    first: int
    source: Sequence[Sequence[int]]
    target: Sequence[Sequence[int]] | None = None
    context: Sequence[Sequence[int]] = ()


def cut(document: EncodedDocument, settings: InstanceSettings) -> list[Instance]:
    """Cut a document into instances, in order; every sentence is in exactly one."""
    lengths = [len(s) + 2 for s in document.source]  # two marks each
    if document.target is not None:
        lengths_target = [len(s) + 2 for s in document.target]
    else:
        lengths_target = [0] * len(lengths)
    return [
        Instance(
            document.id,
            first,
            document.source[first:end],
            None if document.target is None else document.target[first:end],
            document.source[max(first - settings.previous, 0) : first],
        )
        for first, end in boundaries(lengths, lengths_target, settings)
    ]


def boundaries(
    source: Sequence[int], target: Sequence[int], settings: InstanceSettings
) -> Iterator[tuple[int, int]]:
    """Where a document's instances begin and end, given each sentence's tokens on both sides."""
    sentences = len(source)
    if settings.kind == "tokens":
        yield from fill(source, target, settings.tokens)
        return
    size = {"sentence": 1, "window": settings.window, "whole": max(sentences, 1)}[settings.kind]
    for first in range(0, sentences, size):
        yield first, min(first + size, sentences)


def fill(source: Sequence[int], target: Sequence[int], limit: int) -> Iterator[tuple[int, int]]:
    """Add sentences to an instance while neither side grows beyond the limit."""
    first = tokens_source = tokens_target = 0
    for place, (s, t) in enumerate(zip(source, target, strict=True)):
        if place > first and max(tokens_source + s, tokens_target + t) > limit:
            yield first, place
            first, tokens_source, tokens_target = place, 0, 0
        tokens_source += s
        tokens_target += t
    if first < len(source):
        yield first, len(source)

"""InstanceDataset: the pieces of a document that are translated at once.

A document is cut at sentence boundaries into single sentences, windows of k sentences, pieces of
up to N tokens (Bao et al. 2021, section 2: 512) or not at all. Windows may overlap: in training by
`stride`, and in search by sliding one over the document (Zhang et al. 2020, section 3.1), so that
every sentence is translated in each place of a window.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from numpy.typing import NDArray
from pydantic import Field, model_validator

from docmt.errors import InputError
from docmt.settings import Conditions, PositiveInt, Settings
from docmt.text.pipeline import EncodedDocument


class InstanceSettings(Settings):
    """How a document is cut."""

    kind: Literal["sentence", "window", "tokens", "whole", "masked"] = "tokens"
    """What is translated at once. `sentence`: one sentence. `window`: `window` consecutive
    sentences. `tokens`: as many consecutive sentences as fit into `max_tokens`. `whole`: the whole
    document. `masked`: no translation, but training of an encoder, which reads a sentence's
    neighbors and a mask in its place; the decoder generates the sentence."""

    window: PositiveInt = 4
    """Number of sentences in a window. For `kind: masked`: number of sentences that are read, with
    the mask in the middle."""

    stride: PositiveInt | None = None
    """Number of sentences from the start of one training window to the start of the next; 1 slides
    the window sentence by sentence. Default: `window`, so that windows do not overlap."""

    max_tokens: PositiveInt = 512
    """Maximum tokens per instance, counted on the longer side and including special tokens. A
    sentence with more tokens is an instance of its own."""

    previous_sentences: Annotated[int, Field(ge=0)] = 0
    """Number of source sentences before an instance that are read as its context. Only for systems
    that read context: `document-transformer`, `cross-sentence-rnn`."""

    only_with: ClassVar[Conditions] = {
        "window": {"kind": ("window", "masked")},
        "stride": {"kind": ("window",)},
        "max_tokens": {"kind": ("tokens",)},
    }

    @model_validator(mode="after")
    def _check_stride(self) -> InstanceSettings:
        """Check `stride` against `window`."""
        if self.stride is not None and self.stride > self.window:
            raise ValueError(
                f"stride {self.stride} is more than window {self.window}; "
                "sentences between windows would be lost"
            )
        return self

    @property
    def disjoint(self) -> InstanceSettings:
        """The same with every sentence in exactly one instance."""
        return self.model_copy(update={"stride": None})


@dataclass(frozen=True, slots=True)
class Instance:
    """Consecutive sentences of one document, as token numbers without marks.

    Attributes:
        document: the document's id.
        first: the place of the first sentence in its document, from 0.
        source, target: the sentences; the target is None where it is to be found.
        context: the source sentences before it that are read with it, in their order.
        auxiliary: what other encoders have made for it, by name: states, (N, d_model), or tokens,
            (N,), for an encoder that learns with the system.
        made_up: how many of its first sentences are no text of the document, but put there to be
            read; they are not learned from.
    """

    document: str
    first: int
    source: Sequence[Sequence[int]]
    target: Sequence[Sequence[int]] | None = None
    context: Sequence[Sequence[int]] = ()
    auxiliary: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    made_up: int = 0


def cut(document: EncodedDocument, settings: InstanceSettings) -> list[Instance]:
    """Cut a document into instances, in order; every sentence is in exactly one, unless windows
    overlap by `stride`.

    Raises:
        InputError: the instances are of masked sentences, which are for training alone.
    """
    if settings.kind == "masked":
        raise InputError(
            "a run with instances.kind masked writes sentences that were left out, and translates "
            "none",
            cure="Use its encoder, as run of a key of system.contexts",
        )
    lengths = [len(s) + 2 for s in document.source]  # two marks each
    if document.target is not None:
        lengths_target = [len(s) + 2 for s in document.target]
    else:
        lengths_target = [0] * len(lengths)
    return [
        part(document, first, end, settings)
        for first, end in boundaries(lengths, lengths_target, settings)
    ]


def sliding_windows(document: EncodedDocument, settings: InstanceSettings) -> list[Instance]:
    """For each sentence of a document the window that begins with it; the last ones have only the
    sentences that are left."""
    sentences = len(document.source)
    return [
        part(document, first, min(first + settings.window, sentences), settings)
        for first in range(sentences)
    ]


def part(document: EncodedDocument, first: int, end: int, settings: InstanceSettings) -> Instance:
    """The instance of the sentences from `first` to before `end`."""
    return Instance(
        document.id,
        first,
        document.source[first:end],
        None if document.target is None else document.target[first:end],
        document.source[max(first - settings.previous_sentences, 0) : first],
    )


def boundaries(
    source: Sequence[int], target: Sequence[int], settings: InstanceSettings
) -> Iterator[tuple[int, int]]:
    """Where a document's instances begin and end, given each sentence's tokens on both sides."""
    sentences = len(source)
    if settings.kind == "tokens":
        yield from fill(source, target, settings.max_tokens)
        return
    whole = max(sentences, 1)
    sizes = {"sentence": 1, "window": settings.window, "whole": whole, "masked": 1}
    size = sizes[settings.kind]
    for first in range(0, sentences, settings.stride or size):
        yield first, min(first + size, sentences)
        if first + size >= sentences:
            return


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

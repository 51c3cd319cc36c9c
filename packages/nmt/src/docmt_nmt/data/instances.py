"""`Instance`: consecutive sentences of a document, translated at once.

A document is cut at sentence boundaries into single sentences, windows of k sentences, chunks of up
to N tokens (Bao et al. 2021, section 2: N = 512) or not at all. Windows may overlap. In training
they overlap by `stride`. In search, either a window slides over the document (Zhang et al. 2020,
section 3.1), and every sentence is translated in each position of a window; or windows overlap by a
few sentences with given translations (`overlapping`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain
from typing import Any

from numpy.typing import NDArray

from docmt_files.base.errors import InputError
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data.data_settings import InstanceSettings
from docmt_nmt.text import EncodedDocument
from docmt_nmt.text.vocabulary import MASK_ID


@dataclass(frozen=True, slots=True)
class Instance:
    """Consecutive sentences of one document, as token ids without special tokens.

    Attributes:
        document: the document's id.
        first: the index of the first sentence in the document, from 0.
        source, target: the sentences; the target is None if it is to be translated.
        context: the source sentences around it to read as context, in document order.
        auxiliary: encodings of the context by each context encoder, by name: states, (N, d_model),
            or token ids, (N,), for an encoder trained with the system.
        copied: number of first sentences copied to fill a window; no loss is computed on them.
        joined: number of sentences of the document joined into the only sentence; 0 without
            joining.
        drafts: a draft translation of each sentence, for systems that correct drafts.
        given: number of first sentences with a given translation. In training they are not
            corrected, and no loss is computed on them; in search they are translated in the
            instance before.
        following: number of context sentences after it.
    """

    document: str
    first: int
    source: Sequence[Sequence[int]]
    target: Sequence[Sequence[int]] | None = None
    context: Sequence[Sequence[int]] = ()
    auxiliary: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    copied: int = 0
    joined: int = 0
    drafts: Sequence[Sequence[int]] | None = None
    given: int = 0
    following: int = 0

    @property
    def document_sentences(self) -> int:
        """Number of sentences of the document in it."""
        return self.joined or len(self.source)

    @property
    def own(self) -> Instance:
        """The instance without the sentences with a given translation."""
        if not self.given:
            return self
        first, source = self.first + self.given, self.source[self.given :]
        target = None if self.target is None else self.target[self.given :]
        return replace(self, first=first, source=source, target=target, given=0)

    def join(self) -> Instance:
        """The instance with all sentences joined into one, without special tokens between them."""
        target = None if self.target is None else [list(chain.from_iterable(self.target))]
        source = [list(chain.from_iterable(self.source))]
        return replace(self, source=source, target=target, joined=len(self.source))


def cut(
    document: EncodedDocument, settings: InstanceSettings, special_tokens: SpecialTokens
) -> list[Instance]:
    """Cut a document into instances, in order; every sentence is in exactly one, unless windows
    overlap by `stride`.

    Args:
        document: token ids of the document. Without a target side, the source side alone is
            counted.
        settings: how to cut.
        special_tokens: the tokens set around each sentence, which count towards `max_tokens`.

    Raises:
        InputError: the kind is `masked`, which is for training only.

    >>> tokens = SpecialTokens(source_begin=(), source_end=(2,), target_begin=2, target_end=2)
    >>> document = EncodedDocument("d", [[5], [6], [7]], [[8], [9], [8]])
    >>> settings = InstanceSettings(kind="window", window=2)
    >>> [list(instance.source) for instance in cut(document, settings, tokens)]
    [[[5], [6]], [[7]]]
    """
    _check_translates(settings)
    return [
        instance_of(document, first, end, settings)
        for first, end in boundaries(*token_counts(document, special_tokens), settings)
    ]


def overlapping(
    document: EncodedDocument,
    settings: InstanceSettings,
    special_tokens: SpecialTokens,
    overlap: int,
) -> list[Instance]:
    """Cut a document into instances. Each instance but the first begins with sentences of the
    instance before (`Instance.given`), already translated. Apart from given sentences, every
    sentence is in exactly one instance.

    Args:
        document: token ids of the document; the source side is counted.
        settings: how to cut; of `kind` `window` or `tokens`.
        special_tokens: the tokens set around each sentence, which count towards `max_tokens`.
        overlap: number of given sentences. They are fewer where they would take more than half
            of `max_tokens`, or leave no room for the next sentence.
    """
    sizes, limit, most = [1] * len(document.source), settings.window, settings.window
    if settings.kind == "tokens":
        sizes, _ = token_counts(document, special_tokens)
        limit, most = settings.max_tokens, settings.max_tokens // 2
    instances = []
    first_own = 0
    while first_own < len(sizes):
        first, given = first_own, 0
        room = min(most, limit - sizes[first_own])
        while first > max(first_own - overlap, 0) and given + sizes[first - 1] <= room:
            first -= 1
            given += sizes[first]
        end, size = first_own + 1, given + sizes[first_own]
        while end < len(sizes) and size + sizes[end] <= limit:
            size += sizes[end]
            end += 1
        instances.append(
            replace(instance_of(document, first, end, settings), given=first_own - first)
        )
        first_own = end
    return instances


def sliding_windows(document: EncodedDocument, settings: InstanceSettings) -> list[Instance]:
    """For each sentence of a document, the window beginning with this sentence; the end of the
    document cuts the last windows short."""
    sentences = len(document.source)
    return [
        instance_of(document, first, min(first + settings.window, sentences), settings)
        for first in range(sentences)
    ]


def _check_translates(settings: InstanceSettings) -> None:
    """Refuse instances of sentences without translation."""
    if settings.kind == "masked":
        raise InputError(
            "a run with instances.kind masked predicts masked sentences and cannot translate",
            cure="Use it as an encoder: name it as `run` of a key of system.contexts, or as "
            "initialize.run with initialize.load: encoder",
            parameters=("run",),
        )


def last_instance(
    document: EncodedDocument, settings: InstanceSettings, special_tokens: SpecialTokens
) -> Instance:
    """The instance ending with the last sentence of a document, with as many sentences before it as
    an instance may have. The sentences are not joined.

    Args:
        document: token ids of the document.
        settings: how documents are cut.
        special_tokens: the tokens set around each sentence.

    Raises:
        InputError: the kind is `masked`, which is for training only.
    """
    _check_translates(settings)
    end = len(document.source)
    sizes = {"sentence": 1, "window": settings.window, "whole": end}
    if settings.kind == "tokens":
        sums = (accumulate(reversed(side)) for side in token_counts(document, special_tokens))
        sizes["tokens"] = min(bisect_right(list(side), settings.max_tokens) for side in sums)
    first = max(end - max(sizes[settings.kind], 1), 0)
    apart = settings.model_copy(update={"join_sentences": False})
    return instance_of(document, first, end, apart)


def token_counts(
    document: EncodedDocument, special_tokens: SpecialTokens
) -> tuple[list[int], list[int]]:
    """Count the tokens of each sentence of both sides, special tokens included; a document without
    a target side has 0 for each."""
    source = [len(s) + special_tokens.source_overhead for s in document.source]
    if document.target is None:
        return source, [0] * len(source)
    return source, [len(s) + special_tokens.target_overhead for s in document.target]


def boundaries(
    source: Sequence[int], target: Sequence[int], settings: InstanceSettings
) -> Iterator[tuple[int, int]]:
    """The first sentence of each instance of a document and the end, the sentence after the last
    one. For `kind` `masked`: of each part of the document in which one sentence is masked.

    Args:
        source, target: the number of tokens of each sentence, special tokens included.
        settings: how to cut.
    """
    sentences = len(source)
    if settings.kind in ("tokens", "masked"):
        most = settings.window if settings.kind == "masked" else sentences
        yield from _split_at_token_limit(source, target, settings.max_tokens, most)
        return
    whole = max(sentences, 1)
    sizes = {"sentence": 1, "window": settings.window, "whole": whole}
    size = sizes[settings.kind]
    for first in range(0, sentences, settings.stride or size):
        yield first, min(first + size, sentences)
        if first + size >= sentences:
            return


def instance_of(
    document: EncodedDocument, first: int, end: int, settings: InstanceSettings
) -> Instance:
    """Make the instance of the sentences from `first` to before `end`. A masked instance is all of
    the document, with the mask in the place of these sentences."""
    target = None if document.target is None else document.target[first:end]
    if settings.kind == "masked":
        masked = [*document.source[:first], [MASK_ID], *document.source[end:]]
        return Instance(document.id, first, masked, target)
    context_end = end if settings.current_in_context else first
    after = document.source[end : end + settings.next_sentences]
    instance = Instance(
        document.id,
        first,
        document.source[first:end],
        target,
        [*document.source[max(first - settings.previous_sentences, 0) : context_end], *after],
        following=len(after),
    )
    return instance.join() if settings.join_sentences else instance


def _split_at_token_limit(
    source: Sequence[int], target: Sequence[int], limit: int, most: int
) -> Iterator[tuple[int, int]]:
    """Add sentences to an instance while it has at most so many and neither side exceeds the
    limit."""
    first = source_tokens = target_tokens = 0
    for index, (s, t) in enumerate(zip(source, target, strict=True)):
        is_full = max(source_tokens + s, target_tokens + t) > limit or index - first == most
        if index > first and is_full:
            yield first, index
            first, source_tokens, target_tokens = index, 0, 0
        source_tokens += s
        target_tokens += t
    if first < len(source):
        yield first, len(source)

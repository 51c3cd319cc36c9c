"""Sentences that are translated otherwise in their documents than alone, and a control: among
sentences of other documents. Context is not the only reason for a difference, as search ranks the
sentences that it translates together by their scores together.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from docmt.ground.documents import Document
from docmt.translators.repairs import translate
from docmt.translators.translator import ProgressCallback, Translator


class ContextChange(NamedTuple):
    """A sentence that is translated otherwise in its document than alone.

    Attributes:
        document: the index of its document, from 0.
        sentence: its index in the document, from 0.
        source: the sentence.
        alone: its translation without the sentences around it.
        in_context: its translation with them.
    """

    document: int
    sentence: int
    source: str
    alone: str
    in_context: str


def translate_alone(
    translator: Translator, documents: Sequence[Document], progress: ProgressCallback | None = None
) -> list[Document]:
    """Translate each sentence of documents as a document of its own.

    Args:
        translator: translates them.
        documents: the documents.
        progress: as of `Translator.translate`.

    Raises:
        InputError: as `Translator.translate`.
    """
    alone = [Document(each.id, (sentence,)) for each in documents for sentence in each.source]
    translations = translate(translator, alone, progress=progress)
    targets = (_target(each.document)[0] for each in translations)
    return [each.translated([next(targets) for _ in each.source]) for each in documents]


def translate_among_others(
    translator: Translator,
    documents: Sequence[Document],
    *,
    seed: int = 1,
    progress: ProgressCallback | None = None,
) -> list[Document]:
    """Translate the sentences of documents in documents of the same sizes, each of sentences from
    all of them at random.

    Args:
        translator: translates them.
        documents: the documents.
        seed: of the draw.
        progress: as of `Translator.translate`.

    Returns:
        The documents, each sentence with its translation.

    Raises:
        InputError: as `Translator.translate`.
    """
    sentences = [sentence for each in documents for sentence in each.source]
    order = random.Random(seed).sample(range(len(sentences)), len(sentences))
    drawn = iter(order)
    mixed = [Document(d.id, tuple(sentences[next(drawn)] for _ in d.source)) for d in documents]
    translations = translate(translator, mixed, progress=progress)
    targets = [target for each in translations for target in _target(each.document)]
    back = iter([target for _, target in sorted(zip(order, targets, strict=True))])
    return [each.translated([next(back) for _ in each.source]) for each in documents]


def context_changes(
    in_context: Sequence[Document], alone: Sequence[Document]
) -> list[ContextChange]:
    """The sentences that are translated otherwise together than alone, in their order.

    Args:
        in_context: documents with their translation as documents, or among others.
        alone: the same documents as `translate_alone` translates them.
    """
    return [
        ContextChange(owner, index, source, *targets)
        for owner, (one, other) in enumerate(zip(in_context, alone, strict=True))
        for index, (source, *targets) in enumerate(
            zip(one.source, _target(other), _target(one), strict=True)
        )
        if targets[0] != targets[1]
    ]


def _target(document: Document) -> Sequence[str]:
    assert document.target is not None
    return document.target

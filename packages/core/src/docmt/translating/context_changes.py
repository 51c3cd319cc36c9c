"""Sentences with different translations in their documents and alone, and a control: among
sentences of other documents. Context is not the only reason for a difference, as search ranks
sentences translated together by their joint score.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from docmt_files.base.documents import Document
from docmt_nmt.translators.repairs import translate
from docmt_nmt.translators.translator import ProgressCallback, Translator


class ContextChange(NamedTuple):
    """A sentence with a different translation in the document and alone.

    Attributes:
        document: the index of the document, from 0.
        sentence: the index of the sentence in the document, from 0.
        source: the sentence.
        alone: the translation without the sentences around it.
        in_context: the translation with the sentences around it.
    """

    document: int
    sentence: int
    source: str
    alone: str
    in_context: str


def translate_alone(
    translator: Translator, documents: Sequence[Document], progress: ProgressCallback | None = None
) -> list[Document]:
    """Translate each sentence of documents as a separate document.

    Args:
        translator: translates the documents.
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
    """Translate the sentences of documents in random documents of the same sizes, each drawn from
    all sentences.

    Args:
        translator: translates the documents.
        documents: the documents.
        seed: the random seed.
        progress: as of `Translator.translate`.

    Returns:
        The original documents with these translations.

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
    """The sentences with different translations, in order.

    Args:
        in_context: documents translated as documents, or among others.
        alone: the same documents, translated by `translate_alone`.
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

"""The aligner of the words of a translator's translations: the attention of its system or, for a
translator without one, the statistics of the text itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np

from docmt.alignment.by_attention import AlignedSentence, AttentionAligner, Words
from docmt.alignment.code_alignment import CodeAligner
from docmt.alignment.statistical import align_words
from docmt.decoding.translator import BeamSearchTranslator
from docmt.documents import Document
from docmt.errors import InputError
from docmt.formats.core.word_links import AlignSentences
from docmt.requests import Translator

AlignDocuments = Callable[
    [Sequence[Document], Sequence[Sequence[Words]]], list[list[AlignedSentence]]
]
"""Aligns documents with their translations, given the words of both sides of each sentence."""


def aligner_of(translator: Translator) -> AlignDocuments:
    """Return what aligns the words of whole documents.

    Raises:
        InputError: the sentences of the translator are joined, or its system has no attention to
            align words by.
    """
    if not isinstance(translator, BeamSearchTranslator):
        return _by_statistics
    if translator.instances.join_sentences:
        raise InputError(
            "consistent terms need a translation of each sentence, and this run translates whole "
            "instances freely (instances.join_sentences)",
            cure="Leave out `consistent`",
        )
    return AttentionAligner(translator).align


def code_aligner(translator: Translator) -> tuple[AlignSentences | None, Callable[[], list[str]]]:
    """Return what aligns the sentences that have codes, if anything does but order and spelling,
    and what gives notes on it afterwards."""
    if not isinstance(translator, BeamSearchTranslator):
        return None, list
    aligner = CodeAligner(translator)
    return aligner, lambda: list(aligner.notes)


def _by_statistics(
    documents: Sequence[Document], words: Sequence[Sequence[Words]]
) -> list[list[AlignedSentence]]:
    """Align documents by a model that is learned from them."""
    del documents
    pairs = [
        ([word.lower() for word in source], [word.lower() for word in target])
        for source, target in chain.from_iterable(words)
    ]
    links = iter(align_words(pairs).links)
    aligned: list[list[AlignedSentence]] = []
    for of_document in words:
        sentences = []
        for source, target in of_document:
            scores = np.zeros((len(source), len(target)), np.float32)
            for pair in next(links):
                scores[pair] = 1
            sentences.append(AlignedSentence(source, target, scores))
        aligned.append(sentences)
    return aligned

"""The word aligner for a translator: the attention of the translator's system or, without
attention, statistics of the text itself.

Statistics need text: for documents of few sentences, codes are placed by the order and spelling of
words alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from docmt_files import Alignment, AlignSentences, WordWeights, word_spans
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.translators.decorator import undecorated
from docmt_nmt.translators.repairs import translate
from docmt_nmt.translators.translator import Translator

if TYPE_CHECKING:
    from docmt.alignment.aligned_sentence import AlignedSentence, Words

    # It needs torch.
    from docmt_nmt.decoding.beam_search_translator import BeamSearchTranslator

    AlignDocuments = Callable[
        [Sequence[Document], Sequence[Sequence[Words]]], list[list[AlignedSentence]]
    ]
    """Aligns documents with their translations, given the words of both sides of each sentence."""

_MIN_SENTENCES = 20
"""Minimum number of sentences for statistics of a document."""


def aligner_of(translator: Translator) -> AlignDocuments:
    """Return the aligner of the words of whole documents.

    Raises:
        InputError: the translator joins sentences, or its system has no attention to align words
            by.
    """
    if "sentences" not in translator.gives:
        raise InputError(
            "consistent terms need a translation of each sentence, and this run translates whole "
            "instances freely (instances.join_sentences)",
            cure="Leave out `consistent`",
            parameters=("consistent",),
        )
    if (system := system_of(translator)) is None:
        return partial(_by_translator, translator)
    # It needs torch.
    from docmt.alignment.by_attention import AttentionAligner

    return AttentionAligner(system).align


def align_documents(
    translator: Translator | None, documents: Sequence[Document], languages: tuple[str, str]
) -> list[list[AlignedSentence]]:
    """The aligned sentences of documents with their translations.

    Args:
        translator: the translator whose attention aligns; without one, statistics do.
        documents: the documents.
        languages: the codes of the source and the target language.

    Raises:
        InputError: as of `aligner_of`.
    """
    from docmt_nmt.text.word_splitting import split_words

    words = [
        [
            (split_words(source, languages[0]), split_words(target, languages[1]))
            for source, target in zip(document.source, document.target or (), strict=True)
        ]
        for document in documents
    ]
    align = _by_statistics if translator is None else aligner_of(translator)
    return align(documents, words)


def code_aligner(translator: Translator) -> tuple[AlignSentences | None, Callable[[], list[str]]]:
    """Return the aligner of sentences with codes, or None if only order and spelling help; and a
    function returning notes about the alignment."""
    if len(translator.stages) > 1:
        return partial(_through_stages, translator.stages), list
    if (system := system_of(translator)) is None:
        return partial(_weights, translator), list
    from docmt.alignment.code_alignment import CodeAligner

    aligner = CodeAligner(system)
    return aligner, lambda: list(aligner.notes)


def _through_stages(
    stages: Sequence[Translator], document: Document, indices: Sequence[int]
) -> dict[int, Alignment]:
    """The alignment for translators one after the other: the products of the weights of all. The
    document is translated into the languages between once more."""
    first, *rest = stages
    align, _ = code_aligner(first)
    if not rest:
        return dict(align(document, indices)) if align else {}
    (between,) = translate(first, [Document(document.id, document.source)])
    before = align(document.translated(between.target), indices) if align else {}
    after = _through_stages(rest, Document(document.id, between.target, document.target), indices)
    aligned: dict[int, Alignment] = {}
    for index in indices:
        one, other = before.get(index), after.get(index)
        if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
            aligned[index] = one @ other
    return aligned


def system_of(translator: Translator) -> BeamSearchTranslator | None:
    """The translator with a system of docmt below all decorators; None if there is none."""
    if "attention" not in translator.gives:
        return None
    # It needs torch.
    from docmt_nmt.decoding.beam_search_translator import BeamSearchTranslator

    inner = undecorated(translator)
    return inner if isinstance(inner, BeamSearchTranslator) else None


def _weights(
    translator: Translator, document: Document, indices: Sequence[int]
) -> dict[int, WordWeights]:
    """The alignment weights of some sentences of a document, by the translator or by a model
    learned from all of them; none if there are too few."""
    words = [
        (_words(source), _words(target))
        for source, target in zip(document.source, document.target or (), strict=True)
    ]
    aligned = _aligned(translator, document, words)
    if aligned is None and len(document) < _MIN_SENTENCES:
        return {}
    if aligned is None:
        (aligned,) = _by_statistics([document], [words])
    return {index: aligned[index].weights for index in indices if aligned[index].weights.any()}


def _words(text: str) -> list[str]:
    """The words of a sentence, as units for placing codes."""
    return [text[start:end] for start, end in word_spans(text)]


def _by_translator(
    translator: Translator, documents: Sequence[Document], words: Sequence[Sequence[Words]]
) -> list[list[AlignedSentence]]:
    """Align documents by a translator that can, otherwise by statistics."""
    aligned = []
    for document, of_document in zip(documents, words, strict=True):
        found = _aligned(translator, document, of_document)
        if found is None:
            return _by_statistics(documents, words)
        aligned.append(found)
    return aligned


def _aligned(
    translator: Translator, document: Document, words: Sequence[Words]
) -> list[AlignedSentence] | None:
    """The sentences of a document as a translator aligns them; None if it cannot."""
    weights = translator.align(document, words)
    if weights is None:
        return None
    from docmt.alignment.aligned_sentence import AlignedSentence

    return [
        AlignedSentence(*sides, np.asarray(list(each), np.float32).reshape(*map(len, sides)))
        for sides, each in zip(words, weights, strict=True)
    ]


def _by_statistics(
    documents: Sequence[Document], words: Sequence[Sequence[Words]]
) -> list[list[AlignedSentence]]:
    """Align documents by a model learned from them."""
    from docmt.alignment.aligned_sentence import AlignedSentence
    from docmt.alignment.statistical import align_words

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
            weights = np.zeros((len(source), len(target)), np.float32)
            for pair in next(links):
                weights[pair] = 1
            sentences.append(AlignedSentence(source, target, weights))
        aligned.append(sentences)
    return aligned

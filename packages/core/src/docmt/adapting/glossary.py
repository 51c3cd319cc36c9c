"""Terms of the material, for a glossary that a person corrects."""

from __future__ import annotations

from collections.abc import Sequence

from docmt.translating.term_candidates import Candidate, term_candidates
from docmt.translating.word_aligner import align_documents
from docmt_files.base.documents import Document

_MIN_SENTENCES = 4
"""The fewest sentences with a term."""

_MIN_SHARE = 0.7
"""The least share of these with its most frequent translation."""

_MAX_TERMS = 300


def glossary_of(documents: Sequence[Document], languages: tuple[str, str]) -> list[Candidate]:
    """The terms that a person translates in one way, the most frequent first.

    Args:
        documents: the pairs.
        languages: source and target language.
    """
    # One document: statistics of all pairs are better than those of few.
    source = tuple(sentence for each in documents for sentence in each.source)
    target = tuple(sentence for each in documents for sentence in each.target or ())
    joined = [Document("material", source, target)]
    aligned = align_documents(None, joined, languages)
    found = term_candidates(joined, aligned, languages)
    clear = [
        each
        for each in found
        if each.sentences >= _MIN_SENTENCES
        and each.translations
        and each.translations[0][1] >= _MIN_SHARE * each.sentences
    ]
    return clear[:_MAX_TERMS]

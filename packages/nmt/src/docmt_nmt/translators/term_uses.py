"""Terms of a glossary in sentences, and the number of them in translations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from docmt_files.base.documents import Sentence
from docmt_nmt.translators.glossary import Glossary, Term

_HIDDEN = "\ufffc"
"""The character for protected words while terms are looked for."""


class TermUse(NamedTuple):
    """A term in a sentence.

    Attributes:
        term: the term.
        forms: the target forms, of which one is to be written.
        times: the number of times to write it.
        spaced: True if only after a space.
    """

    term: Term
    forms: tuple[str, ...]
    times: int
    spaced: bool = False


class TermCount(NamedTuple):
    """The terms of a translated document.

    Attributes:
        required: how many were to be written.
        written: how many of them the text of the translation has, as whole words, whatever their
            case.
        sentences: how many sentences have terms.
    """

    required: int
    written: int
    sentences: int


def find_uses(glossary: Glossary, sentence: str, protected: Sequence[str] = ()) -> list[TermUse]:
    """Return the terms of a sentence, each once.

    Args:
        glossary: the terms.
        sentence: the sentence.
        protected: words of the sentence without terms.
    """
    for word in protected:
        sentence = sentence.replace(word, _HIDDEN)
    counts: Counter[tuple[Term, tuple[str, ...]]] = Counter()
    for match in glossary.find(sentence):
        counts[match.term, match.term.target or (match.text,)] += 1
    return [
        TermUse(term, forms, count if term.every else 1) for (term, forms), count in counts.items()
    ]


def uses_of_words(required: Sequence[tuple[str, ...]]) -> list[TermUse]:
    """Required words as terms, one form of each tuple of which is to be written once."""
    return [TermUse(Term(forms, forms), forms, 1) for forms in required]


def missing_uses(uses: Sequence[TermUse], target: str) -> list[TermUse]:
    """Terms of a sentence missing in the translation, or too seldom there."""
    return [use for use in uses if _count(use.forms, target) < use.times]


def count_terms(glossary: Glossary, source: Sequence[Sentence], target: Sequence[str]) -> TermCount:
    """Count the terms of a translated document.

    Args:
        glossary: the terms.
        source: the sentences, some with protected words, which have no terms.
        target: the translations.
    """
    required = written = sentences = 0
    for sentence, target_text in zip(source, target, strict=True):
        uses = find_uses(glossary, sentence.text, sentence.protected)
        sentences += bool(uses)
        for use in uses:
            required += use.times
            written += min(use.times, _count(use.forms, target_text))
    return TermCount(required, written, sentences)


def _count(forms: Sequence[str], text: str) -> int:
    """The number of times a text has one of some forms, as whole words."""
    return len(Glossary([Term(tuple(dict.fromkeys(forms)), ())]).find(text))

"""`TermDamage`: sentences that a term of a glossary has spoilt.

A search that must write a term may write it beside the usual translation (*O felino do gato
dorme*), stop after it, or never come to an end. Sentences with terms are translated without the
glossary, too, and a translation that differs in more than its terms gets a warning with the free
one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from docmt_files.base.documents import SentenceWarning
from docmt_nmt.base.translations import Translation
from docmt_nmt.translators.repair import Repair, Retry, revision_for
from docmt_nmt.translators.requests import SentenceIndex, TranslationRequest
from docmt_nmt.translators.term_uses import TermUse, find_uses
from docmt_nmt.translators.translator import Translator

_WORD = re.compile(r"\w+")

_MIN_SHARE = 0.5
"""Minimum share of the words beside a term that a free translation has."""

_MAX_SHARE, _MORE = 1.5, 3
"""A translation with terms has at most so many times the words of the free one, and so many
more."""


@dataclass(frozen=True)
class _Comparison(Retry):
    """Compares translations with terms with free ones, and keeps the former.

    Attributes:
        uses: the terms of each sentence.
        found: the faults found.
    """

    uses: Mapping[SentenceIndex, Sequence[TermUse]]
    found: dict[SentenceIndex, str] = field(default_factory=dict)

    def accepts(self, sentence: SentenceIndex, old: Translation, new: Translation) -> bool:
        written, free = (each.sentences[sentence[1]].target for each in (old, new))
        if fault := term_damage(self.uses[sentence], written, free):
            self.found[sentence] = f"{fault}; without the glossary: {free}"
        return False

    def concluded(
        self, translations: Sequence[Translation], accepted: Collection[SentenceIndex]
    ) -> list[Translation]:
        del accepted
        return [
            translation.with_sentences(
                sentence.warned(
                    (*sentence.warnings, SentenceWarning("terms", self.found[owner, index]))
                )
                if (owner, index) in self.found
                else sentence
                for index, sentence in enumerate(translation.sentences)
            )
            for owner, translation in enumerate(translations)
        ]


@dataclass(frozen=True)
class TermDamage(Repair):
    """Warns of sentences that a term has spoilt. It changes nothing. Language models, whose second
    translations cost more, are not asked."""

    def retry(
        self,
        translator: Translator,
        request: TranslationRequest,
        translations: Sequence[Translation],
    ) -> Retry | None:
        is_asked = "instructions" in translator.gives or translator.meter is not None
        if request.glossary is None or request.revision is not None or is_asked:
            return None
        glossary = request.glossary.normalized(translator.normalize)
        uses: dict[SentenceIndex, list[TermUse]] = {}
        for owner, translation in enumerate(translations):
            for index, sentence in enumerate(translation.sentences):
                source = request.sentence((owner, index))
                found = find_uses(glossary, source.text, source.protected)
                if found and sentence.match is None and not translation.is_joined:
                    uses[owner, index] = found
        revision = revision_for(request, translations, uses)
        if revision is None:
            return None
        return _Comparison(replace(request, glossary=None, revision=revision), uses)


def term_damage(uses: Sequence[TermUse], written: str, free: str) -> str:
    """What is wrong with a translation with terms beside a free one; empty if nothing is.

    Args:
        uses: the terms.
        written, free: both translations.

    >>> from docmt_nmt.translators.glossary import Term
    >>> uses = [TermUse(Term(("cat",), ("felino",)), ("felino",), 1)]
    >>> term_damage(uses, "O felino do gato dorme.", "O gato dorme.")
    'a term stands beside what it is to replace'
    >>> term_damage(uses, "O felino dorme.", "O gato dorme.")
    ''
    """
    with_terms, without = _words(written), _words(free)
    terms = Counter[str]()
    for use in uses:
        forms = [_words(form) for form in use.forms]
        terms += next((form for form in forms if form <= with_terms), Counter())
    rest = with_terms - terms
    replaced = sum(min(_words(form).total() for form in use.term.source) for use in uses)
    others = without.total() - max(replaced, 1)
    if terms and not terms <= without and without.total() > 1 and without <= rest:
        return "a term stands beside what it is to replace"
    if others > 0 and rest.total() < _MIN_SHARE * others:
        return "words are missing beside the terms"
    if rest.total() > _MAX_SHARE * without.total() + _MORE:
        return "there are words that do not belong to the terms"
    return ""


def _words(text: str) -> Counter[str]:
    """The words of a text in lower case."""
    return Counter(word.lower() for word in _WORD.findall(text))

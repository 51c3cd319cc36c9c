"""`ConsistentTerms`: recurring terms of a document get the same translation everywhere.

Source and translation are aligned (`docmt.alignment`), and terms with several translations are
found (`recurring_terms`). For each term the most frequent translation wins. Sentences with another
translation are translated again, with the forms of the winner required. A new translation is
accepted only if it is hardly less probable and has fewer of the other forms; all other sentences
stay as they are. The result depends on the documents alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from docmt.translating.recurring_terms import alike, recurring_terms
from docmt.translating.word_aligner import align_documents, aligner_of
from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_nmt.base.translations import RecurringTerm, Translation
from docmt_nmt.text.word_lists import FUNCTION_WORDS
from docmt_nmt.text.word_splitting import split_words
from docmt_nmt.translators.repair import Repair, Retry
from docmt_nmt.translators.requests import Revision, SentenceIndex, TranslationRequest
from docmt_nmt.translators.translator import Translator


@dataclass(frozen=True)
class ConsistentTerms(Repair):
    """Translates sentences again in which a term differs from the most frequent translation.

    Attributes:
        max_loss: maximum loss of a changed sentence, in mean natural log-probability per token.
    """

    max_loss: float = 0.25

    def check(self, translator: Translator) -> None:
        if "words" not in translator.gives:
            raise InputError(
                "`consistent` needs a translator that can be made to write given words: a run with "
                "beam search",
                cure="Leave out `consistent` or `sampling`",
                parameters=("consistent", "sampling"),
            )
        aligner_of(translator)

    def retry(
        self,
        translator: Translator,
        request: TranslationRequest,
        translations: Sequence[Translation],
    ) -> Retry | None:
        if request.revision is not None:
            return None
        terms = _find_terms(translator, request, translations)
        losers: dict[SentenceIndex, list[_Loser]] = defaultdict(list)
        required: dict[SentenceIndex, list[tuple[str, ...]]] = defaultdict(list)
        for owner, of_document in enumerate(terms):
            for term in of_document:
                for sentence, forms in _sentences_of(term).items():
                    required[owner, sentence].append(term.winner.forms)
                    if forms:
                        losers[owner, sentence].append(_Loser(term.source, forms))
        known = tuple(translation.document for translation in translations)
        revision = Revision(known, frozenset(losers), required)
        again = replace(request, revision=revision)
        return _TermRetry(again, terms, losers, translator.languages[1], self.max_loss)


@dataclass(frozen=True)
class _TermRetry(Retry):
    """Requires the most frequent translations of terms.

    Attributes:
        terms: the terms of each document with several translations.
        losers: the translations to replace, for each sentence.
        language: the code of the target language.
        max_loss: as of `ConsistentTerms`.
    """

    terms: list[list[RecurringTerm]]
    losers: dict[SentenceIndex, list[_Loser]]
    language: str
    max_loss: float

    def accepts(self, sentence: SentenceIndex, old: Translation, new: Translation) -> bool:
        before, after = (each.sentences[sentence[1]] for each in (old, new))
        if after.truncated and not before.truncated:
            return False
        if after.log_probability < before.log_probability - self.max_loss:
            return False
        return all(
            self._count(after.target, loser.forms) < self._count(before.target, loser.forms)
            for loser in self.losers[sentence]
        )

    def concluded(
        self, translations: Sequence[Translation], accepted: Collection[SentenceIndex]
    ) -> list[Translation]:
        """The translations with the terms found in several translations at first, and the sentences
        changed for each term."""
        changed: dict[tuple[int, str], list[int]] = defaultdict(list)
        for owner, index in sorted(accepted):
            for loser in self.losers[owner, index]:
                changed[owner, loser.term].append(index)
        return [
            replace(
                translation,
                terms=tuple(
                    replace(term, changed=tuple(changed[owner, term.source]))
                    for term in self.terms[owner]
                ),
            )
            for owner, translation in enumerate(translations)
        ]

    def _count(self, text: str, forms: Sequence[str]) -> int:
        """The number of words of a translation similar to one of these forms."""
        words = split_words(text, self.language)
        return sum(any(alike(word, form) for form in forms) for word in words if word.isalpha())


def _find_terms(
    translator: Translator, request: TranslationRequest, translations: Sequence[Translation]
) -> list[list[RecurringTerm]]:
    """The terms with several translations in each document, without terms of the glossary."""
    languages = translator.languages
    documents = [translation.document for translation in translations]
    aligned = align_documents(translator, documents, languages)
    source, target = (FUNCTION_WORDS.get(primary_language(code), frozenset()) for code in languages)
    glossary = request.glossary
    if glossary is not None:
        glossary = glossary.normalized(translator.normalize)
    return [
        [
            term
            for term in recurring_terms(sentences, t.log_probabilities, languages, (source, target))
            if glossary is None or not glossary.find(term.source)
        ]
        for t, sentences in zip(translations, aligned, strict=True)
    ]


class _Loser(NamedTuple):
    """A translation to replace in a sentence: the term, and the forms of the translation. The
    sentence has one of the forms."""

    term: str
    forms: tuple[str, ...]


def _sentences_of(term: RecurringTerm) -> dict[int, tuple[str, ...]]:
    """The sentences to translate again, each with the forms to replace. Sentences with the most
    frequent translation are included, so they keep it when they are changed for another term."""
    winning = set(term.winner.sentences)
    forms: dict[int, tuple[str, ...]] = dict.fromkeys(winning, ())
    for translation in term.losers:
        for sentence in translation.sentences:
            if sentence not in winning:
                forms[sentence] = (*forms.get(sentence, ()), *translation.forms)
    return forms

"""`translate`: a request as any translator meets it, with terms that recur in a document translated
alike if it asks for that.

Documents are translated; source and translation are aligned (`docmt.alignment`); the terms that
were translated in several ways are found (`recurring_terms`), and of each the most frequent
translation wins. Then the sentences that have another one are translated again, with the forms of
the winner required in them (`Revision`). A sentence is changed only if its new translation is
hardly less probable and no longer has what was to go; else it stays as it was, as do all sentences
without such a term. All of it follows from the documents alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from docmt.ground.documents import RecurringTerm, Translation
from docmt.ground.errors import InputError
from docmt.text import primary_language
from docmt.text.word_lists import FUNCTION_WORDS
from docmt.text.word_splitting import split_words
from docmt.translating.recurring_terms import alike, recurring_terms
from docmt.translating.word_aligner import aligner_of
from docmt.translators.requests import (
    Journal,
    Plan,
    ProgressCallback,
    Revision,
    SentenceIndex,
    TranslationRequest,
    Translator,
    merge_revision,
)

MAX_LOSS = 0.25
"""The most that the mean log-probability per token of a sentence may lose by a change."""


def translate(
    translator: Translator,
    request: TranslationRequest,
    *,
    plan: Plan | None = None,
    progress: ProgressCallback | None = None,
    journal: Journal | None = None,
    max_loss: float = MAX_LOSS,
) -> list[Translation]:
    """Translate the documents of a request.

    Args:
        translator: translates them.
        request: the documents, and how they are translated.
        plan, progress, journal: as of `Translator.translate`.
        max_loss: with consistent terms, how much less the mean natural log-probability per token
            of a sentence may be after it was changed.

    Returns:
        The translations of the documents, in their order; with consistent terms each has the terms
        that were translated in several ways at first (`Translation.terms`).

    Raises:
        InputError: as of `Translator.translate`, or terms cannot be made consistent.

    >>> import docmt
    >>> documents = [docmt.Document("d", ("Open the file.",))]
    >>> request = docmt.TranslationRequest(documents, consistent=True)
    >>> (translation,) = docmt.translate(docmt.load(), request)
    >>> translation.document.target
    ('Öffnen Sie die Datei.',)
    """
    if not request.consistent:
        return translator.translate(request, plan=plan, progress=progress, journal=journal)
    check_consistency(translator)
    once = replace(request, consistent=False)
    if plan is not None:
        plan = replace(plan, request=once)
    first = translator.translate(once, plan=plan, progress=progress, journal=journal)
    terms = _find_terms(translator, once, first)
    changes = _Changes(translator.languages[1])
    for owner, of_document in enumerate(terms):
        for term in of_document:
            changes.ask_for(owner, term)
    changed: dict[tuple[int, str], list[int]] = defaultdict(list)
    if changes.losers:
        known = tuple(translation.document for translation in first)
        revision = Revision(known, frozenset(changes.losers), changes.required)
        second = translator.translate(replace(once, revision=revision), journal=journal)
        pairs = zip(first, second, strict=True)
        first = [
            merge_revision(old, new, changes.accepted(owner, old, new, max_loss, changed))
            for owner, (old, new) in enumerate(pairs)
        ]
    return [
        replace(
            translation,
            terms=tuple(
                replace(term, changed=tuple(sorted(changed[owner, term.source])))
                for term in terms[owner]
            ),
        )
        for owner, translation in enumerate(first)
    ]


def check_consistency(translator: Translator) -> None:
    """Check that a translator can translate terms alike.

    Raises:
        InputError: it cannot be made to write given words, or its words cannot be aligned.
    """
    if not translator.requires_words:
        raise InputError(
            "`consistent` needs a translator that can be made to write given words: a run with "
            "beam search and a beam of 2 or more",
            cure="Leave out `consistent`, `parallel` and `sampling`, or set `beam_size` to 2 or "
            "more",
        )
    aligner_of(translator)


def _find_terms(
    translator: Translator, request: TranslationRequest, translations: Sequence[Translation]
) -> list[list[RecurringTerm]]:
    """For each document the terms that were translated in several ways; those of the glossary are
    not among them."""
    languages = translator.languages
    documents = [translation.document for translation in translations]
    words = [
        [
            (split_words(source, languages[0]), split_words(target, languages[1]))
            for source, target in zip(document.source, document.target or (), strict=True)
        ]
        for document in documents
    ]
    aligned = aligner_of(translator)(documents, words)
    source, target = (FUNCTION_WORDS.get(primary_language(code), frozenset()) for code in languages)
    glossary = request.glossary
    if glossary is not None:
        glossary = glossary.normalized(translator.normalize)
    return [
        [
            term
            for term in recurring_terms(sentences, t.scores, languages, (source, target))
            if glossary is None or not glossary.find(term.source)
        ]
        for t, sentences in zip(translations, aligned, strict=True)
    ]


class _Loser(NamedTuple):
    """A translation of a term that is to go from a sentence: the term, and the forms of which one
    is there."""

    term: str
    forms: tuple[str, ...]


class _Changes:
    """The sentences whose translations are to have the winners of terms.

    Attributes:
        losers: for each sentence what is to go.
        required: for each sentence what is to be there: of each tuple of forms one.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self.losers: dict[SentenceIndex, list[_Loser]] = defaultdict(list)
        self.required: dict[SentenceIndex, list[tuple[str, ...]]] = defaultdict(list)

    def ask_for(self, owner: int, term: RecurringTerm) -> None:
        """Ask for the winner of a term of a document in the sentences with losers; and in those
        with the winner, so that a sentence that is changed for another term keeps it."""
        winning = set(term.winner.sentences)
        losers: dict[int, tuple[str, ...]] = dict.fromkeys(winning, ())
        for translation in term.losers:
            for sentence in translation.sentences:
                if sentence not in winning:
                    losers[sentence] = (*losers.get(sentence, ()), *translation.forms)
        for sentence, forms in losers.items():
            self.required[owner, sentence].append(term.winner.forms)
            if forms:
                self.losers[owner, sentence].append(_Loser(term.source, forms))

    def accepted(
        self,
        owner: int,
        old: Translation,
        new: Translation,
        max_loss: float,
        changed: dict[tuple[int, str], list[int]],
    ) -> list[int]:
        """Return the sentences of a document that are better for the change, and add them to
        `changed` by their terms."""
        accepted = []
        for (of_document, sentence), losers in self.losers.items():
            if of_document == owner and self._is_better(old, new, sentence, losers, max_loss):
                accepted.append(sentence)
                for loser in losers:
                    changed[owner, loser.term].append(sentence)
        return accepted

    def _is_better(
        self,
        old: Translation,
        new: Translation,
        sentence: int,
        losers: Sequence[_Loser],
        max_loss: float,
    ) -> bool:
        """Return whether the new translation of a sentence is to be taken."""
        if sentence in new.truncated and sentence not in old.truncated:
            return False
        if new.scores[sentence] < old.scores[sentence] - max_loss:
            return False
        before, after = ((each.document.target or ())[sentence] for each in (old, new))
        return all(
            self._count(after, loser.forms) < self._count(before, loser.forms) for loser in losers
        )

    def _count(self, text: str, forms: Sequence[str]) -> int:
        """The number of words of a translation that are like one of these."""
        words = split_words(text, self._language)
        return sum(any(alike(word, form) for form in forms) for word in words if word.isalpha())

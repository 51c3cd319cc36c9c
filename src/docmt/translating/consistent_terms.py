"""`translate_consistently`: documents in which a term that recurs is translated alike.

Documents are translated; source and translation are aligned by the system's own attention
(`attention_alignment`); the terms that were translated in several ways are found
(`recurring_terms`), and of each the most frequent translation wins. Then the instances that have
another one are translated again, with the forms of the winner as constraints of these sentences
(`term_constraints`). A sentence is changed only if its new translation is hardly less probable and
no longer has what was to go; else it stays as it was, as do all sentences without such a term. All
of it follows from the documents alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from docmt.alignment.by_attention import AttentionAligner
from docmt.decoding.assembling import locations_of, translated_sentences
from docmt.decoding.beam_search import Hypothesis
from docmt.decoding.glossary_terms import GlossaryTerms, Sentences
from docmt.decoding.instance_search import SearchedInstance
from docmt.decoding.translator import ProgressCallback, Translator
from docmt.documents import Document, RecurringTerm, Translation
from docmt.errors import InputError
from docmt.glossaries import Glossary
from docmt.text import primary_language
from docmt.translating.journal import Journal
from docmt.translating.recurring_terms import alike, recurring_terms

MAX_LOSS = 0.25
"""How much less the mean log-probability per token of a sentence may be after a change."""


def check_consistency(translator: Translator) -> None:
    """Check that a translator can translate terms alike.

    Raises:
        InputError: its search is not a beam search of several hypotheses, its sentences are joined,
            or its system has no attention to align words by.
    """
    search = translator.search
    if search.method != "beam" or search.beam_size == 1:
        greedy = search.method == "beam"
        found = "beam_size 1" if greedy else f"method {search.method}"
        change = "set --beam-size to 2 or more" if greedy else f"--{search.method}"
        raise InputError(
            f"consistent terms need beam search with a beam of 2 or more, not search.{found}",
            cure=f"Leave out --consistent, or {change}",
        )
    if translator.instances.join_sentences:
        raise InputError(
            "consistent terms need a translation of each sentence, and this run translates whole "
            "instances freely (instances.join_sentences)",
            cure="Leave out --consistent",
        )
    AttentionAligner(translator)


def translate_consistently(
    translator: Translator,
    documents: Sequence[Document],
    progress: ProgressCallback | None = None,
    journal: Journal | None = None,
    *,
    max_loss: float = MAX_LOSS,
) -> list[Translation]:
    """Translate documents so that a term that recurs in one is translated alike.

    Args:
        translator: the system, its text pipeline and its search.
        documents, progress, journal: as of `Translator.translate`; the journal has begun.
        max_loss: how much less the mean natural log-probability per token of a sentence may be
            after it was changed.

    Returns:
        The translations, each with the terms that had several (`Translation.terms`).

    Raises:
        InputError: as of `Translator.translate`.
    """
    contexts = translator.with_target_context(documents, journal)
    searched = translator.searched(documents, contexts)
    total = sum(map(len, documents))
    found = translator.search_instances(searched, total, progress, journal)
    first = translator.assemble(documents, searched, found)
    terms = _find_terms(translator, first)
    again = _SecondPass(translator, documents, searched, found)
    for owner, of_document in enumerate(terms):
        for term in of_document:
            again.ask_for(owner, term)
    changed = again.search(journal, max_loss)
    return [
        replace(
            translation,
            terms=tuple(
                replace(term, changed=tuple(sorted(changed[owner, term.source])))
                for term in terms[owner]
            ),
        )
        for owner, translation in enumerate(translator.assemble(documents, searched, again.found))
    ]


def _find_terms(
    translator: Translator, translations: Sequence[Translation]
) -> list[list[RecurringTerm]]:
    """For each document the terms that were translated in several ways; those of the glossary are
    not among them."""
    # Loaded here: translating needs none of the metrics that come with them.
    from docmt.text.function_words import FUNCTION_WORDS
    from docmt.text.word_splitting import split_words

    languages = translator.pipeline.languages
    documents = [translation.document for translation in translations]
    words = [
        [
            (split_words(source, languages[0]), split_words(target, languages[1]))
            for source, target in zip(document.source, document.target or (), strict=True)
        ]
        for document in documents
    ]
    aligned = AttentionAligner(translator).align(documents, words)
    source, target = (FUNCTION_WORDS.get(primary_language(code), frozenset()) for code in languages)
    glossary = translator.terms.glossary if translator.terms is not None else None
    return [
        [
            term
            for term in recurring_terms(sentences, t.scores, languages, (source, target))
            if glossary is None or not glossary.find(term.source)
        ]
        for t, sentences in zip(translations, aligned, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Change:
    """A sentence whose translation is to have the winner of a term.

    Attributes:
        term: the index of its document, and the term.
        sentence: the index of the sentence in its document.
        losers: the forms of which one is to go.
    """

    term: tuple[int, str]
    sentence: int
    losers: tuple[str, ...]


class _SecondPass:
    """The second pass: the instances that have losers are searched again.

    Args:
        translator, documents: as of `translate_consistently`.
        searched, found: the instances of the first pass and their hypotheses.

    Attributes:
        found: the hypotheses of all instances, with the sentences that were changed.
    """

    def __init__(
        self,
        translator: Translator,
        documents: Sequence[Document],
        searched: Sequence[SearchedInstance],
        found: Sequence[Sequence[Hypothesis]],
    ) -> None:
        self._translator, self._searched = translator, searched
        self.found = list(found)
        self._terms = translator.terms or GlossaryTerms(
            Glossary(()), translator.pipeline, translator.search
        )
        self._constraints: dict[int, Sentences] = {}
        self._changes: dict[tuple[int, int], list[_Change]] = defaultdict(list)
        # For each sentence of each document the instance that translates it, and its index there.
        self._locations: list[dict[int, tuple[int, int]]] = []
        by_owner: list[list[int]] = [[] for _ in documents]
        for index, one in enumerate(searched):
            by_owner[one.owner].append(index)
        for document, indices in zip(documents, by_owner, strict=True):
            own = locations_of(
                [searched[index].instance.own for index in indices],
                window=translator.window,
                window_position=translator.search.window_position,
            )
            self._locations.append(
                {
                    sentence: (indices[chunk], at)
                    for sentence, (chunk, at) in zip(
                        translated_sentences(document), own, strict=True
                    )
                }
            )

    def ask_for(self, owner: int, term: RecurringTerm) -> None:
        """Ask for the winner of a term of a document in the sentences with losers; and in those
        with the winner, so that a sentence that is changed for another term keeps it."""
        try:
            constraint = self._terms.constraint(*term.winner.forms)
        except InputError:  # what the text steps write only with other words
            return
        winning = set(term.winner.sentences)
        losers: dict[int, tuple[str, ...]] = dict.fromkeys(winning, ())
        for translation in term.losers:
            for sentence in translation.sentences:
                if sentence not in winning:
                    losers[sentence] = (*losers.get(sentence, ()), *translation.forms)
        for sentence, forms in losers.items():
            at = self._locations[owner][sentence]
            instance = self._searched[at[0]]
            own = self._constraints.setdefault(
                at[0], [list(s) for s in instance.constraints or ([] for _ in instance.own_source)]
            )
            more = [*own[at[1]], constraint]
            if self._terms.fits(more, len(instance.own_source[at[1]])):
                own[at[1]] = more
                if forms:
                    self._changes[at].append(_Change((owner, term.source), sentence, forms))

    def search(self, journal: Journal | None, max_loss: float) -> dict[tuple[int, str], list[int]]:
        """Search again what has losers, and take over the sentences that are better for it.

        Returns:
            For each document and term the sentences that were changed.
        """
        indices = sorted({instance for instance, _ in self._changes})
        again = [self._constrained(index) for index in indices]
        results = self._translator.search_instances(again, 0, None, journal, self._terms)
        changed: dict[tuple[int, str], list[int]] = defaultdict(list)
        for index, hypotheses in zip(indices, results, strict=True):
            taken = []
            for (instance, at), changes in self._changes.items():
                if instance == index and self._is_better(index, at, hypotheses, changes, max_loss):
                    taken.append(at)
                    for change in changes:
                        changed[change.term].append(change.sentence)
            if taken:
                self.found[index] = _with_sentences(self.found[index], hypotheses, taken)
        return changed

    def _constrained(self, index: int) -> SearchedInstance:
        """An instance with constraints."""
        one, constraints = self._searched[index], self._constraints[index]
        if not one.instance.given:
            return replace(one, constraints=constraints)
        before = chain.from_iterable(
            self.found[i][0].sentences
            for i, other in enumerate(self._searched[:index])
            if other.owner == one.owner
        )
        known = tuple(before)[-one.instance.given :]
        return replace(one, constraints=constraints, known=known)

    def _is_better(
        self,
        index: int,
        at: int,
        hypotheses: Sequence[Hypothesis],
        changes: Sequence[_Change],
        max_loss: float,
    ) -> bool:
        """Whether the new translation of a sentence is to be taken."""
        old, new = self.found[index][0], hypotheses[0]
        if new.truncated[at] and not old.truncated[at]:
            return False
        if _mean(new, at) < _mean(old, at) - max_loss:
            return False
        texts = [self._translator.pipeline.decode_sentence(h.sentences[at]) for h in (old, new)]
        return all(
            self._count(texts[1], change.losers) < self._count(texts[0], change.losers)
            for change in changes
        )

    def _count(self, text: str, forms: Sequence[str]) -> int:
        """How many words of a translation are like one of these."""
        from docmt.text.word_splitting import split_words

        words = split_words(text, self._translator.pipeline.languages[1])
        return sum(any(alike(word, form) for form in forms) for word in words if word.isalpha())


def _mean(hypothesis: Hypothesis, at: int) -> float:
    """The mean log-probability per token of a sentence."""
    return hypothesis.log_probabilities[at] / (len(hypothesis.sentences[at]) + 1)


def _with_sentences(
    old: Sequence[Hypothesis], new: Sequence[Hypothesis], taken: Sequence[int]
) -> list[Hypothesis]:
    """Hypotheses in which these sentences are those of others of the same rank."""

    def merged(first: Hypothesis, second: Hypothesis) -> Hypothesis:
        chosen = [second if at in taken else first for at in range(len(first.sentences))]
        return Hypothesis(
            tuple(one.sentences[at] for at, one in enumerate(chosen)),
            tuple(one.log_probabilities[at] for at, one in enumerate(chosen)),
            tuple(one.truncated[at] for at, one in enumerate(chosen)),
            first.score,
        )

    return [merged(h, new[min(rank, len(new) - 1)]) for rank, h in enumerate(old)]

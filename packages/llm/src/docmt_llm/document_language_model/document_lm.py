"""`DocumentLM`: a language model of the target side, over any translator.

A sentence-level translator often has the right translation among its best ones and cannot know it,
because the sentences before decide. A causal language model that reads the translations so far
chooses among these candidates by the pointwise mutual information of sentence and context (Yu et
al. 2020, "Better Document-Level Machine Translation with Bayes' Rule"; Sugiyama & Yoshinaga 2021,
"Context-aware Decoder for Neural Machine Translation using a Target-side Document-Level Language
Model"; Petrick et al. 2023, "Document-Level Language Models for Machine Translation"):

    score(y) = mean log p(y | source) + weight · (log p_LM(y | context) − log p_LM(y)) / tokens of y

The candidates are the best translations of the translator and, where a table has forms that only
the context may decide, exchanges of these forms (`docmt_nmt.text.forms`). A sentence with nothing
before it keeps its translation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from time import perf_counter
from typing import Any, ClassVar, cast

from pydantic import Field

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_llm.in_process.text_model import TextGroup, TextModel
from docmt_nmt.base.settings import Settings
from docmt_nmt.base.translations import Candidate, TranslatedSentence, Translation
from docmt_nmt.text.forms import FormTable
from docmt_nmt.translators.decorator import TranslatorDecorator
from docmt_nmt.translators.requests import SentenceIndex, TranslationRequest
from docmt_nmt.translators.term_uses import TermUse, find_uses, missing_uses, uses_of_words
from docmt_nmt.translators.translator import (
    Feature,
    Journal,
    Plan,
    ProgressCallback,
    digest_of_translation,
    request_of,
)

EXCHANGED = 3
"""The number of best translations whose forms are exchanged."""

MARGIN = 0.7
"""Candidates with a mean log-probability so far below the translator's own translation are left
out: they cost time, and are hardly ever right."""

ScoreSentences = Callable[[Sequence[tuple[str, str]]], list[float]]
"""The mean log-probability per token of target sentences, given pairs of source and target."""

IsSuspicious = Callable[[str, str, float], bool]
"""Whether checks find a fault in a target sentence, given source, target and the mean
log-probability per token."""


class DocumentLMSettings(Settings):
    """How a document language model chooses."""

    weight: float = Field(default=0.5, ge=0)
    """The weight of the pointwise mutual information of sentence and context."""

    context_sentences: int = Field(default=4, ge=1, le=64)
    """The number of translations before a sentence that the language model reads."""

    n_best: int = Field(default=6, ge=1, le=64)
    """The number of best translations of each sentence to choose among."""


class _Counts:
    """What a document language model has done, counted for all threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._values: dict[str, float] = defaultdict(float)

    def add(self, **values: float) -> None:
        with self._lock:
            for name, value in values.items():
                self._values[name] += value

    def take(self) -> dict[str, float]:
        """The counts since the last call."""
        with self._lock:
            values, self._values = self._values, defaultdict(float)
        return values


@dataclass(frozen=True)
class DocumentLM(TranslatorDecorator):
    """Chooses among the candidates of another translator by a language model that reads the
    translations before. A candidate that lacks a term, a protected or a required word of the best
    translation is not taken, nor one in which checks find a fault. A sentence with a warning keeps
    its translation.

    Attributes:
        model: the language model.
        settings: how it chooses.
        forms: the table of forms to exchange; None for the best translations alone.
        score: scores sentences with exchanged forms by the translator; without it none are
            exchanged.
        is_suspicious: checks candidates; None to check nothing.

    Raises:
        InputError: the translator does not give several translations of each sentence.
    """

    NEEDS: ClassVar[frozenset[Feature]] = frozenset({"sentences", "alternatives"})
    """What the other translator must give."""

    model: TextModel
    settings: DocumentLMSettings = field(default_factory=DocumentLMSettings)
    forms: FormTable | None = None
    score: ScoreSentences | None = None
    is_suspicious: IsSuspicious | None = None
    _counts: _Counts = field(default_factory=_Counts, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.translator.gives >= self.NEEDS:
            raise InputError(
                "a document language model chooses among several translations of each sentence, "
                "which this translator does not give",
                cure="Leave out `document_lm`",
                parameters=("document_lm",),
            )

    @property
    def gives(self) -> frozenset[Feature]:
        return self.translator.gives - {"positions"}

    def plan(self, request: TranslationRequest) -> Plan:
        return Plan(request, self.translator.plan(self._wider(request)).cautions)

    def fingerprint(self, request: TranslationRequest) -> str | None:
        known = self.translator.fingerprint(self._wider(request))
        if known is None:
            return None
        forms = None if self.forms is None else self.forms.identity
        own = [dict(self.model.identity), self.settings.model_dump(), forms]
        flags = [self.score is not None, self.is_suspicious is not None, request.n_best]
        return digest_of_translation(["document-lm", known, *own, *flags], [])

    def notes(self, request: TranslationRequest, translations: Sequence[Translation]) -> list[str]:
        notes = self.translator.notes(request, translations)
        counts = self._counts.take()
        if not counts["chosen"]:
            return notes
        return [
            *notes,
            f"the document language model chose among {counts['candidates']:,.0f} candidates for "
            f"{counted(int(counts['chosen']), 'sentence')}, and changed {counts['changed']:,.0f}; "
            f"it read {counts['tokens']:,.0f} tokens in {counts['seconds']:,.1f} s",
        ]

    def translate(
        self,
        request: TranslationRequest | Plan | Sequence[Document],
        *,
        progress: ProgressCallback | None = None,
        journal: Journal | None = None,
    ) -> list[Translation]:
        wanted = request_of(request)

        def report(begin: int, done: int, total: int) -> None:
            if progress is not None:
                progress((begin * total + done) // 2, total)

        translations = self.translator.translate(
            self._wider(wanted),
            progress=None if progress is None else lambda *values: report(0, *values),
            journal=journal,
        )
        choices = self.candidates(wanted, translations)
        targets = [list(each.target) for each in translations]
        ranked: dict[SentenceIndex, list[Candidate]] = {}
        total = len(choices)
        for wave in _waves(choices):
            cases = [
                (
                    context_before(targets[owner], index, self.settings.context_sentences),
                    choices[owner, index],
                )
                for owner, index in wave
            ]
            orders = _kept_orders(journal, cases) or self._orders(cases, journal)
            for sentence, (_, candidates), order in zip(wave, cases, orders, strict=True):
                owner, index = sentence
                ordered = [candidates[number] for number in order]
                ranked[sentence] = self._checked(wanted, sentence, candidates[0], ordered)
                targets[owner][index] = ranked[sentence][0].text
                self._counts.add(
                    chosen=1,
                    candidates=len(candidates),
                    changed=ranked[sentence][0] != candidates[0],
                )
            report(1, wanted.size * len(ranked) // total, wanted.size)
        return [
            translation.with_sentences(
                _ranked(sentence, ranked.get((owner, index), sentence.alternatives), wanted.n_best)
                for index, sentence in enumerate(translation.sentences)
            )
            for owner, translation in enumerate(translations)
        ]

    def candidates(
        self, request: TranslationRequest, translations: Sequence[Translation]
    ) -> dict[SentenceIndex, list[Candidate]]:
        """The candidates of each sentence that has several and something before it, the
        translator's own translation first."""
        found: dict[SentenceIndex, dict[str, float]] = {}
        exchanged: list[tuple[SentenceIndex, str]] = []
        for owner, translation in enumerate(translations):
            target = translation.target
            first = next((i for i, text in enumerate(target) if text.strip()), len(target))
            for index, translated in enumerate(translation.sentences):
                sentence = owner, index
                revision = request.revision
                is_wanted = revision is None or sentence in revision.sentences
                is_fixed = index <= first or translated.warnings or not translated.target.strip()
                if is_fixed or not is_wanted:
                    continue
                texts: dict[str, float] = {}
                for each in translated.alternatives[: self.settings.n_best]:
                    texts.setdefault(*each)
                found[sentence] = texts
                exchanged += [(sentence, text) for text in self._exchanged(list(texts))]
        if self.score is not None and exchanged:
            sources = [request.sentence(sentence).text for sentence, _ in exchanged]
            texts_of = [text for _, text in exchanged]
            scores = self.score(list(zip(sources, texts_of, strict=True)))
            for (sentence, text), value in zip(exchanged, scores, strict=True):
                found[sentence].setdefault(text, value)
        kept = {
            sentence: self._allowed(request, sentence, list(map(Candidate, texts, texts.values())))
            for sentence, texts in found.items()
        }
        return {sentence: each for sentence, each in kept.items() if len(each) > 1}

    def _wider(self, request: TranslationRequest) -> TranslationRequest:
        """The request for as many translations as there are to choose among."""
        return replace(request, n_best=max(request.n_best, self.settings.n_best))

    def _exchanged(self, texts: Sequence[str]) -> list[str]:
        """The best texts with exchanged forms, where these are no candidates already."""
        if self.forms is None or self.score is None:
            return []
        new = (text for best in texts[:EXCHANGED] for text in self.forms.exchanged(best))
        return [text for text in dict.fromkeys(new) if text not in texts]

    def _allowed(
        self, request: TranslationRequest, sentence: SentenceIndex, candidates: Sequence[Candidate]
    ) -> list[Candidate]:
        """The candidates that are probable enough, and have all words of the first one that must be
        written."""
        source, protected = request.sentence(sentence).text, request.sentence(sentence).protected
        uses: list[TermUse] = []
        if request.glossary is not None:
            uses += find_uses(request.glossary.normalized(self.normalize), source, protected)
        if request.revision is not None:
            uses += uses_of_words(request.revision.required.get(sentence, ()))
        best = candidates[0].text
        missing = len(missing_uses(uses, best))
        least = candidates[0].log_probability - MARGIN
        return [
            each
            for each in candidates
            if each.text.strip()
            and each.log_probability >= least
            and len(missing_uses(uses, each.text)) <= missing
            and all(each.text.count(word) >= best.count(word) for word in protected)
        ]

    def _orders(
        self, cases: Sequence[tuple[tuple[str, ...], list[Candidate]]], journal: Journal | None
    ) -> list[list[int]]:
        """The order of the candidates of each case, the best first, for the journal, too."""
        begin = perf_counter()
        texts = [tuple(each.text for each in candidates) for _, candidates in cases]
        contexts = [context for context, _ in cases]
        groups = [*map(TextGroup, contexts, texts), *(TextGroup((), each) for each in texts)]
        found = self.model.log_probabilities(groups)
        self._counts.add(tokens=found.tokens, seconds=perf_counter() - begin)
        with_context, alone = found.groups[: len(cases)], found.groups[len(cases) :]
        orders = []
        for (_, candidates), given, free in zip(cases, with_context, alone, strict=True):
            scores = [
                each.log_probability
                + self.settings.weight * (one.log_probability - other.log_probability) / one.tokens
                for each, one, other in zip(candidates, given, free, strict=True)
            ]
            orders.append(sorted(range(len(scores)), key=lambda number: -scores[number]))
        if journal is not None:
            journal.add(orders)
        return orders

    def _checked(
        self,
        request: TranslationRequest,
        sentence: SentenceIndex,
        own: Candidate,
        ordered: list[Candidate],
    ) -> list[Candidate]:
        """Candidates in order, with the first one without a fault first."""
        if self.is_suspicious is None:
            return ordered
        source = request.sentence(sentence).text
        chosen = next(
            each for each in ordered if each is own or not self.is_suspicious(source, *each)
        )
        return [chosen, *(each for each in ordered if each is not chosen)]


def context_before(targets: Sequence[str], index: int, sentences: int) -> tuple[str, ...]:
    """The translations before a sentence that a language model reads, at most so many."""
    before = [text for text in targets[:index] if text.strip()]
    return tuple(" ".join(text.split()) for text in before[-sentences:])


def _waves(sentences: Mapping[SentenceIndex, Any]) -> Iterator[list[SentenceIndex]]:
    """The sentences to choose together: the first of each document, the second, …"""
    by_owner: dict[int, list[SentenceIndex]] = defaultdict(list)
    for sentence in sorted(sentences):
        by_owner[sentence[0]].append(sentence)
    for number in range(max(map(len, by_owner.values()), default=0)):
        yield [each[number] for each in by_owner.values() if number < len(each)]


def _kept_orders(
    journal: Journal | None, cases: Sequence[tuple[Any, Sequence[Candidate]]]
) -> list[list[int]] | None:
    """The next orders in a journal; None if there are none."""
    value = None if journal is None else journal.next()
    if journal is None or value is None:
        return None
    expected = [list(range(len(candidates))) for _, candidates in cases]
    try:
        if [sorted(order) for order in value] == expected:
            return cast("list[list[int]]", value)
    except TypeError:
        pass
    journal.discard()
    return None


def _ranked(
    sentence: TranslatedSentence, candidates: Sequence[Candidate], n_best: int
) -> TranslatedSentence:
    """The sentence with these candidates, best first. Another best one is another translation: what
    is known of the former one does not hold."""
    best, *others = candidates[:n_best]
    kept = TranslatedSentence(sentence.source, *best, match=sentence.match)
    if best.text == sentence.target:
        kept = replace(sentence, log_probability=best.log_probability, positions=())
    return replace(kept, others=tuple(others))

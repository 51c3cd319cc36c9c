"""Weight and context length of a document language model, learned from translated documents.

The language model reads the translations of the translator alone, so that its log-probabilities are
computed once and each weight costs nothing. Where the target language has a table of forms, the
best setting has most sentences with the forms of the reference, among the settings that lose no
chrF; where it has none, it has the best chrF.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from docmt_files.base.documents import Document
from docmt_llm.document_language_model.document_lm import (
    DocumentLM,
    DocumentLMSettings,
    context_before,
)
from docmt_llm.in_process.text_model import TextGroup
from docmt_nmt.base.translations import Candidate, Translation
from docmt_nmt.text.forms import FormTable
from docmt_nmt.translators.requests import SentenceIndex, TranslationRequest
from docmt_nmt.translators.translator import ProgressCallback

WEIGHTS = tuple(round(0.1 * number, 1) for number in range(13))
CONTEXT_SENTENCES = (1, 2, 4, 8)

_TOLERANCE = 0.005
"""Of settings that have the forms of the reference almost as often as the best one, the smallest
weight is taken."""

_TOGETHER = 32
"""Sentences that the language model reads at once."""

_LOSS = 0.1
"""Points of chrF that a setting may lose."""


@dataclass(frozen=True)
class ScoredSentence:
    """The candidates of a sentence.

    Attributes:
        candidates: the candidates, the translator's own translation first.
        information: by the number of context sentences, the pointwise mutual information of each
            candidate and the context, per token.
    """

    candidates: Sequence[Candidate]
    information: Mapping[int, Sequence[float]]

    def chosen(self, weight: float, context_sentences: int) -> Candidate:
        """The candidate with the highest score."""
        values = self.information[context_sentences]
        pairs = zip(self.candidates, values, strict=True)
        return max(pairs, key=lambda pair: pair[0].log_probability + weight * pair[1])[0]


class TunedSetting(NamedTuple):
    """A setting, and how the chosen translations fare.

    Attributes:
        weight: the weight of the language model.
        context_sentences: the number of translations that it reads.
        forms: the share of sentences with the forms of the reference; None without a table.
        chrf: the chrF of all sentences.
        changed: the number of sentences with another translation than without it.
    """

    weight: float
    context_sentences: int
    forms: float | None
    chrf: float
    changed: int


def score_contexts(
    translator: DocumentLM,
    request: TranslationRequest,
    translations: Sequence[Translation],
    context_sentences: Iterable[int] = CONTEXT_SENTENCES,
    progress: ProgressCallback | None = None,
) -> dict[SentenceIndex, ScoredSentence]:
    """Score the candidates of sentences after contexts of several lengths, which are translations
    of the translator alone.

    Args:
        translator: the translator with the language model.
        request: the request.
        translations: the translations of the translator below, with their alternatives.
        context_sentences: the lengths.
        progress: called with the sentences done so far and the sentences in all.
    """
    choices = list(translator.candidates(request, translations).items())
    lengths = tuple(context_sentences)
    scored: dict[SentenceIndex, ScoredSentence] = {}
    for begin in range(0, len(choices), _TOGETHER):
        part = choices[begin : begin + _TOGETHER]
        groups = []
        for (owner, index), candidates in part:
            targets = translations[owner].document.target or ()
            texts = tuple(each.text for each in candidates)
            contexts = [context_before(targets, index, each) for each in lengths]
            groups += [TextGroup(context, texts) for context in ((), *contexts)]
        found = translator.model.log_probabilities(groups).groups
        size = len(lengths) + 1
        for number, (sentence, candidates) in enumerate(part):
            alone, *given = found[number * size : (number + 1) * size]
            information = [
                [
                    (one.log_probability - other.log_probability) / one.tokens
                    for one, other in zip(values, alone, strict=True)
                ]
                for values in given
            ]
            by_length = dict(zip(lengths, information, strict=True))
            scored[sentence] = ScoredSentence(candidates, by_length)
        if progress is not None:
            progress(begin + len(part), len(choices))
    return scored


def tune(
    translator: DocumentLM, documents: Sequence[Document], progress: ProgressCallback | None = None
) -> tuple[DocumentLMSettings, list[TunedSetting]]:
    """Find the weight and the context length.

    Args:
        translator: the translator with the language model.
        documents: documents with the translations of a person.
        progress: called with the sentences done so far and the sentences in all.

    Returns:
        The settings, and how all of them fare.
    """
    request = TranslationRequest([Document(each.id, each.source) for each in documents])
    wider = replace(request, n_best=translator.settings.n_best)
    translations = translator.translator.translate(wider)
    scored = score_contexts(translator, request, translations, progress=progress)
    references = [text for each in documents for text in each.target or ()]
    tried = []
    for context_sentences in CONTEXT_SENTENCES:
        for weight in WEIGHTS if context_sentences == CONTEXT_SENTENCES[0] else WEIGHTS[1:]:
            texts = chosen_texts(translations, scored, weight, context_sentences)
            own = chosen_texts(translations, {}, 0, 1)
            tried.append(
                TunedSetting(
                    weight,
                    context_sentences,
                    _share_with_forms(translator.forms, texts, references),
                    _chrf(texts, references),
                    sum(one != other for one, other in zip(texts, own, strict=True)),
                )
            )
    best = _best(tried)
    settings = {"weight": best.weight, "context_sentences": best.context_sentences}
    return translator.settings.model_copy(update=settings), tried


def chosen_texts(
    translations: Sequence[Translation],
    scored: Mapping[SentenceIndex, ScoredSentence],
    weight: float,
    context_sentences: int,
) -> list[str]:
    """The sentences of all documents with the chosen candidates."""
    return [
        scored[owner, index].chosen(weight, context_sentences).text
        if (owner, index) in scored
        else text
        for owner, translation in enumerate(translations)
        for index, text in enumerate(translation.document.target or ())
    ]


def _share_with_forms(
    forms: FormTable | None, texts: Sequence[str], references: Sequence[str]
) -> float | None:
    """The share of the sentences whose reference has forms of one group alone that have forms of
    this group alone; None without a table or such sentences."""
    if forms is None:
        return None
    pairs = [
        (forms.groups_in(text), forms.groups_in(reference))
        for text, reference in zip(texts, references, strict=True)
    ]
    counted = [found == wanted for found, wanted in pairs if len(wanted) == 1]
    return sum(counted) / len(counted) if counted else None


def _chrf(texts: Sequence[str], references: Sequence[str]) -> float:
    from sacrebleu.metrics.chrf import CHRF

    return float(CHRF().corpus_score(list(texts), [list(references)]).score)


def _best(tried: Sequence[TunedSetting]) -> TunedSetting:
    """The best setting; the first one is of weight 0."""
    if tried[0].forms is None:
        return max(tried, key=lambda each: each.chrf)
    allowed = [each for each in tried if each.chrf >= tried[0].chrf - _LOSS]
    highest = max(each.forms or 0.0 for each in allowed)
    near = [each for each in allowed if (each.forms or 0.0) >= highest - _TOLERANCE]
    return min(near, key=lambda each: (each.weight, each.context_sentences))

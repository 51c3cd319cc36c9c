"""The worth of context to a system: conditional cross-mutual information (CXMI; Fernandes et al.
2021, "Measuring and Increasing Context Usage in Context-Aware Machine Translation").

With y a reference sentence, x its source and C_k the k sentences before it,

    CXMI(k) = H(Y | X) − H(Y | X, C_k) ≈ 1/N Σ (log₂ p(y | x, C_k) − log₂ p(y | x))

in bits per sentence; the summands are the per-sentence form (P-CXMI, Fernandes et al. 2023). p(y |
x) comes from the same system given the sentence alone, or from a baseline system. A system without
single sentences in training is unnecessarily bad on them, and the context looks more useful than it
is. The controls are therefore the context of other sentences, and a baseline trained on sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_nmt.evaluation.signatures import signature
from docmt_nmt.translators.translator import ProgressCallback
from docmt_research.analysis.proportions import mean_interval
from docmt_research.analysis.sentences_in_context import (
    check_context,
    sentences_with_text,
    shuffled_contexts,
    with_context,
)
from docmt_research.forced_decoding.forced_decoder import Candidates, ForcedDecoder

_SEED = 12345

_FEW_DOCUMENTS = 20
"""Fewer documents than this say little about others."""


@dataclass(frozen=True, slots=True)
class ContextValue:
    """The worth of so much context.

    Attributes:
        context: number of context sentences.
        control: `""` for the preceding sentences, `shuffled` for the sentences before another
            sentence.
        sentences, tokens: numbers of measured reference sentences and their tokens.
        bits: of each sentence, more than alone; None for a sentence of which a control has no other
            context.
        low, high: the ends of the 95 % interval of the mean, by bootstrap over documents; None if
            no sentence has such a context, so that the value is not measurable.
    """

    context: int
    control: str
    sentences: int
    tokens: int
    bits: tuple[float | None, ...]
    low: float | None
    high: float | None

    @property
    def label(self) -> str:
        """The context in words: the number of sentences, and the control."""
        return ", ".join(filter(None, [str(self.context), self.control]))

    @property
    def cxmi(self) -> float | None:
        """Bits per sentence; None if not measurable."""
        return self._per(self.sentences)

    @property
    def per_token(self) -> float | None:
        """Bits per token; None if not measurable."""
        return self._per(self.tokens)

    def _per(self, number: int) -> float | None:
        return sum(filter(None, self.bits)) / number if number else None

    @property
    def note(self) -> str | None:
        """A note for the reader, if sentences could not be measured."""
        if not self.sentences:
            lacking = "other context" if self.control else "sentence before it"
            return f"{self.label} is not measurable: no sentence has any {lacking}"
        if left_out := self.bits.count(None):
            sentences = counted(len(self.bits), "sentence")
            return f"{self.label}: {left_out:,} of {sentences} left out, without other context"
        return None

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "context": self.context,
            "control": self.control,
            "sentences": self.sentences,
            "tokens": self.tokens,
            "bits_per_sentence": self.cxmi,
            "low": self.low,
            "high": self.high,
            "bits_per_token": self.per_token,
            "bits_of_sentences": list(self.bits),
        }


def context_value_signature(documents: Sequence[Document], baseline: str | None = None) -> str:
    """Return the settings of values of context, besides the run.

    Args:
        documents: of which they are.
        baseline: the name of the run that gave the log-probabilities of sentences alone, if it was
            another one.
    """
    return signature(
        ((d.source, d.target) for d in documents),
        documents=len(documents),
        alone="same-run" if baseline is None else baseline,
        seed=_SEED,
    )


def context_notes(values: Mapping[str, Sequence[ContextValue]], documents: int) -> list[str]:
    """The notes on values of context, each once.

    Args:
        values: by run.
        documents: number of documents, over which intervals are.
    """
    notes = [value.note for of_run in values.values() for value in of_run if value.note]
    if notes or any(values.values()):
        notes += _few_documents(documents)
    return list(dict.fromkeys(notes))


def _few_documents(documents: int) -> list[str]:
    if documents >= _FEW_DOCUMENTS:
        return []
    return [
        f"only {counted(documents, 'document')} to resample; with fewer than {_FEW_DOCUMENTS}, "
        "the intervals are too narrow"
    ]


def context_value(
    forced_decoder: ForcedDecoder,
    documents: Sequence[Document],
    contexts: Sequence[int] | None = None,
    *,
    baseline: ForcedDecoder | None = None,
    progress: ProgressCallback | None = None,
) -> list[ContextValue]:
    """Return the value of context of each size, and of the context of other sentences as a control.

    Args:
        forced_decoder: of the system.
        documents: with references as their targets. Empty source sentences are left out.
        contexts: numbers of previous sentences. Default: 1, 2, 3 and 4, or as many of them as the
            system reads.
        baseline: the system to compare with the system in context. Default: itself, with sentences
            alone.
        progress: called with the sentences done so far and the sentences in all.

    Returns:
        For each number of sentences the value of the sentences' own context, then of shuffled
        context; with a baseline, first the value of the system without context.

    Raises:
        InputError: the system does not read so many sentences; it reads no context, and a baseline
            is missing; or all sentences are empty.
    """
    limit = forced_decoder.max_context
    if contexts is None:
        contexts = range(1, 5 if limit is None else min(limit, 4) + 1)
    for context in contexts:
        check_context(forced_decoder, context)
    sentences = sentences_with_text(documents)
    if not sentences:
        raise InputError("no source sentence has text", cure="Check the source file")
    conditions: list[tuple[int, str]] = [(0, "")] if baseline is not None else []
    for context in contexts:
        conditions += [(context, ""), (context, "shuffled")]
    if not conditions:
        raise InputError(
            "this run reads no context, so none is worth anything to it",
            cure="Name a run that reads context, or one to compare with: `baseline`",
            parameters=("baseline",),
        )
    total, done = len(sentences) * (len(conditions) + 1), 0

    def measured(
        system: ForcedDecoder, context: int, *, shuffle: bool
    ) -> tuple[NDArray[np.float64], int]:
        """The bits of each sentence, or NaN, and the tokens of those that are measured."""
        nonlocal done
        read = [with_context(documents[owner], index, context) for owner, index in sentences]
        given: Sequence[Document | None] = read
        if shuffle:
            given = shuffled_contexts(read, _SEED, sentences)
        if context and not any(document and len(document) > 1 for document in given):
            given = [None] * len(read)
        cases = [
            Candidates(document, (own.target[-1] if own.target else "",))
            for document, own in zip(given, read, strict=True)
            if document is not None
        ]
        before = done

        def report(now: int, _: int) -> None:
            if progress is not None:
                progress(before + now, total)

        found = [own[0] for own in system.candidate_log_probabilities(cases, report)]
        done += len(read)
        bits = np.full(len(read), np.nan)
        bits[[document is not None for document in given]] = [
            each.log_probability / log(2) for each in found
        ]
        return bits, sum(len(each.tokens) for each in found)

    alone, _ = measured(baseline or forced_decoder, 0, shuffle=False)
    results = []
    owners = np.array([owner for owner, _ in sentences])
    for context, control in conditions:
        values, tokens = measured(forced_decoder, context, shuffle=bool(control))
        bits = values - alone
        known = np.isfinite(bits)
        low, high = None, None
        if known.any():
            groups = np.unique(owners[known], return_inverse=True)[1]
            low, high = mean_interval(bits[known], groups)
        each = tuple(None if one != one else one for one in bits.tolist())
        results.append(ContextValue(context, control, int(known.sum()), tokens, each, low, high))
    return results

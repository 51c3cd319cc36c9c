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

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docmt.evaluation.signatures import signature
from docmt.ground.documents import Document
from docmt.ground.errors import InputError
from docmt.translators.translator import ProgressCallback
from docmt_research.analysis.proportions import mean_interval
from docmt_research.analysis.sentences_in_context import (
    check_context,
    sentences_with_text,
    shuffled_contexts,
    with_context,
)
from docmt_research.forced_decoding.forced_decoder import Candidates, ForcedDecoder

_SEED = 12345


@dataclass(frozen=True, slots=True)
class ContextValue:
    """The worth of so much context.

    Attributes:
        context: number of context sentences.
        control: `""` for the preceding sentences, `shuffled` for the sentences before another
            sentence.
        sentences, tokens: numbers of reference sentences and tokens.
        bits: of each sentence, more than alone.
        low, high: the ends of the 95 % interval of the mean, by bootstrap over documents.
    """

    context: int
    control: str
    sentences: int
    tokens: int
    bits: tuple[float, ...]
    low: float
    high: float

    @property
    def cxmi(self) -> float:
        """Bits per sentence."""
        return sum(self.bits) / len(self.bits)

    @property
    def per_token(self) -> float:
        """Bits per token."""
        return sum(self.bits) / self.tokens

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
        nonlocal done
        read = [with_context(documents[owner], index, context) for owner, index in sentences]
        given = shuffled_contexts(read, _SEED, sentences) if shuffle else read
        cases = [
            Candidates(document, (own.target[-1] if own.target else "",))
            for document, own in zip(given, read, strict=True)
        ]
        before = done

        def report(now: int, _: int) -> None:
            if progress is not None:
                progress(before + now, total)

        found = [own[0] for own in system.candidate_log_probabilities(cases, report)]
        done += len(cases)
        bits = np.array([each.log_probability for each in found]) / log(2)
        return bits, sum(len(each.tokens) for each in found)

    alone, _ = measured(baseline or forced_decoder, 0, shuffle=False)
    results = []
    owners = [owner for owner, _ in sentences]
    for context, control in conditions:
        values, tokens = measured(forced_decoder, context, shuffle=bool(control))
        bits = values - alone
        low, high = mean_interval(bits, np.unique(owners, return_inverse=True)[1])
        results.append(
            ContextValue(context, control, len(bits), tokens, tuple(bits.tolist()), low, high)
        )
    return results

"""The log-probability of the sentences of a translated corpus, as files and in sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

from docmt.ground.documents import Document
from docmt.ground.errors import InputError
from docmt.ground.wording import counted
from docmt.storage.json_files import json_text
from docmt.translators.translator import ProgressCallback
from docmt_research.analysis.sentences_in_context import (
    check_context,
    scored_sentences,
    shuffled_contexts,
    with_context,
)
from docmt_research.scoring.scorer import Candidates, Scorer, SentenceScore


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence with a score.

    Attributes:
        document: the id of the document.
        sentence: the number in the document, from 1.
        score: None where the source is empty, which systems do not translate.
    """

    document: str
    sentence: int
    score: SentenceScore | None


def score_documents(
    scorer: Scorer,
    documents: Sequence[Document],
    *,
    context: int | None = None,
    shuffle_seed: int | None = None,
    progress: ProgressCallback | None = None,
) -> list[ScoredSentence]:
    """Score every target sentence of some documents.

    Args:
        scorer: of the system.
        documents: with targets.
        context: number of previous sentences, with translations, given with each sentence.
            Default: documents are cut into instances as the system translates them.
        shuffle_seed: give each sentence the context of another one, drawn with this seed.
        progress: called with the sentences scored so far and the sentences in all.

    Raises:
        InputError: a document has no target, the system does not read so many sentences, or context
            is to be shuffled and has no size.
    """
    if context is None:
        if shuffle_seed is not None:
            raise InputError(
                "shuffled context needs a size",
                cure="Add `context=NUMBER`",
                parameters=("context=NUMBER",),
            )
        pairs = zip(documents, scorer.score(documents, progress), strict=True)
        return [
            ScoredSentence(document.id, number, score)
            for document, cases_of_document in pairs
            for number, score in enumerate(cases_of_document, start=1)
        ]
    check_context(scorer, context)
    sentences = scored_sentences(documents)
    read = [with_context(documents[owner], index, context) for owner, index in sentences]
    given = read if shuffle_seed is None else shuffled_contexts(read, shuffle_seed, sentences)
    cases = [
        Candidates(document, (cases_of_document.target[-1],))
        for document, cases_of_document in zip(given, read, strict=True)
        if cases_of_document.target is not None
    ]
    if len(cases) < len(sentences):
        lacking = next(d.id for d in documents if d.target is None)
        raise InputError(f"document {lacking!r} has no translation to score")
    scores = iter(scorer.score_candidates(cases, progress))
    return [
        ScoredSentence(d.id, i + 1, next(scores)[0] if d.source[i].strip() else None)
        for d in documents
        for i in range(len(d))
    ]


def tsv_lines(scored: Sequence[ScoredSentence]) -> list[str]:
    """A header, and a line per sentence: document, sentence, log-probability in nats, tokens."""
    lines = ["document\tsentence\tlog_probability\ttokens"]
    for one in scored:
        value, tokens = (
            ("", 0)
            if one.score is None
            else (f"{one.score.log_probability:.6f}", len(one.score.tokens))
        )
        lines.append(f"{one.document}\t{one.sentence}\t{value}\t{tokens}")
    return lines


def json_lines(scored: Sequence[ScoredSentence]) -> list[str]:
    """A JSON object per sentence, with the tokens and the log-probability of each."""
    return [
        json_text(
            {
                "document": one.document,
                "sentence": one.sentence,
                "log_probability": None if one.score is None else one.score.log_probability,
                "tokens": [] if one.score is None else list(one.score.tokens),
                "log_probabilities": (
                    [] if one.score is None else list(one.score.log_probabilities)
                ),
            }
        )
        for one in scored
    ]


def summary(scored: Sequence[ScoredSentence]) -> str:
    """The number of sentences and tokens, and the mean log-probability of a token."""
    scores = [one.score for one in scored if one.score is not None]
    tokens = sum(len(score.tokens) for score in scores)
    mean = sum(score.log_probability for score in scores) / max(tokens, 1)
    return (
        f"{counted(len(scores), 'sentence')} · {counted(tokens, 'token')} · {mean:.4f} nats per "
        f"token (perplexity {exp(min(-mean, 700)):,.2f})"
    )

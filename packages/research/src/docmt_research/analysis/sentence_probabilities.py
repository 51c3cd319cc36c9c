"""The log-probability of the sentences of a translated corpus, as files and in sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_files.storage.json_files import json_text
from docmt_nmt.translators.translator import ProgressCallback
from docmt_research.analysis.sentences_in_context import (
    check_context,
    sentences_with_text,
    shuffled_contexts,
    with_context,
)
from docmt_research.forced_decoding.forced_decoder import (
    Candidates,
    ForcedDecoder,
    SentenceProbability,
)


@dataclass(frozen=True, slots=True)
class CorpusSentence:
    """A sentence of a corpus, with the log-probability of the translation.

    Attributes:
        document: the id of the document.
        sentence: the number in the document, from 1.
        probability: None where the source is empty, which systems do not translate, and where the
            context is to be shuffled and there is no other.
    """

    document: str
    sentence: int
    probability: SentenceProbability | None


def sentence_log_probabilities(
    forced_decoder: ForcedDecoder,
    documents: Sequence[Document],
    *,
    context: int | None = None,
    shuffle_seed: int | None = None,
    progress: ProgressCallback | None = None,
) -> list[CorpusSentence]:
    """The log-probability of every target sentence of some documents.

    Args:
        forced_decoder: of the system.
        documents: with targets.
        context: number of previous sentences, with translations, given with each sentence.
            Default: documents are cut into instances as the system translates them.
        shuffle_seed: give each sentence the context of another one, drawn with this seed.
        progress: called with the sentences done so far and the sentences in all.

    Raises:
        InputError: a document has no target, the system does not read so many sentences, or context
            is to be shuffled and has no size, or there is no other context for any sentence.
    """
    if context is None:
        if shuffle_seed is not None:
            raise InputError(
                "shuffled context needs a size",
                cure="Add `context=NUMBER`",
                parameters=("context=NUMBER",),
            )
        pairs = zip(documents, forced_decoder.log_probabilities(documents, progress), strict=True)
        return [
            CorpusSentence(document.id, number, probability)
            for document, cases_of_document in pairs
            for number, probability in enumerate(cases_of_document, start=1)
        ]
    check_context(forced_decoder, context)
    sentences = sentences_with_text(documents)
    read = [with_context(documents[owner], index, context) for owner, index in sentences]
    given: Sequence[Document | None] = read
    if shuffle_seed is not None:
        given = shuffled_contexts(read, shuffle_seed, sentences)
        if not any(document and len(document) > 1 for document in given):
            raise InputError(
                "there is no other context to put before any sentence",
                cure="Give more documents, or leave the context as it is",
            )
    cases = [
        (place, Candidates(document, (own.target[-1],)))
        for place, document, own in zip(sentences, given, read, strict=True)
        if document is not None and own.target is not None
    ]
    if any(document.target is None for document in read):
        lacking = next(d.id for d in documents if d.target is None)
        raise InputError(f"document {lacking!r} has no translation")
    found = forced_decoder.candidate_log_probabilities([one for _, one in cases], progress)
    probabilities = {place: of_case[0] for (place, _), of_case in zip(cases, found, strict=True)}
    return [
        CorpusSentence(d.id, i + 1, probabilities.get((owner, i)))
        for owner, d in enumerate(documents)
        for i in range(len(d))
    ]


def tsv_lines(sentences: Sequence[CorpusSentence]) -> list[str]:
    """A header, and a line per sentence: document, sentence, log-probability in nats, tokens."""
    lines = ["document\tsentence\tlog_probability\ttokens"]
    for one in sentences:
        value, tokens = (
            ("", 0)
            if one.probability is None
            else (f"{one.probability.log_probability:.6f}", len(one.probability.tokens))
        )
        lines.append(f"{one.document}\t{one.sentence}\t{value}\t{tokens}")
    return lines


def json_lines(sentences: Sequence[CorpusSentence]) -> list[str]:
    """A JSON object per sentence, with the tokens and the log-probability of each."""
    return [json_text(_json_object(one)) for one in sentences]


def _json_object(one: CorpusSentence) -> dict[str, Any]:
    found = one.probability
    return {
        "document": one.document,
        "sentence": one.sentence,
        "log_probability": None if found is None else found.log_probability,
        "tokens": [] if found is None else list(found.tokens),
        "log_probabilities": [] if found is None else list(found.log_probabilities),
    }


def summary(sentences: Sequence[CorpusSentence]) -> str:
    """The number of sentences and tokens, and the mean log-probability of a token."""
    found = [one.probability for one in sentences if one.probability is not None]
    tokens = sum(len(each.tokens) for each in found)
    mean = sum(each.log_probability for each in found) / max(tokens, 1)
    return (
        f"{counted(len(found), 'sentence')} · {counted(tokens, 'token')} · {mean:.4f} nats per "
        f"token (perplexity {exp(min(-mean, 700)):,.2f})"
    )

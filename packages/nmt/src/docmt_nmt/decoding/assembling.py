"""Assemble a translated document from the hypotheses of chunks.

A sliding window translates each sentence several times, as the first to the last sentence of the
window (Zhang et al. 2020, section 3.1); a document is assembled for each position in the window.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import NamedTuple

from docmt_files.base.documents import Document
from docmt_nmt.base.translations import (
    Candidate,
    TranslatedSentence,
    Translation,
    warnings_by_sentence,
)
from docmt_nmt.data import Instance, InstanceSettings
from docmt_nmt.decoding.beams import Hypothesis
from docmt_nmt.decoding.literals import Restoring
from docmt_nmt.recipes.search import SearchSettings
from docmt_nmt.translators.checks.translation_checks import CheckThresholds, check_translation

Chunks = Sequence[tuple[Instance, Sequence[Hypothesis]]]
"""The instances of a document, in order, each with hypotheses, best first."""

Locations = Sequence[tuple[int, int]]
"""For each sentence of a document the index of a chunk and the index in the chunk, from 0."""


class SlidingWindow(NamedTuple):
    """A sliding window over a document.

    Attributes:
        sentences: the size of the window.
        position: the position in the window, from 1, of the translation to use.
    """

    sentences: int
    position: int

    @classmethod
    def of(cls, instances: InstanceSettings, search: SearchSettings) -> SlidingWindow | None:
        """The sliding window of the settings, if there is one."""
        if search.windows != "sliding":
            return None
        return cls(instances.window, search.window_position or instances.window)


def translated_sentences(document: Document) -> list[int]:
    """The indices of the sentences to translate: all but empty ones."""
    return [index for index, sentence in enumerate(document.source) if sentence.strip()]


def without_empty(document: Document) -> Document:
    """The document without empty source sentences and their translations."""
    kept = translated_sentences(document)
    target = None if document.target is None else tuple(document.target[i] for i in kept)
    return Document(document.id, tuple(document.source[i] for i in kept), target)


def assemble(
    document: Document,
    chunks: Chunks,
    decode: Callable[[Sequence[int]], str],
    thresholds: CheckThresholds,
    languages: tuple[str, str],
    restoring: Restoring,
    window: SlidingWindow | None = None,
    *,
    checked: Collection[int] | None = None,
) -> Translation:
    """The translation of a document from the hypotheses of chunks.

    Args:
        document: the source; with joined sentences, the result of `join_chunks`.
        decode: turns token ids into a sentence.
        thresholds: the thresholds of warnings.
        languages: the codes of the source and the target language.
        restoring: puts literals back into sentences.
        window: the sliding window; None where every sentence is in one chunk.
        checked: the sentences whose translations are checked. Default: all.
    """
    instances = [instance for instance, _ in chunks]
    locations = locations_of(instances, window)
    versions: list[Locations] = []
    if window is not None:
        versions = [locations_in_windows(len(chunks), j) for j in range(1, window.sentences + 1)]

    def candidates(
        index: int, location: tuple[int, int], most: int | None = None
    ) -> tuple[Candidate, ...]:
        chunk, position = location
        return tuple(
            Candidate(
                restoring.text(index, decode(hypothesis.sentences[position])),
                hypothesis.log_probabilities[position] / (len(hypothesis.sentences[position]) + 1),
            )
            for hypothesis in chunks[chunk][1][:most]
        )

    sentences = [TranslatedSentence(source) for source in document.source]
    if versions:
        empty = (Candidate(""),) * len(versions)
        sentences = [replace(sentence, positions=empty) for sentence in sentences]
    for number, index in enumerate(translated_sentences(document)):
        chunk, position = locations[number]
        best, *others = candidates(index, locations[number])
        sentences[index] = TranslatedSentence(
            document.source[index],
            *best,
            truncated=chunks[chunk][1][0].truncated[position] and not restoring.is_copied(index),
            others=tuple(others),
            positions=tuple(candidates(index, version[number], 1)[0] for version in versions),
        )
    chunk_sizes = [len(list(taken)) for _, taken in groupby(chunk for chunk, _ in locations)]
    translation = Translation(
        document.id,
        tuple(sentences),
        document.joined or tuple(chunk_sizes),
        is_joined=document.joined is not None,
    )
    return _with_warnings(translation, thresholds, languages, restoring, checked)


def _with_warnings(
    translation: Translation,
    thresholds: CheckThresholds,
    languages: tuple[str, str],
    restoring: Restoring,
    checked: Collection[int] | None,
) -> Translation:
    """The translation with warnings; arguments as of `assemble`."""
    warnings = (
        *check_translation(
            translation.document,
            thresholds,
            languages,
            truncated=translation.truncated,
            log_probabilities=[
                0.0 if restoring.is_copied(index) else value
                for index, value in enumerate(translation.log_probabilities)
            ],
            checked=checked,
        ),
        *restoring.warnings(translation.target),
    )
    by_sentence = warnings_by_sentence(warnings, len(translation))
    return translation.with_sentences(
        map(TranslatedSentence.warned, translation.sentences, by_sentence)
    )


def join_chunks(document: Document, instances: Sequence[Instance]) -> Document:
    """The document with the sentences of each instance joined; an empty sentence, which is in no
    instance, goes with the sentence before."""
    kept = translated_sentences(document)
    begins = [kept[instance.first] for instance in instances[1:]]
    return document.join([end - first for first, end in pairwise([0, *begins, len(document)])])


def locations_of(instances: Sequence[Instance], window: SlidingWindow | None) -> Locations:
    """The locations of all sentences but empty ones; arguments as of `assemble`."""
    if window is not None:
        return locations_in_windows(len(instances), window.position)
    return [
        (chunk, position)
        for chunk, instance in enumerate(instances)
        for position in range(len(instance.source))
    ]


def locations_in_windows(sentences: int, position: int) -> Locations:
    """The locations of sentences at this position, from 1, of a sliding window. The first sentences
    of a document have no such position, and lie further to the front of the first window."""
    windows = [max(sentence + 1 - position, 0) for sentence in range(sentences)]
    return [(window, sentence - window) for sentence, window in enumerate(windows)]

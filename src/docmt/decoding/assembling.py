"""Assemble a translated document from the hypotheses of chunks.

A sliding window translates each sentence several times, as the first to the last sentence of the
window (Zhang et al. 2020, section 3.1); a document is assembled for each position in the window.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from docmt.data import Instance, InstanceSettings
from docmt.data.translation_checks import CheckThresholds, check_translation
from docmt.decoding.beams import Hypothesis
from docmt.decoding.missing_characters import Restoring
from docmt.ground.documents import Alternative, Document, Translation
from docmt.recipes.search import SearchSettings

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
) -> Translation:
    """The translation of a document from the hypotheses of chunks.

    Args:
        document: the source; with joined sentences, the result of `join_chunks`.
        decode: turns token ids into a sentence.
        thresholds: the thresholds of warnings.
        languages: the codes of the source and the target language.
        restoring: restores kept words of sentences.
        window: the sliding window; None where every sentence is in one chunk.
    """
    kept = translated_sentences(document)
    depth = max((len(hypotheses) for _, hypotheses in chunks), default=1)
    versions: list[Locations] = []
    if window is not None:
        versions = [locations_in_windows(len(chunks), j) for j in range(1, window.sentences + 1)]
    instances = [instance for instance, _ in chunks]
    locations = locations_of(instances, window)

    def alternative(locations: Locations, rank: int) -> Alternative:
        texts, log_probabilities = [""] * len(document), [0.0] * len(document)
        for index, (chunk, position) in zip(kept, locations, strict=True):
            hypotheses = chunks[chunk][1]
            hypothesis = hypotheses[min(rank, len(hypotheses) - 1)]
            texts[index] = restoring.text(index, decode(hypothesis.sentences[position]))
            log_probabilities[index] = hypothesis.log_probabilities[position] / (
                len(hypothesis.sentences[position]) + 1
            )
        return Alternative(tuple(texts), tuple(log_probabilities))

    alternatives = tuple(alternative(locations, rank) for rank in range(depth))
    flags = [chunks[chunk][1][0].truncated[position] for chunk, position in locations]
    truncated = tuple(
        index
        for index, flag in zip(kept, flags, strict=True)
        if flag and not restoring.is_copied(index)
    )
    best = alternatives[0]
    translated = document.translated(best.sentences)
    warnings = (
        *check_translation(
            translated,
            thresholds,
            languages,
            truncated=truncated,
            log_probabilities=[
                0.0 if restoring.is_copied(index) else value
                for index, value in enumerate(best.log_probabilities)
            ],
        ),
        *restoring.warnings(best.sentences),
    )
    return Translation(
        translated,
        best.log_probabilities,
        document.joined
        or tuple(len(list(taken)) for _, taken in groupby(chunk for chunk, _ in locations)),
        truncated,
        alternatives,
        tuple(alternative(version, 0) for version in versions),
        tuple(sorted(warnings, key=lambda warning: warning.sentence)),
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

"""`realign`: a free translation, whose sentences are not one for one, as one text for each sentence
of the reference, so that all metrics and tests of aligned text apply.

The translation is split into sentences and aligned with the reference and the source
(`docmt_nmt.evaluation.sentence_alignment`), as in SEGALE (Wang et al. 2025) and Align-then-Slide
(Guo et al. 2025). The texts are the translation, divided: no word is left out, moved or repeated.

- Several sentences for one of the reference are one text.
- One sentence for several of the reference is divided between words, where the words of the
  references suggest (as Matusov et al. 2005 segment all text).
- A lost sentence is an empty text.
- An added sentence belongs to the text before it, where no n-gram of it has a counterpart.

A document with as many lines as the reference is likely one for one, and is only aligned otherwise
where that fits clearly better.

COMET, a mean over sentences, counts lost and added sentences as SEGALE does: each has the score 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import TypeVar

import numpy as np

from docmt_files import sentence_spans
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_files.storage.files import PathLike
from docmt_nmt.evaluation.comparison import Comparison
from docmt_nmt.evaluation.dividing import cut_as_suggested, divide_sentence
from docmt_nmt.evaluation.realigned_documents import RealignedDocument, RealignmentCounts
from docmt_nmt.evaluation.scores import Score
from docmt_nmt.evaluation.segments import check_document_order, target_sentences
from docmt_nmt.evaluation.sentence_alignment import (
    ALIKE,
    MOST_JOINED,
    Group,
    Similarities,
    Vectors,
    align_sentences,
    count_inversions,
)
from docmt_nmt.evaluation.sentence_vectors import vectorizer

_Signed = TypeVar("_Signed", Score, Comparison)

_REPEATED = 0.6
"""Similarity from which an added sentence counts as another one again."""


class Realigner:
    """Realigns translations of the same documents.

    Args:
        references: one reference or several, with the same documents and sentences.
        sources: the source documents, sentence for sentence those of the references, if known.
        language: the target language, whose rules split sentences.
        encoder: the folder or the name of a Hugging Face model, or a run directory; None for
            similarity by words and characters alone.

    Attributes:
        settings: what signatures say of it.
        documents: those of the first reference.

    Raises:
        InputError: there is no target language, the source does not fit the references, or the
            encoder cannot be loaded.
    """

    def __init__(
        self,
        references: Sequence[Sequence[Document]],
        sources: Sequence[Document] | None = None,
        *,
        language: str | None,
        encoder: PathLike | None = None,
    ) -> None:
        if language is None:
            raise InputError(
                "`realign` splits the translation into sentences by the rules of its language, "
                "which is not known",
                cure="Name the target language with `language`",
                parameters=("realign", "language"),
            )
        self.language = language
        self._references = [
            [target_sentences(document) for document in reference] for reference in references
        ]
        self.documents = references[0]
        self._sources = None if sources is None else [document.source for document in sources]
        for side in (*self._references[1:], *([self._sources] if self._sources else [])):
            if list(map(len, side)) != list(map(len, self._references[0])):
                raise InputError(
                    "the references and the source do not have the same numbers of sentences",
                    cure="Align them: only the translation may be free",
                )
        texts = [*self._references, *([self._sources] if self._sources else [])]
        known = [text for side in texts for document in side for text in document]
        self._vectorize, name = vectorizer(encoder, known)
        sides = "src+ref" if self._sources else "ref"
        self.settings = f"realign:{name}|sides:{sides}|max:{MOST_JOINED}|split:{language}"

    def realign(
        self, translation: Sequence[Document], name: str = "the translation"
    ) -> list[RealignedDocument]:
        """A translation with one text for each sentence of the references.

        Args:
            translation: the same documents in the same order, with any numbers of sentences.
            name: name of the translation in error messages.

        Raises:
            InputError: the documents are not the same.
        """
        check_document_order(translation, self.documents, (name, "the reference"))
        passages = [
            _Passage.of(
                target_sentences(document),
                self._sides(index),
                self.language,
                references=len(self._references),
            )
            for index, document in enumerate(translation)
        ]
        # All together, as encoders are faster so.
        texts = [text for one in passages for side in (one.sentences, *one.sides) for text in side]
        vectors = iter(self._vectorize(texts))
        return [
            self._realigned(
                index,
                passage,
                [
                    np.array(list(islice(vectors, len(side))))
                    for side in (passage.sentences, *passage.sides)
                ],
            )
            for index, passage in enumerate(passages)
        ]

    def signed(self, scores: Sequence[_Signed]) -> list[_Signed]:
        """Scores or comparisons of realigned translations, with `settings` in their signatures."""
        return [replace(one, settings=f"{one.settings}|{self.settings}") for one in scores]

    def _sides(self, index: int) -> list[Sequence[str]]:
        """The sentences of a document in each reference and in the source."""
        sides = [reference[index] for reference in self._references]
        return [*sides, *([self._sources[index]] if self._sources else [])]

    def _realigned(
        self, index: int, passage: _Passage, vectors: Sequence[Vectors]
    ) -> RealignedDocument:
        """A document realigned, by the vectors of the translation and of each side."""
        n, m = len(passage.owners), len(passage.spans)
        document = self.documents[index]
        groups = [Group(i, i + 1, 0, 0) for i in range(n)]
        counts = RealignmentCounts(sentences=len(document), lost=len(document))
        if m:
            alike = Similarities([(side, vectors[0]) for side in vectors[1:]])
            likely = passage.is_aligned and n == m
            groups = align_sentences(alike, n, m, is_likely_aligned=likely)
            counts = _counts(groups, passage.owners, alike, vectors[0])
        kept = _kept_spans(passage, groups, [one[index] for one in self._references])
        target = tuple(passage.slice(*span) for span in _extended(kept, len(passage.text)))
        return RealignedDocument(
            document.id,
            target if self._sources is None else self._sources[index],
            target,
            groups=tuple(passage.owned(groups)),
            sentences=tuple(passage.sentences),
            kept=tuple(passage.slice(*span) for span in kept),
            added=_added(kept, groups, passage.owners),
            counts=counts,
        )


@dataclass(frozen=True, slots=True)
class _Passage:
    """A translated document beside the reference, cut into sentences.

    Where both have the same number of lines, these are the sentences. Else the lines of the
    translation and of the references are split by the same rules, as a line of a reference may
    hold several sentences; and a sentence of the translation for too many of the references, as in
    text without punctuation, where the references suggest.

    Attributes:
        text: the translation.
        spans: the offsets of the sentences in it.
        owners: for each sentence of the reference after splitting, the line that it is of.
        sides: the sentences of each reference and of the source, as many as `owners`: where a line
            has another number of sentences than in the first reference, it stands for each.
    """

    text: str
    spans: list[tuple[int, int]]
    owners: list[int]
    sides: list[list[str]]
    is_aligned: bool

    @classmethod
    def of(
        cls, lines: Sequence[str], sides: Sequence[Sequence[str]], language: str, *, references: int
    ) -> _Passage:
        """Cut the lines of a translation and the lines of the references and the source."""
        is_aligned = len(lines) == len(sides[0])

        def cut(line: str) -> list[tuple[int, int]]:
            if not is_aligned:
                return sentence_spans(line, primary_language(language))
            begin = len(line) - len(line.lstrip())
            return [(begin, len(line.rstrip()))] if line.strip() else []

        starts = accumulate((len(line) + 1 for line in lines), initial=0)
        spans = [
            (start + first, start + end)
            for line, start in zip(lines, starts, strict=False)
            for first, end in cut(line)
        ]
        if not is_aligned:
            spans = cut_as_suggested("\n".join(lines), spans, sides[:references], MOST_JOINED)
        owners: list[int] = []
        split: list[list[str]] = [[] for _ in sides]
        for i, line in enumerate(sides[0]):
            size = max(1, len(cut(line)))
            owners += [i] * size
            for side, texts in zip(sides, split, strict=True):
                own = [side[i][first:end] for first, end in cut(side[i])]
                texts += own if len(own) == size else [side[i]] * size
        return cls("\n".join(lines), spans, owners, split, is_aligned)

    @property
    def sentences(self) -> list[str]:
        """The sentences of the translation."""
        return [self.slice(*span) for span in self.spans]

    def slice(self, start: int, end: int) -> str:
        """The text between two offsets, on one line."""
        return self.text[start:end].replace("\n", " ").strip()

    def owned(self, groups: Sequence[Group]) -> Iterator[Group]:
        """The groups with the lines of the reference in the place of their sentences."""
        for group in groups:
            first, end, *theirs = group
            if first == end:
                at = self.owners[first] if first < len(self.owners) else self.owners[-1] + 1
                yield Group(at, at, *theirs)
            else:
                yield Group(self.owners[first], self.owners[end - 1] + 1, *theirs)


def _kept_spans(
    passage: _Passage, groups: Sequence[Group], references: Sequence[Sequence[str]]
) -> list[tuple[int, int]]:
    """The offsets of the text of each line of the reference, without added sentences around it; a
    lost one has an empty span."""
    spans: list[tuple[int, int]] = [(0, 0)] * (passage.owners[-1] + 1)
    for group in groups:
        if 0 in group.shape:
            continue
        start, end = passage.spans[group.other_first][0], passage.spans[group.other_end - 1][1]
        lines = range(passage.owners[group.first], passage.owners[group.end - 1] + 1)
        parts = [(0, end - start)]
        if len(lines) > 1:
            whole = [one[lines.start : lines.stop] for one in references]
            parts = divide_sentence(passage.text[start:end], whole)
        for line, (first, last) in zip(lines, parts, strict=True):
            before = spans[line] if spans[line][1] else (start + first, 0)
            spans[line] = before[0], start + last
    return spans


def _extended(spans: Sequence[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """The spans, each up to the next, so that none of the text is left out. Empty ones stay so."""
    starts = [start for start, end in spans if start < end]
    ends = iter([*starts[1:], length])
    starts[:1] = [0][: len(starts)]
    begin = iter(starts)
    return [(next(begin), next(ends)) if start < end else (start, end) for start, end in spans]


def _added(
    spans: Sequence[tuple[int, int]], groups: Sequence[Group], owners: Sequence[int]
) -> tuple[int, ...]:
    """The number of added sentences in each text."""
    texts = [i for i, (start, end) in enumerate(spans) if start < end]
    added = [0] * len(spans)
    for group in groups:
        if group.shape[0] == 0:
            line = owners[group.first - 1] if group.first else -1
            before = [i for i in texts if i <= line]
            added[before[-1] if before else texts[0]] += group.shape[1]
    return tuple(added)


def _counts(
    groups: Sequence[Group], owners: Sequence[int], alike: Similarities, vectors: Vectors
) -> RealignmentCounts:
    """What an alignment says of a translation; the arguments are as for `_moved_and_repeated`."""
    added = [j for g in groups if g.shape[0] == 0 for j in range(g.other_first, g.other_end)]
    without = [i for g in groups if g.shape[1] == 0 for i in range(g.first, g.end)]
    translated = {owners[i] for g in groups if g.shape[1] for i in range(g.first, g.end)}
    lost = [i for i in without if owners[i] not in translated]
    merged = [{owners[i] for i in range(g.first, g.end)} for g in groups if g.shape[1]]
    moved, repeated = _moved_and_repeated(lost, added, alike, vectors)
    compared, inverted = count_inversions(alike, len(owners), len(vectors))
    return RealignmentCounts(
        sentences=owners[-1] + 1,
        translated=groups[-1].other_end,
        merged=len(set().union(*(lines for lines in merged if len(lines) > 1))),
        split=len({owners[g.first] for g in groups if g.shape[0] == 1 and g.shape[1] > 1}),
        lost=len({owners[i] for i in lost}),
        added=len(added),
        moved=moved,
        repeated=repeated,
        compared=compared,
        inverted=inverted,
    )


def _moved_and_repeated(
    lost: Sequence[int], added: Sequence[int], to_references: Similarities, vectors: Vectors
) -> tuple[int, int]:
    """Numbers of added sentences that are like a lost one, each with another, and of others that
    are like another sentence of the translation.

    Args:
        lost, added: indices of sentences of the references and of the translation.
        to_references: similarities of both.
        vectors: of the translation.
    """
    if not added:
        return 0, 0
    to_others = Similarities([(vectors, vectors)])
    missing = set(lost)
    moved = repeated = 0
    for index in added:
        column = slice(index, index + 1)
        alike = to_references((1, 1), slice(None), column)[:, 0]
        others = to_others((1, 1), slice(None), column)[:, 0]
        others[index] = 0
        match = max(missing, key=lambda i: alike[i], default=None)
        if match is not None and alike[match] >= ALIKE:
            missing.remove(match)
            moved += 1
        else:
            repeated += bool(others.max() >= _REPEATED)
    return moved, repeated

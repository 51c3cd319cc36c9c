"""Translations side by side: the differing places, and the size of the differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

import regex
from sacrebleu.metrics.chrf import CHRF

from docmt_files.base.documents import Document

_WORD = regex.compile(r"\s+|\p{Ideographic}|[\w]+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a sentence.

    Attributes:
        text: the text of the stretch.
        differs: whether the first system's translation lacks it here.
    """

    text: str
    differs: bool


@dataclass(frozen=True, slots=True)
class SentenceTranslation:
    """A sentence as a system translated it.

    Attributes:
        parts: the text, marked where it differs from the first system's.
        chrf: the chrF of the sentence, from 0 to 100.
    """

    parts: Sequence[Part]
    chrf: float


@dataclass(frozen=True)
class ComparedSentence:
    """A sentence with all translations.

    Attributes:
        number: number in the document, from 1.
        source, reference: their text.
        translations: of each system, the first one's first.
    """

    number: int
    source: str
    reference: str
    translations: Sequence[SentenceTranslation]

    @cached_property
    def difference(self) -> float:
        """The difference of the systems: the range of their chrF."""
        values = [translation.chrf for translation in self.translations]
        return max(values) - min(values)

    @property
    def gain(self) -> float:
        """The chrF of the last system minus the chrF of the first."""
        return self.translations[-1].chrf - self.translations[0].chrf

    @property
    def is_same(self) -> bool:
        """True if all translations are the same."""
        return not any(
            part.differs for translation in self.translations for part in translation.parts
        ) and (
            len(
                {
                    sum(len(part.text) for part in translation.parts)
                    for translation in self.translations
                }
            )
            == 1
        )


@dataclass(frozen=True)
class ComparedDocument:
    """A document with all translations.

    Attributes:
        id: the id of the document.
        sentences: the sentences of the document.
    """

    id: str
    sentences: Sequence[ComparedSentence]

    @cached_property
    def difference(self) -> float:
        """The mean difference over the sentences."""
        return sum(s.difference for s in self.sentences) / len(self.sentences)

    @cached_property
    def gain(self) -> float:
        """The mean gain over the sentences."""
        return sum(s.gain for s in self.sentences) / len(self.sentences)


def compared(
    translations: Mapping[str, Sequence[Document]], references: Sequence[Document]
) -> list[ComparedDocument]:
    """All documents with all translations, in descending order of the difference between
    translations.

    Args:
        translations: the documents of each system, by system name; others are compared with the
            first.
        references: the same documents.
    """
    metric = CHRF()
    compared_documents = []
    for index, reference in enumerate(references):
        targets = [documents[index].target or () for documents in translations.values()]
        sentences = []
        for position, (source, target) in enumerate(
            zip(reference.source, reference.target or (), strict=True)
        ):
            first = targets[0][position]
            sentences.append(
                ComparedSentence(
                    position + 1,
                    source,
                    target,
                    [
                        SentenceTranslation(
                            marked(first, texts[position]),
                            metric.sentence_score(texts[position], [target]).score,
                        )
                        for texts in targets
                    ],
                )
            )
        compared_documents.append(ComparedDocument(reference.id, sentences))
    return sorted(compared_documents, key=lambda document: -document.difference)


def marked(first: str, other: str) -> list[Part]:
    """The other text in parts, marked where it differs from the first by words."""
    if first == other:
        return [Part(other, differs=False)]
    ours, theirs = _WORD.findall(first), _WORD.findall(other)
    parts = []
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for tag, _, _, begin, end in matcher.get_opcodes():
        if begin < end:
            parts.append(Part("".join(theirs[begin:end]), differs=tag != "equal"))
    return parts

"""`marked_sentences`: the suspicious sentences of a translated file, with the place of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docmt_files import BlockSkeleton, FileSkeleton, block_texts
from docmt_files.base.documents import WARNING_WORDS
from docmt_nmt.base.translations import Translation


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """A sentence to look at.

    Attributes:
        place: where a person finds it in the file.
        warning: the possible faults, in words.
        source: the sentence.
        target: the translation.
        file: the name of the file.
    """

    place: str
    warning: str
    source: str
    target: str
    file: str = ""


def marked_sentences(
    translations: Sequence[Translation], skeleton: FileSkeleton, file: str = ""
) -> Iterator[MarkedSentence]:
    """The sentences with warnings, in the order of the file.

    Args:
        translations: the translations of the documents of the file.
        skeleton: the file without sentences.
        file: the name of the file.
    """
    if not any(translation.warnings for translation in translations):
        return
    for translation in translations:
        numbers = range(1, len(translation) + 1)
        places = [f"document {translation.id}, sentence {number:,}" for number in numbers]
        if isinstance(skeleton, BlockSkeleton):
            blocks = zip(block_texts(skeleton), skeleton.sentences, strict=True)
            places = [block.place for block, sentences in blocks for _ in sentences]
        for place, sentence in zip(places, translation.sentences, strict=True):
            if sentence.warnings:
                said = (f"{WARNING_WORDS[w.kind]}: {w.detail}" for w in sentence.warnings)
                warning = "; ".join(said)
                yield MarkedSentence(place, warning, sentence.source, sentence.target, file)

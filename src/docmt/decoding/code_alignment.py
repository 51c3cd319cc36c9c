"""Aligns the words of translated sentences that have inline codes, by the attention of the system
that translated them, so that the codes can be put between the right words.
"""

from __future__ import annotations

from collections.abc import Sequence

from docmt.decoding.attention_alignment import AttentionAligner, Words
from docmt.decoding.translator import Translator
from docmt.documents import Document
from docmt.errors import InputError
from docmt.formats.links import WordScores
from docmt.formats.placing import word_spans


class CodeAligner:
    """An `AlignSentences` for the skeletons of files: after the search, the instances with
    sentences that have codes are run once with their translations.

    Args:
        translator: the translator of the file.

    Attributes:
        notes: why codes were placed by the order and spelling of words, if they were.
    """

    def __init__(self, translator: Translator) -> None:
        self.notes: tuple[str, ...] = ()
        self._translator = translator

    def __call__(self, document: Document, indices: Sequence[int]) -> dict[int, WordScores]:
        """The scores of the words of these sentences of a document with its translation; none if
        the system has no attention to align words by."""
        wanted = frozenset(indices)
        pairs = zip(document.source, document.target or (), strict=True)
        words: list[Words] = [
            (_words(source), _words(target)) if index in wanted else ((), ())
            for index, (source, target) in enumerate(pairs)
        ]
        try:
            aligner = AttentionAligner(self._translator)
            (aligned,) = aligner.align([document], [words], sentences=[wanted])
        except InputError as error:
            self.notes = (
                "inline codes were placed by the order and spelling of words, because "
                f"{error.problem}; check where they are",
            )
            return {}
        return {index: aligned[index].scores for index in indices}


def _words(text: str) -> list[str]:
    """The words of a sentence as codes are placed between them."""
    return [text[start:end] for start, end in word_spans(text)]

"""Aligns the words of translated sentences with inline codes, by the attention of the translating
system, to put the codes between the right words.
"""

from __future__ import annotations

from collections.abc import Sequence

from docmt_files import WordWeights, word_spans
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_nmt.decoding.beam_search_translator import BeamSearchTranslator


class CodeAligner:
    """An `AlignSentences` for the skeletons of files: after the search, the sentences with codes
    are run once with the translations, each alone. The sentence alone is enough to align the words,
    and the others would take time.

    Attributes:
        notes: why codes were placed by the order and spelling of words, if they were.
    """

    def __init__(self, translator: BeamSearchTranslator) -> None:
        self.notes: tuple[str, ...] = ()
        self._translator = translator

    def __call__(self, document: Document, indices: Sequence[int]) -> dict[int, WordWeights]:
        """The attention weights of the words of these sentences of a document with the
        translation; none if the system has no attention for alignment."""
        from docmt.alignment.by_attention import AttentionAligner  # Few files have codes to align.

        target = document.target or ()
        alone = [Document(document.id, (document.source[i],), (target[i],)) for i in indices]
        words = [[(_words(one.source[0]), _words((one.target or ("",))[0]))] for one in alone]
        try:
            aligned = AttentionAligner(self._translator).align(alone, words)
        except InputError as error:
            self.notes = (
                "inline codes were placed by the order and spelling of words, because "
                f"{error.problem}; check where they are",
            )
            return {}
        return {index: result[0].weights for index, result in zip(indices, aligned, strict=True)}


def _words(text: str) -> list[str]:
    """The words of a sentence as codes are placed between them."""
    return [text[start:end] for start, end in word_spans(text)]

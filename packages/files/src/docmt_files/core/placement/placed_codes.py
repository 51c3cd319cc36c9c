"""`PlacedCodes`: a translation with the inline codes of its source."""

from __future__ import annotations

from typing import NamedTuple

from docmt_files.core.inline import Code


class PlacedCodes(NamedTuple):
    """A translation with the codes of the source.

    Attributes:
        parts: texts and codes in order, every code of the source once, with the spaces needed by
            codes.
        between: whether codes are between words, not around the sentence.
        whole: source words of which a pair is around a part, where the pair is around whole words
            of the translation.
    """

    parts: list[str | Code]
    between: bool = True
    whole: tuple[str, ...] = ()

    @property
    def are_exact(self) -> bool:
        """True if codes are around whole words and sentences only where the source has them so."""
        return self.between and not self.whole

"""`SpecialTokens`: the tokens set around sentences (BOS, EOS, language tokens)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SpecialTokens:
    """The tokens set around sentences; they differ between families of pretrained models.

    Attributes:
        source_begin, source_end: the ids before and after each source sentence.
        target_begin: the id with which the decoder starts a sentence.
        target_end: the id at the end of a target sentence.
        target_prefix: the ids between `target_begin` and the first word, such as a language token;
            they are given, not predicted.
    """

    source_begin: tuple[int, ...]
    source_end: tuple[int, ...]
    target_begin: int
    target_end: int
    target_prefix: tuple[int, ...] = ()

    @property
    def target_opening(self) -> tuple[int, ...]:
        """The ids before the first word of a target sentence."""
        return self.target_begin, *self.target_prefix

    @property
    def source_overhead(self) -> int:
        """The number of special tokens of a source sentence."""
        return len(self.source_begin) + len(self.source_end)

    @property
    def target_overhead(self) -> int:
        """The number of special tokens of a target sentence, `target_end` included."""
        return len(self.target_opening) + 1

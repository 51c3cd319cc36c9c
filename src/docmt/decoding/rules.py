"""What search may write: a sentence is no empty one, has no marks inside, and is ended at its
greatest length at no cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from docmt.text.vocabulary import Marks

NEVER = float("-inf")


@dataclass(frozen=True, slots=True)
class Rules:
    """Which tokens may follow within a sentence.

    Attributes:
        marks: the tokens around target sentences.
        banned: tokens that are never words.
    """

    marks: Marks
    banned: Sequence[int]

    def apply(self, logits: Tensor, begins: Tensor, full: Tensor) -> Tensor:
        """Rule out what may not follow.

        Args:
            logits: (R, vocabulary), changed in place.
            begins: (R,) true for rows whose last token is a begin mark.
            full: (R,) true for rows whose sentence is at its greatest length.

        Returns:
            (R,) what a logit is reduced by to be a log-probability.
        """
        end = self.marks.target_end
        normaliser = logits.logsumexp(dim=1)
        logits[:, [self.marks.target_begin, *self.banned]] = NEVER
        logits[begins.nonzero().squeeze(1), end] = NEVER
        force(logits, full, end, normaliser)
        return normaliser


def force(logits: Tensor, rows: Tensor, token: int, normaliser: Tensor) -> None:
    """Let these rows, (R,), go on with this token alone, at no cost."""
    few = rows.nonzero().squeeze(1)
    logits[few] = NEVER
    logits[few, token] = normaliser[few]

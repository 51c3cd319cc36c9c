"""What search may write: a sentence begins as its marks say, is no empty one, has no marks inside,
and is ended at its greatest length at no cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from docmt.special_tokens import SpecialTokens

NEVER = float("-inf")


@dataclass(frozen=True, slots=True)
class Rules:
    """Which tokens may follow within a sentence.

    Attributes:
        marks: the tokens around target sentences.
        banned: tokens that are never words.
    """

    special_tokens: SpecialTokens
    banned: Sequence[int]

    def apply(self, logits: Tensor, place: Tensor, longest: Tensor) -> Tensor:
        """Rule out what may not follow.

        Args:
            logits: (R, vocabulary), changed in place.
            place: (R,) the last token's place in its sentence, from 0.
            longest: (R,) the most words its sentence may have.

        Returns:
            (R,) what a logit is reduced by to be a log-probability.
        """
        end, opening = self.special_tokens.target_end, self.special_tokens.target_opening
        normaliser = logits.logsumexp(dim=1)
        logits[:, sorted({*opening, *self.banned} - {end})] = NEVER
        words = place - (len(opening) - 1)
        logits[(words == 0).nonzero().squeeze(1), end] = NEVER
        for before, token in enumerate(self.special_tokens.target_prefix):
            force(logits, place == before, token, normaliser)
        force(logits, words >= longest, end, normaliser)
        return normaliser


def force(logits: Tensor, rows: Tensor, token: int, normaliser: Tensor) -> None:
    """Let these rows, (R,), go on with this token alone, at no cost."""
    few = rows.nonzero().squeeze(1)
    logits[few] = NEVER
    logits[few, token] = normaliser[few]

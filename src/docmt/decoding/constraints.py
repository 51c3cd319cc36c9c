"""Search constraints: each target sentence starts with its opening tokens, is not empty, contains
no special tokens, and gets a free EOS at its maximum length.

Shapes: R hypotheses, V tokens of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt.errors import InputError
from docmt.nn.transfer import to_device
from docmt.special_tokens import SpecialTokens

NEVER = float("-inf")


def not_finite_error() -> InputError:
    """The error that ends a search in which logits are NaN or infinite."""
    return InputError(
        "the system computes scores that are not finite (NaN or infinity)",
        cure="Translate with precision fp32; if that is what failed, the run's weights are of no "
        "use: train it again, or copy it again",
    )


class Constraints:
    """The tokens that may follow within a sentence.

    Args:
        banned: token ids that are never text.
    """

    def __init__(
        self, special_tokens: SpecialTokens, banned: Sequence[int], device: torch.device
    ) -> None:
        self.special_tokens = special_tokens
        never = sorted({*special_tokens.target_opening, *banned} - {special_tokens.target_end})
        self._never = to_device(np.array(never, np.int64), device)

    def apply(
        self, logits: Tensor, position: NDArray[np.int64], max_length: NDArray[np.int64]
    ) -> Tensor:
        """Rule out what may not follow.

        Args:
            logits: (R, V), changed in place.
            position: (R,) the last token's position in its sentence, from 0; on the host.
            max_length: (R,) the maximum length of its sentence, special tokens not counted; on the
                host.

        Returns:
            (R,) what a logit is reduced by to be a log-probability.
        """
        special = self.special_tokens
        normalizer = logits.logsumexp(dim=1)
        logits.index_fill_(1, self._never, NEVER)
        length = position - (len(special.target_opening) - 1)
        if len(empty := (length == 0).nonzero()[0]):
            logits[to_device(empty, logits.device), special.target_end] = NEVER
        for before, token in enumerate(special.target_prefix):
            force(logits, position == before, token, normalizer)
        force(logits, length >= max_length, special.target_end, normalizer)
        return normalizer


def force(logits: Tensor, hypotheses: NDArray[np.bool_], token: int, normalizer: Tensor) -> None:
    """Let these hypotheses, (R,) on the host, continue with this token alone, at no cost."""
    if not hypotheses.any():
        return
    index = to_device(hypotheses.nonzero()[0], logits.device)
    logits[index] = NEVER
    logits[index, token] = normalizer[index]

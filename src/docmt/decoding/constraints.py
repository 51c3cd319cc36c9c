"""Search constraints: each target sentence starts with the opening tokens, is not empty, contains
no special tokens, and gets a free EOS at the maximum length.

Shapes: R hypotheses, V tokens of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt.ground.errors import InputError
from docmt.ground.special_tokens import SpecialTokens
from docmt.nn.transfer import to_device

NEVER = float("-inf")


def not_finite_error() -> InputError:
    """The error of a search with NaN or infinite logits."""
    return InputError(
        "the system computes logits that are not finite (NaN or infinity)",
        cure="Translate with precision fp32; if that is what failed, the run's weights are of no "
        "use: train it again, or copy it again",
    )


class Constraints:
    """The constraints on the next token of a sentence.

    Args:
        banned: the ids of tokens that are never text.
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
        """Return the log-probabilities, (R, V), of the next token; -inf for excluded tokens.

        Args:
            logits: (R, V)
            position: (R,) the position of the last token in the sentence, from 0; on the host.
            max_length: (R,) the maximum length of the sentence, special tokens not counted; on the
                host.
        """
        special = self.special_tokens
        log_probabilities = logits.log_softmax(dim=1)
        log_probabilities.index_fill_(1, self._never, NEVER)
        length = position - (len(special.target_opening) - 1)
        if len(empty := (length == 0).nonzero()[0]):
            log_probabilities[to_device(empty, log_probabilities.device), special.target_end] = (
                NEVER
            )
        for before, token in enumerate(special.target_prefix):
            force(log_probabilities, position == before, token)
        force(log_probabilities, length >= max_length, special.target_end)
        return log_probabilities


def force(log_probabilities: Tensor, hypotheses: NDArray[np.bool_], token: int) -> None:
    """Let these hypotheses, (R,) on the host, continue with this token alone, at no cost: change
    the log-probabilities, (R, V), in place."""
    if not hypotheses.any():
        return
    index = to_device(hypotheses.nonzero()[0], log_probabilities.device)
    log_probabilities[index] = NEVER
    log_probabilities[index, token] = 0.0

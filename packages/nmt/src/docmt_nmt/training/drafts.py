"""The interface between training and a system that learns to correct drafts: the system offers the
writer of the drafts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import torch

from docmt_nmt.data import Instance
from docmt_nmt.runs.system_run import SystemRun


class DraftWriter(Protocol):
    """Writes the drafts of instances."""

    def write(
        self, instances: Sequence[Instance], seeds: Sequence[Sequence[int]], *, training: bool
    ) -> list[Instance]:
        """The instances with drafts.

        Args:
            instances: with their references.
            seeds: for each instance, the seeds of the random numbers.
            training: whether the drafts are learned from, or validated with.
        """


@runtime_checkable
class CorrectingSystem(Protocol):
    """A system that learns to correct drafts (`WritingOrder.CORRECTING`)."""

    def draft_writer(self, run: SystemRun, device: torch.device) -> DraftWriter:
        """The writer of the drafts in the training of a run."""


@runtime_checkable
class CorrectingSettings(Protocol):
    """The settings of such a system.

    Attributes:
        min_context_sentences: number of previous sentences that a sentence must have in its
            instance to be learned.
    """

    @property
    def min_context_sentences(self) -> int: ...

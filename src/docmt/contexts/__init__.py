"""What encoders trained elsewhere make of the sentences around a sentence, for systems that attend
to it (Donato et al. 2021): the encoders, the folder that keeps what they made, and what of it
stands beside each sentence."""

from docmt.contexts.contexts import ContextEncoders, Reading
from docmt.contexts.dataset import ContextDataset
from docmt.contexts.encoders import Encoder, Passage
from docmt.contexts.lengths import check_lengths
from docmt.contexts.store import Store

__all__ = [
    "ContextDataset",
    "ContextEncoders",
    "Encoder",
    "Passage",
    "Reading",
    "Store",
    "check_lengths",
]

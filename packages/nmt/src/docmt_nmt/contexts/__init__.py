"""Frozen encoders of the sentences around a sentence, for systems that attend to the encoders'
states (Donato et al. 2021): the encoders, the folder with the states, and the inputs of each
sentence.

Translating needs no more than this face. The further parts for training, on a prepared corpus, are
in `docmt_nmt.contexts.context_dataset` and `docmt_nmt.contexts.lengths`.
"""

from docmt_nmt.contexts.context_encoders import ContextDocument, ContextEncoders
from docmt_nmt.contexts.encoders import Encoder, Passage
from docmt_nmt.contexts.store import EncodingStore

__all__ = ["ContextDocument", "ContextEncoders", "Encoder", "EncodingStore", "Passage"]

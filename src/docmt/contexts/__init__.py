"""Frozen encoders of the sentences around a sentence, for systems that attend to the encoders'
states (Donato et al. 2021): the encoders, the folder with the states, and the inputs of each
sentence.

Translating needs no more than this face. The further parts for training, on a prepared corpus, are
in `docmt.contexts.context_dataset` and `docmt.contexts.lengths`.
"""

from docmt.contexts.context_encoders import ContextDocument, ContextEncoders
from docmt.contexts.encoders import Encoder, Passage
from docmt.contexts.store import EncodingStore

__all__ = ["ContextDocument", "ContextEncoders", "Encoder", "EncodingStore", "Passage"]

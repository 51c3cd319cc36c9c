"""`ContextDataset`: instances with the auxiliary inputs of context encoders, for training. The
encodings of a whole split are computed once, kept in a folder, and read from there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docmt_nmt.contexts.context_encoders import ContextDocument, ContextEncoders
from docmt_nmt.contexts.encoders import Encoder, Passage
from docmt_nmt.contexts.store import EncodingStore
from docmt_nmt.data import Instance
from docmt_nmt.data.dataset import Dataset, InstanceDataset
from docmt_nmt.data.split import Split

_PASSAGES_PER_PART = 1024
"""Number of passages encoded before they are written: the maximum loss of a killed process."""

EncodingProgress = Callable[[str, int], None]
"""Called with the name of the current block and the number of documents done."""


class ContextDataset(Dataset):
    """Single-sentence instances with their auxiliary inputs.

    Args:
        instances: the instances.
        contexts: the encoders, with a folder. Missing encodings are computed now.
        progress: called for every document.

    Attributes:
        source_tokens, target_tokens, sentences: as for the instances.
    """

    def __init__(
        self, instances: InstanceDataset, contexts: ContextEncoders, progress: EncodingProgress
    ) -> None:
        self._instances, self._contexts = instances, contexts
        self.source_tokens, self.target_tokens = instances.source_tokens, instances.target_tokens
        self.sentences = instances.sentences
        self._encodings = {
            name: _encode_split(name, contexts, instances.split, progress)
            for name in contexts.blocks
            if contexts.keys[name] in contexts.encoders
        }

    def __len__(self) -> int:
        return len(self._instances)

    def __getitem__(self, index: int) -> Instance:
        instance = self._instances[index]
        document = int(self._instances.document[index])
        sentence = int(self._instances.split.first_sentences[document]) + instance.first
        auxiliary: dict[str, NDArray[Any]] = {}
        for name, block in self._contexts.blocks.items():
            if name in self._encodings:
                store = self._contexts.stores[self._contexts.keys[name]]
                auxiliary[name] = store.states(int(self._encodings[name][sentence]))
            else:
                encoded = self._instances.split.document(document)
                auxiliary[name] = self._contexts.tokens(block, encoded, instance.first)
        return replace(instance, auxiliary=auxiliary)

    def draw(self, *seed: int) -> None:
        """Draw the random parts of the instances."""
        self._instances.draw(*seed)


def _encode_split(
    name: str, contexts: ContextEncoders, split: Split, progress: EncodingProgress
) -> NDArray[np.int64]:
    """Compute the encodings of a block missing from the folder.

    Returns:
        (S,) for each sentence of the split the index of the encoding in the folder.
    """
    block = contexts.blocks[name]
    key = contexts.keys[name]
    encoder, store = contexts.encoders[key], contexts.stores[key]
    digests: list[bytes] = []
    missing: dict[bytes, Passage] = {}
    with store.writing():
        for document in range(len(split)):
            text = split.text(document)
            context_document = ContextDocument(text.source, text.target, split.document(document))
            for sentence in range(len(text)):
                passage = contexts.passage(block, context_document, sentence)
                digest = encoder.digest(passage)
                digests.append(digest)
                if store.find(digest) is None:
                    missing[digest] = passage
                if len(missing) == _PASSAGES_PER_PART:
                    _encode_missing(store, encoder, missing)
            progress(name, document + 1)
        _encode_missing(store, encoder, missing)
    return np.array([store.find(digest) for digest in digests], np.int64)


def _encode_missing(store: EncodingStore, encoder: Encoder, missing: dict[bytes, Passage]) -> None:
    """Encode passages, add them to the folder and clear them."""
    if missing:
        store.add(list(missing), encoder.encode(list(missing.values())))
        missing.clear()

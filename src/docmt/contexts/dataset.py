"""Instances with what stands beside them, for training: the encodings of a whole split are made
once, kept in a folder, and read from there instance by instance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docmt.contexts.contexts import ContextEncoders, Reading
from docmt.contexts.encoders import Encoder, Passage
from docmt.contexts.store import Store
from docmt.data import Instance
from docmt.data.dataset import InstanceDataset
from docmt.data.split import Split

AT_ONCE = 1024
"""Passages that are encoded before they are written: what a process that is killed can lose."""

Progress = Callable[[str, int], None]
"""Told the block whose encodings are made, and the documents done."""


class ContextDataset:
    """Instances of single sentences with what stands beside them.

    Args:
        instances: the instances.
        contexts: the encoders, with a folder. What it lacks is made now.
        progress: told of every document that is read.

    Attributes:
        source_tokens, target_tokens: as of the instances.
    """

    def __init__(
        self, instances: InstanceDataset, contexts: ContextEncoders, progress: Progress
    ) -> None:
        self.instances, self.contexts = instances, contexts
        self.source_tokens, self.target_tokens = instances.source_tokens, instances.target_tokens
        self.rows = {
            name: fill(name, contexts, instances.split, progress)
            for name in contexts.blocks
            if contexts.keys[name] in contexts.encoders
        }

    def __len__(self) -> int:
        return len(self.instances)

    def __getitem__(self, number: int) -> Instance:
        instance = self.instances[number]
        document = int(self.instances.document[number])
        sentence = int(self.instances.split.first_sentences[document]) + instance.first
        auxiliary: dict[str, NDArray[Any]] = {}
        for name, block in self.contexts.blocks.items():
            if name in self.rows:
                store = self.contexts.stores[self.contexts.keys[name]]
                auxiliary[name] = store.states(int(self.rows[name][sentence]))
            else:
                encoded = self.instances.split.document(document)
                auxiliary[name] = self.contexts.tokens(block, encoded, instance.first)
        return replace(instance, auxiliary=auxiliary)


def fill(
    name: str, contexts: ContextEncoders, split: Split, progress: Progress
) -> NDArray[np.int64]:
    """Make the encodings of a block that its folder lacks.

    Returns:
        (S,) for each sentence of the split its row in the folder.
    """
    block = contexts.blocks[name]
    key = contexts.keys[name]
    encoder, store = contexts.encoders[key], contexts.stores[key]
    digests: list[bytes] = []
    missing: dict[bytes, Passage] = {}
    with store.writing():
        for number in range(len(split)):
            document = split.text(number)
            reading = Reading(document.source, document.target, split.document(number))
            for place in range(len(document)):
                passage = contexts.passage(block, reading, place)
                digest = encoder.key(passage)
                digests.append(digest)
                if store.find(digest) is None:
                    missing[digest] = passage
                if len(missing) == AT_ONCE:
                    add(store, encoder, missing)
            progress(name, number + 1)
        add(store, encoder, missing)
    return np.array([store.rows[digest] for digest in digests], np.int64)


def add(store: Store, encoder: Encoder, missing: dict[bytes, Passage]) -> None:
    """Encode passages, put them into the folder and forget them."""
    if missing:
        store.add(list(missing), encoder.encode(list(missing.values())))
        missing.clear()

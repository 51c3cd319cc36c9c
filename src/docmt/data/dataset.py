"""Datasets: instances by index, with the number of tokens of each known in advance."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from docmt.data.data_settings import InstanceSettings, SampleSettings
from docmt.data.instances import Instance, boundaries
from docmt.data.split import Split
from docmt.special_tokens import SpecialTokens
from docmt.text.vocabulary import MASK_ID


class Dataset(Protocol):
    """Instances by index.

    Attributes:
        source_tokens, target_tokens: (I,) the number of tokens of each instance, special tokens
            included.
        sentences: (I,) the number of its sentence pairs.
    """

    source_tokens: NDArray[np.int32]
    target_tokens: NDArray[np.int32]
    sentences: NDArray[np.int32]

    def __len__(self) -> int:
        """The number of instances."""

    def __getitem__(self, index: int) -> Instance:
        """An instance."""


class InstanceDataset(Dataset):
    """The instances of a split, in document order.

    Args:
        split: the split.
        settings: how its documents are cut, and what context is read with an instance.
        special_tokens: the tokens set around each sentence, which count.
        sample: which part of the instances to keep; default: all.

    Attributes:
        document: (I,) the index of each instance's document.
        first, end: (I,) its first sentence and the one after its last, as indices in its document.
        source_tokens, target_tokens: (I,) the number of its tokens on each side, special tokens
            included; context counts as source.
        sentences: (I,) the number of its sentence pairs, without context.
    """

    def __init__(
        self,
        split: Split,
        settings: InstanceSettings,
        special_tokens: SpecialTokens,
        sample: SampleSettings | None = None,
    ) -> None:
        self.split, self.special_tokens = split, special_tokens
        self._masked, self._joins = settings.kind == "masked", settings.join_sentences
        self._current_in_context = settings.current_in_context
        self.document, self.first, self.end = _cut_all(split, settings, special_tokens)
        if sample is not None and not sample.is_all:
            kept = _sample(self.document, len(split), sample)
            self.document, self.first, self.end = (
                array[kept] for array in (self.document, self.first, self.end)
            )
        self.sentences = self.end - self.first
        before = (settings.window - 1) // 2 if self._masked else settings.previous_sentences
        after = settings.window // 2 if self._masked else settings.next_sentences
        begin = split.first_sentences[self.document]
        in_document = split.first_sentences[self.document + 1] - begin
        self._read_first = np.maximum(self.first - before, 0)
        self._read_end = np.minimum(self.end + after, in_document)
        source_overhead, target_overhead = (
            (special_tokens.source_overhead, special_tokens.target_overhead)
            if not self._joins
            else (0, 0)
        )
        self.source_tokens = split.source.count(
            begin + self._read_first, begin + self._read_end, source_overhead
        )
        if self._masked:
            # The mask replaces the sentence's own tokens.
            own = split.source.count(begin + self.first, begin + self.end, 0)
            self.source_tokens += 1 - own
        if self._current_in_context:
            self.source_tokens += split.source.count(
                begin + self.first, begin + self.end, special_tokens.source_overhead
            )
        self.target_tokens = split.target.count(
            begin + self.first, begin + self.end, target_overhead
        )
        if self._joins:
            self.source_tokens += special_tokens.source_overhead
            self.target_tokens += special_tokens.target_overhead

    def __len__(self) -> int:
        return len(self.document)

    def __getitem__(self, index: int) -> Instance:
        document, first = int(self.document[index]), int(self.first[index])
        begin = int(self.split.first_sentences[document])
        bounds = begin + first, begin + int(self.end[index])
        source, target = self.split.source, self.split.target
        if self._masked:
            read = begin + int(self._read_first[index]), begin + int(self._read_end[index])
            sentences = source.sentences(*read)
            sentences[bounds[0] - read[0]] = [MASK_ID]
            return Instance(self.split.ids[document], first, sentences, target.sentences(*bounds))
        context_end = bounds[1] if self._current_in_context else bounds[0]
        before = source.sentences(begin + int(self._read_first[index]), context_end)
        after = source.sentences(bounds[1], begin + int(self._read_end[index]))
        instance = Instance(
            self.split.ids[document],
            first,
            source.sentences(*bounds),
            target.sentences(*bounds),
            [*before, *after],
            following=len(after),
        )
        return instance.join() if self._joins else instance


class ConcatDataset(Dataset):
    """Datasets one after the other.

    Args:
        datasets: at least one.

    Attributes:
        datasets: the same.
        sizes: the number of instances of each.
    """

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        self.datasets = datasets
        self.sizes = [len(dataset) for dataset in datasets]
        self._ends = np.array(list(accumulate(self.sizes)))
        self.source_tokens = np.concatenate([dataset.source_tokens for dataset in datasets])
        self.target_tokens = np.concatenate([dataset.target_tokens for dataset in datasets])
        self.sentences = np.concatenate([dataset.sentences for dataset in datasets])

    def __len__(self) -> int:
        return int(self._ends[-1])

    def __getitem__(self, index: int) -> Instance:
        which = int(np.searchsorted(self._ends, index, side="right"))
        return self.datasets[which][index - int(self._ends[which]) + self.sizes[which]]


def _sample(
    document: NDArray[np.int32], documents: int, sample: SampleSettings
) -> NDArray[np.bool_]:
    """(I,) which instances belong to a sample.

    Args:
        document: (I,) the document of each instance.
        documents: the number of documents.
        sample: how many of them to draw, or of the instances.

    Raises:
        InputError: there are fewer.
    """
    total = len(document) if sample.unit == "instances" else documents
    order = np.random.default_rng(sample.seed).permutation(total)
    drawn = np.zeros(total, dtype=np.bool_)
    drawn[order[: sample.count(total)]] = True
    return drawn if sample.unit == "instances" else drawn[document]


def _cut_all(
    split: Split, settings: InstanceSettings, special_tokens: SpecialTokens
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Cut every document of a split: (I,) the document, first and end of each instance."""
    source = np.diff(split.source.offsets) + special_tokens.source_overhead
    target = np.diff(split.target.offsets) + special_tokens.target_overhead
    documents, firsts, ends = array("i"), array("i"), array("i")
    for document, (a, b) in enumerate(pairwise(split.first_sentences.tolist())):
        for first, end in boundaries(source[a:b].tolist(), target[a:b].tolist(), settings):
            documents.append(document)
            firsts.append(first)
            ends.append(end)
    return (
        np.frombuffer(documents, np.int32),
        np.frombuffer(firsts, np.int32),
        np.frombuffer(ends, np.int32),
    )

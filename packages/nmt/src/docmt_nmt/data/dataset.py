"""Datasets: instances by index, with the number of tokens of each known in advance."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.data.data_settings import InstanceSettings, SampleSettings
from docmt_nmt.data.instances import Instance, boundaries, instance_of
from docmt_nmt.data.split import Split
from docmt_nmt.text import EncodedDocument


class Dataset(Protocol):
    """Instances by index.

    Attributes:
        source_tokens, target_tokens: (I,) the number of tokens of each instance, special tokens
            included.
        sentences: (I,) number of sentence pairs of each instance.
    """

    source_tokens: NDArray[np.int32]
    target_tokens: NDArray[np.int32]
    sentences: NDArray[np.int32]

    def __len__(self) -> int:
        """The number of instances."""

    def __getitem__(self, index: int) -> Instance:
        """An instance."""

    def draw(self, *seed: int) -> None:
        """Draw the random parts of the instances, anew for every epoch; most datasets have none."""


class InstanceDataset(Dataset):
    """The instances of a split, in document order.

    Args:
        split: the split.
        settings: the division of documents, and the context read with an instance.
        special_tokens: the tokens set around each sentence, which count.
        sample: which part of the instances to keep; default: all.

    Attributes:
        document: (I,) the index of each instance's document.
        first, end: (I,) first sentence of each instance and the end, the sentence after the last
            one, as indices in the document. Of a part of a document in which one sentence is
            masked, these are the drawn sentence.
        source_tokens, target_tokens: (I,) number of tokens of each instance on each side, special
            tokens included; context counts as source.
        sentences: (I,) number of sentence pairs of each instance, without context.
    """

    def __init__(
        self,
        split: Split,
        settings: InstanceSettings,
        special_tokens: SpecialTokens,
        sample: SampleSettings | None = None,
    ) -> None:
        self.split, self.special_tokens, self._settings = split, special_tokens, settings
        self.document, self.first, self.end = _cut_all(split, settings, special_tokens)
        if sample is not None and not sample.is_all:
            kept = _sample(self.document, len(split), sample)
            self.document, self.first, self.end = (
                array[kept] for array in (self.document, self.first, self.end)
            )
        document_begin = split.first_sentences[self.document]
        in_document = split.first_sentences[self.document + 1] - document_begin
        self._read_first = np.maximum(self.first - settings.previous_sentences, 0)
        self._read_end = np.minimum(self.end + settings.next_sentences, in_document)
        self._count_tokens()
        self.draw(0)

    def draw(self, *seed: int) -> None:
        """Draw the masked sentence of each part of a document, all with the same probability."""
        if self._settings.kind == "masked":
            of_part = self._read_end - self._read_first
            drawn = np.random.default_rng(seed).integers(of_part, dtype=np.int32)
            self.first = self._read_first + drawn
            self.end = self.first + np.int32(1)
            self._count_tokens()

    def _count_tokens(self) -> None:
        """Count the sentences and the tokens of each instance."""
        split, settings, special_tokens = self.split, self._settings, self.special_tokens
        self.sentences = self.end - self.first
        document_begin = split.first_sentences[self.document]
        begin, end = document_begin + self.first, document_begin + self.end
        read = document_begin + self._read_first, document_begin + self._read_end
        overheads = special_tokens.source_overhead, special_tokens.target_overhead
        # Joined sentences have the special tokens of one.
        each, once = ((0, 0), overheads) if settings.join_sentences else (overheads, (0, 0))
        self.source_tokens = split.source.count(*read, each[0]) + np.int32(once[0])
        self.target_tokens = split.target.count(begin, end, each[1]) + np.int32(once[1])
        if settings.kind == "masked":
            # The mask replaces the sentence's own tokens.
            self.source_tokens += 1 - split.source.count(begin, end, 0)
        if settings.current_in_context:
            self.source_tokens += split.source.count(begin, end, overheads[0])

    def __len__(self) -> int:
        return len(self.document)

    def __getitem__(self, index: int) -> Instance:
        document, first, end, read_first, read_end = (
            int(of_instances[index])
            for of_instances in (
                self.document,
                self.first,
                self.end,
                self._read_first,
                self._read_end,
            )
        )
        # A document may be long, so only the needed sentences become lists.
        begin = int(self.split.first_sentences[document])
        read = EncodedDocument(
            self.split.ids[document],
            self.split.source.sentences(begin + read_first, begin + read_end),
            self.split.target.sentences(begin + read_first, begin + read_end),
        )
        instance = instance_of(read, first - read_first, end - read_first, self._settings)
        return replace(instance, first=first)


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
        self._join_counts()

    def draw(self, *seed: int) -> None:
        """Draw for each of the datasets apart."""
        for index, dataset in enumerate(self.datasets):
            dataset.draw(*seed, index)
        self._join_counts()

    def _join_counts(self) -> None:
        """Put the numbers of tokens and sentences of all instances one after the other."""
        datasets = self.datasets
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
    """Draw a sample: (I,) True for the sampled instances, given the document of each instance."""
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

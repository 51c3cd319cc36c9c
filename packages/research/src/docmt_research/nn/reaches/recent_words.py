"""`RecentWords`: a cache of words that were translated before a sentence (Tu et al. 2018,
"Learning to Remember Translation History with a Continuous Cache").

A slot of the cache belongs to a target word and holds what the system knew when it wrote the word.
A word that has no slot takes a free one or that of the word that was written least recently; a word
that has one is averaged with what is there:

    slot(y_t) ← x_t  or  slot(y_t) ← ½ (slot(y_t) + x_t)

So every slot is a weighted sum of states of tokens, and which ones is known on the host.

Shapes: N states of tokens, N_q queries, U sentences, C slots of the fullest cache.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docmt_nmt.nn.full_pass import FullPass
from docmt_nmt.nn.incremental import IncrementalView
from docmt_nmt.nn.spans import Spans, padded
from docmt_nmt.nn.transfer import to_device
from docmt_nmt.nn.views import Reach

LEAST_WEIGHT = 2.0**-24
"""Below this, a state no longer shows in a slot (fp32)."""

Slot = tuple[tuple[int, float], ...]
"""The tokens whose states are in a slot, by their indices, with their weights."""


class Words:
    """The words in a cache, each with its slot.

    Args:
        size: how many slots there are.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._slots: OrderedDict[int, Slot] = OrderedDict()

    def write(self, words: Sequence[int], indices: Iterable[int]) -> None:
        """Write words, one after the other, given the indices of their states."""
        for word, index in zip(words, indices, strict=True):
            known = self._slots.pop(word, ())
            if not known and len(self._slots) == self._size:
                self._slots.popitem(last=False)
            kept = tuple((i, w / 2) for i, w in known if w / 2 >= LEAST_WEIGHT)
            self._slots[word] = (*kept, (index, 0.5 if known else 1.0))

    def write_sentence(self, tokens: NDArray[np.int64], first: int) -> None:
        """Write the words of a translated sentence, given as decoder input with BOS and EOS, whose
        states begin with the one of this index. The state of a word is the one that predicts it;
        EOS is not a word."""
        words = tokens[1:-1].tolist()
        self.write(words, range(first, first + len(words)))

    def slots(self) -> list[Slot]:
        """Return what is in the cache now."""
        return list(self._slots.values())


@dataclass(frozen=True)
class RecentWords(Reach["WordCache"]):
    """The words that were translated before each token's own sentence. It looks from the keys and
    values of the tokens, (N, 2 · d_model); step by step the cache is made of what
    `System.read_translations` gave.

    Attributes:
        size: how many words the cache holds at most.
    """

    size: int

    def full_pass(self, view: FullPass, x: Tensor) -> WordCache:
        packed = view.packed
        slots = before_each_sentence(
            packed.host_tokens, packed.sentences, packed.first_sentences, self.size
        )
        return WordCache(x, list(slots), packed.sentences)

    def step(self, view: IncrementalView, x: Tensor) -> WordCache:
        return view.kept(self, lambda: _Caches(self.size)).before(view, x)


class _Caches:
    """The cache before the sentences that are being written."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._known: tuple[NDArray[np.int64], WordCache] | None = None

    def before(self, view: IncrementalView, x: Tensor) -> WordCache:
        """Return the cache for new tokens with these keys and values, (R, 2 · d_model)."""
        sentences = view.window.first
        if self._known is None or not np.array_equal(self._known[0], sentences):
            known, first = view.memory.translations, view.memory.source.first_sentences
            begins = first[np.searchsorted(first, sentences, side="right") - 1]
            slots: list[list[Slot]] = [[] for _ in sentences]
            if known is not None:
                assert known.tokens is not None, "translations come with their tokens"
                slots = [
                    of_translations(known.tokens, known.first[a:b], known.lengths[a:b], self._size)
                    for a, b in zip(begins.tolist(), sentences.tolist(), strict=True)
                ]
            states = x[:0] if known is None else known.states
            queries = Spans.of([len(x) // len(sentences)] * len(sentences), view.device)
            self._known = sentences, WordCache(states, slots, queries)
        return self._known[1]


class WordCache:
    """The keys that queries may read: the queries of a sentence the cache as it was before the
    sentence.

    Args:
        states: (N, 2 · d_model) keys and values of tokens, concatenated.
        slots: of each of the U sentences, the slots of its cache.
        queries: U spans.
    """

    def __init__(self, states: Tensor, slots: Sequence[Sequence[Slot]], queries: Spans) -> None:
        self._lengths = np.array([len(words) for words in slots])
        self._keys_values = self._padded(states, list(chain.from_iterable(slots)))
        self._queries = queries

    def _padded(self, states: Tensor, slots: Sequence[Slot]) -> Tensor:
        """(U, C, 2 · d_model); what pads a cache is finite."""
        device = states.device
        parts = list(chain.from_iterable(slots))
        owners = np.repeat(np.arange(len(slots)), [len(slot) for slot in slots])
        made = states.new_zeros(len(slots) + 1, states.shape[1])
        if parts:
            picked = states[to_device(np.array([index for index, _ in parts]), device)]
            weights = np.array([weight for _, weight in parts], np.float32)
            weighted = picked * to_device(weights, device).to(states.dtype)[:, None]
            made = made.index_add(0, to_device(owners, device), weighted)
        first = self._lengths.cumsum() - self._lengths
        index, inside = padded(first, self._lengths)
        inside[:, 0] = True  # what stands in an empty cache is finite, too
        self._hidden = to_device(~inside, device)[:, None]
        return made[to_device(index, device)]

    def read(self, queries: Tensor) -> tuple[Tensor, Tensor]:
        """Return what each query finds by dot product.

        Args:
            queries: (N_q, d_model)

        Returns:
            (N_q, d_model), and (N_q,) whether its cache has any word.
        """
        keys, values = self._keys_values.chunk(2, dim=2)
        device, spans = queries.device, self._queries
        index, inside = padded(spans.host_offsets[:-1], spans.host_lengths)
        queries_of_instances = queries[to_device(index, device)]  # (U, longest, d_model)
        scores = (queries_of_instances @ keys.transpose(1, 2)).float()
        scores = scores.masked_fill(self._hidden, torch.finfo(scores.dtype).min)
        values_read = scores.softmax(dim=2).to(values.dtype) @ values
        back = to_device(inside.reshape(-1).nonzero()[0], device)
        there = (self._lengths > 0).repeat(spans.host_lengths)
        return values_read.flatten(0, 1)[back].to(queries.dtype), to_device(there, device)

    def of_paths(self, node_of: Tensor, path_of: Tensor) -> WordCache:
        """Return it for the nodes of a tree of sequences; as `KeysValues.of_paths`."""
        return _CacheOfPaths(self, node_of, path_of)


class _CacheOfPaths(WordCache):
    """A cache of words for each token of the sequences of a tree, for its nodes."""

    def __init__(self, cache: WordCache, node_of: Tensor, path_of: Tensor) -> None:
        self._cache, self._node_of, self._path_of = cache, node_of, path_of

    def read(self, queries: Tensor) -> tuple[Tensor, Tensor]:
        values_read, has_words = self._cache.read(queries[self._node_of])
        return values_read[self._path_of], has_words[self._path_of]


def before_each_sentence(
    tokens: NDArray[np.int64], sentences: Spans, first_sentences: NDArray[np.int64], size: int
) -> Iterator[list[Slot]]:
    """The slots before each sentence of a packed sequence, given as decoder input.

    Args:
        tokens: (N,) token ids.
        sentences: U spans.
        first_sentences: (I + 1,) the sentence each document begins with, then U.
        size: how many slots a cache has.
    """
    begins, offsets = set(first_sentences.tolist()), sentences.host_offsets.tolist()
    words = Words(size)
    for sentence in range(len(sentences)):
        if sentence in begins:
            words = Words(size)
        yield words.slots()
        first, end = offsets[sentence : sentence + 2]
        words.write_sentence(tokens[first:end], first)


def of_translations(
    tokens: NDArray[np.int64], first: NDArray[np.int64], lengths: NDArray[np.int64], size: int
) -> list[Slot]:
    """The slots after these translated sentences, in order, which begin at `first` among all tokens
    and have so many; none where `lengths` is 0."""
    words = Words(size)
    for begin, length in zip(first.tolist(), lengths.tolist(), strict=True):
        words.write_sentence(tokens[begin : begin + length], begin)
    return words.slots()

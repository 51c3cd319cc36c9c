"""`Encoder`: a frozen encoder of context, with one interface for Hugging Face models and for
docmt's own runs, each with a separate tokenizer.

Shapes: n tokens of a passage, W d_model of the states.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from docmt_files.base.errors import InputError
from docmt_files.storage.stored_files import open_stored
from docmt_nmt.contexts.store import DIGEST_BYTES, States

_BATCH_TOKENS = 8192
"""Maximum number of tokens per batch, padding included."""

TokenizedPassage = list[list[int]]
"""(channels, n): token ids, and whatever else a model reads per token."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Sentences read at once by an encoder.

    Attributes:
        sentences: in document order.
        distances: how many sentences each is after the one it is read for.
    """

    sentences: tuple[str, ...]
    distances: tuple[int, ...]


class Encoder(ABC):
    """Encodes passages.

    Args:
        name: the key of the encoder in the recipe, for error messages.
        limit: maximum number of tokens the model can read; None for no limit.
        max_tokens: the most tokens to let it read; None for the model's limit.
        too_long: the treatment of a longer passage.

    Attributes:
        d_model: W.
        fingerprint: two encoders with the same fingerprint give the same states.
        max_sentences: the most sentences it can read at once; None for no limit.
        truncated: number of passages truncated so far.
    """

    d_model: int
    fingerprint: str
    max_sentences: int | None = None

    def __init__(
        self,
        name: str,
        limit: int | None,
        max_tokens: int | None,
        too_long: Literal["error", "truncate"],
    ) -> None:
        if limit is not None and max_tokens is not None and max_tokens > limit:
            raise InputError(
                f"{name}.max_tokens is {max_tokens}, but the model reads at most {limit} tokens",
                cure="Lower it or leave it out",
            )
        self.name, self.too_long = name, too_long
        self.max_tokens = max_tokens or limit
        self.truncated = 0

    @abstractmethod
    def tokenize(self, sentences: Sequence[str], most: int | None = None) -> TokenizedPassage:
        """Tokenize a passage.

        Args:
            sentences: the sentences of the passage.
            most: truncate the only sentence to this many tokens; None to keep all.
        """

    @abstractmethod
    def compute_states(self, passages: Sequence[TokenizedPassage]) -> list[Tensor]:
        """The states, (n, W), of tokenized passages."""

    def digest(self, passage: Passage) -> bytes:
        """A digest, different for any two passages."""
        digest = blake2b(digest_size=DIGEST_BYTES)
        for sentence, distance in zip(passage.sentences, passage.distances, strict=True):
            digest.update(f"{distance}\t{len(sentence)}\t{sentence}".encode())
        return digest.digest()

    def encode(self, passages: Sequence[Passage]) -> list[States]:
        """The states, (n, W) in 16 bits, of passages; (0, W) for a passage without sentences.

        Raises:
            InputError: a passage is longer than the encoder's limit and may not be truncated, or
                the passage's states are not finite in 16 bits.
        """
        encodings = [np.zeros((0, self.d_model), np.float16) for _ in passages]
        tokenized = {
            index: self.fit(passage) for index, passage in enumerate(passages) if passage.sentences
        }
        with torch.inference_mode():
            for batch in _batches({index: len(tokens[0]) for index, tokens in tokenized.items()}):
                states = self.compute_states([tokenized[index] for index in batch])
                for index, tensor in zip(batch, states, strict=True):
                    encodings[index] = self._in_half_precision(tensor)
        return encodings

    def fit(self, passage: Passage) -> TokenizedPassage:
        """Tokenize a passage and, if the encoder cannot read all of it, truncate it: the sentences
        farthest from the one it is read for are removed first, then the end of the last one left.

        Raises:
            InputError: it is too long and may not be truncated.
        """
        sentences = list(zip(passage.distances, passage.sentences, strict=True))
        tokens = self.tokenize(passage.sentences)
        if self.max_tokens is None or len(tokens[0]) <= self.max_tokens:
            return tokens
        if self.too_long == "error":
            raise InputError(
                f"{self.name}: a context has {len(tokens[0])} tokens, but the encoder reads at "
                f"most {self.max_tokens}; it begins {passage.sentences[0][:60]!r}",
                cure=f"Read fewer sentences, or set {self.name}.too_long: truncate",
            )
        self.truncated += 1
        while len(tokens[0]) > self.max_tokens and len(sentences) > 1:
            sentences.remove(max(sentences, key=lambda sentence: abs(sentence[0])))
            tokens = self.tokenize([text for _, text in sentences])
        if len(tokens[0]) > self.max_tokens:
            tokens = self.tokenize([sentences[0][1]], self.max_tokens)
        return tokens

    def _in_half_precision(self, states: Tensor) -> States:
        """States in 16 bits, as they are kept."""
        half = states.float().cpu().numpy().astype(np.float16)
        if not np.isfinite(half).all():
            raise InputError(
                f"{self.name}: the encoder's states are not finite in 16 bits",
                cure="Choose another encoder",
            )
        return half


def _batches(lengths: Mapping[int, int]) -> Iterator[list[int]]:
    """Batches of passages of similar length, the longest first, each within `_BATCH_TOKENS`.

    Args:
        lengths: the number of tokens of each passage, by passage index.
    """
    batch: list[int] = []
    for index in sorted(lengths, key=lambda index: -lengths[index]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def fingerprint(paths: Sequence[Path], *more: str) -> str:
    """A digest of files and of everything else in the definition of an encoder's states."""
    digest = blake2b(digest_size=DIGEST_BYTES)
    for path in sorted(paths):
        digest.update(f"{path.name}\n".encode())
        with open_stored(path) as stream:
            while chunk := stream.read(1 << 20):
                digest.update(chunk)
    for text in more:
        digest.update(f"\n{text}".encode())
    return digest.hexdigest()

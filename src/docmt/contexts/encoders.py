"""Encoders trained elsewhere, which stay as they are: one interface for models of Hugging Face and
for docmt's own runs, each with its own tokenizer.

Shapes: n tokens of a passage, W d_model of the states.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from docmt.contexts.store import KEY, States
from docmt.errors import InputError
from docmt.files import open_binary

BATCH_TOKENS = 8192
"""Tokens, padding included, that are encoded at once."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Sentences that an encoder reads at once.

    Attributes:
        sentences: in their order.
        distances: how far each is from the one it is read for.
    """

    sentences: tuple[str, ...]
    distances: tuple[int, ...]


class Encoder(ABC):
    """Reads passages.

    Args:
        name: what errors call it: the key that bound it.
        limit: the most tokens it can read; None for no limit.
        max_tokens: the most tokens it is to read; None for the limit.
        too_long: what becomes of a longer passage.

    Attributes:
        d_model: W.
        fingerprint: two encoders with the same make the same of a passage.
        cut: passages that were cut so far.
    """

    d_model: int
    fingerprint: str
    most_sentences: int | None = None

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
        self.cut = 0

    @abstractmethod
    def tokens(self, sentences: Sequence[str], most: int | None = None) -> list[list[int]]:
        """What the model reads of sentences, (channels, n): token numbers and whatever else it
        reads of each; with `most`, the first sentence cut to so many tokens."""

    @abstractmethod
    def states(self, rows: Sequence[list[list[int]]]) -> list[Tensor]:
        """The states, (n, W), of what `tokens` made of passages."""

    def key(self, passage: Passage) -> bytes:
        """What tells a passage from all others."""
        digest = blake2b(digest_size=KEY)
        for sentence, distance in zip(passage.sentences, passage.distances, strict=True):
            digest.update(f"{distance}\t{len(sentence)}\t{sentence}".encode())
        return digest.digest()

    def encode(self, passages: Sequence[Passage]) -> list[States]:
        """The states, (n, W) of 16 bits each, of passages; (0, W) of one without sentences.

        Raises:
            InputError: a passage is longer than the encoder reads and is not to be cut, or its
                states are not finite in 16 bits.
        """
        found = [np.zeros((0, self.d_model), np.float16) for _ in passages]
        rows = {
            place: self.fitted(passage)
            for place, passage in enumerate(passages) if passage.sentences
        }  # fmt: skip
        with torch.inference_mode():
            for group in groups({place: len(row[0]) for place, row in rows.items()}):
                states = self.states([rows[place] for place in group])
                for place, tensor in zip(group, states, strict=True):
                    found[place] = self.rounded(tensor)
        return found

    def fitted(self, passage: Passage) -> list[list[int]]:
        """The tokens of a passage that are no more than the encoder reads."""
        sentences = list(zip(passage.distances, passage.sentences, strict=True))
        row = self.tokens(passage.sentences)
        if self.max_tokens is None or len(row[0]) <= self.max_tokens:
            return row
        if self.too_long == "error":
            raise InputError(
                f"{self.name}: a context has {len(row[0])} tokens and the encoder reads "
                f"{self.max_tokens}; it begins {passage.sentences[0][:60]!r}",
                cure=f"Read fewer sentences, or set {self.name}.too_long: truncate",
            )
        self.cut += 1
        while len(row[0]) > self.max_tokens and len(sentences) > 1:
            sentences.remove(max(sentences, key=lambda sentence: abs(sentence[0])))
            row = self.tokens([text for _, text in sentences])
        if len(row[0]) > self.max_tokens:
            row = self.tokens([sentences[0][1]], self.max_tokens)
        return row

    def rounded(self, states: Tensor) -> States:
        """States in 16 bits, as they are kept."""
        half = states.float().cpu().numpy().astype(np.float16)
        if not np.isfinite(half).all():
            raise InputError(f"{self.name}: the encoder's states are not finite in 16 bits")
        return half


def groups(lengths: dict[int, int]) -> Iterator[list[int]]:
    """Places of passages of like length, so many as are encoded at once."""
    group: list[int] = []
    for place in sorted(lengths, key=lambda place: -lengths[place]):
        if group and (len(group) + 1) * lengths[group[0]] > BATCH_TOKENS:
            yield group
            group = []
        group.append(place)
    if group:
        yield group


def fingerprint(paths: Sequence[Path], *more: str) -> str:
    """A digest of files and of what else decides about states."""
    digest = blake2b(digest_size=KEY)
    for path in sorted(paths):
        digest.update(f"{path.name}\n".encode())
        with open_binary(path) as stream:
            while chunk := stream.read(1 << 20):
                digest.update(chunk)
    for text in more:
        digest.update(f"\n{text}".encode())
    return digest.hexdigest()

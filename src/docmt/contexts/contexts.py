"""What stands beside each sentence for a parallel stack: states of encoders trained elsewhere, from
the folders they are kept in or made now, and tokens for encoders that learn with the system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray

from docmt.contexts.encoders import Encoder, Passage
from docmt.contexts.huggingface_encoder import HuggingFaceEncoder
from docmt.contexts.run_encoder import RunEncoder
from docmt.contexts.store import States, Store
from docmt.errors import InputError
from docmt.recipes import Recipe
from docmt.special_tokens import SpecialTokens
from docmt.systems.parallel_stack import ContextSettings, ParallelStackSettings
from docmt.systems.stack_notation import Block, Side
from docmt.text.pipeline import EncodedDocument

KINDS: dict[str, Any] = {"huggingface": HuggingFaceEncoder, "run": RunEncoder}


@dataclass(frozen=True, slots=True)
class Reading:
    """A document as encoders read it.

    Attributes:
        source, target: its sentences; without a target, blocks that read it are left out.
        encoded: the same as token numbers, for encoders that learn with the system.
    """

    source: Sequence[str]
    target: Sequence[str] | None
    encoded: EncodedDocument

    def texts(self, side: Side) -> Sequence[str] | None:
        """The sentences of a side."""
        return self.source if side == "source" else self.target


class ContextEncoders:
    """The encoders of a stack.

    Args:
        settings: the stack and what its letters stand for.
        marks: the marks around sentences that the system reads.
        device: where encoders compute.
        folder: where encodings are kept; without one they are made anew each time.

    Raises:
        InputError: an encoder cannot be loaded, or is not what the settings say.
    """

    def __init__(
        self,
        settings: ParallelStackSettings,
        special_tokens: SpecialTokens,
        device: torch.device | str,
        folder: Path | None = None,
    ) -> None:
        self.blocks = {str(block): block for block in settings.blocks}
        self.keys = {str(block): settings.key_of(block) for block in settings.blocks}
        self.special_tokens = special_tokens
        self.encoders = {
            key: opened(f"system.contexts.{key}", context, device)
            for key, context in sorted(settings.contexts.items())
            if context.kind in KINDS
        }
        for name, block in self.blocks.items():
            check_sentences(name, block, self.encoders.get(self.keys[name]))
        self.stores = {
            key: Store(folder / encoder.fingerprint, encoder.d_model)
            for key, encoder in self.encoders.items()
            if folder is not None
        }

    @classmethod
    def of(
        cls,
        recipe: Recipe,
        special_tokens: SpecialTokens,
        device: torch.device | str,
        folder: Path | None = None,
    ) -> Self | None:
        """The encoders of a recipe's system; None for one that attends to none."""
        if not isinstance(recipe.system, ParallelStackSettings) or not recipe.system.blocks:
            return None
        return cls(recipe.system, special_tokens, device, folder)

    @property
    def reads_target(self) -> bool:
        """Whether any block reads the target side."""
        return any(block.side == "target" for block in self.blocks.values())

    def auxiliary(self, sentences: Sequence[tuple[Reading, int]]) -> list[dict[str, NDArray[Any]]]:
        """What stands beside sentences, by the name of the block.

        Args:
            sentences: each as its document and its place in it.
        """
        found: list[dict[str, NDArray[Any]]] = [{} for _ in sentences]
        for name, block in self.blocks.items():
            open_to = [
                (beside, reading, place)
                for beside, (reading, place) in zip(found, sentences, strict=True)
                if reading.texts(block.side) is not None
            ]
            if self.keys[name] in self.encoders:
                passages = [self.passage(block, reading, place) for _, reading, place in open_to]
                states = self.encoded(self.keys[name], passages)
                for (beside, _, _), own in zip(open_to, states, strict=True):
                    beside[name] = own
            else:
                for beside, reading, place in open_to:
                    beside[name] = self.tokens(block, reading.encoded, place)
        return found

    def passage(self, block: Block, reading: Reading, place: int) -> Passage:
        """What a block reads for a sentence."""
        texts = reading.texts(block.side)
        assert texts is not None
        places = block.places(place, len(texts))
        return Passage(tuple(texts[i] for i in places), tuple(i - place for i in places))

    def encoded(self, key: str, passages: Sequence[Passage]) -> list[States]:
        """The states that an encoder has for passages; those that no folder keeps are made now."""
        encoder, store = self.encoders[key], self.stores.get(key)
        digests = [encoder.key(passage) for passage in passages]
        known: dict[bytes, States] = {}
        missing: dict[bytes, Passage] = {}
        for digest, passage in zip(digests, passages, strict=True):
            row = store.find(digest) if store is not None else None
            if store is not None and row is not None:
                known[digest] = store.states(row)
            else:
                missing[digest] = passage
        known |= zip(missing, encoder.encode(list(missing.values())), strict=True)
        return [known[digest] for digest in digests]

    def tokens(self, block: Block, document: EncodedDocument, place: int) -> NDArray[np.int64]:
        """What an encoder that learns with the system reads for a sentence."""
        sentences = document.source if block.side == "source" else document.target
        assert sentences is not None
        special_tokens = self.special_tokens
        begin, end = (
            (special_tokens.source_begin, special_tokens.source_end) if block.side == "source"
            else ((special_tokens.target_begin,), (special_tokens.target_end,))
        )  # fmt: skip
        places = block.places(place, len(sentences))
        rows = [[*begin, *sentences[i], *end] for i in places]
        return np.array([token for row in rows for token in row], np.int64)

    def cuts(self) -> Mapping[str, int]:
        """How many passages each encoder had to cut so far, of those that it did cut."""
        return {encoder.name: encoder.cut for encoder in self.encoders.values() if encoder.cut}


def opened(name: str, settings: ContextSettings, device: torch.device | str) -> Encoder:
    """The encoder of a letter, if it is as wide as the settings say."""
    encoder: Encoder = KINDS[settings.kind](name, settings, device)
    if encoder.d_model != settings.d_model:
        raise InputError(
            f"{name}.d_model is {settings.d_model}, and the encoder's states are {encoder.d_model} wide",
            cure=f"Set {name}.d_model={encoder.d_model}",
        )
    return encoder


def check_sentences(name: str, block: Block, encoder: Encoder | None) -> None:
    """Check that an encoder can read as many sentences as a block gives it."""
    sentences = block.previous + block.current + block.following
    most = None if encoder is None else encoder.most_sentences
    if encoder is not None and most is not None and sentences > most:
        raise InputError(
            f"system.stack: {name} gives {sentences} sentences to {encoder.name}, which reads "
            f"at most {most} at once",
            cure="Give it fewer, in several blocks, such as Bs(p,c) => Bs(c,n)",
        )

"""`ContextEncoders`: the auxiliary inputs of each sentence for a parallel stack. Auxiliary inputs
are the states of frozen encoders, from folders or computed now, and the token ids for encoders
trained with the system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike
from docmt_nmt.base.settings import Settings
from docmt_nmt.base.special_tokens import SpecialTokens
from docmt_nmt.contexts.encoders import Encoder, Passage
from docmt_nmt.contexts.huggingface_encoder import HuggingFaceEncoder
from docmt_nmt.contexts.run_encoder import RunEncoder
from docmt_nmt.contexts.store import EncodingStore, States
from docmt_nmt.runs.bundled import resolve
from docmt_nmt.systems.parallel_stack_settings import ContextSettings, ParallelStackSettings
from docmt_nmt.systems.stack_notation import Block, Side
from docmt_nmt.text import EncodedDocument

_FROZEN_ENCODERS: dict[str, Any] = {"huggingface": HuggingFaceEncoder, "run": RunEncoder}


@dataclass(frozen=True, slots=True)
class ContextDocument:
    """A document as input of encoders.

    Attributes:
        source, target: the sentences of each side; without a target, blocks of the target have no
            input.
        encoded: the same sentences as token ids, for encoders trained with the system.
    """

    source: Sequence[str]
    target: Sequence[str] | None
    encoded: EncodedDocument

    def texts(self, side: Side) -> Sequence[str] | None:
        """The sentences of a side."""
        return self.source if side == "source" else self.target


class ContextEncoders:
    """The encoders of a parallel stack.

    Args:
        settings: the stack, and the encoder for each letter in the stack.
        special_tokens: the tokens set around each sentence for the system.
        device: where encoders compute.
        folder: where encodings are kept; without one they are computed each time.

    Attributes:
        blocks: the blocks of the stack, by name.
        keys: the key in `system.contexts` of each block's encoder.
        encoders: the frozen encoders, by key.
        stores: the kept encodings of each frozen encoder, by key; empty without a folder.

    Raises:
        InputError: an encoder cannot be loaded, or does not fit the settings.
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
            key: load_encoder(f"system.contexts.{key}", context, device)
            for key, context in sorted(settings.contexts.items())
            if context.kind in _FROZEN_ENCODERS
        }
        for name, block in self.blocks.items():
            check_sentence_count(name, block, self.encoders.get(self.keys[name]))
        self.stores = {
            key: EncodingStore(folder / encoder.fingerprint, encoder.d_model)
            for key, encoder in self.encoders.items()
            if folder is not None
        }

    @classmethod
    def of(
        cls,
        settings: Settings,
        special_tokens: SpecialTokens,
        device: torch.device | str,
        folder: Path | None = None,
    ) -> Self | None:
        """The encoders attended to by a system of these settings; None if there are none.

        Args:
            settings: the section `system` of a recipe.
            special_tokens, device, folder: as for the class.
        """
        if not isinstance(settings, ParallelStackSettings) or not settings.blocks:
            return None
        return cls(settings, special_tokens, device, folder)

    @property
    def reads_target(self) -> bool:
        """True if any block reads the target side."""
        return any(block.side == "target" for block in self.blocks.values())

    def auxiliary_inputs(
        self, sentences: Sequence[tuple[ContextDocument, int]]
    ) -> list[dict[str, NDArray[Any]]]:
        """The auxiliary inputs of sentences, by the name of the block: states, (n, d_model), or
        token ids, (n,).

        Args:
            sentences: each as a document and an index in the document.
        """
        inputs: list[dict[str, NDArray[Any]]] = [{} for _ in sentences]
        for name, block in self.blocks.items():
            readable = [
                (encoder_inputs, document, index)
                for encoder_inputs, (document, index) in zip(inputs, sentences, strict=True)
                if document.texts(block.side) is not None
            ]
            if self.keys[name] in self.encoders:
                passages = [self.passage(block, document, index) for _, document, index in readable]
                encodings = self._encode(self.keys[name], passages)
                for (encoder_inputs, _, _), states in zip(readable, encodings, strict=True):
                    encoder_inputs[name] = states
            else:
                for encoder_inputs, document, index in readable:
                    encoder_inputs[name] = self.tokens(block, document.encoded, index)
        return inputs

    def passage(self, block: Block, document: ContextDocument, index: int) -> Passage:
        """The sentences read by a block's frozen encoder for a sentence."""
        texts = document.texts(block.side)
        assert texts is not None
        indices = block.indices(index, len(texts))
        return Passage(tuple(texts[i] for i in indices), tuple(i - index for i in indices))

    def tokens(self, block: Block, document: EncodedDocument, index: int) -> NDArray[np.int64]:
        """(n,) token ids for a sentence and an encoder trained with the system."""
        sentences = document.source if block.side == "source" else document.target
        assert sentences is not None
        special_tokens = self.special_tokens
        begin, end = (
            (special_tokens.source_begin, special_tokens.source_end)
            if block.side == "source"
            else ((special_tokens.target_begin,), (special_tokens.target_end,))
        )
        ids: list[int] = []
        for i in block.indices(index, len(sentences)):
            ids += [*begin, *sentences[i], *end]
        return np.array(ids, np.int64)

    def truncated(self) -> Mapping[str, int]:
        """Number of passages truncated so far by each encoder, for encoders with truncated
        passages."""
        return {
            encoder.name: encoder.truncated
            for encoder in self.encoders.values()
            if encoder.truncated
        }

    def _encode(self, key: str, passages: Sequence[Passage]) -> list[States]:
        """The states of passages; states missing from the folder are computed."""
        encoder, store = self.encoders[key], self.stores.get(key)
        digests = [encoder.digest(passage) for passage in passages]
        known: dict[bytes, States] = {}
        missing: dict[bytes, Passage] = {}
        for digest, passage in zip(digests, passages, strict=True):
            index = store.find(digest) if store is not None else None
            if store is not None and index is not None:
                known[digest] = store.states(index)
            else:
                missing[digest] = passage
        known |= zip(missing, encoder.encode(list(missing.values())), strict=True)
        return [known[digest] for digest in digests]


def load_encoder(name: str, settings: ContextSettings, device: torch.device | str) -> Encoder:
    """Load the frozen encoder of a key of `system.contexts`.

    Raises:
        InputError: it cannot be loaded, or the states do not have the size of the settings.
    """
    encoder: Encoder = _FROZEN_ENCODERS[settings.kind](name, settings, device)
    if encoder.d_model != settings.d_model:
        raise InputError(
            f"{name}.d_model is {settings.d_model}, but the encoder's states have "
            f"{encoder.d_model} dimensions",
            cure=f"Set {name}.d_model={encoder.d_model}",
        )
    return encoder


def open_encoder(name: str, model: PathLike) -> Encoder:
    """Load a frozen encoder from a run directory, or else from Hugging Face, on a GPU if there is
    one. Texts that are too long for it are truncated.

    Args:
        name: name of the setting, for error messages.
        model: the run directory of a Transformer, or the folder or the name of a Hugging Face
            model.

    Raises:
        InputError: it cannot be loaded.
    """
    kind = "run" if (Path(resolve(model)) / "recipe.yaml").is_file() else "huggingface"
    key = "run" if kind == "run" else "model"
    # The size of the states is the encoder's.
    settings = ContextSettings.model_validate(
        {"kind": kind, key: str(model), "d_model": 1, "too_long": "truncate"}
    )
    device = "cuda" if torch.cuda.is_available() else "cpu"
    encoder: Encoder = _FROZEN_ENCODERS[kind](name, settings, device)
    return encoder


def check_sentence_count(name: str, block: Block, encoder: Encoder | None) -> None:
    """Check the number of sentences of a block against the limit of the encoder.

    Raises:
        InputError: it reads fewer.
    """
    sentences = block.previous + block.current + block.following
    most = None if encoder is None else encoder.max_sentences
    if encoder is not None and most is not None and sentences > most:
        raise InputError(
            f"system.stack: {name} gives {sentences} sentences to {encoder.name}, which reads "
            f"at most {most} at once",
            cure="Split it into several blocks with fewer sentences, such as Bs(p,c) => Bs(c,n)",
        )

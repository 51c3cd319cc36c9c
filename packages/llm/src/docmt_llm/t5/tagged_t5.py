"""T5 with target-language tags, such as MADLAD-400 (Kudugunta et al. 2023): `<2de> Open the file.`
is translated into German.

The text becomes token ids by the sentencepiece model of the folder, with the bytes of characters
that the vocabulary lacks, as in training. (The T5 tokenizer of `transformers` has no such bytes.)
`transformers` runs the weights, which stay in their folder.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, Self

from docmt.interop.huggingface_weights import find_model
from docmt_files.base.errors import InputError, naming_file
from docmt_files.storage.stored_files import read_stored
from docmt_llm.in_process.pretrained_causal import (
    NO_REMOTE_CODE,
    load_weights,
    model_digest,
    not_loaded,
    transformers_package,
)
from docmt_nmt.nn.devices import chosen_device
from docmt_nmt.text.sentencepiece import load_sentencepiece

_TAG = re.compile(r"<2\w+>")
_LANGUAGE_TAG = re.compile(r"<2([a-z]{2,3}(?:_[A-Z][a-z]{3})?(?:_[A-Z]{2})?)>")
"""A tag with a language, the script and the region. MADLAD-400 has tags of other purposes, too."""

_FILES = "config.json, model.safetensors and spiece.model"


class TaggedTokenizer:
    """The sentencepiece model of a T5 with target-language tags.

    Attributes:
        tags: the id of each tag, by language.
        size: the number of token ids.
        eos_id: the id of the token after a sentence.
    """

    def __init__(self, folder: Path) -> None:
        """Read `spiece.model` in the folder of a model.

        Raises:
            InputError: there is none, or it is damaged or has no tags.
        """
        path = folder / "spiece.model"
        content = read_stored(path, cure=f"Name a folder with {_FILES}")
        with naming_file(path):
            self._model = load_sentencepiece(content)
        self.size, self.eos_id = self._model.vocab_size(), self._model.eos_id()
        pieces = dict(enumerate(self._model.id_to_piece(list(range(self.size)))))
        self.tags = {
            m[1]: i for i, piece in pieces.items() if (m := _LANGUAGE_TAG.fullmatch(piece))
        }
        if not self.tags:
            raise InputError(
                "has no target-language tags such as <2de>, so this T5 does not know into which "
                "language it is to translate",
                path=path,
                cure="Name a T5 with tags, such as MADLAD-400, or a Marian, mBART, M2M100 or NLLB",
            )
        special = {self._model.pad_id(), self.eos_id}
        self._written = {i for i in pieces if i not in special and not _TAG.fullmatch(pieces[i])}

    def encode(self, text: str, target: str) -> list[int]:
        """The token ids of a sentence, with the tag of the target language and the end token. Tags
        in the sentence are divided, so that they are text."""
        text = _TAG.sub(lambda tag: f"< {tag[0][1:]}", text)
        return [*self._model.encode(f"<2{target}> {text}"), self.eos_id]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token ids, without tags and other special tokens."""
        return str(self._model.decode([i for i in ids if i in self._written]))

    def missing(self, text: str) -> list[str]:
        """The parts of a sentence that the vocabulary lacks."""
        ids, pieces = self._model.encode(text), self._model.encode(text, out_type=str)
        unknown = self._model.unk_id()
        return [piece for i, piece in zip(ids, pieces, strict=True) if i == unknown]


class TaggedT5:
    """A T5 with target-language tags, in this process. It translates one batch at a time.

    Args:
        name: the name of the model.
        model: the model of `transformers`.
        tokenizer: the tokenizer.
    """

    def __init__(self, name: str, model: Any, tokenizer: TaggedTokenizer) -> None:
        self.tokenizer, self._name, self._model = tokenizer, name, model
        self._lock = Lock()

    @classmethod
    def load(cls, name: str, device: str | None = None) -> Self:
        """Load a model, in the number format of its files. Only safetensors are read, and no code
        in the model's folder is run.

        Args:
            name: a folder, or a name on the hub.
            device: the device to compute on. Default: a GPU if there is one.

        Raises:
            InputError: there is no such model, its files are damaged or do not belong together, or
                `transformers` is not installed.
        """
        folder, transformers = find_model(name), transformers_package()
        tokenizer = TaggedTokenizer(folder)
        transformers.utils.logging.disable_progress_bar()
        try:
            model = load_weights(
                transformers.AutoModelForSeq2SeqLM,
                str(folder),
                dtype="auto",
                device_map=chosen_device(device),
                use_safetensors=True,
                **NO_REMOTE_CODE,
            )
            ids, rows = model.generation_config, model.get_output_embeddings().weight.shape[0]
            if None in (ids.pad_token_id, ids.decoder_start_token_id):
                raise ValueError("config.json lacks pad_token_id or decoder_start_token_id")
            if ids.eos_token_id != tokenizer.eos_id or rows < tokenizer.size:
                raise ValueError("its vocabulary is not that of spiece.model")
        except Exception as error:  # damaged or mismatched files can raise anything
            raise not_loaded(name, error, _FILES) from None
        # How translations are searched is said by the recipe alone.
        model.generation_config = transformers.GenerationConfig(
            eos_token_id=ids.eos_token_id,
            pad_token_id=ids.pad_token_id,
            decoder_start_token_id=ids.decoder_start_token_id,
            do_sample=False,
        )
        return cls(name, model, tokenizer)

    @cached_property
    def digest(self) -> str:
        """A digest of the model's files."""
        return model_digest(self._name, self._model.config)

    def generate(
        self, batch: Sequence[Sequence[int]], beam_size: int, max_tokens: int
    ) -> list[list[int]]:
        """The token ids of the best translations of a batch, the end token and padding included.

        Args:
            batch: the token ids of each sentence.
            beam_size: the number of hypotheses per sentence.
            max_tokens: the maximum number of tokens of a translation, with the end token.
        """
        import torch

        longest, pad = max(map(len, batch)), self._model.generation_config.pad_token_id
        ids = torch.full((len(batch), longest), pad)  # (sentences, tokens)
        mask = torch.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)], mask[row, : len(tokens)] = torch.tensor(tokens), 1
        with self._lock, torch.inference_mode():
            written: list[list[int]] = self._model.generate(
                input_ids=ids.to(self._model.device),
                attention_mask=mask.to(self._model.device),
                num_beams=beam_size,
                max_new_tokens=max_tokens,
            )[:, 1:].tolist()
        return written

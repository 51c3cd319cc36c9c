"""Subwords of raw text by sentencepiece: the unigram model (Kudo 2018) or BPE, with bytes for
characters outside the vocabulary. Every sentence can be encoded, and decoding returns it
unchanged."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Literal, Protocol

import sentencepiece

from docmt_files.base.errors import InputError, naming_file
from docmt_files.storage.files import COPY_AGAIN, MAX_LINE_BYTES, PathLike, write_whole
from docmt_files.storage.stored_files import read_stored
from docmt_nmt.text.text_step import Subwords
from docmt_nmt.text.vocabulary import UNK, Vocabulary

MAX_SENTENCES = 2_000_000
"""Limit of the sentences to learn a model from; of a larger corpus, every k-th sentence is used."""

THREADS = 8
"""Threads of learning. They are part of the result, because another number of threads rounds sums
in another order, so the number does not depend on the machine."""

_SPACE = "▁"  # U+2581: how sentencepiece writes a space
_RESERVED = str.maketrans(dict.fromkeys("▁▅\t\0", " "))
_BYTE = re.compile("<0x([0-9A-F]{2})>")
_FIRST_OF_SEVERAL = 128
"""From here on bytes are parts of a character."""
_TOO_LARGE = re.compile(r"too high .*<= (\d+)")
_TOO_SMALL = re.compile(r"smaller than required_chars\. \d+ vs (\d+)")


class SizedCorpus(Protocol):
    """Sentences that can be counted, and iterated more than once."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...


class SentencePieceModel(Subwords):
    """Subwords of a sentencepiece model, written as it writes them: with `▁` for spaces and tokens
    such as `<0xE2>` for bytes.

    Args:
        model: the content of the model file.

    Raises:
        InputError: it is not a model.
    """

    suffix = ".model"

    def __init__(self, model: bytes) -> None:
        self.model = model
        self._processor = load_sentencepiece(model)

    def surface(self, token: str) -> str:
        if byte := _BYTE.fullmatch(token):
            value = int(byte[1], 16)
            # Most characters of several bytes are letters.
            return chr(value) if value < _FIRST_OF_SEVERAL else "x"
        return token.replace(_SPACE, " ")

    def is_partial(self, token: str) -> bool:
        byte = _BYTE.fullmatch(token)
        return byte is not None and int(byte[1], 16) >= _FIRST_OF_SEVERAL

    def save(self, path: Path) -> None:
        """Write the model, to PATH.model."""
        with write_whole(f"{path}{self.suffix}") as out:
            out.write(self.model)


def load_sentencepiece(model: bytes) -> sentencepiece.SentencePieceProcessor:
    """Load a sentencepiece model from the content of a file.

    Raises:
        InputError: it is not a model.
    """
    if not model:
        raise InputError("is an empty sentencepiece model", cure=COPY_AGAIN)
    try:
        return sentencepiece.SentencePieceProcessor(model_proto=model)
    except (RuntimeError, ValueError, OSError):
        raise InputError(
            "is not a valid sentencepiece model, or only part of one", cure=COPY_AGAIN
        ) from None


class SentencePiece(SentencePieceModel):
    """Model learned by a pipeline; `decode(encode([text])[0]) == text` for every normalized text.

    Raises:
        InputError: the content is not a model, or not a model learned by this pipeline.
    """

    def __init__(self, model: bytes) -> None:
        super().__init__(model)
        size = self._processor.vocab_size()
        self.vocabulary = Vocabulary(self._processor.id_to_piece(list(range(size))))
        self._ids_of_space = [
            self._processor.piece_to_id(f"<0x{byte:02X}>") for byte in _SPACE.encode()
        ]

    @classmethod
    def learn(
        cls,
        corpora: Sequence[SizedCorpus],
        *,
        kind: Literal["unigram", "bpe"],
        size: int,
        coverage: float = 0.9995,
    ) -> SentencePiece:
        """Learn a model; the same sentences give the same bytes.

        Args:
            corpora: sentences.
            kind: the kind of model.
            size: the vocabulary size, including the special tokens and the bytes.
            coverage: share of the characters in the vocabulary; bytes spell the others.

        Raises:
            InputError: the corpora are too small or too varied for this vocabulary size.
        """
        stride = -(-sum(map(len, corpora)) // MAX_SENTENCES)
        sentences = islice(chain.from_iterable(corpora), 0, None, stride)
        model = io.BytesIO()
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=map(_for_training, sentences),
                model_writer=model,
                model_type=kind,
                vocab_size=size,
                character_coverage=coverage,
                byte_fallback=True,
                # The pipeline normalizes, and `_for_training` adds the space before the first word.
                normalization_rule_name="identity",
                remove_extra_whitespaces=False,
                add_dummy_prefix=False,
                max_sentence_length=MAX_LINE_BYTES + 2,
                num_threads=THREADS,
                unk_surface=UNK,
                minloglevel=2,
                bos_id=0,
                pad_id=1,
                eos_id=2,
                unk_id=3,
            )
        except RuntimeError as error:
            raise _size_error(str(error), size) from error
        return cls(model.getvalue())

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        # One call for all sentences would start threads, which takes longer than one call each.
        return [self._encode(text) for text in texts]

    def _encode(self, text: str) -> list[int]:
        # The token `▁` would come back as a space; the bytes of the character do not.
        first, *others = _with_leading_space(text).split(_SPACE)
        ids: list[int] = self._processor.encode(first)
        for part in others:
            ids += [*self._ids_of_space, *self._processor.encode(part)]
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """Return the sentence. Invalid UTF-8 bytes become U+FFFD."""
        return str(self._processor.decode(list(ids))).removeprefix(" ")

    def split(self, text: str) -> list[str]:
        return self.vocabulary.decode(self.encode([text])[0])

    @classmethod
    def load(cls, path: PathLike) -> SentencePiece:
        """Read PATH.model."""
        file = f"{path}{cls.suffix}"
        with naming_file(file, cure="Copy the run directory again, or train it again"):
            return cls(read_stored(file))


def _with_leading_space(text: str) -> str:
    """Put a space before the first word of a sentence, as before any other word."""
    return " " + text if text else ""


def _for_training(text: str) -> str:
    """Replace the characters reserved by the trainer, which skips sentences with such characters,
    by spaces; later they are spelled as bytes."""
    return _with_leading_space(text.translate(_RESERVED))


def _size_error(message: str, size: int) -> InputError:
    """Return the trainer's refusal of a vocabulary size, with the size for the user to set."""
    if match := _TOO_LARGE.search(message):
        return InputError(
            f"the training corpus is too small for a vocabulary size of {size:,}",
            cure=f"Set text.vocabulary_size to {match[1]} or less, or give more text",
        )
    if match := _TOO_SMALL.search(message):
        return InputError(
            f"the training corpus has too many characters for a vocabulary size of {size:,}",
            cure=f"Set text.vocabulary_size to more than {match[1]}",
        )
    return InputError(
        f"no sentencepiece model can be learned from the training corpus ({message})",
        cure="Check the training corpus: it may hold almost no text",
    )

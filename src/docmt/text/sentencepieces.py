"""Subwords of raw text by sentencepiece: the unigram model (Kudo 2018) or BPE, with bytes for what
has no piece, so that every character has a spelling and every sentence comes back as it was."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Literal, Protocol

import sentencepiece

from docmt.errors import InputError
from docmt.files import LONGEST_LINE, PathLike, open_binary, write_whole
from docmt.text.vocabulary import UNKNOWN, Vocabulary

SENTENCES = 2_000_000
"""Sentences that a model is learnt from at most; of a larger corpus, every k-th."""

THREADS = 8
"""Of learning. It is a part of the result, as sums are rounded in another order with another
number, and so does not depend on the machine."""

_SPACE = "▁"  # U+2581: how sentencepiece writes a space in its pieces
_RESERVED = str.maketrans(dict.fromkeys("▁▅\t\0", " "))
_TOO_LARGE = re.compile(r"too high .*<= (\d+)")
_TOO_SMALL = re.compile(r"smaller than required_chars\. \d+ vs (\d+)")


class Counted(Protocol):
    """Sentences that can be counted and gone through more than once."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...


class SentencePieces:
    """A sentencepiece model; `invert(apply([text])[0]) == text` for every normalised text.

    Args:
        model: the model as its file holds it.

    Raises:
        InputError: it is no model, or one that this pipeline did not learn.
    """

    def __init__(self, model: bytes) -> None:
        if not model:
            raise InputError("is empty")
        self.model = model
        try:
            self._processor = sentencepiece.SentencePieceProcessor(model_proto=model)
        except (RuntimeError, ValueError, OSError) as error:
            raise InputError(f"is no sentencepiece model ({error})") from None
        size = self._processor.vocab_size()
        self.vocabulary = Vocabulary(self._processor.id_to_piece(list(range(size))))
        self._bytes_of_space = [
            self._processor.piece_to_id(f"<0x{byte:02X}>") for byte in _SPACE.encode()
        ]

    @classmethod
    def learn(
        cls,
        corpora: Sequence[Counted],
        *,
        kind: Literal["unigram", "bpe"],
        size: int,
        coverage: float = 0.9995,
    ) -> SentencePieces:
        """Learn a model of `size` pieces; the same sentences give the same bytes.

        Args:
            corpora: sentences.
            kind: the model.
            size: pieces, with the marks and the bytes.
            coverage: share of the characters that get pieces of their own; bytes spell the others.

        Raises:
            InputError: the corpora are too small or too varied for that many pieces.
        """
        stride = -(-sum(map(len, corpora)) // SENTENCES)
        sentences = islice(chain.from_iterable(corpora), 0, None, stride)
        model = io.BytesIO()
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=map(as_read, sentences),
                model_writer=model,
                model_type=kind,
                vocab_size=size,
                character_coverage=coverage,
                byte_fallback=True,
                # The pipeline has normalised; `as_read` sets the space before the first word.
                normalization_rule_name="identity",
                remove_extra_whitespaces=False,
                add_dummy_prefix=False,
                max_sentence_length=LONGEST_LINE + 2,
                num_threads=THREADS,
                unk_surface=UNKNOWN,
                minloglevel=2,
                bos_id=0,
                pad_id=1,
                eos_id=2,
                unk_id=3,
            )
        except RuntimeError as error:
            raise size_error(str(error), size) from error
        return cls(model.getvalue())

    def apply(self, texts: Sequence[str]) -> list[list[int]]:
        """The numbers of each sentence; none for an empty one."""
        # One call a sentence: a call for all of them starts threads, which takes longer.
        return [self._encoded(text) for text in texts]

    def _encoded(self, text: str) -> list[int]:
        # The piece of U+2581 would come back as a space, its bytes do not.
        first, *others = spaced(text).split(_SPACE)
        numbers: list[int] = self._processor.encode(first)
        for part in others:
            numbers += [*self._bytes_of_space, *self._processor.encode(part)]
        return numbers

    def invert(self, numbers: Sequence[int]) -> str:
        """The sentence. Bytes that are no UTF-8 become U+FFFD."""
        return str(self._processor.decode(list(numbers))).removeprefix(" ")

    def pieces(self, text: str) -> list[str]:
        """The pieces, with `▁` for spaces and `<0xE2>` for bytes."""
        return self.vocabulary.decode(self.apply([text])[0])

    def save(self, path: Path) -> None:
        """Write the model, to PATH.model."""
        with write_whole(f"{path}.model") as out:
            out.write(self.model)

    @classmethod
    def load(cls, path: PathLike) -> SentencePieces:
        """Read PATH.model."""
        name = f"{path}.model"
        with open_binary(name) as stream:
            model = stream.read()
        try:
            return cls(model)
        except InputError as error:
            raise InputError(
                error.problem, path=name, cure="Copy the run directory again, or train anew"
            ) from None


def spaced(text: str) -> str:
    """A sentence with a space before its first word, as before any other."""
    return " " + text if text else ""


def as_read(text: str) -> str:
    """A sentence for training. Characters that the trainer keeps for itself, and for which it would
    leave out the sentence, become spaces; they are later spelled by their bytes."""
    return spaced(text.translate(_RESERVED))


def size_error(message: str, size: int) -> InputError:
    """The trainer's refusal of a vocabulary's size, as a user can mend it."""
    if match := _TOO_LARGE.search(message):
        return InputError(
            f"the training corpus yields no {size:,} pieces",
            cure=f"Set text.vocabulary to {match[1]} or less, or give more text",
        )
    if match := _TOO_SMALL.search(message):
        return InputError(
            f"the characters of the training corpus do not fit {size:,} pieces",
            cure=f"Set text.vocabulary to more than {match[1]}",
        )
    return InputError(
        f"no sentencepiece model can be learnt from the training corpus ({message})",
        cure="Look at the training corpus: it may hold next to no text",
    )

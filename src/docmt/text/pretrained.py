"""Subwords of pretrained models: their own sentencepiece models or tokenizers, and their own
numbers, as their files hold them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sentencepiece
from tokenizers import Tokenizer

from docmt.errors import InputError
from docmt.files import PathLike, open_binary, write_text, write_whole
from docmt.text.vocabulary import UNKNOWN, Vocabulary

AGAIN = "Copy it again from where it came from"


class PretrainedVocabulary(Vocabulary):
    """The vocabulary of a pretrained model, whose marks may have any number.

    Args:
        pieces: all pieces and marks, by number.
        marks: the numbers that are never text.
        unknown: the number of `<unk>`.

    Raises:
        InputError: a piece is there twice, or a mark is no number of the vocabulary.
    """

    def __init__(self, pieces: Sequence[str], marks: Iterable[int], unknown: int) -> None:
        marks = {*marks, unknown}
        if not all(0 <= mark < len(pieces) for mark in marks):
            raise InputError(f"the vocabulary holds {len(pieces)} pieces and marks beyond them")
        self.unknown = unknown
        self.number(pieces, marks)

    def save(self, path: PathLike) -> None:
        """Write the vocabulary as JSON."""
        state = {
            "unknown": self.unknown,
            "special_ids": sorted(self.special_ids),
            "pieces": self.tokens,
        }
        write_text(path, json.dumps(state, ensure_ascii=False, indent=0) + "\n")

    @classmethod
    def load(cls, path: PathLike) -> PretrainedVocabulary:
        """Read what `save` wrote.

        Raises:
            InputError: the file is missing or is no such vocabulary.
        """
        state = read_json(path)
        try:
            return cls(
                list(map(str, state["pieces"])), map(int, state["special_ids"]), state["unknown"]
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"is no vocabulary of a pretrained model ({error})", path=path,
                cure="Take the run's own vocabulary file",
            ) from None  # fmt: skip


class PretrainedPieces:
    """A sentencepiece model whose pieces are numbered by a vocabulary of its own.

    Args:
        model: the model as its file holds it.
        vocabulary: the numbers of its pieces; one that is not there is `<unk>`.

    Raises:
        InputError: it is no sentencepiece model.
    """

    suffix = ".model"

    def __init__(self, model: bytes, vocabulary: Vocabulary) -> None:
        self.model, self.vocabulary = model, vocabulary
        self._processor = read_model(model)

    def apply(self, texts: Sequence[str]) -> list[list[int]]:
        """The numbers of each sentence."""
        return [self.vocabulary.encode(self.pieces(text)) for text in texts]

    def invert(self, numbers: Sequence[int]) -> str:
        """The sentence; `<unk>` stands for itself."""
        runs: list[list[str]] = [[]]
        for number in numbers:
            if number == self.vocabulary.unknown:
                runs.append([])
            else:
                runs[-1].append(self.vocabulary.tokens[number])
        # A piece of the other side's model alone comes back as it is written.
        texts = (self._processor.decode_pieces(run).replace("▁", " ").strip() for run in runs)
        return f" {UNKNOWN} ".join(texts)

    def pieces(self, text: str) -> list[str]:
        """The pieces, with `▁` for spaces."""
        pieces: list[str] = self._processor.encode(text, out_type=str)
        return pieces

    def save(self, path: Path) -> None:
        """Write the model, to PATH.model."""
        with write_whole(f"{path}{self.suffix}") as out:
            out.write(self.model)


class PretrainedTokenizer:
    """A tokenizer of the `tokenizers` library.

    Args:
        state: the tokenizer as its `tokenizer.json` holds it.
        vocabulary: its pieces and marks.

    Raises:
        InputError: it is no tokenizer.
    """

    suffix = ".json"

    def __init__(self, state: bytes, vocabulary: Vocabulary) -> None:
        self.state, self.vocabulary = state, vocabulary
        self._tokenizer = read_tokenizer(state)

    def apply(self, texts: Sequence[str]) -> list[list[int]]:
        """The numbers of each sentence; text that is spelled like a mark is no mark."""
        marks, unknown = self.vocabulary.special_ids, self.vocabulary.unknown
        found = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [[unknown if n in marks else n for n in sentence.ids] for sentence in found]

    def invert(self, numbers: Sequence[int]) -> str:
        """The sentence; `<unk>` stands for itself."""
        return str(self._tokenizer.decode(list(numbers), skip_special_tokens=False))

    def pieces(self, text: str) -> list[str]:
        """The pieces, as the tokenizer writes them."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).tokens)

    def save(self, path: Path) -> None:
        """Write the tokenizer, to PATH.json."""
        with write_whole(f"{path}{self.suffix}") as out:
            out.write(self.state)


def load_pretrained(path: PathLike) -> PretrainedPieces | PretrainedTokenizer:
    """Read what `save` of either wrote beside its vocabulary, PATH.vocabulary.

    Raises:
        InputError: a file is missing or damaged.
    """
    vocabulary = PretrainedVocabulary.load(f"{path}.vocabulary")
    for kind in (PretrainedPieces, PretrainedTokenizer):
        file = Path(f"{path}{kind.suffix}")
        if file.exists():
            with of_file(file):
                return kind(read_bytes(file), vocabulary)
    raise InputError(
        "no such file, and no .json of that name either", path=f"{path}.model",
        cure="Copy the run directory again",
    )  # fmt: skip


def read_model(model: bytes) -> sentencepiece.SentencePieceProcessor:
    """A sentencepiece model, from what its file holds.

    Raises:
        InputError: it is none.
    """
    if not model:
        raise InputError("is an empty sentencepiece model", cure=AGAIN)
    try:
        return sentencepiece.SentencePieceProcessor(model_proto=model)
    except (RuntimeError, ValueError, OSError):
        raise InputError("is no sentencepiece model, or only a part of one", cure=AGAIN) from None


def read_tokenizer(state: bytes) -> Tokenizer:
    """A tokenizer that cuts nothing off, from what its `tokenizer.json` holds.

    Raises:
        InputError: it is none.
    """
    try:
        tokenizer = Tokenizer.from_str(state.decode("utf-8"))
    except Exception as error:  # the library raises nothing narrower
        raise InputError(f"is no tokenizer, or only a part of one ({error})", cure=AGAIN) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


@contextmanager
def of_file(path: PathLike) -> Iterator[None]:
    """Let errors about what a file holds name the file."""
    try:
        yield
    except InputError as error:
        if error.path is not None:
            raise
        raise InputError(error.problem, path=path, cure=error.cure) from None


def read_bytes(path: PathLike) -> bytes:
    """All that a file holds."""
    with open_binary(path) as stream:
        return stream.read()


def read_json(path: PathLike) -> dict[str, Any]:
    """The object that a JSON file holds.

    Raises:
        InputError: the file is missing, or holds something else.
    """
    try:
        state = json.loads(read_bytes(path))
    except ValueError as error:
        raise InputError(
            f"is no JSON, or only a part of it ({error})", path=path, cure=AGAIN
        ) from None
    if not isinstance(state, dict):
        raise InputError("holds no JSON object", path=path, cure=AGAIN)
    return state

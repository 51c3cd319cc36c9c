"""Subwords of pretrained models: sentencepiece models or tokenizers, with the token ids of their
files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from docmt_files.base.errors import InputError, naming_file, panics_as_errors
from docmt_files.storage.files import COPY_AGAIN, PathLike, write_text, write_whole
from docmt_files.storage.json_files import read_json
from docmt_files.storage.stored_files import read_stored
from docmt_nmt.text.sentencepiece import SentencePieceModel
from docmt_nmt.text.spellings import Span, stripped_span
from docmt_nmt.text.text_step import Subwords
from docmt_nmt.text.vocabulary import UNK, Vocabulary

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class PretrainedVocabulary(Vocabulary):
    """Vocabulary of a pretrained model, in which special tokens may have any id.

    Args:
        tokens: all tokens, by id.
        special_ids: the ids never given to text.
        unk_id: the id of `<unk>`.

    Raises:
        InputError: a token is repeated, or the id of a special token is not in the vocabulary.
    """

    def __init__(self, tokens: Sequence[str], special_ids: Iterable[int], unk_id: int) -> None:
        special_ids = {*special_ids, unk_id}
        if not all(0 <= i < len(tokens) for i in special_ids):
            raise InputError(
                f"a special token has an id beyond the {len(tokens)} tokens of the vocabulary"
            )
        self.unk_id = unk_id
        self._set_tokens(tokens, special_ids)

    @property
    def mask_id(self) -> int:
        """The id of `<mask>`, or else of `<unk>`: a decoder may begin with `<pad>`."""
        return self._mask_id(self.unk_id)

    def save(self, path: PathLike) -> None:
        state = {
            "unk_id": self.unk_id,
            "special_ids": sorted(self.special_ids),
            "tokens": self.tokens,
        }
        write_text(path, json.dumps(state, ensure_ascii=False, indent=0) + "\n")

    @classmethod
    def load(cls, path: PathLike) -> PretrainedVocabulary:
        state = read_json(path)
        try:
            tokens = list(map(str, state["tokens"]))
            return cls(tokens, map(int, state["special_ids"]), state["unk_id"])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"is not a vocabulary of a pretrained model ({error})",
                path=path,
                cure="Use the vocabulary file of the run",
            ) from None


class PretrainedSentencePiece(SentencePieceModel):
    """Sentencepiece model whose subword ids come from a separate vocabulary.

    Args:
        model: the content of the model file.
        vocabulary: the ids of the subwords; a subword outside it is `<unk>`.

    Raises:
        InputError: it is not a sentencepiece model.
    """

    def __init__(self, model: bytes, vocabulary: Vocabulary) -> None:
        super().__init__(model)
        self.vocabulary = vocabulary

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        return [self.vocabulary.encode(self.split(text)) for text in texts]

    def decode(self, ids: Sequence[int]) -> str:
        runs: list[list[str]] = [[]]
        for i in ids:
            if i == self.vocabulary.unk_id:
                runs.append([])
            else:
                runs[-1].append(self.vocabulary.tokens[i])
        # A subword of the other side's model alone is written as it is.
        texts = (self._processor.decode_pieces(run).replace("▁", " ").strip() for run in runs)
        return f" {UNK} ".join(texts)

    def split(self, text: str) -> list[str]:
        subwords: list[str] = self._processor.encode(text, out_type=str)
        return subwords


class PretrainedTokenizer(Subwords):
    """Tokenizer of the `tokenizers` library.

    Args:
        state: the content of the `tokenizer.json`.
        vocabulary: the tokens of the tokenizer.

    Raises:
        InputError: it is not a tokenizer.
    """

    suffix = ".json"

    def __init__(self, state: bytes, vocabulary: Vocabulary) -> None:
        self.state, self.vocabulary = state, vocabulary
        self._tokenizer = load_tokenizer(state)

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of each sentence; text spelled like a special token is not one."""
        special_ids, unk_id = self.vocabulary.special_ids, self.vocabulary.unk_id
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [[unk_id if i in special_ids else i for i in e.ids] for e in encodings]

    def decode(self, ids: Sequence[int]) -> str:
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=False))

    def split(self, text: str) -> list[str]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).tokens)

    def spans(self, text: str) -> list[Span]:
        """Return the spans given by the tokenizer, without spaces around."""
        offsets = self._tokenizer.encode(text, add_special_tokens=False).offsets
        return [stripped_span(text, start, end) for start, end in offsets]

    def surface(self, token: str) -> str:
        """Return the token as it is decoded after another of it."""
        i = self.vocabulary.ids[token]
        once, twice = (self._tokenizer.decode([i] * n, skip_special_tokens=False) for n in (1, 2))
        return str(twice)[len(once) :].replace("\ufffd", "x")

    def is_partial(self, token: str) -> bool:
        decoded = self._tokenizer.decode([self.vocabulary.ids[token]], skip_special_tokens=False)
        return "\ufffd" in decoded and "\ufffd" not in token

    def save(self, path: Path) -> None:
        """Write the tokenizer, to PATH.json."""
        with write_whole(f"{path}{self.suffix}") as out:
            out.write(self.state)


def load_pretrained(path: PathLike) -> PretrainedSentencePiece | PretrainedTokenizer:
    """Read a saved model of either kind, and the vocabulary, PATH.vocabulary.

    Raises:
        InputError: a file is missing or damaged.
    """
    vocabulary = PretrainedVocabulary.load(f"{path}.vocabulary")
    for kind in (PretrainedSentencePiece, PretrainedTokenizer):
        file = Path(f"{path}{kind.suffix}")
        if file.exists():
            with naming_file(file):
                return kind(read_stored(file), vocabulary)
    raise InputError(
        "no such file, and no .json of the same name",
        path=f"{path}.model",
        cure="Copy the run directory again",
    )


def load_tokenizer(state: bytes) -> Tokenizer:
    """Load a tokenizer, without truncation, from the content of a `tokenizer.json`.

    Raises:
        InputError: it is not a tokenizer.
    """
    from tokenizers import Tokenizer  # not installed everywhere

    try:
        with panics_as_errors():
            tokenizer = Tokenizer.from_str(state.decode("utf-8"))
    except Exception as error:  # the library raises nothing narrower
        raise InputError(
            f"is not a valid tokenizer, or only part of one ({error})", cure=COPY_AGAIN
        ) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer

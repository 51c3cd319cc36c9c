"""Byte-pair encoding of words (Sennrich et al. 2016, Algorithm 1), written as subword-nmt does: a
piece that the word goes on after ends in `@@`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.trainers import BpeTrainer

from docmt.errors import InputError
from docmt.text.bpe_codes import Codes, read_codes, write_codes
from docmt.text.vocabulary import SPECIALS, Vocabulary

CONTINUED = "@@"
"""The end of a piece that the word goes on after."""

_END = "\n"  # of a word, in the model; no word holds a line break
_NO_PIECE = _END * 2
_REMEMBERED = 200_000

# No piece may hold these, or it could be taken for an end of a piece or of a word, or for a mark.
_FORBIDDEN = re.compile(r"@(?=@)|<(?=/?(?:s|w|pad|unk)>)")


class BytePairs:
    """Words cut into pieces by merge operations.

    `invert(apply([text])[0]) == text` for every normalised text of known characters. Each of the
    others is one `<unk>`.

    Args:
        codes: the merge operations, first learnt first.
        vocabulary: the pieces.
    """

    def __init__(self, codes: Codes, vocabulary: Vocabulary) -> None:
        self.codes, self.vocabulary = codes, vocabulary
        marked = [(marked_end(left), marked_end(right)) for left, right in codes.merges]
        merges = [pair for pair in marked if not _FORBIDDEN.search("".join(pair))]
        symbols = dict.fromkeys(chain(*((a, b, a + b) for a, b in merges)))
        self._model = BPE(
            {symbol: number for number, symbol in enumerate([_NO_PIECE, *symbols])},
            merges,
            unk_token=_NO_PIECE,
            fuse_unk=False,
            end_of_word_suffix=_END if codes.end_attached else "",
        )
        self._numbers: dict[str, list[int]] = {}

    @classmethod
    def learn(cls, corpora: Sequence[Iterable[str]], *, merges: int) -> BytePairs:
        """Learn exactly so many merge operations.

        The vocabulary is every character, at the end of a word and before, and what each merge
        makes; it is complete: known characters never become `<unk>`.

        Raises:
            InputError: the corpora have fewer pairs that occur twice.
        """
        seen: set[str] = set()
        for sentence in chain.from_iterable(corpora):
            seen.update(sentence)
        characters = sorted(seen - {" "})
        # Pairs that are equally frequent are merged in the order of their symbols' numbers. The
        # trainer numbers special tokens first and as they come, other symbols at random.
        alphabet = [*characters, *(c + _END for c in characters)]
        trainer = BpeTrainer(
            vocab_size=len(alphabet) + merges,
            min_frequency=2,
            special_tokens=alphabet,
            end_of_word_suffix=_END,
            show_progress=False,
        )
        tokenizer = Tokenizer(BPE())
        tokenizer.pre_tokenizer = WhitespaceSplit()
        tokenizer.train_from_iterator(map(guarded, chain.from_iterable(corpora)), trainer)
        learnt = json.loads(tokenizer.to_str())["model"]["merges"][:merges]
        if len(learnt) < merges:
            raise InputError(
                f"the training corpus yields {len(learnt):,} merge operations, not {merges:,}",
                cure=f"Set text.merges to {len(learnt)} or less, or give more text",
            )
        codes = Codes(tuple((plain_end(left), plain_end(right)) for left, right in learnt))
        made = dict.fromkeys(written(symbol) for symbol in [*alphabet, *map("".join, learnt)])
        return cls(codes, Vocabulary([*SPECIALS, *made]))

    def pieces(self, text: str) -> list[str]:
        """The pieces of all words; a character without a number is a piece too."""
        return [piece for word in text.split() for piece in self.cut(word)]

    def cut(self, word: str) -> list[str]:
        """The pieces of a word."""
        marked = word if self.codes.end_attached else word + _END
        raw = marked.encode("utf-8")
        spans = [token.offsets for token in self._model.tokenize(marked)]  # in bytes
        surfaces = [raw[start:end].decode("utf-8").removesuffix(_END) for start, end in spans]
        if not surfaces[-1]:
            surfaces.pop()
        return [*(surface + CONTINUED for surface in surfaces[:-1]), surfaces[-1]]

    def apply(self, texts: Sequence[str]) -> list[list[int]]:
        """The numbers of each sentence's pieces."""
        if len(self._numbers) > _REMEMBERED:
            self._numbers.clear()
        return [[n for word in text.split() for n in self._encoded(word)] for text in texts]

    def _encoded(self, word: str) -> list[int]:
        numbers = self._numbers.get(word)
        if numbers is None:
            numbers = self._numbers[word] = self.vocabulary.encode(self.cut(word))
        return numbers

    def invert(self, numbers: Sequence[int]) -> str:
        """The words that the pieces make; a last word that goes on ends there."""
        pieces = " ".join(self.vocabulary.decode(numbers))
        return f"{pieces} ".replace(CONTINUED + " ", "").rstrip(" ")

    def save(self, path: Path) -> None:
        """Write the merge operations, to PATH.codes, in the format of subword-nmt."""
        write_codes(self.codes, f"{path}.codes")

    @classmethod
    def load(cls, path: Path, vocabulary: Vocabulary) -> BytePairs:
        """Read PATH.codes."""
        return cls(read_codes(f"{path}.codes"), vocabulary)


def guarded(text: str) -> str:
    """The sentence for training, with a space inside what no piece may hold."""
    return _FORBIDDEN.sub(r"\g<0> ", text)


def marked_end(symbol: str) -> str:
    """A symbol of a codes file as the model has it."""
    return symbol.removesuffix("</w>") + _END if symbol.endswith("</w>") else symbol


def plain_end(symbol: str) -> str:
    """A symbol of the model as a codes file has it."""
    return symbol.removesuffix(_END) + "</w>" if symbol.endswith(_END) else symbol


def written(symbol: str) -> str:
    """A symbol of the model as a piece."""
    return symbol[:-1] if symbol.endswith(_END) else symbol + CONTINUED

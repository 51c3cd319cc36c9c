"""Byte-pair encoding of words (Sennrich et al. 2016, Algorithm 1), written as by subword-nmt: a
subword ends in `@@` unless it ends the word."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from docmt_files.base.errors import InputError
from docmt_nmt.text.bpe_codes import MergeOperations, read_codes, write_codes
from docmt_nmt.text.text_step import Subwords
from docmt_nmt.text.vocabulary import SPECIAL_TOKENS, Vocabulary

CONTINUED = "@@"
"""The end of a subword after which the word continues."""

_END = "\n"  # of a word, in the model; no word holds a line break
_UNKNOWN = _END * 2  # a symbol outside all texts
_MAX_CACHED_WORDS = 200_000

# No subword may hold these, or it could be mistaken for an end of a subword or of a word, or for a
# special token.
_FORBIDDEN = re.compile(r"@(?=@)|<(?=/?(?:s|w|pad|unk)>)")


class BytePairEncoding(Subwords):
    """Splitting of words into subwords by merge operations.

    `decode(encode([text])[0]) == text` for every normalized text of known characters. Each unknown
    character becomes one `<unk>`.

    Args:
        operations: the merge operations.
        vocabulary: the subwords.
    """

    def __init__(self, operations: MergeOperations, vocabulary: Vocabulary) -> None:
        from tokenizers.models import BPE  # not installed everywhere

        self.operations, self.vocabulary = operations, vocabulary
        pairs = [(_model_symbol(left), _model_symbol(right)) for left, right in operations.merges]
        merges = [pair for pair in pairs if not _FORBIDDEN.search("".join(pair))]
        symbols = dict.fromkeys(chain(*((a, b, a + b) for a, b in merges)))
        self._model = BPE(
            {symbol: i for i, symbol in enumerate([_UNKNOWN, *symbols])},
            merges,
            unk_token=_UNKNOWN,
            fuse_unk=False,
            end_of_word_suffix=_END if operations.end_attached else "",
        )
        self._cache: dict[str, list[int]] = {}

    @classmethod
    def learn(cls, corpora: Sequence[Iterable[str]], *, merges: int) -> BytePairEncoding:
        """Learn exactly this many merge operations.

        The vocabulary holds each character, at the end of a word and before it, and the result of
        each merge. It is complete: known characters never become `<unk>`.

        Raises:
            InputError: the corpora have too few pairs occurring twice.
        """
        from tokenizers import Tokenizer
        from tokenizers.models import BPE
        from tokenizers.pre_tokenizers import WhitespaceSplit
        from tokenizers.trainers import BpeTrainer

        seen: set[str] = set()
        for sentence in chain.from_iterable(corpora):
            seen.update(sentence)
        characters = sorted(seen - {" "})
        # Equally frequent pairs are merged in the order of the ids of their symbols. The trainer
        # gives the first ids to special tokens, in their order, and the others at random.
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
        tokenizer.train_from_iterator(map(_guarded, chain.from_iterable(corpora)), trainer)
        learned = json.loads(tokenizer.to_str())["model"]["merges"][:merges]
        if len(learned) < merges:
            raise InputError(
                f"the training corpus yields {len(learned):,} merge operations, not {merges:,}",
                cure=f"Set text.merges to {len(learned)} or less, or give more text",
            )
        pairs = tuple((_code_symbol(left), _code_symbol(right)) for left, right in learned)
        subwords = dict.fromkeys(map(_subword, [*alphabet, *map("".join, learned)]))
        return cls(MergeOperations(pairs), Vocabulary([*SPECIAL_TOKENS, *subwords]))

    def split(self, text: str) -> list[str]:
        """Split all words; a character outside the vocabulary is a subword too."""
        return [subword for word in text.split() for subword in self._split_word(word)]

    def _split_word(self, word: str) -> list[str]:
        marked = word if self.operations.end_attached else word + _END
        raw = marked.encode("utf-8")
        spans = [token.offsets for token in self._model.tokenize(marked)]  # in bytes
        surfaces = [raw[start:end].decode("utf-8").removesuffix(_END) for start, end in spans]
        if not surfaces[-1]:
            surfaces.pop()
        return [*(surface + CONTINUED for surface in surfaces[:-1]), surfaces[-1]]

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        if len(self._cache) > _MAX_CACHED_WORDS:
            self._cache.clear()
        return [[i for word in text.split() for i in self._encode_word(word)] for text in texts]

    def _encode_word(self, word: str) -> list[int]:
        ids = self._cache.get(word)
        if ids is None:
            ids = self._cache[word] = self.vocabulary.encode(self._split_word(word))
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """Join the subwords to words; an unfinished last word ends."""
        subwords = " ".join(self.vocabulary.decode(ids))
        return f"{subwords} ".replace(CONTINUED + " ", "").rstrip(" ")

    def surface(self, token: str) -> str:
        return token.removesuffix(CONTINUED) if token.endswith(CONTINUED) else token + " "

    def save(self, path: Path) -> None:
        """Write the merge operations, to PATH.codes, in the format of subword-nmt."""
        write_codes(self.operations, f"{path}.codes")

    @classmethod
    def load(cls, path: Path, vocabulary: Vocabulary) -> BytePairEncoding:
        """Read PATH.codes."""
        return cls(read_codes(f"{path}.codes"), vocabulary)


def _guarded(text: str) -> str:
    """Put a space into the strings of a training sentence which no subword may hold."""
    return _FORBIDDEN.sub(r"\g<0> ", text)


def _model_symbol(symbol: str) -> str:
    """Spell a symbol of a codes file as the model does."""
    return symbol.removesuffix("</w>") + _END if symbol.endswith("</w>") else symbol


def _code_symbol(symbol: str) -> str:
    """Spell a symbol of the model as a codes file does."""
    return symbol.removesuffix(_END) + "</w>" if symbol.endswith(_END) else symbol


def _subword(symbol: str) -> str:
    """Spell a symbol of the model as a subword."""
    return symbol[:-1] if symbol.endswith(_END) else symbol + CONTINUED

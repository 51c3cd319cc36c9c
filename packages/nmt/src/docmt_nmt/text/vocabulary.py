"""Vocabulary: the tokens read and written by a system, and the token ids.

Some tokens are special, such as EOS. Text never becomes a special token, even if it is spelled like
one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from docmt_files.base.errors import InputError, naming_file
from docmt_files.storage.files import PathLike, read_lines, write_text

BOS, PAD, EOS, UNK = "<s>", "<pad>", "</s>", "<unk>"
"""The special tokens of every vocabulary."""

SPECIAL_TOKENS = (BOS, PAD, EOS, UNK)
"""The first tokens of every vocabulary, in the order of their ids."""

MASK = "<mask>"
"""The token of pretrained vocabularies in the place of text to infer."""

MASK_ID = SPECIAL_TOKENS.index(PAD)
"""The id of the mask in other vocabularies, where packed batches need no padding."""


_CURE = "Use the vocabulary file of the run"


class Vocabulary:
    """Tokens with ids from 0: `<s>`, `<pad>`, `</s>` and `<unk>`, then the subwords of text, then
    the extra special tokens of a pretrained model.

    Args:
        tokens: the four special tokens and the subwords, by id.
        extra: special tokens with the following ids, such as `[de]` or `<mask>`.

    Raises:
        InputError: the special tokens do not come first, or a token is repeated or empty.

    >>> vocabulary = Vocabulary(["<s>", "<pad>", "</s>", "<unk>", "▁Hello", "."])
    >>> vocabulary.encode(["▁Hello", "!"])
    [4, 3]
    """

    def __init__(self, tokens: Sequence[str], extra: Sequence[str] = ()) -> None:
        if tuple(tokens[:4]) != SPECIAL_TOKENS:
            first, wanted = ", ".join(tokens[:4]), ", ".join(SPECIAL_TOKENS)
            raise InputError(f"the vocabulary begins with {first!r}, not with {wanted!r}")
        self.extra = tuple(extra)
        self.bos_id, self.pad_id, self.eos_id, self.unk_id = range(4)
        special_ids = [*range(4), *range(len(tokens), len(tokens) + len(extra))]
        self._set_tokens([*tokens, *extra], special_ids)

    def _set_tokens(self, tokens: Sequence[str], special_ids: Iterable[int]) -> None:
        """Store the tokens by id."""
        self.tokens = tuple(tokens)
        self.ids = {token: i for i, token in enumerate(self.tokens)}
        if len(self.ids) != len(self.tokens):
            repeated = next(t for i, t in enumerate(self.tokens) if self.ids[t] != i)
            raise InputError(f"the vocabulary holds the token {repeated!r} twice")
        if "" in self.ids:
            raise InputError("the vocabulary holds an empty token")
        self.special_ids = frozenset(special_ids)
        self._text_ids = {token: i for token, i in self.ids.items() if i not in self.special_ids}

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def mask_id(self) -> int:
        """The id of a token outside all texts: `<mask>`, or else `<pad>`."""
        return self._mask_id(MASK_ID)

    def _mask_id(self, default: int) -> int:
        mask_id = self.ids.get(MASK)
        return mask_id if mask_id in self.special_ids else default

    def encode(self, subwords: Iterable[str]) -> list[int]:
        """Return the ids of subwords. An unknown subword, or one spelled like a special token,
        becomes `<unk>`."""
        return [self._text_ids.get(subword, self.unk_id) for subword in subwords]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Return the tokens with these ids."""
        return [self.tokens[i] for i in ids]

    def save(self, path: PathLike) -> None:
        """Write one token per line, escaped as in a JSON string: any token fits on a line. An empty
        line separates the extra special tokens."""
        subwords = self.tokens[: len(self.tokens) - len(self.extra)]
        lines = [*map(_escape, subwords), *(["", *map(_escape, self.extra)] if self.extra else [])]
        write_text(path, "".join(line + "\n" for line in lines))

    @classmethod
    def load(cls, path: PathLike) -> Vocabulary:
        """Read a vocabulary written by `save`.

        Raises:
            InputError: the file is missing or is not a vocabulary.
        """
        tokens: list[str] = []
        extra: list[str] = []
        section = tokens
        for number, line in enumerate(read_lines(path), start=1):
            if line:
                section.append(_unescape(line, path, number))
            else:
                section = extra
        with naming_file(path, cure=_CURE):
            return cls(tokens, extra)


def _escape(token: str) -> str:
    """Write a token as in a JSON string, without the quotes."""
    return json.dumps(token, ensure_ascii=False)[1:-1]


def _unescape(line: str, path: PathLike, number: int) -> str:
    if line.isprintable() and "\\" not in line and '"' not in line:
        return line  # as most are, and it is read much faster
    try:
        return str(json.loads(f'"{line}"'))
    except json.JSONDecodeError:
        raise InputError(
            "is not a valid token of a vocabulary",
            path=str(path),
            line=number,
            cure=f"{_CURE}, or put a backslash before quotes and backslashes",
        ) from None

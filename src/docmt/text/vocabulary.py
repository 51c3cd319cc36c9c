"""A vocabulary: the numbered pieces a system reads and writes.

Some numbers are marks, such as the end of a sentence; a mark is never what text becomes, not even
text that is spelled like one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from docmt.errors import InputError
from docmt.files import PathLike, read_lines, write_text

BEGIN, PAD, END, UNKNOWN = "<s>", "<pad>", "</s>", "<unk>"
SPECIALS = (BEGIN, PAD, END, UNKNOWN)

MASK = SPECIALS.index(PAD)
"""The number of what stands for a masked sentence: packed rows have no other use for padding."""


class Vocabulary:
    """Pieces numbered from 0: `<s>`, `<pad>`, `</s>` and `<unk>`, then the pieces of text, then
    such extra marks as a pretrained model has.

    Args:
        pieces: the four specials and the pieces of text, in order.
        extra: marks that are numbered after them, such as `[de]` or `<mask>`.

    Raises:
        InputError: the specials are not first, or a piece or mark is there twice or is empty.
    """

    def __init__(self, pieces: Sequence[str], extra: Sequence[str] = ()) -> None:
        if tuple(pieces[:4]) != SPECIALS:
            first, wanted = ", ".join(pieces[:4]), ", ".join(SPECIALS)
            raise InputError(f"the vocabulary begins with {first!r}, not with {wanted!r}")
        self.extra = tuple(extra)
        self.begin, self.pad, self.end, self.unknown = range(4)
        self.number([*pieces, *extra], [*range(4), *range(len(pieces), len(pieces) + len(extra))])

    def number(self, pieces: Sequence[str], marks: Iterable[int]) -> None:
        """Number the pieces, of which those with these numbers are marks.

        Raises:
            InputError: a piece or mark is there twice or is empty.
        """
        self.tokens = tuple(pieces)
        self.ids = {piece: number for number, piece in enumerate(self.tokens)}
        if len(self.ids) != len(self.tokens):
            twice = next(p for n, p in enumerate(self.tokens) if self.ids[p] != n)
            raise InputError(f"the vocabulary holds the piece {twice!r} twice")
        if "" in self.ids:
            raise InputError("the vocabulary holds an empty piece")
        self.special_ids = frozenset(marks)
        self._text = {piece: n for piece, n in self.ids.items() if n not in self.special_ids}

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, pieces: Iterable[str]) -> list[int]:
        """Numbers of pieces of text; one that is not known, or spelled like a mark, becomes
        `<unk>`."""
        return [self._text.get(piece, self.unknown) for piece in pieces]

    def decode(self, numbers: Iterable[int]) -> list[str]:
        """Pieces of numbers."""
        return [self.tokens[number] for number in numbers]

    def save(self, path: PathLike) -> None:
        """Write one piece a line, escaped as in a JSON string so that any piece fits a line; an
        empty line sets extra marks apart."""
        text = self.tokens[: len(self.tokens) - len(self.extra)]
        lines = [*map(escape, text), *(["", *map(escape, self.extra)] if self.extra else [])]
        write_text(path, "".join(line + "\n" for line in lines))

    @classmethod
    def load(cls, path: PathLike) -> Vocabulary:
        """Read what `save` wrote.

        Raises:
            InputError: the file is missing or is no vocabulary.
        """
        pieces: list[str] = []
        extra: list[str] = []
        part = pieces
        for number, line in enumerate(read_lines(path), start=1):
            if line:
                part.append(unescape(line, path, number))
            else:
                part = extra
        try:
            return cls(pieces, extra)
        except InputError as error:
            raise InputError(
                error.problem, path=str(path), cure="Take the run's own vocabulary file"
            ) from None


def escape(piece: str) -> str:
    """A piece as in a JSON string, without the quotes."""
    return json.dumps(piece, ensure_ascii=False)[1:-1]


def unescape(line: str, path: PathLike, number: int) -> str:
    """The piece that `escape` wrote as this line."""
    try:
        return str(json.loads(f'"{line}"'))
    except json.JSONDecodeError:
        raise InputError(
            "is no piece of a vocabulary", path=str(path), line=number,
            cure="Take the run's own vocabulary file, or escape quotes and backslashes by one",
        ) from None  # fmt: skip

"""A vocabulary: the numbered pieces a system reads and writes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from docmt.errors import InputError
from docmt.files import PathLike, read_lines, write_text

BEGIN, PAD, END, UNKNOWN = "<s>", "<pad>", "</s>", "<unk>"
SPECIALS = (BEGIN, PAD, END, UNKNOWN)


@dataclass(frozen=True, slots=True)
class Marks:
    """The tokens set around sentences; they differ between families of pretrained models.

    Attributes:
        source_begin, source_end: before and after each source sentence.
        target_begin: what the decoder starts a sentence with.
        target_end: what ends a target sentence.
    """

    source_begin: tuple[int, ...]
    source_end: tuple[int, ...]
    target_begin: int
    target_end: int


class Vocabulary:
    """Pieces numbered from 0; the first four are `<s>`, `<pad>`, `</s>` and `<unk>`.

    Args:
        pieces: all pieces in order, the specials included.
    """

    def __init__(self, pieces: Sequence[str]) -> None:
        if tuple(pieces[:4]) != SPECIALS:
            raise InputError(
                f"the vocabulary begins with {', '.join(pieces[:4])}, not with {', '.join(SPECIALS)}"
            )
        self.pieces = tuple(pieces)
        self.numbers = {piece: number for number, piece in enumerate(self.pieces)}
        if len(self.numbers) != len(self.pieces):
            raise InputError("the vocabulary holds a piece twice")
        self.begin, self.pad, self.end, self.unknown = range(4)

    def __len__(self) -> int:
        return len(self.pieces)

    def encode(self, pieces: Iterable[str]) -> list[int]:
        """Numbers of pieces; one that is not known becomes `<unk>`."""
        return [self.numbers.get(piece, self.unknown) for piece in pieces]

    def decode(self, numbers: Iterable[int]) -> list[str]:
        """Pieces of numbers."""
        return [self.pieces[number] for number in numbers]

    def save(self, path: PathLike) -> None:
        """Write one piece a line, escaped as in a JSON string so that any piece fits a line."""
        write_text(path, "".join(escape(piece) + "\n" for piece in self.pieces))

    @classmethod
    def load(cls, path: PathLike) -> Vocabulary:
        """Read what `save` wrote.

        Raises:
            InputError: the file is missing or is no vocabulary.
        """
        return cls([unescape(line, Path(path)) for line in read_lines(path)])

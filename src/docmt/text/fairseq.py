"""Vocabularies and merge operations as other toolkits publish them."""

from __future__ import annotations

from collections.abc import Sequence

from docmt.errors import InputError
from docmt.files import PathLike, read_lines
from docmt.text.bpe import BytePairs
from docmt.text.bpe_codes import read_codes
from docmt.text.vocabulary import SPECIALS, Vocabulary
from docmt.text.words import Words

_ESCAPES = ("&apos;", "&quot;", "&amp;")


def read_dictionary(path: PathLike, extra: Sequence[str] = ()) -> Vocabulary:
    """Read a dictionary of fairseq, a piece and its count a line.

    The numbers are fairseq's: `<s>`, `<pad>`, `</s>`, `<unk>`, the pieces, and `extra`, the marks
    that a task adds to them.

    Raises:
        InputError: naming the line that is no piece and count, or the piece that is there twice.
    """
    pieces: dict[str, int] = dict.fromkeys(SPECIALS, 0)
    for number, line in enumerate(read_lines(path), start=1):
        piece, _, count = line.rstrip(" ").rpartition(" ")
        if not piece or not count.isdecimal():
            raise InputError(
                f"no piece and count: {line[:60]!r}", path=str(path), line=number,
                cure="Give the dict.*.txt of the checkpoint",
            )  # fmt: skip
        if piece in pieces:
            raise InputError(
                f"the piece {piece!r} is in the dictionary already, in line {pieces[piece]}"
                if pieces[piece]
                else f"{piece!r} is one of the marks that come before the dictionary",
                path=str(path), line=number, cure="Give the dictionary as fairseq wrote it",
            )  # fmt: skip
        pieces[piece] = number
    return Vocabulary(list(pieces), extra)


def published_subwords(
    dictionary: PathLike, codes: PathLike | None, extra: Sequence[str]
) -> BytePairs | Words:
    """The subwords of a published system; without codes, its text is segmented already."""
    vocabulary = read_dictionary(dictionary, extra)
    return Words(vocabulary) if codes is None else BytePairs(read_codes(codes), vocabulary)


def is_escaped(vocabulary: Vocabulary) -> bool:
    """Whether the text of a published system was tokenized with XML escapes, as Moses does unless
    told not to."""
    return any(escape in piece for piece in vocabulary.tokens for escape in _ESCAPES)

"""The text side of systems trained with fairseq: their dictionaries, and their merge operations."""

from __future__ import annotations

from collections.abc import Sequence

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike, read_lines
from docmt_files.storage.stored_files import open_stored
from docmt_nmt.text.bpe import BytePairEncoding
from docmt_nmt.text.bpe_codes import read_codes
from docmt_nmt.text.vocabulary import SPECIAL_TOKENS, Vocabulary
from docmt_nmt.text.words import Words

_ESCAPES = ("&apos;", "&quot;", "&amp;")


def read_dictionary(path: PathLike, extra: Sequence[str] = ()) -> Vocabulary:
    """Read a fairseq dictionary, one subword and count per line.

    The ids are fairseq's: `<s>`, `<pad>`, `</s>`, `<unk>`, the subwords, and `extra`, the special
    tokens added by a task.

    Raises:
        InputError: it is not a regular file, a line is not a subword and a count, or a subword is
            repeated; the error names the line.
    """
    open_stored(path).close()  # no device or pipe
    lines: dict[str, int] = dict.fromkeys(SPECIAL_TOKENS, 0)
    for number, line in enumerate(read_lines(path), start=1):
        subword, _, count = line.rstrip(" ").rpartition(" ")
        if not subword or not count.isdecimal():
            raise InputError(
                f"not a subword and its count: {line[:60]!r}",
                path=str(path),
                line=number,
                cure="Use the dict.*.txt of the checkpoint",
            )
        if subword in lines:
            raise InputError(
                f"the subword {subword!r} is in the dictionary already, on line {lines[subword]}"
                if lines[subword]
                else f"{subword!r} is one of the special tokens that come before the dictionary",
                path=str(path),
                line=number,
                cure="Use the dictionary as fairseq wrote it",
            )
        lines[subword] = number
    return Vocabulary(list(lines), extra)


def fairseq_subwords(
    dictionary: PathLike, codes: PathLike | None, extra: Sequence[str]
) -> BytePairEncoding | Words:
    """Read the subwords of a system trained with fairseq; without `codes`, the text is already
    segmented."""
    vocabulary = read_dictionary(dictionary, extra)
    return Words(vocabulary) if codes is None else BytePairEncoding(read_codes(codes), vocabulary)


def has_xml_escapes(vocabulary: Vocabulary) -> bool:
    """Return whether the training text was tokenized with XML escapes such as `&apos;`, which Moses
    writes by default."""
    return any(escape in token for token in vocabulary.tokens for escape in _ESCAPES)

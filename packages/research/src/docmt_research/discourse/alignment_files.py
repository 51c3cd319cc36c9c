"""Word alignments in files, as other aligners write them."""

from __future__ import annotations

from collections.abc import Sequence

from docmt.alignment.links import Alignment, Links
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_files.storage.files import PathLike, read_lines


def read_alignment(
    path: PathLike, sentences: Sequence[tuple[Sequence[str], Sequence[str]]]
) -> Alignment:
    """Read an alignment in the Pharaoh format: one line per sentence, such as `0-0 1-2`, where
    `1-2` links the second source word with the third target word.

    Args:
        sentences: the words of each source sentence and of the translation.

    Raises:
        InputError: the number of lines differs from the number of sentences, a line is not in this
            format, or a word does not exist.
    """
    lines = list(read_lines(path))
    links = [
        _parse(line, len(source), len(target), path, number)
        for number, (line, (source, target)) in enumerate(
            zip(lines, sentences, strict=False), start=1
        )
    ]
    if len(lines) != len(sentences):
        raise InputError(
            f"has {counted(len(lines), 'line')}, the text {counted(len(sentences), 'sentence')}",
            path=str(path),
            cure="Align exactly this text: one line per sentence, no lines for boundaries",
        )
    return Alignment(links, "file")


def _parse(line: str, sources: int, targets: int, path: PathLike, number: int) -> Links:
    """The links on a line."""
    links = set()
    for pair in line.split():
        left, _, right = pair.partition("-")
        if not (left.isdecimal() and right.isdecimal()):
            raise InputError(
                f"{pair!r} is not a link between two words",
                path=str(path),
                line=number,
                cure="Write links as the index of the source word, a hyphen, and the index of the "
                "target word: 0-0 1-2",
            )
        i, j = int(left), int(right)
        if i >= sources or j >= targets:
            raise InputError(
                f"the link {pair} is between words that do not exist: the sentence has "
                f"{counted(sources, 'word')}, its translation {counted(targets, 'word')}",
                path=str(path),
                line=number,
                cure="Align the text with the spaces that it has here; indices start from 0",
            )
        links.add((i, j))
    return frozenset(links)

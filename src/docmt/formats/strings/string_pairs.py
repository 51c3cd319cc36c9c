"""The texts of a bilingual file, such as XLIFF or PO, with their translations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from docmt.formats.core.inline import Block, InlineSentence
from docmt.formats.core.invisible import read_visibly
from docmt.formats.core.kept_words import with_words
from docmt.formats.core.sentence_cutting import cut_blocks
from docmt.formats.strings.string_blocks import FileString, message_blocks
from docmt.formats.strings.string_files import with_accelerators


class StringPair(NamedTuple):
    """A string of a file and its translation.

    Attributes:
        source, target: the two strings.
        is_reviewed: whether a person has approved the translation, as far as the file says.
    """

    source: FileString
    target: FileString
    is_reviewed: bool = True


class PairedBlock(NamedTuple):
    """A block of text and its translation.

    Attributes:
        source, target: the sentences of both sides, each with the offsets of its inline codes.
        is_reviewed: as for `StringPair`.
    """

    source: list[tuple[str, tuple[int, ...]]]
    target: list[tuple[str, tuple[int, ...]]]
    is_reviewed: bool = True


def paired_blocks(
    text: str, pairs: Sequence[StringPair], languages: tuple[str, str]
) -> Iterator[PairedBlock]:
    """The blocks of strings and of their translations, in order. A translation with another number
    of blocks than its string is a block without sentences.

    Args:
        text: the text of the file.
        pairs: the strings.
        languages: the codes of the source and of the target language.
    """
    sides = []
    both = [pair.source for pair in pairs], [pair.target for pair in pairs]
    for side, language in zip(both, languages, strict=True):
        strings = with_accelerators(side)
        groups = [list(message_blocks(string)) for string in strings]
        flat = [block for group in groups for block in group]
        sentences = iter(_cut(text, flat, language))
        sides.append([[next(sentences) for _ in group] for group in groups])
    for pair, own, theirs in zip(pairs, *sides, strict=True):
        if len(own) != len(theirs):
            theirs = [[] for _ in own]
        for source, target in zip(own, theirs, strict=True):
            yield PairedBlock(source, target, pair.is_reviewed)


def _cut(
    text: str, blocks: Sequence[Block], language: str
) -> Iterator[list[tuple[str, tuple[int, ...]]]]:
    """The sentences of each block."""
    visible, _ = read_visibly(blocks)
    for sentences in cut_blocks(visible, language, is_split=True):
        yield [_sentence(with_words(each, text, lambda *_: True)) for each in sentences]


def _sentence(sentence: InlineSentence) -> tuple[str, tuple[int, ...]]:
    """A sentence, with the offsets of its codes if there are some between words."""
    codes = sentence.shown if sentence.has_inner_codes else ()
    return sentence.text, tuple(offset for offset, _ in codes)

"""The blocks of a bilingual file, such as XLIFF or PO, with those of their translations: what a
translation memory takes from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_files.bilingual.bilingual_texts import string_pairs
from docmt_files.core.inline import Block, InlineSentence
from docmt_files.core.protection.invisible_characters import read_visibly
from docmt_files.core.protection.placeholder_words import with_words
from docmt_files.core.scopes import key_path
from docmt_files.core.sentence_cutting import cut_blocks
from docmt_files.storage.files import PathLike
from docmt_files.strings.string_blocks import message_blocks
from docmt_files.strings.string_files import with_accelerators

_Sentence = tuple[str, tuple[int, ...]]
"""A sentence, and the offsets of its inline codes."""


class BilingualBlock(NamedTuple):
    """A block of text and its translation.

    Attributes:
        source, target: the sentences of both sides, each with the offsets of its inline codes.
        key: the path of the key, or "".
        is_reviewed: whether a person has approved the translation, as far as the file says.
    """

    source: list[_Sentence]
    target: list[_Sentence]
    key: str
    is_reviewed: bool


def read_bilingual_blocks(
    path: PathLike, file_format: str, languages: tuple[str, str]
) -> Iterator[BilingualBlock]:
    """Read the blocks with a translation, in order. A translation with another number of blocks
    than its string is a block without sentences.

    Args:
        path: the file.
        file_format: one of `BILINGUAL_FORMATS`.
        languages: the codes of the source and of the target language.

    Raises:
        InputError: the file is not of this format, damaged, or of other languages.
    """
    text, named, found = string_pairs(path, file_format)
    for code, asked in zip(named, languages, strict=True):
        if code and primary_language(code) != primary_language(asked):
            raise InputError(
                f"is of {' → '.join(filter(None, named))}, not of {' → '.join(languages)}",
                path=path,
                cure="Name a file of these languages",
            )
    pairs = [pair for pair in found if pair.target is not None and pair.state != "untranslated"]
    sides = []
    for strings, language in zip(
        ([p.source for p in pairs], [p.target for p in pairs if p.target is not None]),
        languages,
        strict=True,
    ):
        groups = [list(message_blocks(string)) for string in with_accelerators(strings)]
        sentences = iter(_cut(text, [block for group in groups for block in group], language))
        sides.append([[next(sentences) for _ in group] for group in groups])
    for pair, own, theirs in zip(pairs, *sides, strict=True):
        if len(own) != len(theirs):
            theirs = [[] for _ in own]
        key = "" if pair.scope is None else key_path(pair.scope)
        for source, target in zip(own, theirs, strict=True):
            if source:
                yield BilingualBlock(source, target, key, pair.state == "reviewed")


def _cut(text: str, blocks: Sequence[Block], language: str) -> Iterator[list[_Sentence]]:
    """The sentences of each block."""
    visible, _ = read_visibly(blocks)
    for sentences in cut_blocks(visible, language, is_split=True):
        yield [_sentence(with_words(each, text, lambda *_: True)) for each in sentences]


def _sentence(sentence: InlineSentence) -> _Sentence:
    """A sentence, with the offsets of its codes if there are some between words."""
    codes = sentence.shown if sentence.has_inner_codes else ()
    return sentence.text, tuple(offset for offset, _ in codes)

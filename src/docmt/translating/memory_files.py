"""Units of translation memories from files: corpora, and a file with its translation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from docmt.corpora import corpus_files, read
from docmt.formats import Input
from docmt.ground.errors import InputError
from docmt.ground.wording import counted
from docmt.memory import TranslationMemory, Unit
from docmt.storage.corpus_names import SUFFIXES, file_format
from docmt.storage.files import PathLike


def open_memories(
    files: Iterable[PathLike],
    previous: tuple[PathLike, PathLike] | None,
    languages: tuple[str, str],
) -> tuple[TranslationMemory, ...]:
    """The memories of a translation. The last version of a file comes first, as a memory that is
    kept nowhere, and so are corpora.

    Args:
        files: files of memories, or corpora.
        previous: a file and its translation.
        languages: source and target language.

    Raises:
        InputError: a file cannot be read, or is of other languages.
    """
    memories = []
    if previous is not None:
        memories.append(TranslationMemory(None, languages))
        memories[0].add(units_of_pair(*previous, languages))
    for path in files:
        if file_format(path) in SUFFIXES:
            corpus = TranslationMemory(None, languages)
            corpus.add(units_of_corpus(path, languages))
            memories.append(corpus)
        else:
            memories.append(TranslationMemory(path, languages))
    return tuple(memories)


def units_of_corpus(path: PathLike, languages: tuple[str, str]) -> Iterator[Unit]:
    """The units of a file with both languages: TMX, TSV, JSON lines or Parquet. A sentence without
    a translation is left out.

    Raises:
        InputError: the file is missing, damaged, or has no text in one of the languages.
    """
    for document in read(path, languages=languages, allow_empty=True):
        source, target = (_plain(side) for side in (document.source, document.target or ()))
        yield from _units(source, target, Path(path).name)


def units_of_pair(source: PathLike, target: PathLike, languages: tuple[str, str]) -> Iterator[Unit]:
    """The units of a file and its translation, which have the same blocks. The sentences of a block
    belong together if both sides have as many, or have as many where sentences also end after
    possible abbreviations; other blocks are left out.

    Raises:
        InputError: a file cannot be read, or they do not have the same number of blocks.
    """
    ours = _blocks(source, languages[0])
    theirs = _blocks(target, languages[1])
    if len(ours) != len(theirs):
        raise InputError(
            f"has {counted(len(theirs), 'block')}, and {source} has {counted(len(ours), 'block')}",
            path=target,
            cure="Name a file and its translation, of the same version",
        )
    paired: list[tuple[_Sentence, _Sentence]] = []
    for own, other in zip(ours, theirs, strict=True):
        forms = [(own, other), (own, _split(other)), (_split(own), other)]
        fitting = (form for form in forms if len(form[0]) == len(form[1]))
        paired += zip(*next(fitting, ([], [])), strict=True)
    yield from _units([own for own, _ in paired], [other for _, other in paired], Path(source).name)


_MAY_END = re.compile(r"[.!?…][\"'”’»)]*\s+(?=[^\W_a-zß-ÿ]|[\"'„“«(])")
"""A point that may end a sentence, with the space after it."""

_Sentence = tuple[str, tuple[int, ...]]
"""A sentence, and the offsets of the inline codes."""


def _plain(side: Sequence[str]) -> list[_Sentence]:
    """Sentences without inline codes."""
    return [(text, ()) for text in side]


def _units(source: Sequence[_Sentence], target: Sequence[_Sentence], origin: str) -> Iterator[Unit]:
    """The units of sentences that belong together, each with the sentences around it."""
    for index, (own, theirs) in enumerate(zip(source, target, strict=True)):
        if own[0].strip() and theirs[0].strip():
            before = source[index - 1][0] if index else ""
            after = source[index + 1][0] if index + 1 < len(source) else ""
            codes = own[1], theirs[1]
            yield Unit(own[0], theirs[0], before, after, codes=codes, origin=origin)


def _split(sentences: Sequence[_Sentence]) -> list[_Sentence]:
    """Sentences cut at every point that may end one."""
    parts = []
    for text, codes in sentences:
        ends = [0, *(match.end() for match in _MAY_END.finditer(text)), len(text)]
        for start, end in pairwise(ends):
            last = end == len(text)
            own = tuple(c - start for c in codes if start <= c < end or (last and c == end))
            parts.append((text[start:end].rstrip(), own))
    return parts


def _blocks(path: PathLike, language: str) -> list[list[_Sentence]]:
    """The sentences of each block of a file."""
    documents, skeleton = Input().read(path, language, read_corpus=corpus_files.read)
    documents, skeleton = skeleton.keep_words(list(documents), lambda _sentence, _words: True)
    blocks = []
    for document in documents:
        sentences = iter(enumerate(document.source))
        codes = skeleton.inline_codes
        for _, size in skeleton.block_sizes(len(document)):
            block = [next(sentences) for _ in range(size)]
            blocks.append([(text, tuple(c.offset for c in codes.get(i, ()))) for i, text in block])
    return blocks

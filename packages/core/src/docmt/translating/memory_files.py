"""Units of translation memories from files: corpora, bilingual files, and a file with its
translation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from docmt.memory import TranslationMemory, Unit
from docmt.memory.tmx_units import read_tmx
from docmt.translating.paired_blocks import FileBlock, Sentence, pair_blocks, pair_sentences
from docmt.translating.reviews import is_review, units_of_review
from docmt_files import (
    BILINGUAL_FORMATS,
    FileSkeleton,
    Input,
    NoTextError,
    format_of,
    read_bilingual_blocks,
)
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_files.storage.corpus_names import SUFFIXES, TMX, file_format
from docmt_files.storage.files import PathLike
from docmt_nmt.corpora import corpus_files, read

Note = Callable[[str], None]
"""Called with a note for the user."""


def open_memories(
    files: Iterable[PathLike],
    previous: tuple[PathLike, PathLike] | None,
    languages: tuple[str, str],
    note: Note,
) -> tuple[TranslationMemory, ...]:
    """The memories of a translation. The last version of a file comes first, as a memory that is
    kept nowhere, and so are corpora and bilingual files.

    Args:
        files: files of memories, corpora or bilingual files.
        previous: a file and its translation.
        languages: source and target language.
        note: called with notes about text that is not used.

    Raises:
        InputError: a file cannot be read, or is of other languages.
    """
    memories = []
    if previous is not None:
        memories.append(TranslationMemory(None, languages))
        memories[0].add(units_of_pair(*previous, languages, note))
    for path in files:
        if is_read(path):
            corpus = TranslationMemory(None, languages)
            corpus.add(units_of_file(path, languages, note))
            memories.append(corpus)
        else:
            memories.append(TranslationMemory(path, languages))
    return tuple(memories)


def is_read(path: PathLike) -> bool:
    """Return whether a file has both languages, in a format that `units_of_file` reads."""
    file_format_of_path = format_of(path)
    is_bilingual = file_format_of_path is not None and file_format_of_path.name in BILINGUAL_FORMATS
    return is_bilingual or file_format(path) in (*SUFFIXES, ".json")


def units_of_file(path: PathLike, languages: tuple[str, str], note: Note) -> Iterator[Unit]:
    """The units of a file with both languages: TMX, TSV, JSON lines, Parquet, XLIFF, PO, Qt, or an
    edited review. Text without a translation is left out, and a translation that nobody has
    approved, with a note.

    Raises:
        InputError: the file is missing, damaged, or has no text in one of the languages.
    """
    drafts = 0
    for unit in _units_of_file(path, languages, note):
        drafts += not unit.is_reviewed
        if unit.is_reviewed:
            yield unit
    if drafts:
        one = "translation" if drafts == 1 else "translations"
        note(f"{path}: {drafts:,} {one} by a machine left out, which nobody has approved")


def _units_of_file(path: PathLike, languages: tuple[str, str], note: Note) -> Iterator[Unit]:
    """The units of a file, with those that nobody has approved."""
    if file_format(path) == TMX:
        yield from read_tmx(path, languages, note)
    elif file_format(path) == ".json":
        yield from units_of_review(path, languages)
    elif file_format(path) in SUFFIXES:
        for document in read(path, languages=languages, allow_empty=True):
            if document.target is None:
                raise InputError(
                    "has no translations",
                    path=path,
                    cure="Name a file with both languages, or a file and its translation",
                )
            sides = zip(document.source, document.target, strict=True)
            paired = [_Pair((own, ()), (theirs, ())) for own, theirs in sides]
            yield from _units(paired, Path(path).name)
    else:
        yield from _units_of_bilingual_file(path, languages, note)


def _units_of_bilingual_file(
    path: PathLike, languages: tuple[str, str], note: Note
) -> Iterator[Unit]:
    """The units of a file of a format of `BILINGUAL_FORMATS`."""
    kind = format_of(path)
    if kind is None or kind.name not in BILINGUAL_FORMATS:
        raise InputError(
            "does not have both languages",
            path=path,
            cure="Name a TMX, TSV, JSON lines, Parquet, XLIFF, PO or Qt file, or give a file and "
            "its translation",
        )
    if kind.name == "xliff" and is_review(path):
        yield from units_of_review(path, languages)
        return
    paired: list[_Pair] = []
    left = 0
    for block in read_bilingual_blocks(path, kind.name, languages):
        found = pair_sentences(block.source, block.target)
        left += not found
        paired += [_Pair(*pair, block.key, block.is_reviewed) for pair in found]
    if left:
        note(f"{path}: {counted(left, 'text')} not used, with other sentences in the translation")
    yield from _units(paired, Path(path).name)


def units_of_pair(
    source: PathLike, target: PathLike, languages: tuple[str, str], note: Note
) -> Iterator[Unit]:
    """The units of a file and its translation. Of formats with both languages, the translation has
    both. The blocks of other files are paired (`docmt.translating.paired_blocks`); a note counts
    those that cannot be.

    Raises:
        InputError: a file cannot be read, or has nothing in common with the other.
    """
    kind = format_of(target)
    if kind is not None and kind.name in BILINGUAL_FORMATS:
        yield from _units_of_bilingual_file(target, languages, note)
        return
    ours, theirs = _blocks(source, languages[0]), _blocks(target, languages[1])
    pairs = pair_blocks(ours, theirs)
    if not pairs:
        raise InputError(
            f"has {counted(len(theirs), 'block')}, and {source} has {counted(len(ours), 'block')}",
            path=target,
            cure="Name a file and its translation, of the same version",
        )
    paired: list[_Pair] = []
    left = len(ours) - len(pairs)
    for own, other in pairs:
        found = pair_sentences(own.sentences, other.sentences)
        left += not found and bool(own.sentences)
        paired += [_Pair(*pair, own.key) for pair in found]
    if left:
        note(
            f"{target}: {left:,} of {counted(len(ours), 'block')} not used, because it is not clear"
            " which sentences translate which"
        )
    yield from _units(paired, Path(source).name)


def units_of_texts(source: str, target: str, languages: tuple[str, str]) -> Iterator[Unit]:
    """The units of a text and its translation. If it is not clear which sentences belong together,
    both texts are one unit."""
    from docmt_files import read_text

    try:
        sides = [
            read_text(text, code) for text, code in zip((source, target), languages, strict=True)
        ]
    except NoTextError:
        return
    ours, theirs = (_blocks_of(*side) for side in sides)
    pairs = pair_blocks(ours, theirs) if len(ours) == len(theirs) else []
    found = [pair_sentences(own.sentences, other.sentences) for own, other in pairs]
    if not found or not all(found):
        yield Unit(" ".join(source.split()), " ".join(target.split()))
        return
    yield from _units([_Pair(*pair) for several in found for pair in several], "")


class _Pair(NamedTuple):
    """Sentences that belong together, the key, and whether a person has approved them."""

    source: Sentence
    target: Sentence
    key: str = ""
    is_reviewed: bool = True


def _units(paired: Sequence[_Pair], origin: str) -> Iterator[Unit]:
    """The units of pairs, each with the sentences around it."""
    for index, (own, theirs, key, is_reviewed) in enumerate(paired):
        if own[0].strip() and theirs[0].strip():
            before = paired[index - 1].source[0] if index else ""
            after = paired[index + 1].source[0] if index + 1 < len(paired) else ""
            codes = own[1], theirs[1]
            around = before, after, key
            yield Unit(own[0], theirs[0], *around, codes, origin, is_reviewed=is_reviewed)


def _blocks(path: PathLike, language: str) -> list[FileBlock]:
    """The blocks of a file."""
    return _blocks_of(*Input().read(path, language, read_corpus=corpus_files.read))


def _blocks_of(documents: list[Document], skeleton: FileSkeleton) -> list[FileBlock]:
    """The blocks of a file that is read, with words of placeholders."""
    documents, skeleton = skeleton.keep_words(list(documents), lambda _sentence, _words: True)
    blocks = []
    for document in documents:
        sentences = iter(skeleton.sentences_of(document))
        for level, size in skeleton.block_sizes(len(document)):
            block = list(islice(sentences, size))
            shown = [(each.text, tuple(code.offset for code in each.codes)) for each in block]
            blocks.append(FileBlock(level, shown, block[0].key if block else ""))
    return blocks

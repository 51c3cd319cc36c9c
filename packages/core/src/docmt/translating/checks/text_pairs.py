"""`CheckedFile`: the texts of a file beside their translations, from two files of one format or
from a bilingual file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import NamedTuple

from docmt_files import (
    BILINGUAL_FORMATS,
    STAND_IN,
    BlockSkeleton,
    BlockText,
    Input,
    block_texts,
    format_named,
    format_of,
    key_path,
    read_bilingual,
    value_in_scopes,
)
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError, name_of
from docmt_files.base.wording import counted
from docmt_files.storage.corpus_names import SUFFIXES, file_format, names_documents
from docmt_files.storage.files import PathLike
from docmt_nmt.corpora import corpus_files
from docmt_nmt.corpora import read as read_corpus


class TextPair(NamedTuple):
    """A text, such as a paragraph or a string, and its translation.

    Attributes:
        place: where a person finds it.
        sentences: the sentences of both sides; one with all of the text if their numbers differ.
        plain: the same with a letter in place of placeholders and other protected codes.
        codes: the inline codes of both sides.
        max_length: the most characters of the translation, if the file says so.
        context: what tells the text from equal ones (`msgctxt` of PO).
        raw: both sides as strings with all tags, spaces and line breaks; empty if it is no string.
    """

    place: str
    sentences: tuple[tuple[str, str], ...]
    plain: tuple[tuple[str, str], ...]
    codes: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    max_length: int | None = None
    context: str = ""
    raw: tuple[str, str] = ("", "")

    @property
    def source(self) -> str:
        """The whole text."""
        return " ".join(filter(None, (source for source, _ in self.sentences)))

    @property
    def target(self) -> str:
        """The whole translation."""
        return " ".join(filter(None, (target for _, target in self.sentences)))

    @property
    def plain_source(self) -> str:
        """The whole text without placeholders."""
        return " ".join(filter(None, (source for source, _ in self.plain)))

    @property
    def plain_target(self) -> str:
        """The whole translation without placeholders."""
        return " ".join(filter(None, (target for _, target in self.plain)))


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file and its translation.

    Attributes:
        name: the translation.
        languages: the codes of the languages that the file names, "" for none.
        pairs: the texts of both sides.
        extra: places and texts that only the translation has.
        is_dialogue: whether equal texts may well have several translations.
        has_whole_texts: whether texts are paragraphs or strings, not sentences of a corpus.
    """

    name: str
    languages: tuple[str, str]
    pairs: tuple[TextPair, ...]
    extra: tuple[tuple[str, str], ...] = ()
    is_dialogue: bool = False
    has_whole_texts: bool = True


def is_bilingual(path: PathLike, form: Input) -> bool:
    """Return whether a file has the texts of both languages."""
    named = _format_name(path, form)
    is_corpus = file_format(path) in SUFFIXES and not names_documents(path)
    return named in BILINGUAL_FORMATS or (is_corpus and form.columns is None and named is None)


def read_bilingual_file(
    path: PathLike, form: Input, languages: tuple[str, str] | None
) -> CheckedFile:
    """Read a bilingual file: XLIFF, PO, Qt's, or a corpus such as TMX.

    Args:
        path: the file.
        form: the way to read it.
        languages: the codes of the languages. Default: the file's.

    Raises:
        InputError: the file cannot be read.
    """
    named = _format_name(path, form)
    if named in BILINGUAL_FORMATS:
        found = read_bilingual(path, named, languages)
        pairs = (_pair(*pair, is_context=named == "po") for pair in found.pairs)
        return CheckedFile(name_of(path), found.languages, tuple(pairs))
    documents = list(read_corpus(path, languages=languages or (None, None), allow_empty=True))
    if any(document.target is None for document in documents):
        raise InputError(
            "has no translations", path=path, cure="Name a corpus with both languages in it"
        )
    pairs_of_corpus = tuple(_pairs_of_corpus(documents))
    return CheckedFile(name_of(path), ("", ""), pairs_of_corpus, has_whole_texts=False)


def read_two_files(
    source: PathLike, target: PathLike, form: Input, languages: tuple[str, str]
) -> CheckedFile:
    """Read a file and its translation, of one format.

    Args:
        source: the file.
        target: the translation.
        form: the way to read both.
        languages: the codes of the languages.

    Raises:
        InputError: a file cannot be read, or both have other structures.
    """
    documents, ours = form.read(source, languages[0], read_corpus=corpus_files.read)
    translations, theirs = form.read(target, languages[1], read_corpus=corpus_files.read)
    name = name_of(target)
    if isinstance(ours, BlockSkeleton) and isinstance(theirs, BlockSkeleton):
        sides = list(block_texts(ours)), list(block_texts(theirs))
        pairs, extra = _paired(*sides, source, target)
        found = tuple(_pair(*pair) for pair in pairs if pair[0].sentences)
        return CheckedFile(name, ("", ""), found, tuple(extra), not ours.found.equal)
    counts = [[len(document) for document in side] for side in (documents, translations)]
    if counts[0] != counts[1] or isinstance(ours, BlockSkeleton):
        nouns = "sentence", "sentences"
        raise _other_structure(target, source, nouns, sum(counts[1]), sum(counts[0]), "")
    both = zip(documents, translations, strict=True)
    joined = [Document(a.id, a.source, b.source) for a, b in both]
    return CheckedFile(name, ("", ""), tuple(_pairs_of_corpus(joined)), has_whole_texts=False)


def pair_texts(source: str, target: str, languages: tuple[str, str]) -> CheckedFile:
    """A text beside its translation: a pair for each line, or one pair if they differ in lines.

    Args:
        source: the text.
        target: the translation.
        languages: the codes of the languages.

    Raises:
        InputError: one of them has no text.
    """
    from docmt_files import read_text

    both = zip((source, target), languages, strict=True)
    ours, theirs = (list(block_texts(read_text(*each, "lines")[1])) for each in both)
    if len(ours) != len(theirs):
        ours, theirs = [_joined(ours, "")], [_joined(theirs, "")]
    pairs = tuple(_pair(*pair) for pair in zip(ours, theirs, strict=True) if pair[0].sentences)
    return CheckedFile("the translation", languages, pairs)


def _format_name(path: PathLike, form: Input) -> str | None:
    if form.file_format is not None and form.file_format != "text":
        return format_named(form.file_format).name
    found = None if form.for_lines or form.file_format else format_of(path)
    return None if found is None else found.name


def _pairs_of_corpus(documents: Sequence[Document]) -> Iterator[TextPair]:
    for document in documents:
        for number, pair in enumerate(
            zip(document.source, document.target or document.source, strict=True), start=1
        ):
            if pair[0].strip():
                yield TextPair(f"document {document.id}, sentence {number:,}", (pair,), (pair,))


def _pair(own: BlockText, theirs: BlockText, *, is_context: bool = False) -> TextPair:
    """A text with its translation."""
    sides = (own.sentences, theirs.sentences), (own.plain, theirs.plain)
    sentences, plain = (tuple(zip_longest(*both, fillvalue="")) for both in sides)
    if theirs.sentences and len(own.sentences) != len(theirs.sentences):
        sentences, plain = (((" ".join(both[0]), " ".join(both[1])),) for both in sides)
    limit = None if own.scope is None else value_in_scopes(own.scope, "max-length")
    codes = own.codes, theirs.codes if theirs.sentences else own.codes
    place = theirs.place or own.place
    context = key_path(own.scope) if is_context and own.scope is not None else ""
    if theirs.sentences:
        plain, codes = _with_all_codes(plain, codes)
    raw = own.raw, theirs.raw
    return TextPair(place, sentences, plain, codes, int(limit) if limit else None, context, raw)


def _with_all_codes(
    plain: tuple[tuple[str, str], ...], codes: tuple[tuple[str, ...], tuple[str, ...]]
) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, ...], tuple[str, ...]]]:
    """The same with the placeholders of the source that a translation has within a word, as `%s` in
    `%sの`, where none is seen."""
    own, theirs = codes
    missing = [code for code in (Counter(own) - Counter(theirs)).elements() if _is_literal(code)]
    found = []
    for code in missing:
        for index, (source, target) in enumerate(plain):
            if code in target:
                target = target.replace(code, STAND_IN, 1)
                plain = (*plain[:index], (source, target), *plain[index + 1 :])
                found.append(code)
                break
    return plain, (own, (*theirs, *found))


def _is_literal(code: str) -> bool:
    """Return whether a code stands in a text as it is, and is no word."""
    return len(code) > 1 and not code.isalnum() and code[0] not in "<&"


_Pairs = list[tuple[BlockText, BlockText]]


def _paired(
    ours: Sequence[BlockText], theirs: Sequence[BlockText], source: PathLike, target: PathLike
) -> tuple[_Pairs, list[tuple[str, str]]]:
    """The blocks of a file with those of its translation, and places and texts of other blocks of
    the translation."""
    both = [*ours, *theirs]
    if all(block.scope is not None and key_path(block.scope) for block in both):
        return _by_key(ours, theirs)
    if all(block.scope is not None and value_in_scopes(block.scope, "time") for block in both):
        return _by_time(ours, theirs), []
    headings = [[block.heading for block in side] for side in (ours, theirs)]
    if headings[0] != headings[1]:
        same = zip(*headings, strict=False)
        first = next((i for i, (a, b) in enumerate(same) if a != b), min(map(len, headings)))
        near = next((f"; they differ at {b.place} or before" for b in theirs[first:]), "")
        nouns = "block of text", "blocks of text"
        raise _other_structure(target, source, nouns, len(theirs), len(ours), near)
    return list(zip(ours, theirs, strict=True)), []


def _other_structure(
    target: PathLike, source: PathLike, nouns: tuple[str, str], theirs: int, ours: int, near: str
) -> InputError:
    counts = f"{counted(theirs, *nouns)}, and {name_of(source)} has {ours:,}"
    return InputError(
        f"is not built as its source: it has {counts}{near}",
        path=target,
        cure="Compare a file with the translation of the same version, or bring both into XLIFF",
    )


def _by_key(
    ours: Sequence[BlockText], theirs: Sequence[BlockText]
) -> tuple[_Pairs, list[tuple[str, str]]]:
    """The blocks of strings with the same key."""
    sides = [_grouped(side, _key) for side in (ours, theirs)]
    pairs = [
        (block, _joined(sides[1].get(key, []), block.place)) for key, block in _wholes(sides[0])
    ]
    extra = [
        (block.place, " ".join(block.sentences))
        for key, block in _wholes(sides[1])
        if key not in sides[0] and block.sentences
    ]
    return pairs, extra


def _key(block: BlockText) -> str:
    assert block.scope is not None
    return key_path(block.scope)


def _wholes(groups: dict[str, list[BlockText]]) -> Iterator[tuple[str, BlockText]]:
    return ((key, _joined(blocks, "")) for key, blocks in groups.items())


def _by_time(ours: Sequence[BlockText], theirs: Sequence[BlockText]) -> _Pairs:
    """The blocks of subtitles between times at which a block begins on both sides."""
    times = [
        [value_in_scopes(block.scope, "time") or "" for block in side] for side in (ours, theirs)
    ]
    common = set(times[0]) & set(times[1])

    def key_of(known: dict[int, str]) -> Callable[[BlockText], str]:
        return lambda block: known[id(block)]

    sides = []
    for side, of_side in zip((ours, theirs), times, strict=True):
        last, known = "", {}
        for block, time in zip(side, of_side, strict=True):
            last = time if time in common else last
            known[id(block)] = last
        sides.append(_grouped(side, key_of(known)))
    return [
        (block, _joined(sides[1].get(key, []), block.place)) for key, block in _wholes(sides[0])
    ]


def _grouped(
    blocks: Sequence[BlockText], key: Callable[[BlockText], str]
) -> dict[str, list[BlockText]]:
    groups: dict[str, list[BlockText]] = {}
    for block in blocks:
        groups.setdefault(key(block), []).append(block)
    return groups


def _joined(blocks: Sequence[BlockText], place: str) -> BlockText:
    """Several blocks as one."""
    if len(blocks) == 1:
        return blocks[0]
    first = blocks[0] if blocks else BlockText(place, ())
    return first._replace(
        sentences=tuple(chain.from_iterable(block.sentences for block in blocks)),
        plain=tuple(chain.from_iterable(block.plain for block in blocks)),
        codes=tuple(chain.from_iterable(block.codes for block in blocks)),
        raw="".join(block.raw for block in blocks),
    )

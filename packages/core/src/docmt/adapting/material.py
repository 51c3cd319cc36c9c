"""Material to adapt a model to: pairs of sentences from files of a person, as documents.

Read are memories (of docmt, and TMX with the documents that its units name), bilingual files,
corpora, edited reviews, and folders of them. In a folder, a file `guide.en.md` belongs to
`guide.pt.md`, and a file in the folder `en` to the one of the same name in the folder `pt`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path

from docmt.adapting.file_pairs import FilePair, PairReader, paired_folders, pairs_in_folder
from docmt.memory import TranslationMemory, Unit
from docmt.translating.memory_files import is_read, units_of_file
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.wording import counted
from docmt_files.storage.corpus_names import file_format
from docmt_nmt.corpora import read

Note = Callable[[str], None]
"""Called with a note for the user."""

_DOCUMENTS = (".jsonl", ".tsv", ".parquet")
"""Corpora whose files name documents."""


@dataclass(frozen=True, slots=True)
class FileMaterial:
    """The pairs of a file, or of a file and its translation.

    Attributes:
        name: the name of the file.
        documents: the pairs; sides may be empty.
        doubtful: sentences whose translation is not clear, left out already.
    """

    name: str
    documents: Sequence[Document]
    doubtful: int = 0

    def __len__(self) -> int:
        return sum(map(len, self.documents))


@dataclass(frozen=True, slots=True)
class MaterialReader:
    """Reads the material of a person.

    Attributes:
        languages: source and target language.
        pairs: reads a file and its translation.
        note: called with notes about what is not read.
    """

    languages: tuple[str, str]
    pairs: PairReader
    note: Note

    def read(
        self, inputs: Sequence[Path], pairs: Sequence[tuple[Path, Path]]
    ) -> Iterator[FileMaterial]:
        """Read files, folders, and pairs of files or folders.

        Args:
            inputs: files with both languages, and folders.
            pairs: originals and translations, two files or two folders each.

        Raises:
            InputError: a file that is named cannot be read, or a folder has nothing to read.
        """
        for path in inputs:
            if path.is_dir():
                yield from self._folder(path)
            else:
                yield self._file(path, path.name)
        for originals, translations in pairs:
            if originals.is_dir() != translations.is_dir():
                raise InputError(
                    f"is a {'folder' if originals.is_dir() else 'file'}, and {translations} is not",
                    path=originals,
                    cure="Name two files, or two folders",
                )
            if originals.is_dir():
                yield from self._pairs(paired_folders(originals, translations), originals)
            else:
                yield self._pair(FilePair(originals.name, originals, translations))

    def _folder(self, folder: Path) -> Iterator[FileMaterial]:
        """The material in a folder: its bilingual files, and files with their translations."""
        both: list[Path] = []
        single: list[Path] = []
        for path in sorted(folder.rglob("*")):
            hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
            if path.is_file() and not hidden:
                (both if _has_both(path) else single).append(path)
        pairs, left = pairs_in_folder(folder, single, self.languages)
        if not both and not pairs:
            raise InputError(
                "has no files with both languages, and no file with its translation",
                path=folder,
                cure="Name the folders of originals and of translations as `pair`",
                parameters=("pair",),
            )
        for path in both:
            yield from self._tried(path, partial(self._file, path, _name(path, folder)))
        yield from self._pairs(pairs, folder)
        if left:
            self.note(f"{folder}: {counted(len(left), 'file')} without a translation not used")

    def _pairs(self, pairs: Sequence[FilePair], folder: Path) -> Iterator[FileMaterial]:
        if not pairs:
            raise InputError(
                "no file in it has a translation of the same name",
                path=folder,
                cure="Name two folders with files of the same names",
            )
        for pair in pairs:
            yield from self._tried(pair.source, partial(self._pair, pair))

    def _tried(self, path: Path, make: Callable[[], FileMaterial]) -> Iterator[FileMaterial]:
        """A file of a folder, if it can be read."""
        try:
            yield make()
        except InputError as error:
            self.note(f"{path}: not used: {error.problem}")

    def _file(self, path: Path, name: str) -> FileMaterial:
        if file_format(path) in _DOCUMENTS:
            documents = [
                Document(f"{name}/{each.id}", each.source, _target(each, path))
                for each in read(path, languages=self.languages, allow_empty=True)
            ]
            return FileMaterial(name, documents)
        if is_read(path):
            units = units_of_file(path, self.languages, self.note)
            return FileMaterial(name, _documents(units, name))
        if path.is_file() and not _has_both(path):
            raise _no_translations(path)
        with TranslationMemory(path, self.languages) as memory:
            return FileMaterial(name, _documents(memory.units(), name))

    def _pair(self, pair: FilePair) -> FileMaterial:
        read_pair = self.pairs.read(pair)
        document = Document(pair.name, *read_pair.sides)
        return FileMaterial(pair.name, [document] if len(document) else [], read_pair.doubtful)


def _has_both(path: Path) -> bool:
    """Return whether a file in a folder has both languages, by its name or its first bytes."""
    if is_read(path):
        return True
    with path.open("rb") as stream:
        return stream.read(16).startswith(b"SQLite format 3")


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder.parent).as_posix()


def _target(document: Document, path: Path) -> tuple[str, ...]:
    if document.target is None:
        raise _no_translations(path)
    return document.target


def _no_translations(path: Path) -> InputError:
    return InputError(
        "has no translations",
        path=path,
        cure="Name a file with both languages, or a file and its translation as `pair`",
        parameters=("pair",),
    )


def _documents(units: Iterable[Unit], name: str) -> list[Document]:
    """The documents of units, by the files that they come from."""
    documents: list[Document] = []
    known: dict[str, int] = {}
    for origin, group in groupby(units, key=lambda unit: unit.origin):
        pairs = [(unit.source, unit.target) for unit in group]
        known[origin] = known.get(origin, 0) + 1
        number = "" if known[origin] == 1 else f" ({known[origin]})"
        source, target = zip(*pairs, strict=True)
        documents.append(Document(f"{name}/{origin}{number}", source, target))
    return documents

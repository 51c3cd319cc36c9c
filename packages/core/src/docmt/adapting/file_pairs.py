"""Files and their translations: which belong together by their names, and which of their sentences.

The blocks of a file and of its translation are paired as for memories. Where both have other
numbers of sentences, the file is translated, and the sentences of the person's translation are
aligned with that (`docmt_nmt.evaluation.realignment`); where it is not clear what translates a
sentence, the sentence is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz.fuzz import ratio

from docmt.translating.memory_files import units_of_pair
from docmt_files import Input
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.base.languages import language_tag, primary_subtag
from docmt_nmt.corpora import corpus_files
from docmt_nmt.evaluation.realignment import Realigner

Sides = tuple[tuple[str, ...], tuple[str, ...]]
"""Sentences and their translations."""

Translate = Callable[[Sequence[str]], Sequence[str]]
"""Translates the sentences of a document."""

_ENOUGH = 0.9
"""Share of the sentences from which the pairs of blocks are enough."""

_MIN_ALIKE = 45.0
"""Least likeness, in percent, of a person's sentence and the start's translation, where sentences
are aligned."""


@dataclass(frozen=True, slots=True)
class FilePair:
    """A file and its translation.

    Attributes:
        name: name of both.
        source, target: the files.
    """

    name: str
    source: Path
    target: Path


@dataclass(frozen=True, slots=True)
class ReadPair:
    """The pairs of a file and its translation.

    Attributes:
        sides: the pairs.
        doubtful: the number of sentences of the file that are left out.
    """

    sides: Sides
    doubtful: int


@dataclass(frozen=True, slots=True)
class PairReader:
    """Reads files with their translations.

    Attributes:
        languages: source and target language.
        translate: the start's translator, for files that have to be aligned.
    """

    languages: tuple[str, str]
    translate: Translate

    def read(self, pair: FilePair) -> ReadPair:
        """The pairs of sentences of a file and its translation.

        Raises:
            InputError: a file cannot be read.
        """
        ours, theirs = (
            self._sentences(path, code)
            for path, code in zip((pair.source, pair.target), self.languages, strict=True)
        )
        found = self._by_blocks(pair)
        if len(found[0]) >= _ENOUGH * len(ours):
            return ReadPair(found, max(0, len(ours) - len(found[0])))
        aligned = self._aligned(ours, theirs) if ours and theirs else ((), ())
        best = max(found, aligned, key=lambda sides: len(sides[0]))
        return ReadPair(best, len(ours) - len(best[0]))

    def _sentences(self, path: Path, language: str) -> tuple[str, ...]:
        documents, _ = Input().read(path, language, read_corpus=corpus_files.read)
        return tuple(sentence for document in documents for sentence in document.source)

    def _by_blocks(self, pair: FilePair) -> Sides:
        """The pairs of blocks that belong together, by structure alone."""
        try:
            units = list(units_of_pair(pair.source, pair.target, self.languages, lambda _: None))
        except InputError:  # the structures have nothing in common
            return (), ()
        return tuple(unit.source for unit in units), tuple(unit.target for unit in units)

    def _aligned(self, ours: Sequence[str], theirs: Sequence[str]) -> Sides:
        """The pairs found by aligning the person's translation with the start's."""
        machine = tuple(self.translate(ours))
        original = Document("1", tuple(ours), machine)
        realigner = Realigner([[original]], [original], language=self.languages[1])
        (found,) = realigner.realign([Document("1", tuple(theirs), tuple(theirs))])
        clear = {
            group.first
            for group in found.groups
            if group.shape in ((1, 1), (1, 2)) and _alone(group.first, found.groups)
        }
        pairs = [
            (ours[index], found.kept[index])
            for index in sorted(clear)
            if ratio(machine[index].lower(), found.kept[index].lower()) >= _MIN_ALIKE
        ]
        return tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)


def _alone(line: int, groups: Iterable[tuple[int, int, int, int]]) -> bool:
    """Return whether a line is in one group of an alignment alone."""
    return sum(first <= line < end for first, end, *_ in groups) == 1


def paired_folders(originals: Path, translations: Path) -> list[FilePair]:
    """The files of a folder with a file of the same name in another."""
    pairs = []
    for path in sorted(originals.rglob("*")):
        name = path.relative_to(originals)
        other = translations / name
        if path.is_file() and other.is_file() and not any(p.startswith(".") for p in name.parts):
            pairs.append(FilePair(name.as_posix(), path, other))
    return pairs


def pairs_in_folder(
    folder: Path, files: Sequence[Path], languages: tuple[str, str]
) -> tuple[list[FilePair], list[Path]]:
    """The files of a folder that belong together, by the codes of languages in their names or in
    those of their folders; and the files without another.

    Args:
        folder: the folder.
        files: the files in it.
        languages: source and target language.
    """
    by_key: dict[str, dict[str, Path]] = {}
    for path in files:
        key, code = _key(path.relative_to(folder).as_posix(), languages)
        by_key.setdefault(key, {}).setdefault(code, path)
    source, target = map(primary_subtag, languages)
    pairs, used = [], set[Path]()
    for key, sides in sorted(by_key.items()):
        if source in sides and target in sides:
            pairs.append(FilePair(key, sides[source], sides[target]))
            used |= {sides[source], sides[target]}
    return pairs, [path for path in files if path not in used]


def _key(name: str, languages: tuple[str, str]) -> tuple[str, str]:
    """A name with `*` in the place of the code of one of the languages, and the code."""
    wanted = {primary_subtag(code) for code in languages}
    parts = name.split("/")
    folders = [(part,) for part in parts[:-1]]
    for index, words in enumerate([*folders, tuple(parts[-1].split("."))]):
        for place, word in enumerate(words):
            code = primary_subtag(word) if _is_code(word) else ""
            if code in wanted and not (index == len(parts) - 1 and place in (0, len(words) - 1)):
                kept = [*words[:place], "*", *words[place + 1 :]]
                return "/".join([*parts[:index], ".".join(kept), *parts[index + 1 :]]), code
    return name, ""


def _is_code(word: str) -> bool:
    parts = language_tag(word).split("-")
    return 2 <= len(parts[0]) <= 3 and parts[0].isalpha() and all(map(str.isalnum, parts))

"""`GlossaryStore`: the glossaries of accounts, on disk. As in DeepL's API, a glossary has a
dictionary for each pair of languages.

    FOLDER/glossaries/ID.json
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from docmt.glossaries import Glossary
from docmt.ground.errors import InputError
from docmt.ground.languages import primary_language
from docmt.serving.glossary_entries import (
    MAX_ENTRIES,
    Entries,
    EntriesFormat,
    glossary_of,
    read_entries,
)
from docmt.serving.job import new_id
from docmt.serving.service_errors import ServiceError, no_space
from docmt.storage.files import write_text
from docmt.storage.json_files import json_text, read_json

_MAX_GLOSSARIES = 1000
"""Maximum number of glossaries per account."""

_MAX_STORED = 100 << 20
"""Maximum bytes of entries per account."""

_MAX_NAME = 1024


@dataclass(frozen=True, slots=True)
class Dictionary:
    """The entries of a glossary for a pair of languages.

    Attributes:
        source: code of the source language, without region, in lower case.
        target: code of the target language, likewise.
        entries: terms and their translations.
    """

    source: str
    target: str
    entries: Entries

    @classmethod
    def read(cls, source: str, target: str, entries: str, kind: EntriesFormat) -> Dictionary:
        """Read a dictionary.

        Args:
            source: source language.
            target: target language.
            entries: terms and their translations, a pair a line.
            kind: format of the lines.

        Raises:
            InputError: a language is unknown, or two entries have the same term.
            ServiceError: the entries cannot be read.
        """
        languages = primary_language(source), primary_language(target)
        dictionary = cls(*languages, read_entries(entries, kind))
        glossary_of(dictionary.entries)
        return dictionary

    @property
    def size(self) -> int:
        """Bytes of the entries."""
        return sum(len(text.encode()) for entry in self.entries for text in entry)


@dataclass(frozen=True, slots=True)
class StoredGlossary:
    """A glossary of an account.

    Attributes:
        id: random id.
        account: account of the owner.
        name: name for people.
        created: time of creation (ISO 8601).
        dictionaries: dictionaries of different pairs of languages.
    """

    id: str
    account: str
    name: str
    created: str
    dictionaries: tuple[Dictionary, ...]

    def dictionary(self, source: str, target: str) -> Dictionary:
        """The dictionary for a pair of languages.

        Raises:
            ServiceError: there is no such dictionary.
        """
        pair = primary_language(source), primary_language(target)
        for each in self.dictionaries:
            if (each.source, each.target) == pair:
                return each
        raise ServiceError(404, f"the glossary has no dictionary from {pair[0]} to {pair[1]}")

    def with_dictionary(self, dictionary: Dictionary) -> StoredGlossary:
        """The glossary with a new dictionary, in place of any for the same languages."""
        others = self.without(dictionary.source, dictionary.target).dictionaries
        return replace(self, dictionaries=(*others, dictionary))

    def with_entries(self, new: Dictionary) -> StoredGlossary:
        """The glossary with further entries. An entry replaces the previous entry of the same
        term."""
        pair = new.source, new.target
        old = next((d.entries for d in self.dictionaries if (d.source, d.target) == pair), ())
        merged = dict(old) | dict(new.entries)
        return self.with_dictionary(Dictionary(*pair, tuple(merged.items())))

    def renamed(self, name: str) -> StoredGlossary:
        """The glossary with another name.

        Raises:
            ServiceError: the name is not valid.
        """
        _check_name(name)
        return replace(self, name=name)

    def without(self, source: str, target: str) -> StoredGlossary:
        """The glossary without the dictionary for a pair of languages."""
        pair = primary_language(source), primary_language(target)
        kept = tuple(d for d in self.dictionaries if (d.source, d.target) != pair)
        return replace(self, dictionaries=kept)


_STORED = TypeAdapter(StoredGlossary)


@dataclass(eq=False)
class GlossaryStore:
    """The glossaries of a service. Threads may share it.

    Attributes:
        folder: folder of the glossaries.
    """

    folder: Path
    _glossaries: dict[str, StoredGlossary] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _changing: threading.Lock = field(default_factory=threading.Lock)
    _building: threading.Lock = field(default_factory=threading.Lock)
    _built: list[tuple[Dictionary, Glossary]] = field(default_factory=list)

    def open(self) -> None:
        """Read the folder. Damaged glossaries are left out."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for path in sorted(self.folder.glob("*.json")):
            with suppress(InputError, ValidationError):
                stored = _STORED.validate_python(read_json(path))
                if stored.id == path.stem:
                    self._glossaries[stored.id] = stored

    def of(self, account: str) -> list[StoredGlossary]:
        """The glossaries of an account, the newest first."""
        with self._lock:
            own = [each for each in self._glossaries.values() if each.account == account]
        return sorted(own, key=lambda each: each.created, reverse=True)

    def get(self, account: str, glossary_id: str) -> StoredGlossary:
        """A glossary of an account.

        Raises:
            ServiceError: the account has no glossary with this id.
        """
        with self._lock:
            glossary = self._glossaries.get(glossary_id)
        if glossary is None or glossary.account != account:
            raise ServiceError(404, "Glossary not found")
        return glossary

    def terms(self, account: str, glossary_id: str, source: str, target: str) -> Glossary:
        """The terms of a glossary for a pair of languages. Those used last are kept in memory.

        Raises:
            ServiceError: there is no such glossary, or no dictionary for these languages.
        """
        dictionary = self.get(account, glossary_id).dictionary(source, target)
        with self._building:
            for index, (known, _) in enumerate(self._built):
                if known is dictionary:
                    self._built.append(self._built.pop(index))
                    return self._built[-1][1]
            glossary = glossary_of(dictionary.entries)
            self._built.append((dictionary, glossary))
            while sum(len(each) for _, each in self._built[:-1]) > MAX_ENTRIES:
                del self._built[0]
            return glossary

    def add(self, account: str, name: str, dictionaries: tuple[Dictionary, ...]) -> StoredGlossary:
        """Add a glossary.

        Raises:
            ServiceError: the name or the dictionaries are missing, or the account has too many
                glossaries.
        """
        _check_name(name)
        pairs = {(each.source, each.target) for each in dictionaries}
        if not dictionaries or len(pairs) < len(dictionaries):
            raise ServiceError(400, "give one dictionary for each pair of languages")
        if len(self.of(account)) >= _MAX_GLOSSARIES:
            raise ServiceError(456, f"there are {_MAX_GLOSSARIES} glossaries already; delete some")
        created = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        stored = StoredGlossary(new_id(), account, name, created, dictionaries)
        self.put(stored)
        return stored

    def put(self, glossary: StoredGlossary) -> None:
        """Store a glossary, in place of an earlier state.

        Raises:
            ServiceError: the account has too many entries, or there is no space.
        """
        others = (each for each in self.of(glossary.account) if each.id != glossary.id)
        size = sum(d.size for each in (glossary, *others) for d in each.dictionaries)
        if size > _MAX_STORED:
            raise ServiceError(456, f"the glossaries exceed {_MAX_STORED} bytes; delete some")
        try:
            write_text(self.folder / f"{glossary.id}.json", json_text(asdict(glossary)) + "\n")
        except InputError:
            raise no_space() from None
        with self._lock:
            previous = self._glossaries.get(glossary.id)
            self._glossaries[glossary.id] = glossary
        if previous is not None:
            self._forget_built(previous)

    def change(
        self, account: str, glossary_id: str, function: Callable[[StoredGlossary], StoredGlossary]
    ) -> StoredGlossary:
        """Change a glossary by a function, one change after the other.

        Raises:
            ServiceError: the account has no glossary with this id, has too many entries, or there
                is no space.
        """
        with self._changing:
            changed = function(self.get(account, glossary_id))
            self.put(changed)
            return changed

    def delete(self, glossary: StoredGlossary) -> None:
        """Delete a glossary."""
        with self._changing:
            with self._lock:
                self._glossaries.pop(glossary.id, None)
            self._forget_built(glossary)
            (self.folder / f"{glossary.id}.json").unlink(missing_ok=True)

    def _forget_built(self, glossary: StoredGlossary) -> None:
        """Free the memory of a changed or deleted glossary."""
        with self._building:
            self._built = [
                each for each in self._built if not any(each[0] is d for d in glossary.dictionaries)
            ]


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > _MAX_NAME:
        raise ServiceError(400, f"name must have 1 to {_MAX_NAME} characters")

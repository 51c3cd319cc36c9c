"""`GlossaryStore`: the glossaries of accounts, on disk. As in DeepL's API, a glossary has a
dictionary for each pair of languages.

    FOLDER/glossaries/ID.json
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from docmt_files.base.languages import primary_language
from docmt_nmt.translators.glossary import Glossary
from docmt_serve.requests.identifiers import new_id
from docmt_serve.requests.service_errors import ServiceError
from docmt_serve.stores.account_store import AccountStore, check_name, now
from docmt_serve.stores.glossary_entries import (
    MAX_ENTRIES,
    Entries,
    EntriesFormat,
    glossary_of,
    read_entries,
)


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

    @property
    def size(self) -> int:
        """Bytes of the entries."""
        return sum(each.size for each in self.dictionaries)

    def dictionary(self, source: str, target: str) -> Dictionary:
        """The dictionary for a pair of languages.

        Raises:
            ServiceError: there is no such dictionary.
        """
        pair = primary_language(source), primary_language(target)
        for each in self.dictionaries:
            if (each.source, each.target) == pair:
                return each
        raise ServiceError(404, f"No dictionary found for language pair {pair[0]}-{pair[1]}")

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
        return replace(self, name=check_name(name))

    def without(self, source: str, target: str) -> StoredGlossary:
        """The glossary without the dictionary for a pair of languages."""
        pair = primary_language(source), primary_language(target)
        kept = tuple(d for d in self.dictionaries if (d.source, d.target) != pair)
        return replace(self, dictionaries=kept)


@dataclass(eq=False)
class GlossaryStore(AccountStore[StoredGlossary]):
    """The glossaries of a service. Threads may share it."""

    kind, noun = StoredGlossary, "Glossary"

    def _size(self, entry: StoredGlossary) -> int:
        return entry.size

    _building: threading.Lock = field(default_factory=threading.Lock)
    _built: list[tuple[tuple[Dictionary, ...], Glossary]] = field(default_factory=list)

    def terms(self, account: str, ids: Sequence[str], source: str, target: str) -> Glossary:
        """The terms of glossaries for a pair of languages. Those used last are kept in memory.

        Args:
            account: the account.
            ids: ids of glossaries; of two translations of a term, the first is taken.
            source, target: the languages.

        Raises:
            ServiceError: a glossary is missing, or has no dictionary for these languages.
            InputError: terms of two glossaries differ in case alone.
        """
        used = tuple(self.get(account, each).dictionary(source, target) for each in ids)
        with self._building:
            for index, (known, _) in enumerate(self._built):
                if len(known) == len(used) and all(map(operator.is_, known, used)):
                    self._built.append(self._built.pop(index))
                    return self._built[-1][1]
            entries = {
                term: translation
                for dictionary in reversed(used)
                for term, translation in dictionary.entries
            }
            glossary = glossary_of(tuple(entries.items()))
            self._built.append((used, glossary))
            while sum(len(each) for _, each in self._built[:-1]) > MAX_ENTRIES:
                del self._built[0]
            return glossary

    def add(self, account: str, name: str, dictionaries: tuple[Dictionary, ...]) -> StoredGlossary:
        """Add a glossary.

        Raises:
            ServiceError: the name is missing, two dictionaries have the same languages, or the
                account has too many glossaries.
        """
        pairs = {(each.source, each.target) for each in dictionaries}
        if len(pairs) < len(dictionaries):
            raise ServiceError(400, "give one dictionary for each pair of languages")
        return self.put(StoredGlossary(new_id(), account, check_name(name), now(), dictionaries))

    def _forget(self, entry: StoredGlossary) -> None:
        with self._building:
            self._built = [
                (used, glossary)
                for used, glossary in self._built
                if not any(d is each for d in used for each in entry.dictionaries)
            ]

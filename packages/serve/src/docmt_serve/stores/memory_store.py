"""`MemoryStore`: the translation memories of accounts, on disk.

FOLDER/memories/ID.json     account, name and languages
FOLDER/memories/ID.db       the memory (`docmt.memory.TranslationMemory`)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from uuid import UUID, uuid4

from docmt.memory import MatchPenalties, TranslationMemory, Unit
from docmt.translating.from_memory import FromMemory
from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_language
from docmt_nmt.translators.translator import Translator
from docmt_serve.requests.service_errors import ServiceError
from docmt_serve.stores.account_store import AccountStore, check_name, now

SUGGESTIONS = "Suggestions"
"""Name of the memories of suggestions."""

_SUFFIXES = (".db", ".db-wal", ".db-shm")


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """A memory of an account.

    Attributes:
        id: random id (UUID).
        account: account of the owner.
        name: name for people.
        source, target: codes of the languages.
        created: time of creation (ISO 8601).
    """

    id: str
    account: str
    name: str
    source: str
    target: str
    created: str

    @property
    def languages(self) -> tuple[str, str]:
        """The languages."""
        return self.source, self.target


class MemoryUse(NamedTuple):
    """The use of a memory in a translation.

    Attributes:
        path: the file of the memory.
        threshold: minimum rate of a similar sentence, from 0 to 1.
        penalties: what is taken off the rates of matches.
    """

    path: Path
    threshold: float
    penalties: MatchPenalties

    @contextmanager
    def over(self, translator: Translator) -> Iterator[Translator]:
        """Yields the translator with the memory before it.

        Raises:
            InputError: the memory has other languages, or is deleted.
        """
        with TranslationMemory(self.path, translator.languages) as memory:
            yield FromMemory(translator, (memory,), self.threshold, self.penalties)


class MemoryStore(AccountStore[StoredMemory]):
    """The memories of a service. Threads may share it."""

    kind, noun, max_stored = StoredMemory, "Translation memory", 1 << 30

    def get(self, account: str, entry_id: str) -> StoredMemory:
        with suppress(ValueError):
            entry_id = str(UUID(entry_id))
        return super().get(account, entry_id)

    def use(
        self,
        account: str,
        memory_id: str,
        languages: tuple[str, str],
        threshold: float,
        penalties: MatchPenalties,
    ) -> MemoryUse:
        """The use of a memory in a translation.

        Args:
            threshold: minimum rate of a similar sentence, from 0 to 1.
            penalties: what is taken off the rates of matches.

        Raises:
            ServiceError: the account has no memory with this id, or it is of other languages.
        """
        memory = self.get(account, memory_id)
        if list(map(primary_language, memory.languages)) != list(map(primary_language, languages)):
            both = " to ".join(memory.languages)
            raise ServiceError(400, f"the translation memory is from {both}")
        return MemoryUse(self._path(memory), threshold, penalties)

    def opened(self, memory: StoredMemory) -> TranslationMemory:
        """The opened memory.

        Raises:
            ServiceError: it has been deleted.
        """
        try:
            return TranslationMemory(self._path(memory), memory.languages)
        except InputError:
            raise ServiceError(404, "Translation memory not found") from None

    def add(
        self, account: str, name: str, languages: tuple[str, str], units: Iterable[Unit]
    ) -> StoredMemory:
        """Add a memory with units.

        Raises:
            ServiceError: the name or the units are missing, the account has too many memories or
                too much in them, or there is no space.
            InputError: the units cannot be read.
        """
        check_name(name)
        stored = StoredMemory(str(uuid4()), account, name, *languages, now())
        with self._changing:
            self._check_limits([*self.of(account), stored])
            try:
                with TranslationMemory(self._path(stored), languages, create=True) as memory:
                    count = memory.add(units)
                if not count:
                    raise ServiceError(400, "there are no approved translations in it")
                return self.put(stored)
            except BaseException:
                self._forget(stored)
                raise

    def suggest(self, account: str, languages: tuple[str, str], units: Iterable[Unit]) -> None:
        """Add units to the memory of suggestions of an account, which is made if there is none.

        Raises:
            ServiceError: the account has too much in its memories.
        """
        own = (m for m in self.of(account) if (m.name, m.languages) == (SUGGESTIONS, languages))
        memory = next(own, None)
        if memory is None:
            self.add(account, SUGGESTIONS, languages, units)
            return
        with self._changing:
            self._check_limits(self.of(account))
            with self.opened(memory) as opened:
                opened.add(units)

    def _path(self, memory: StoredMemory) -> Path:
        return self.folder / f"{memory.id}.db"

    def _size(self, entry: StoredMemory) -> int:
        path = self._path(entry)
        return path.stat().st_size if path.exists() else 0

    def _is_whole(self, entry: StoredMemory) -> bool:
        return self._path(entry).exists()

    def _forget(self, entry: StoredMemory) -> None:
        for suffix in _SUFFIXES:
            (self.folder / f"{entry.id}{suffix}").unlink(missing_ok=True)

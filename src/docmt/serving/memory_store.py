"""`MemoryStore`: the translation memories of accounts, on disk.

FOLDER/memories/ID.json     account, name and languages
FOLDER/memories/ID.db       the memory (`docmt.memory.TranslationMemory`)
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple
from uuid import UUID, uuid4

from pydantic import TypeAdapter, ValidationError

from docmt.ground.errors import InputError
from docmt.ground.languages import primary_language
from docmt.memory import TranslationMemory, Unit
from docmt.serving.account_store import check_name, now
from docmt.serving.service_errors import ServiceError, no_space
from docmt.storage.files import write_text
from docmt.storage.json_files import json_text, read_json
from docmt.translating.from_memory import FromMemory
from docmt.translators.translator import Translator

_MAX_MEMORIES = 1000
"""Maximum number of memories per account."""

_MAX_STORED = 1 << 30
"""Maximum bytes of memories per account."""

SUGGESTIONS = "Suggestions"
"""Name of the memories of suggestions."""

_SUFFIXES = (".db", ".db-wal", ".db-shm", ".json")


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
    """

    path: Path
    threshold: float

    @contextmanager
    def over(self, translator: Translator) -> Iterator[Translator]:
        """Yields the translator with the memory before it.

        Raises:
            InputError: the memory has other languages, or is deleted.
        """
        with TranslationMemory(self.path, translator.languages) as memory:
            yield FromMemory(translator, (memory,), self.threshold)


_STORED = TypeAdapter(StoredMemory)


@dataclass(eq=False)
class MemoryStore:
    """The memories of a service. Threads may share it.

    Attributes:
        folder: folder of the memories.
    """

    folder: Path
    _memories: dict[str, StoredMemory] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _changing: threading.Lock = field(default_factory=threading.Lock)

    def open(self) -> None:
        """Read the folder. Damaged memories are left out."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for path in sorted(self.folder.glob("*.json")):
            with suppress(InputError, ValidationError):
                stored = _STORED.validate_python(read_json(path))
                if stored.id == path.stem and self._path(stored).exists():
                    self._memories[stored.id] = stored

    def of(self, account: str) -> list[StoredMemory]:
        """The memories of an account, the newest first."""
        with self._lock:
            own = [each for each in self._memories.values() if each.account == account]
        return sorted(own, key=lambda each: each.created, reverse=True)

    def get(self, account: str, memory_id: str) -> StoredMemory:
        """A memory of an account.

        Raises:
            ServiceError: the account has no memory with this id.
        """
        with suppress(ValueError):
            memory_id = str(UUID(memory_id))
        with self._lock:
            memory = self._memories.get(memory_id)
        if memory is None or memory.account != account:
            raise ServiceError(404, "Translation memory not found")
        return memory

    def use(
        self, account: str, memory_id: str, languages: tuple[str, str], threshold: float
    ) -> MemoryUse:
        """The use of a memory in a translation.

        Raises:
            ServiceError: the account has no memory with this id, or it is of other languages.
        """
        memory = self.get(account, memory_id)
        if list(map(primary_language, memory.languages)) != list(map(primary_language, languages)):
            both = " to ".join(memory.languages)
            raise ServiceError(400, f"the translation memory is from {both}")
        return MemoryUse(self._path(memory), threshold)

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
        with self._changing:
            self._check_space(account, one_more=True)
            stored = StoredMemory(str(uuid4()), account, name, *languages, now())
            try:
                with TranslationMemory(self._path(stored), languages, create=True) as memory:
                    count = memory.add(units)
                if not count:
                    raise ServiceError(400, "there are no approved translations in it")
                self._check_space(account, stored)
                self._write(stored)
            except BaseException:
                self._remove(stored)
                raise
        with self._lock:
            self._memories[stored.id] = stored
        return stored

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
            self._check_space(account)
            with self.opened(memory) as opened:
                opened.add(units)

    def delete(self, memory: StoredMemory) -> None:
        """Delete a memory."""
        with self._changing:
            with self._lock:
                self._memories.pop(memory.id, None)
            self._remove(memory)

    def _path(self, memory: StoredMemory) -> Path:
        return self.folder / f"{memory.id}.db"

    def _write(self, memory: StoredMemory) -> None:
        try:
            write_text(self.folder / f"{memory.id}.json", json_text(asdict(memory)) + "\n")
        except InputError:
            raise no_space() from None

    def _remove(self, memory: StoredMemory) -> None:
        for suffix in _SUFFIXES:
            (self.folder / f"{memory.id}{suffix}").unlink(missing_ok=True)

    def _check_space(self, account: str, *new: StoredMemory, one_more: bool = False) -> None:
        """Check the limits of an account."""
        own = [*self.of(account), *new]
        if len(own) + one_more > _MAX_MEMORIES:
            raise ServiceError(456, f"there are {_MAX_MEMORIES} memories already; delete some")
        paths = (self._path(memory) for memory in own)
        if sum(path.stat().st_size for path in paths if path.exists()) > _MAX_STORED:
            raise ServiceError(456, f"the memories exceed {_MAX_STORED} bytes; delete some")

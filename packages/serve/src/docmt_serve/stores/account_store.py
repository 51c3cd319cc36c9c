"""`AccountStore`: what accounts keep in the service, such as glossaries, each in a JSON file."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from docmt_files.base.errors import InputError
from docmt_files.storage.files import write_text
from docmt_files.storage.json_files import json_text, read_json
from docmt_serve.requests.service_errors import ServiceError, no_space

_MOST = 1000
"""Maximum number of entries per account."""

_MAX_NAME = 1024


class Stored(Protocol):
    """An entry of a store: a frozen dataclass."""

    @property
    def id(self) -> str:
        """Random id."""

    @property
    def account(self) -> str:
        """Account of the owner."""

    @property
    def created(self) -> str:
        """Time of creation (ISO 8601)."""


R = TypeVar("R", bound=Stored)


@dataclass(eq=False)
class AccountStore(Generic[R]):
    """The entries of one kind of a service. Threads may share it.

    Attributes:
        folder: folder of the entries.
        kind: type of the entries.
        noun: name of an entry in messages.
        max_stored: maximum bytes of the entries of an account.
    """

    kind: ClassVar[Any]
    noun: ClassVar[str]
    max_stored: ClassVar[int] = 100 << 20

    folder: Path
    _entries: dict[str, R] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _changing: threading.Lock = field(default_factory=threading.Lock)

    def open(self) -> None:
        """Read the folder. Damaged entries are left out."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        adapter: TypeAdapter[R] = TypeAdapter(self.kind)
        for path in sorted(self.folder.glob("*.json")):
            with suppress(InputError, ValidationError):
                stored = adapter.validate_python(read_json(path))
                if stored.id == path.stem and self._is_whole(stored):
                    self._entries[stored.id] = stored

    def of(self, account: str) -> list[R]:
        """The entries of an account, the newest first."""
        with self._lock:
            own = [each for each in self._entries.values() if each.account == account]
        return sorted(own, key=lambda each: each.created, reverse=True)

    def get(self, account: str, entry_id: str) -> R:
        """An entry of an account.

        Raises:
            ServiceError: the account has no entry with this id.
        """
        with self._lock:
            entry = self._entries.get(entry_id)
        if entry is None or entry.account != account:
            raise ServiceError(404, f"{self.noun} not found")
        return entry

    def put(self, entry: R) -> R:
        """Store an entry, in place of an earlier state.

        Raises:
            ServiceError: the account has too many entries or too much in them, or there is no
                space.
        """
        others = [each for each in self.of(entry.account) if each.id != entry.id]
        self._check_limits([*others, entry])
        try:
            text = json_text(asdict(entry))  # type: ignore[call-overload]  # it is a dataclass
            write_text(self.folder / f"{entry.id}.json", text + "\n")
        except InputError:
            raise no_space() from None
        with self._lock:
            previous = self._entries.get(entry.id)
            self._entries[entry.id] = entry
        if previous is not None:
            self._forget(previous)
        return entry

    def change(self, account: str, entry_id: str, function: Callable[[R], R]) -> R:
        """Change an entry by a function, one change after the other.

        Raises:
            ServiceError: as `get` and `put`.
        """
        with self._changing:
            return self.put(function(self.get(account, entry_id)))

    def delete(self, entry: R) -> None:
        """Delete an entry."""
        with self._changing:
            with self._lock:
                self._entries.pop(entry.id, None)
            self._forget(entry)
            (self.folder / f"{entry.id}.json").unlink(missing_ok=True)

    def _check_limits(self, entries: Sequence[R]) -> None:
        """Check the entries of an account."""
        if len(entries) > _MOST:
            raise ServiceError(456, f"{self.noun}: there are {_MOST} already; delete some")
        if sum(map(self._size, entries)) > self.max_stored:
            raise ServiceError(456, f"{self.noun}: all exceed {self.max_stored} bytes; delete some")

    def _size(self, entry: R) -> int:
        """Bytes of the content of an entry."""
        raise NotImplementedError

    def _is_whole(self, entry: R) -> bool:  # noqa: ARG002
        """Return whether all files of an entry are there."""
        return True

    def _forget(self, entry: R) -> None:
        """Free what was made of a changed or deleted entry."""


def check_name(name: str) -> str:
    """Return a name.

    Raises:
        ServiceError: the name is empty or too long.
    """
    if not name.strip() or len(name) > _MAX_NAME:
        raise ServiceError(400, f"name must have 1 to {_MAX_NAME} characters")
    return name


def now() -> str:
    """The time (ISO 8601, in UTC)."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

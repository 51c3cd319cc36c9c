"""`ApiKeys`: the keys of the service, with quotas.

A file of keys has digests, never the keys themselves:

    [[key]]
    name = "editor"
    sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    requests_per_minute = 60
    characters_per_minute = 100_000
    characters_per_month = 1_000_000

A limit left out is no limit. The folder of the service keeps the usage of the month.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
import tomllib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field
from starlette.requests import Request

from docmt_files.base.errors import InputError
from docmt_files.base.system_calls import others_may
from docmt_files.storage.files import write_text
from docmt_files.storage.json_files import read_model
from docmt_files.storage.stored_files import read_stored
from docmt_nmt.base.settings import PositiveInt, Settings
from docmt_serve.requests.service_errors import ServiceError

_CURE = "Make one with `docmt serve --keys FILE --add-key NAME`"

_SAVE_EVERY = 5.0
"""Seconds between two writings of the usage."""

QUOTA_EXCEEDED = 456
"""DeepL's HTTP status for a request over the quota of the month."""


class KeySettings(Settings):
    """A key of the service."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    """Name of the account, unique in the file."""

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """SHA-256 digest of the key, in hexadecimal digits."""

    requests_per_minute: PositiveInt | None = None
    """Maximum number of requests per minute. Default: no limit."""

    characters_per_minute: PositiveInt | None = None
    """Maximum characters of texts, and bytes of files, per minute. Default: no limit."""

    characters_per_month: PositiveInt | None = None
    """Maximum characters of texts, and bytes of files, per calendar month (UTC). Default: no
    limit."""


class _Usage(BaseModel):
    """The usage file: characters of a month by account."""

    month: str
    used: dict[str, int]


class _KeyFile(Settings):
    key: tuple[KeySettings, ...] = ()


@dataclass(slots=True)
class _Bucket:
    """A token bucket, which refills steadily in the course of a minute."""

    capacity: float
    left: float
    since: float

    def wait(self, amount: float, now: float) -> float:
        """Seconds until an amount is available. An amount over the capacity needs a full bucket."""
        self.left = min(self.capacity, self.left + (now - self.since) * self.capacity / 60)
        self.since = now
        lacking = min(amount, self.capacity) - self.left
        return max(0.0, lacking * 60 / self.capacity)


@dataclass(eq=False)
class ApiKeys:
    """The keys of a service. Threads may share it.

    Attributes:
        keys: known keys; None if no key is needed.
        usage_file: file with the usage of the month.
        now: clock of the calendar, in seconds since 1970.
        clock: monotonic clock, in seconds.
    """

    keys: tuple[KeySettings, ...] | None = None
    usage_file: Path | None = None
    now: Callable[[], float] = time.time
    clock: Callable[[], float] = time.monotonic
    _buckets: dict[tuple[str, str], _Bucket] = field(default_factory=dict)
    _used: dict[str, int] = field(default_factory=dict)
    _month: str = ""
    _saved: float = -_SAVE_EVERY
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._month = self._this_month()
        if self.usage_file is None:
            return
        with suppress(InputError):
            stored = read_model(self.usage_file, _Usage, what="the usage")
            if stored.month == self._month:
                self._used = stored.used

    @classmethod
    def read(cls, path: Path | None, usage_file: Path | None = None) -> ApiKeys:
        """Read a file of keys.

        Args:
            path: the file; None if no key is needed.
            usage_file: file with the usage of the month.

        Raises:
            InputError: others may read the file, the file is damaged, or two keys have the same
                name.
        """
        if path is None:
            return cls(None, usage_file)
        check_private(path)
        try:
            values = tomllib.loads(read_stored(path, cure=_CURE).decode("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(f"is not valid TOML ({error})", path=path) from None
        keys = _KeyFile.read(values, path=path).key
        names = [key.name for key in keys]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"two keys are named {name!r}", path=path, cure="Rename one")
        return cls(keys, usage_file)

    def account_of(self, key: str | None) -> str:
        """Name of the account of a key; empty if no key is needed.

        Raises:
            ServiceError: the key is missing or unknown.
        """
        if self.keys is None:
            return ""
        if not key:
            raise ServiceError(403, "Please contact the server operator to get an API key")
        # The time of a comparison tells of the digest only, not of the key.
        digest = _digest(key)
        account = next((known.name for known in self.keys if known.sha256 == digest), None)
        if account is None:
            raise ServiceError(403, "Invalid API key")
        return account

    def charge(self, account: str, characters: int) -> None:
        """Count a request of an account.

        Args:
            account: name of the account.
            characters: characters of texts, or bytes of a file.

        Raises:
            ServiceError: the request exceeds a limit, and is not counted.
        """
        limits = self._limits(account)
        with self._lock:
            if (month := self._this_month()) != self._month:
                self._month, self._used = month, {}
            used = self._used.get(account, 0)
            if limits is not None:
                most = limits.characters_per_month
                if most is not None and used + characters > most:
                    raise ServiceError(QUOTA_EXCEEDED, "Quota for this month exceeded")
                self._take(
                    account,
                    ("requests", limits.requests_per_minute, 1),
                    ("characters", limits.characters_per_minute, characters),
                )
            self._used[account] = used + characters
            if self.clock() - self._saved > _SAVE_EVERY:
                self._save()

    def usage(self, account: str) -> tuple[int, int | None]:
        """Characters used by an account in this month, and the limit; None for no limit."""
        limits = self._limits(account)
        with self._lock:
            used = self._used.get(account, 0) if self._month == self._this_month() else 0
        return used, None if limits is None else limits.characters_per_month

    def close(self) -> None:
        """Write the usage of the month."""
        with self._lock:
            self._save()

    def _limits(self, account: str) -> KeySettings | None:
        """The limits of an account; None if no key is needed."""
        return next((key for key in self.keys or () if key.name == account), None)

    def _take(self, account: str, *wanted: tuple[str, int | None, float]) -> None:
        """Take amounts from the buckets of an account, all or none of them.

        Args:
            account: name of the account.
            wanted: kind, limit per minute and amount.

        Raises:
            ServiceError: a bucket has less than the amount.
        """
        now = self.clock()
        buckets = []
        for kind, most, amount in wanted:
            if most is None:
                continue
            bucket = self._buckets.setdefault((account, kind), _Bucket(most, most, now))
            if wait := bucket.wait(amount, now):
                seconds = str(int(wait) + 1)
                message = f"Slowdown: {most} {kind} a minute are the limit"
                raise ServiceError(429, message, {"Retry-After": seconds})
            buckets.append((bucket, amount))
        for bucket, amount in buckets:
            bucket.left -= amount

    def _save(self) -> None:
        self._saved = self.clock()
        if self.usage_file is not None:
            with suppress(InputError):  # a full disk must not stop translations
                stored = _Usage(month=self._month, used=self._used)
                write_text(self.usage_file, stored.model_dump_json() + "\n")

    def _this_month(self) -> str:
        return time.strftime("%Y-%m", time.gmtime(self.now()))


def key_in_header(request: Request) -> str | None:
    """The key in the header `Authorization`."""
    scheme, _, given = request.headers.get("authorization", "").strip().rpartition(" ")
    return given if scheme.lower() in ("bearer", "deepl-auth-key") else None


def add_key(path: Path, name: str) -> str:
    """Add a key to a file of keys, and return the key.

    Args:
        path: the file; a missing file is created.
        name: name of the account.

    Raises:
        InputError: the name is taken or not valid, or the file cannot be used.
    """
    key = secrets.token_urlsafe(32)
    settings = KeySettings.read({"name": name, "sha256": _digest(key)})
    known: tuple[KeySettings, ...] = ()
    text = ""
    if path.exists():
        known = ApiKeys.read(path).keys or ()
        text = read_stored(path, cure=_CURE).decode("utf-8").rstrip("\n") + "\n\n"
    if any(each.name == name for each in known):
        raise InputError(f"there is a key named {name!r} already", path=path)
    text += f'[[key]]\nname = "{settings.name}"\nsha256 = "{settings.sha256}"\n'
    write_text(path, text)
    path.chmod(0o600)
    return key


def check_private(path: Path) -> None:
    """Check the permissions of a file for its owner alone.

    Raises:
        InputError: others may read the file, or there is no such file.
    """
    try:
        status = path.stat()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", path=path) from None
    if others_may(status, 0o077):
        raise InputError("may be read by others", path=path, cure=f"Run `chmod 600 {path}`")


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()

"""`TranslationMemory`: sentences and translations by a person, in a file of SQLite.

Exact matches are found by an index of hashes, fuzzy ones by an index of words (`WordIndex`).
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from threading import RLock
from typing import Any, Self

from docmt.memory.similarity import normalized, similarity, tokenize
from docmt.memory.units import MemoryMatch, Unit
from docmt.memory.word_index import WORD_TABLES, WordIndex
from docmt_files.base.errors import InputError
from docmt_files.base.languages import primary_subtag
from docmt_files.storage.files import COPY_AGAIN, PathLike

_VERSION = 2
_BATCH, _INDEXED = 10_000, 50_000
"""Maximum numbers of units in memory, and of units that are indexed together."""

_TIMEOUT = 600
"""Seconds to wait for another writer, which may be importing a large file."""

_CACHE = 24 << 10
"""KiB of the file in memory."""

_PAGE = 16 << 10
"""Bytes of a page of the file; long posting lists are read page by page."""

_MAX_MATCHES = 20

_TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE units (
    id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, source TEXT NOT NULL,
    before TEXT NOT NULL, after TEXT NOT NULL, key TEXT NOT NULL, target TEXT NOT NULL,
    codes TEXT NOT NULL, origin TEXT NOT NULL, changed TEXT NOT NULL, reviewed INTEGER NOT NULL,
    words BLOB NOT NULL
);
CREATE INDEX units_by_hash ON units (hash);
"""


class TranslationMemory:
    """A translation memory. Threads may share it, and several processes the file.

    Args:
        path: the file; None for a memory that is kept nowhere.
        languages: source and target language of a new memory; of an existing one, they must be its
            own.
        create: whether to make the file where there is none.

    Raises:
        InputError: the file is missing, is not a memory, is of other languages, or cannot be
            written.
    """

    def __init__(
        self,
        path: PathLike | None,
        languages: tuple[str, str] | None = None,
        *,
        create: bool = False,
    ) -> None:
        self.path = None if path is None else Path(path)
        self._lock = RLock()
        is_new = self.path is None or not self.path.exists()
        if self.path is not None and is_new and not create:
            raise InputError("no such file", path=self.path, cure="Check the path")
        if is_new and languages is None:
            raise InputError(
                "a new memory needs its languages",
                path=self.path,
                cure="Give `source_language` and `target_language`",
                parameters=("source_language", "target_language"),
            )
        with self._reporting():
            place = ":memory:" if self.path is None else str(self.path)
            self._base = sqlite3.connect(
                place, timeout=_TIMEOUT, isolation_level=None, check_same_thread=False
            )
            # A file from elsewhere must not run functions.
            for setting in (
                "trusted_schema = OFF",
                "synchronous = NORMAL",
                f"cache_size = -{_CACHE}",
            ):
                self._base.execute(f"PRAGMA {setting}")
            self._index = WordIndex(self._base)
            if is_new:
                assert languages is not None
                self._make(languages)
            self.languages = self._read_languages()
        if languages is not None and self._primary(languages) != self._primary(self.languages):
            raise InputError(
                f"is of {' → '.join(self.languages)}, not of {' → '.join(languages)}",
                path=self.path,
                cure="Name a memory of these languages",
            )

    @staticmethod
    def _primary(languages: tuple[str, str]) -> list[str]:
        return list(map(primary_subtag, languages))

    def _make(self, languages: tuple[str, str]) -> None:
        if self.path is not None:
            self._base.execute(f"PRAGMA page_size = {_PAGE}")
            self._base.execute("PRAGMA journal_mode = WAL")
        with self._transaction():
            if not self._base.execute(
                "SELECT name FROM sqlite_master WHERE name='about'"
            ).fetchone():
                for statement in filter(str.strip, (_TABLES + WORD_TABLES).split(";")):
                    self._base.execute(statement)
                about = {"version": str(_VERSION), "source": languages[0], "target": languages[1]}
                self._base.executemany("INSERT INTO about VALUES (?, ?)", about.items())

    def _read_languages(self) -> tuple[str, str]:
        about = dict(self._base.execute("SELECT name, value FROM about"))
        if not {"version", "source", "target"} <= about.keys():
            raise _DamagedError("languages are missing")
        if about["version"] != str(_VERSION):
            raise InputError(
                f"is a memory of version {about['version']}, and docmt reads {_VERSION}",
                path=self.path,
                cure="Export it to TMX with the docmt that made it",
            )
        return str(about["source"]), str(about["target"])

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        """Turn errors of SQLite into errors for the user, one thread at a time."""
        try:
            with self._lock:
                yield
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                raise self._no_memory(error) from None
            raise InputError(
                f"cannot be used ({error})", path=self.path, cure="Check the path, rights and space"
            ) from None
        except (sqlite3.DatabaseError, _DamagedError) as error:
            raise self._no_memory(error) from None

    def _no_memory(self, error: Exception) -> InputError:
        return InputError(
            f"is not a translation memory of docmt, or is damaged ({error})",
            path=self.path,
            cure=COPY_AGAIN,
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Change the file whole or not at all; other writers wait."""
        self._base.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._base.execute("ROLLBACK")
            raise
        self._base.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        (count,) = self._base.execute("SELECT count(*) FROM units").fetchone()
        return int(count)

    def units(self) -> Iterator[Unit]:
        """All units, in the order in which they came."""
        with self._reporting():
            for row in self._base.execute(f"SELECT {_COLUMNS} FROM units ORDER BY id"):
                yield _unit(row)

    # Adding

    def add(self, units: Iterable[Unit]) -> int:
        """Add units, all or none of them. A unit with the source, the key and the sentences around
        of one that is there replaces its translation.

        Args:
            units: the units.

        Returns:
            The number of units that are new or changed.
        """
        changed, units = 0, iter(units)
        with self._reporting():
            with self._transaction():
                words: list[array[int]] = []
                while batch := list(islice(units, _BATCH)):
                    changed += self._add(batch, words)
                    if len(words) >= _INDEXED:
                        self._index_last(words)
                self._index_last(words)
            self._index.join_small_batches(self._transaction())
        return changed

    def _add(self, units: Sequence[Unit], words: list[array[int]]) -> int:
        """Add a batch, within a transaction, and the words of new units to a list."""
        new: list[Unit] = []
        changed = 0
        seen: dict[tuple[str, str, str, str], int] = {}
        for unit in units:
            identity = _identity(unit)
            if identity in seen:
                if _replaces(unit, known := new[seen[identity]]) or unit.target == known.target:
                    new[seen[identity]] = unit
                continue
            row = self._base.execute(
                f"SELECT id, {_COLUMNS} FROM units WHERE hash = ? AND key = ?"
                " AND before = ? AND after = ? AND source = ?",
                (_hash(normalized(unit.source)), unit.key, unit.before, unit.after, unit.source),
            ).fetchone()
            if row is None:
                seen[identity] = len(new)
                new.append(unit)
            elif _replaces(unit, _unit(row[1:])):
                self._base.execute(
                    "UPDATE units SET target = ?, codes = ?, origin = ?, changed = ?, reviewed = ?"
                    " WHERE id = ?",
                    (*_row(unit)[4:], row[0]),
                )
                changed += 1
        words_of_new = [_numbered(tokenize(unit.source).words) for unit in new]
        rows = (
            (_hash(normalized(unit.source)), *_row(unit), own.tobytes())
            for unit, own in zip(new, words_of_new, strict=True)
        )
        self._base.executemany(f"INSERT INTO units VALUES (NULL, {'?,' * 10}?)", rows)
        words += words_of_new
        return changed + len(new)

    def _index_last(self, words: list[array[int]]) -> None:
        """Index the last units, of which these are the words, and empty the list."""
        if words:
            (last,) = self._base.execute("SELECT max(id) FROM units").fetchone()
            self._index.add(last - len(words) + 1, words)
            words.clear()

    # Looking up

    def exact(self, source: str) -> list[Unit]:
        """The units with a source sentence, but for white space; the latest first."""
        key = normalized(source)
        rows = self._base.execute(
            f"SELECT {_COLUMNS} FROM units WHERE hash = ? ORDER BY changed DESC, id DESC",
            (_hash(key),),
        )
        return [unit for unit in map(_unit, rows) if normalized(unit.source) == key]

    def look_up(
        self,
        source: str,
        *,
        before: str = "",
        after: str = "",
        key: str = "",
        threshold: float = 0.75,
        most: int = 5,
    ) -> list[MemoryMatch]:
        """The units for a sentence, the best first: exact ones in context, exact ones, fuzzy ones;
        of equally good ones, the latest.

        Args:
            source: the sentence, without inline codes.
            before, after: the sentences around it.
            key: its key in a file of strings, or "".
            threshold: minimum rate of a fuzzy match; 1 for the same words, with other numbers and
                placeholders.
            most: maximum number of matches.
        """
        with self._reporting():
            exact = [
                MemoryMatch(unit, 1.0, _in_context(unit, before, after, key))
                for unit in self.exact(source)
            ]
            exact.sort(key=lambda match: not match.in_context)
            return (exact or self._fuzzy(source, threshold))[:most]

    def _fuzzy(self, source: str, threshold: float) -> list[MemoryMatch]:
        """The fuzzy matches of a sentence, best first."""
        tokens = tokenize(source)
        words = _numbered(tokens.words)
        rates = {
            unit: rate
            for unit, other in self._index.candidates(words, threshold)
            if (rate := similarity(words, other)) >= threshold
        }
        best = sorted(rates, key=lambda unit: -rates[unit])[:_MAX_MATCHES]
        matches = [
            MemoryMatch(unit, rates[number], False, tokens.values != tokenize(unit.source).values)
            for number, unit in self._units(best)
        ]
        matches.sort(key=lambda match: match.unit.changed, reverse=True)
        return sorted(matches, key=lambda match: (-match.rate, match.values_differ))

    def _units(self, ids: Sequence[int]) -> Iterator[tuple[int, Unit]]:
        """Units with their ids."""
        marks = ",".join("?" * len(ids))
        for number, *row in self._base.execute(
            f"SELECT id, {_COLUMNS} FROM units WHERE id IN ({marks})", ids
        ):
            yield number, _unit(row)


class _DamagedError(Exception):
    """A file of SQLite has other contents than a memory."""


_COLUMNS = "source, before, after, key, target, codes, origin, changed, reviewed"


def _row(unit: Unit) -> tuple[Any, ...]:
    """The columns of a unit: source and context, then what a new translation replaces."""
    place = unit.source, unit.before, unit.after, unit.key
    codes = json.dumps(unit.codes) if any(unit.codes) else ""
    changed = unit.changed or _now()
    return (*place, unit.target, codes, unit.origin, changed, unit.is_reviewed)


def _unit(row: Sequence[Any]) -> Unit:
    source, before, after, key, target, codes, origin, changed, reviewed = row
    try:
        own, theirs = map(tuple, json.loads(codes)) if codes else ((), ())
    except (ValueError, TypeError) as error:
        raise _DamagedError(error) from None
    place, last = (before, after, key), (origin, changed, bool(reviewed))
    return Unit(source, target, *place, (own, theirs), *last)


def _replaces(unit: Unit, known: Unit) -> bool:
    """Return whether a unit in the same place is new. A draft never replaces reviewed text, nor an
    earlier translation a later one; without a time a unit is of now."""
    differs = (unit.target, unit.is_reviewed) != (known.target, known.is_reviewed)
    if not differs or unit.is_reviewed < known.is_reviewed:
        return False
    is_earlier = bool(unit.changed and known.changed) and unit.changed < known.changed
    return not is_earlier or unit.is_reviewed > known.is_reviewed


def _identity(unit: Unit) -> tuple[str, str, str, str]:
    return unit.source, unit.key, unit.before, unit.after


def _in_context(unit: Unit, before: str, after: str, key: str) -> bool:
    """Return whether a unit stood in the same place: under the same key or, where there is none,
    between the same sentences, of which one at least is there."""
    if key and unit.key:
        return key == unit.key
    around, own = (
        (normalized(b).lower(), normalized(a).lower())
        for b, a in ((unit.before, unit.after), (before, after))
    )
    return around == own and any(around)


def _hash(text: str, size: int = 8) -> int:
    """A number for a text: of 63 bits for a sentence, of fewer for a word."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=size).digest()) >> 1


@lru_cache(50_000)
def _word_number(word: str) -> int:
    """A number of 31 bits for a word."""
    return _hash(word, 4)


def _numbered(words: Sequence[str]) -> array[int]:
    """The numbers of words."""
    return array("I", map(_word_number, words))


def _now() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")

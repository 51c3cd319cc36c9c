"""`GlossaryStore`: the glossaries of accounts, as DeepL's API has them: one glossary holds a
dictionary for each of some pairs of languages. They are kept on disk.

    FOLDER/glossaries/ID.json
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from docmt.glossaries import Glossary
from docmt.ground.errors import InputError
from docmt.ground.languages import primary_language
from docmt.serving.glossary_entries import Entries, glossary_of, read_entries
from docmt.serving.job import new_id
from docmt.serving.service_errors import ServiceError, no_space
from docmt.storage.files import write_text
from docmt.storage.json_files import json_text, read_json

_MAX_GLOSSARIES = 1000
"""The most glossaries of an account."""

_MAX_STORED = 100 << 20
"""The most bytes of the entries of an account."""

_MAX_NAME = 1024


@dataclass(frozen=True, slots=True)
class Dictionary:
    """The entries of a glossary for a pair of languages.

    Attributes:
        source: the code of the source language, without region, in lower case.
        target: that of the target language.
        entries: terms and their translations.
    """

    source: str
    target: str
    entries: Entries

    @property
    def size(self) -> int:
        """Bytes of its entries."""
        return sum(len(text.encode()) for entry in self.entries for text in entry)


@dataclass(frozen=True, slots=True)
class StoredGlossary:
    """A glossary of an account.

    Attributes:
        id: its name, which nobody guesses.
        account: whose it is.
        name: what it is called.
        created: when, as ISO 8601 has it.
        dictionaries: its dictionaries, one for each pair of languages.
    """

    id: str
    account: str
    name: str
    created: str
    dictionaries: tuple[Dictionary, ...]

    def dictionary(self, source: str, target: str) -> Dictionary:
        """Return the dictionary for a pair of languages.

        Raises:
            ServiceError: it has none.
        """
        pair = primary_language(source), primary_language(target)
        for each in self.dictionaries:
            if (each.source, each.target) == pair:
                return each
        raise ServiceError(404, f"the glossary has no dictionary from {pair[0]} to {pair[1]}")

    def with_dictionary(self, dictionary: Dictionary) -> StoredGlossary:
        """Return the glossary with a dictionary in the place of that for the same languages."""
        others = self.without(dictionary.source, dictionary.target).dictionaries
        return replace(self, dictionaries=(*others, dictionary))

    def with_entries(self, new: Dictionary) -> StoredGlossary:
        """Return the glossary with further entries in the dictionary for the same languages, which
        replace those of the same terms."""
        pair = new.source, new.target
        old = next((d.entries for d in self.dictionaries if (d.source, d.target) == pair), ())
        merged = dict(old) | dict(new.entries)
        return self.with_dictionary(Dictionary(*pair, tuple(merged.items())))

    def renamed(self, name: str) -> StoredGlossary:
        """Return the glossary with another name.

        Raises:
            ServiceError: the name is not valid.
        """
        _check_name(name)
        return replace(self, name=name)

    def without(self, source: str, target: str) -> StoredGlossary:
        """Return the glossary without the dictionary for a pair of languages."""
        pair = primary_language(source), primary_language(target)
        kept = tuple(d for d in self.dictionaries if (d.source, d.target) != pair)
        return replace(self, dictionaries=kept)


_STORED = TypeAdapter(StoredGlossary)


@dataclass(eq=False)
class GlossaryStore:
    """The glossaries of a service. Threads may share it.

    Attributes:
        folder: where they are kept.
    """

    folder: Path
    _glossaries: dict[str, StoredGlossary] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _changing: threading.Lock = field(default_factory=threading.Lock)

    def open(self) -> None:
        """Read what is in the folder; what is damaged is left out."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for path in sorted(self.folder.glob("*.json")):
            with suppress(InputError, ValidationError):
                stored = _STORED.validate_python(read_json(path))
                if stored.id == path.stem:
                    self._glossaries[stored.id] = stored

    def of(self, account: str) -> list[StoredGlossary]:
        """Return the glossaries of an account, the newest first."""
        with self._lock:
            own = [each for each in self._glossaries.values() if each.account == account]
        return sorted(own, key=lambda each: each.created, reverse=True)

    def get(self, account: str, glossary_id: str) -> StoredGlossary:
        """Return a glossary of an account.

        Raises:
            ServiceError: it has none of this id.
        """
        with self._lock:
            glossary = self._glossaries.get(glossary_id)
        if glossary is None or glossary.account != account:
            raise ServiceError(404, "Glossary not found")
        return glossary

    def terms(self, account: str, glossary_id: str, source: str, target: str) -> Glossary:
        """Return the terms of a glossary of an account for a pair of languages.

        Raises:
            ServiceError: it has none.
        """
        return glossary_of(self.get(account, glossary_id).dictionary(source, target).entries)

    def add(self, account: str, name: str, dictionaries: tuple[Dictionary, ...]) -> StoredGlossary:
        """Add a glossary.

        Raises:
            ServiceError: it has no name or no dictionary, or the account has too many.
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
        """Store a glossary in place of that of the same id.

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
            self._glossaries[glossary.id] = glossary

    def change(
        self, account: str, glossary_id: str, function: Callable[[StoredGlossary], StoredGlossary]
    ) -> StoredGlossary:
        """Store what a function makes of a glossary; one change after the other.

        Raises:
            ServiceError: the account has none of this id, or as of `put`.
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
            (self.folder / f"{glossary.id}.json").unlink(missing_ok=True)


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > _MAX_NAME:
        raise ServiceError(400, f"name must have 1 to {_MAX_NAME} characters")


def dictionary_of(values: Mapping[str, object], kind: str | None = None) -> Dictionary:
    """Return a dictionary from the values of a request.

    Args:
        values: `source_lang`, `target_lang`, `entries` and `entries_format` (`tsv` or `csv`).
        kind: the format of entries, where the values do not say.

    Raises:
        ServiceError: something is missing or not valid.
    """
    texts = {}
    for name in ("source_lang", "target_lang", "entries"):
        value = values.get(name)
        value = value[0] if isinstance(value, list) and len(value) == 1 else value
        if not isinstance(value, str) or not value:
            raise ServiceError(400, f"{name} is missing")
        texts[name] = value
    form = values.get("entries_format", kind)
    form = form[0] if isinstance(form, list) and len(form) == 1 else form
    if form not in ("tsv", "csv"):
        raise ServiceError(400, "entries_format must be tsv or csv")
    try:
        source, target = (primary_language(texts[f"{s}_lang"]) for s in ("source", "target"))
        dictionary = Dictionary(source, target, read_entries(texts["entries"], str(form)))
        glossary_of(dictionary.entries)
    except InputError as error:
        raise ServiceError(400, str(error)) from None
    return dictionary

"""`Registry`: the models that can be had, as Mozilla lists those of Firefox.

{"baseUrl": "https://…", "models": {"en-pt": [{"architecture": "tiny", "releaseStatus": "Release",
 "files": {"model": {"path": "….bin.gz", "uncompressedSize": 17140836, "uncompressedHash": "…"},
           "vocab": {"path": "….spm.gz"},
           "contextAdapter": {"path": "….safetensors", "uncompressedHash": "…"}}, …}]}}
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from pydantic import BaseModel, Field, ValidationError
from pydantic.alias_generators import to_camel

from docmt.models.downloads import read_small
from docmt_files.base.errors import InputError
from docmt_files.base.wording import did_you_mean
from docmt_files.storage.json_files import first_problem, parse_json

MOZILLA = (
    "https://storage.googleapis.com/"
    "moz-fx-translations-data--303e-prod-translations-data/db/models.json"
)
"""The registry of the models of Firefox."""

LICENSE = "MPL-2.0"
"""Licence of Mozilla's models."""

MAX_REGISTRY_BYTES = 32 << 20

_PAIR = re.compile(r"[a-z]{2,3}(_[a-z]{4,8})?-[a-z]{2,3}(_[a-z]{4,8})?", re.IGNORECASE)

_BEST_FIRST = ("base", "base-memory", "tiny")
"""Architectures, by the quality of the translations."""


class _Model(BaseModel, alias_generator=to_camel, frozen=True, extra="ignore"):
    """Values of the file, by their names there."""


class RegistryFile(_Model):
    """A file of a model."""

    path: str
    """Path below the base URL."""

    uncompressed_size: int | None = Field(None, gt=0)
    uncompressed_hash: str | None = Field(None, pattern="^[0-9a-f]{64}$")

    @property
    def name(self) -> str:
        """Name of the file, without the suffix of the compression."""
        return self.path.rpartition("/")[2].removesuffix(".gz")


class RegistryFiles(_Model):
    """The files of a model; both sides share `vocab`, or each has its own."""

    model: RegistryFile
    vocab: RegistryFile | None = None
    src_vocab: RegistryFile | None = None
    trg_vocab: RegistryFile | None = None
    context_adapter: RegistryFile | None = None
    """A context adapter of the model, which no registry of Mozilla names."""

    @property
    def needed(self) -> list[RegistryFile]:
        """The files that docmt reads."""
        files = self.model, self.vocab, self.src_vocab, self.trg_vocab, self.context_adapter
        return [file for file in files if file is not None]


class RegistryEntry(_Model):
    """A model of a registry, as the file has it."""

    architecture: str = ""
    release_status: str | None = None
    files: RegistryFiles

    @property
    def is_released(self) -> bool:
        """True for a model that Firefox offers to everybody."""
        return (self.release_status or "").startswith("Release")


@dataclass(frozen=True, slots=True)
class RegistryModel:
    """A model that can be had.

    Attributes:
        pair: the languages, such as `en-pt`.
        entry: the model.
    """

    pair: str
    entry: RegistryEntry

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target language."""
        source, _, target = self.pair.partition("-")
        return source, target

    @property
    def size(self) -> int:
        """Bytes on disk, as far as the registry says; 0 if it does not."""
        return sum(file.uncompressed_size or 0 for file in self.entry.files.needed)


@dataclass(frozen=True, slots=True)
class Registry:
    """The models that can be had.

    Attributes:
        place: the URL or the path of the registry.
        base: the URL or the folder to which the paths of files belong.
        models: for each pair of languages the models, best first.
    """

    place: str
    base: str
    models: Mapping[str, tuple[RegistryEntry, ...]]

    @classmethod
    def read(cls, place: str = MOZILLA) -> Registry:
        """Read a registry.

        Args:
            place: a URL, or the path of a file.

        Raises:
            InputError: it cannot be reached or read, or is not a registry.
        """
        return cls.parse(read_small(place, MAX_REGISTRY_BYTES), place)

    @classmethod
    def parse(cls, content: bytes, place: str) -> Registry:
        """Read the content of a registry that came from a place.

        Raises:
            InputError: it is not a registry.
        """
        try:
            value = parse_json(content)
        except ValueError as error:
            raise _not_a_registry(place, f"it is not JSON ({error})") from None
        listed = value.get("models") if isinstance(value, dict) else None
        if not isinstance(listed, dict):
            raise _not_a_registry(place, "it has no `models`")
        models = {
            pair.lower(): _entries(entries, f"{place}: {pair}")
            for pair, entries in listed.items()
            if _PAIR.fullmatch(pair)
        }
        base = value.get("baseUrl")
        if not isinstance(base, str):
            base = urljoin(place, ".") if is_url(place) else str(Path(place).parent)
        return cls(place, base.rstrip("/"), {pair: each for pair, each in models.items() if each})

    def model(self, pair: str, architecture: str | None = None) -> RegistryModel:
        """The model of a pair, such as `en-pt`: the best one that Firefox offers, if any.

        Args:
            pair: the languages.
            architecture: name of an architecture, of several.

        Raises:
            InputError: there is no model of the pair, or none of this architecture.
        """
        key = pair.strip().lower().replace("→", "-")
        if key not in self.models:
            meant = did_you_mean(key, self.models)
            raise InputError(
                f"there is no model {pair!r}{f': {meant}' if meant else ''}",
                path=self.place,
                cure="`docmt models` lists all pairs; those without English are translated by two "
                "models, into English and from it",
            )
        entries = self.models[key]
        if architecture is not None:
            entries = tuple(entry for entry in entries if entry.architecture == architecture)
            if not entries:
                known = ", ".join(entry.architecture for entry in self.models[key])
                raise InputError(
                    f"there is no model {pair} of the architecture {architecture!r}",
                    path=self.place,
                    cure=f"Known: {known}",
                    parameters=("architecture",),
                )
        return RegistryModel(key, entries[0])

    def url(self, file: RegistryFile) -> str:
        """The URL or the path of a file.

        Raises:
            InputError: the path leads out of the registry's folder.
        """
        if is_url(self.base):
            parts = urlsplit(file.path)
            if not (parts.scheme or parts.netloc or ".." in parts.path.split("/")):
                return f"{self.base}/{file.path.lstrip('/')}"
        elif not Path(file.path).is_absolute() and ".." not in Path(file.path).parts:
            return str(Path(self.base) / file.path)
        raise _not_a_registry(self.place, f"the path {file.path!r} leads elsewhere")


def is_url(place: str) -> bool:
    """Return whether a place is a URL, not a path."""
    return place.startswith(("http://", "https://"))


def _entries(entries: Any, where: str) -> tuple[RegistryEntry, ...]:
    """The models of a pair, best first; entries of another form are left out."""
    found = []
    for entry in entries if isinstance(entries, list) else []:
        try:
            found.append(RegistryEntry.model_validate(entry))
        except ValidationError as error:
            raise _not_a_registry(where, first_problem(error)) from None

    def rank(entry: RegistryEntry) -> tuple[bool, int]:
        known = entry.architecture in _BEST_FIRST
        place = _BEST_FIRST.index(entry.architecture) if known else len(_BEST_FIRST)
        return not entry.is_released, place

    return tuple(sorted(found, key=rank))


def _not_a_registry(place: str, problem: str) -> InputError:
    return InputError(
        f"is not a registry of models: {problem}",
        path=place,
        cure="Name the JSON file of a registry, or leave `registry` out for Mozilla's",
        parameters=("registry",),
    )

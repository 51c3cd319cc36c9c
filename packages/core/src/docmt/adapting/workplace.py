"""`Workplace`: the folder of an adaptation that is under way, so that the same command goes on
where it was stopped.

FOLDER/.acme.adapting/state.json      what is adapted to what, and the seconds of training so far
FOLDER/.acme.adapting/parts/…         the pairs to learn, to end the training and held out
FOLDER/.acme.adapting/*.jsonl         translations by the start and by the adapted model
FOLDER/.acme.adapting/training/       the training
FOLDER/.acme.candidate/               the adapted model, before the verdict
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from docmt.adapting.division import Division
from docmt_files.base.documents import Document
from docmt_files.base.errors import InputError
from docmt_files.storage.files import write_text
from docmt_files.storage.json_files import read_json
from docmt_files.storage.locks import locked
from docmt_nmt import corpora
from docmt_nmt.runs.compiled_files import file_hash

_STATE = "state.json"


@dataclass(frozen=True, slots=True)
class Workplace:
    """The folders of an adaptation.

    Attributes:
        models: the folder of the models.
        name: the name of the model that is made.
    """

    models: Path
    name: str

    @property
    def folder(self) -> Path:
        """The folder of what is under way."""
        return self.models / f".{self.name}.adapting"

    @property
    def candidate(self) -> Path:
        """The folder of the adapted model, beside the model that it is a difference from."""
        return self.models / f".{self.name}.candidate"

    @contextmanager
    def reserved(self, fingerprint: str) -> Iterator[bool]:
        """Reserve the folder. Work of another adaptation in it is removed.

        Args:
            fingerprint: of the start, the material and the settings.

        Yields:
            Whether the adaptation goes on.

        Raises:
            InputError: another process adapts this model.
        """
        self.models.mkdir(parents=True, exist_ok=True)
        try:
            with locked(self.folder, wait=False):
                goes_on = self.state().get("fingerprint") == fingerprint
                if not goes_on:
                    self._empty()
                    self.put(fingerprint=fingerprint)
                yield goes_on
        except BlockingIOError:
            raise InputError(
                "another process adapts this model", path=self.folder, cure="Wait until it ends"
            ) from None

    def clear(self) -> None:
        """Remove what is under way."""
        for folder in (self.folder, self.candidate):
            shutil.rmtree(folder, ignore_errors=True)

    def _empty(self) -> None:
        """Remove what is under way, but for the folder itself, which is locked."""
        shutil.rmtree(self.candidate, ignore_errors=True)
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    def state(self) -> dict[str, Any]:
        """What is known of the adaptation; empty if nothing is."""
        try:
            return dict(read_json(self.folder / _STATE))
        except InputError:
            return {}

    def put(self, **values: Any) -> None:
        """Remember values."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(self.folder / _STATE, json.dumps(self.state() | values) + "\n")

    @property
    def is_divided(self) -> bool:
        """True if the material was read, and there is something to go on with."""
        return "shared" in self.state()

    def division(self, make: Callable[[], Division]) -> Division:
        """The parts of the material: as they are kept, or made and kept now."""
        parts = self.folder / "parts"
        if not self.is_divided:
            made = make()
            write_parts(made, parts)
            self.put(shared=made.shared)
        return read_parts(parts, self.state()["shared"])

    def translations(self, name: str, make: Callable[[], Sequence[Document]]) -> list[Document]:
        """Translations: as they are kept, or made and kept now."""
        path = self.folder / f"{name}.jsonl"
        if not path.exists():
            corpora.write(make(), path)
        return list(corpora.read(path, allow_empty=True))


def write_parts(division: Division, folder: Path) -> None:
    """Write the parts of a material.

    Raises:
        InputError: they cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("train", "valid", "held_out"):
        corpora.write(getattr(division, name), folder / f"{name}.jsonl")


def read_parts(folder: Path, shared: int = 0) -> Division:
    """The parts that `write_parts` wrote.

    Raises:
        InputError: they are missing or damaged.
    """
    names = ("train", "valid", "held_out")
    train, valid, held_out = (list(corpora.read(folder / f"{name}.jsonl")) for name in names)
    return Division(train, valid, held_out, shared)


def fingerprint_of(start: Path, files: Sequence[Path], settings: str) -> str:
    """The hash of what an adaptation depends on.

    Args:
        start: the run to start from.
        files: the files of the material, and folders.
        settings: the settings of the training.
    """
    digest = sha256(settings.encode())
    digest.update(file_hash(start / "weights.safetensors").encode())
    for path in files:
        inside = (
            sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
        )
        for each in inside:
            digest.update(f"{each} {file_hash(each)}\n".encode())
    return digest.hexdigest()

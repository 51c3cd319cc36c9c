"""`InstalledModels`: the folder of models that are on this machine.

FOLDER/en-pt/               a run directory, the model of the pair
FOLDER/acme/                a run directory that `docmt adapt` made, by a name of its own
FOLDER/en-pt/context_adapter.safetensors    the context adapter, if the registry names one
FOLDER/en-pt/model.json     where the model comes from, with the hashes of its files; of an adapted
                            model, what it was made of and how it was found better
FOLDER/hashes.json          hashes of files whose registry has none, as they first came
FOLDER/registry.json        the registry as it was last read
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docmt.models.downloads import Download, Progress, read_small
from docmt.models.registry import LICENSE, MAX_REGISTRY_BYTES, MOZILLA, Registry, RegistryModel
from docmt_files.base.errors import InputError
from docmt_files.base.wording import as_sentence, did_you_mean
from docmt_files.storage.files import COPY_AGAIN, whole_directory, write_text, write_whole
from docmt_files.storage.json_files import read_json
from docmt_files.storage.locks import locked
from docmt_files.storage.stored_files import read_stored

if TYPE_CHECKING:
    from docmt_nmt.runs.trained_run import TrainedRun

FOLDER_VARIABLE = "DOCMT_MODELS"
"""Environment variable with the folder of the models."""

ORIGIN = "model.json"
"""The file that says what the model in a folder is."""


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model on this machine.

    Attributes:
        directory: its run directory, named after the languages or by a person.
        architecture: name of the architecture, such as `tiny`.
        place: the registry or the run that it comes from.
        license: name of the licence.
        languages: source and target language.
        start: of an adapted model, the name of the model that it was made from; else "".
        material: of an adapted model, what it was trained on, in words.
        verdict: of an adapted model, how much better it was found, in words.
    """

    directory: Path
    architecture: str
    place: str
    license: str
    languages: tuple[str, str]
    start: str = ""
    material: str = ""
    verdict: str = ""

    @classmethod
    def of(cls, directory: Path) -> InstalledModel:
        """The model in a folder.

        Raises:
            InputError: the file that describes it is damaged.
        """
        cure = f"Run `docmt models remove {directory.name}`"
        origin = read_json(directory / ORIGIN, cure=cure)
        values = {key: str(origin.get(key, "")) for key in ("architecture", "license")}
        adapted = {key: str(origin.get(key, "")) for key in ("start", "material", "verdict")}
        source, _, target = str(origin.get("pair", directory.name)).partition("-")
        place = str(origin.get("registry", ""))
        return cls(directory, place=place, languages=(source, target), **values, **adapted)

    @property
    def name(self) -> str:
        """The name: of the model of a pair, the pair."""
        return self.directory.name

    @property
    def pair(self) -> str:
        """The languages, such as `en-pt`."""
        return "-".join(self.languages)

    @property
    def is_of_pair(self) -> bool:
        """True for the model that translates its pair where no model is named."""
        return self.name == self.pair

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(path.stat().st_size for path in self.directory.rglob("*") if path.is_file())


@dataclass(frozen=True, slots=True)
class InstalledModels:
    """The models in a folder.

    Attributes:
        folder: the folder.
    """

    folder: Path

    @classmethod
    def default(cls) -> InstalledModels:
        """The folder of the environment variable `DOCMT_MODELS`, or the user's cache folder."""
        if given := os.environ.get(FOLDER_VARIABLE):
            return cls(Path(given))
        from platformdirs import user_cache_path

        return cls(user_cache_path("docmt") / "models")

    def all(self) -> list[InstalledModel]:
        """The installed models, by name.

        Raises:
            InputError: one of them is damaged.
        """
        folders = (path.parent for path in sorted(self.folder.glob(f"*/{ORIGIN}")))
        return [InstalledModel.of(each) for each in folders if not each.name.startswith(".")]

    def get(self, name: str) -> InstalledModel | None:
        """The installed model of a name, such as `en-pt`; None if there is none."""
        return next((model for model in self.all() if model.name == name), None)

    def named(self, name: str) -> InstalledModel:
        """The installed model of a name.

        Raises:
            InputError: there is none.
        """
        model = self.get(name)
        if model is None:
            known = [each.name for each in self.all()]
            meant = as_sentence(did_you_mean(name, known))
            raise InputError(
                f"no model {name!r} is installed",
                cure=meant or "`docmt models` lists the installed ones",
            )
        return model

    def registry(self, place: str = MOZILLA) -> Registry:
        """Read a registry, and keep a copy for `known_registry`.

        Raises:
            InputError: it cannot be reached or read.
        """
        content = read_small(place, MAX_REGISTRY_BYTES)
        registry = Registry.parse(content, place)
        write_text(self.folder / "registry.json", json.dumps({"place": place}) + "\n")
        with write_whole(self.folder / "registry.copy") as out:
            out.write(content)
        return registry

    def known_registry(self) -> Registry | None:
        """The registry as it was last read, without the network; None if it never was."""
        try:
            place = str(read_json(self.folder / "registry.json")["place"])
            return Registry.parse(read_stored(self.folder / "registry.copy"), place)
        except (InputError, KeyError):
            return None

    def _make_independent_of(self, name: str) -> None:
        """Store whole the weights of the adapted models that differ from a model."""
        if adapted := [each.directory for each in self.all() if each.start == name]:
            from docmt.models.whole_weights import store_whole_what_differs_from  # safetensors

            store_whole_what_differs_from(name, adapted)

    def install(
        self, model: RegistryModel, registry: Registry, progress: Progress | None = None
    ) -> TrainedRun:
        """Fetch a model and make its run directory, all of it or nothing. A model of the same pair
        is replaced. Two processes that install the same pair do it one after the other.

        Args:
            model: the model.
            registry: the registry that has it.
            progress: called with the number of bytes that have come.

        Raises:
            InputError: a file cannot be had, is another one than the registry says or than it was
                at first, or is not a model that docmt supports; or there is no room.
        """
        from docmt.interop import import_marian
        from docmt_nmt.runs.trained_run import open_translation_run

        files = self.folder / f".{model.pair}.files"
        directory = self.folder / model.pair
        with locked(files):
            hashes = self._fetch(model, registry, files, progress)
            if (installed := self.get(model.pair)) and _hashes_of(installed) == hashes:
                shutil.rmtree(files, ignore_errors=True)
                return open_translation_run(directory)
            self._make_independent_of(model.pair)
            with whole_directory(directory) as part:
                import_marian(files, part / "run", languages=model.languages)
                for path in (part / "run").iterdir():
                    path.rename(part / path.name)
                (part / "run").rmdir()
                if (adapter := model.entry.files.context_adapter) is not None:
                    _add_adapter(files / adapter.name, part)
                origin = {
                    "architecture": model.entry.architecture,
                    "registry": registry.place,
                    "license": LICENSE if registry.place == MOZILLA else "see the registry",
                    "files": hashes,
                }
                write_text(part / ORIGIN, json.dumps(origin, indent=2) + "\n")
            shutil.rmtree(files, ignore_errors=True)
        return open_translation_run(directory)

    def _fetch(
        self, model: RegistryModel, registry: Registry, files: Path, progress: Progress | None
    ) -> dict[str, str]:
        """Fetch the files of a model. Returns the hash of each, by its path in the registry."""
        known = self._first_hashes()
        hashes: dict[str, str] = {}
        for file in model.entry.files.needed:
            url = registry.url(file)
            expected = file.uncompressed_hash or known.get(url)
            download = Download(url, file.uncompressed_size, expected)
            try:
                hashes[file.path] = download.to(files / file.name, progress)
            except InputError as error:
                if file.uncompressed_hash is None and error.kind == "other-hash":
                    raise InputError(
                        f"is not the file that it was when it first came ({error.problem})",
                        path=url,
                        cure="If the registry has a new one, remove its hash from "
                        f"{self._hash_file}, and try again",
                    ) from None
                raise
            if file.uncompressed_hash is None and url not in known:
                known = self._first_hashes() | {url: hashes[file.path]}
                write_text(self._hash_file, json.dumps(known, indent=2, sort_keys=True) + "\n")
        return hashes

    @property
    def _hash_file(self) -> Path:
        return self.folder / "hashes.json"

    def _first_hashes(self) -> dict[str, str]:
        """The hashes of files as they first came, by URL."""
        if not self._hash_file.exists():
            return {}
        values = read_json(self._hash_file, cure=COPY_AGAIN)
        return {str(url): str(value) for url, value in values.items()}

    def remove(self, name: str) -> None:
        """Remove a model.

        Raises:
            InputError: it is not installed, cannot be removed, or is the base of an adapted model.
        """
        model = self.named(name)
        self.check_not_a_base(name)
        with locked(self.folder / f".{name}.files"):
            gone = model.directory.rename(self.folder / f".{name}.removed")
            shutil.rmtree(gone)
            shutil.rmtree(self.folder / f".{name}.files", ignore_errors=True)

    def check_not_a_base(self, name: str) -> None:
        """Check that no adapted model is stored as a difference from a model.

        Raises:
            InputError: one is.
        """
        from docmt_nmt.runs.weight_differences import base_of

        adapted = (each for each in self.all() if each.start)
        others = [e.name for e in adapted if base_of(e.directory / "weights.safetensors") == name]
        if others:
            raise InputError(
                f"{', '.join(others)} cannot do without {name}: stored as a difference from it",
                cure=f"Remove first: `docmt models remove {' '.join(others)}`",
            )


def _add_adapter(file: Path, run: Path) -> None:
    """Put a context adapter beside the weights of its base.

    Raises:
        InputError: it belongs to another model.
    """
    from docmt_nmt.base.extras import has_torch
    from docmt_nmt.runs.adapter_names import ADAPTER

    if has_torch():  # Without, it is of no use yet, and is checked when it is.
        from docmt_nmt.runs.context_adapters import ContextAdapter
        from docmt_nmt.runs.system_run import SystemRun

        ContextAdapter.read(file).check_base(SystemRun.load(run), file)
    shutil.copyfile(file, run / ADAPTER)


def _hashes_of(model: InstalledModel) -> Any:
    return read_json(model.directory / ORIGIN).get("files")

"""The compiled forms of a run, and whether they still fit the run. Nothing here needs torch.

RUN/compiled/recipe.json            the recipe in JSON, which is read in a tenth of the time
RUN/compiled/int8/manifest.json     what was compiled, by what, and the hash of each file
RUN/compiled/int8/encoder.onnx      from embeddings to keys and values of the source
RUN/compiled/int8/step.onnx         one step of search
RUN/compiled/int8/source.npy, …     embedding tables, mapped into memory
RUN/compiled/int8/shortlist.bin     a lexical shortlist, if one was given
RUN/compiled/int8/listed_step.onnx  with it: one step without the output layer
RUN/compiled/int8/output_bias.npy   with it: the bias of scores
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from hashlib import file_digest, sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from docmt_files.base.errors import InputError
from docmt_files.storage.files import PathLike, write_text
from docmt_files.storage.json_files import json_text, read_json
from docmt_files.storage.stored_files import open_stored
from docmt_nmt.base.extras import has_torch
from docmt_nmt.base.settings import Settings
from docmt_nmt.runs.bundled import is_bundled

FOLDER = "compiled"
"""The folder of compiled forms in a run."""

MANIFEST = "manifest.json"
"""The file that says what was compiled."""

_RECIPE, _RECIPE_HASH = "recipe.json", "sha256 of recipe.yaml"

SHORTLIST = "shortlist.bin"
"""The file with a lexical shortlist."""

FORMAT = 1
"""The format of compiled forms; others are refused."""

CompiledPrecision = Literal["fp32", "int8"]
"""Number formats of compiled forms."""

PRECISIONS: tuple[CompiledPrecision, ...] = ("int8", "fp32")


class Manifest(Settings):
    """What a compiled form was made of, and what search must know of the system."""

    format: int
    """The format of the files, `FORMAT`."""

    precision: CompiledPrecision
    """Number format of the products."""

    system: str
    """Name of the system."""

    weights: str
    """SHA-256 of the weights that were compiled."""

    text: str
    """SHA-256 of the text pipeline."""

    files: dict[str, str]
    """SHA-256 of each file."""

    stamps: dict[str, tuple[int, int]] = Field(default_factory=dict)
    """Sizes and times of these files, of the weights and of the text pipeline, in nanoseconds.
    While they last, nothing is hashed again."""

    versions: dict[str, str]
    """Versions of the programs that made the files."""

    opset: int
    """Version of the operators."""

    weight_code_limit: int | None = None
    """Largest magnitude of a code of a weight, in eight bits."""

    count_from: Literal["instance", "sentence"]
    """Beginning of the count of positions."""

    max_positions: int | None = None
    """Number of learned target positions, if they are learned."""

    alignment: tuple[str, ...] = ()
    """The attentions whose weights a step can put out."""

    checked_sentences: int
    """Number of sentences that were translated in the same way by PyTorch, in fp32; 0 where the
    graphs came with docmt."""

    sentences_as_in_fp32: int | None = None
    """Number of these sentences with the same translation in this precision; None in fp32, and
    where the graphs came with docmt."""


def compiled_folder(run: Path, precision: CompiledPrecision) -> Path:
    """The folder of a compiled form."""
    return _root(run) / precision


def _root(run: Path) -> Path:
    """The folder of all compiled forms of a run. Those of a bundled model, which is never changed,
    are in the user's cache folder, and only where there is no PyTorch."""
    if not is_bundled(run) or has_torch():
        return run / FOLDER
    from platformdirs import user_cache_path

    return user_cache_path("docmt") / FOLDER / f"{run.name}-{version('docmt-nmt')}"


def compiled_precisions(run: Path) -> list[CompiledPrecision]:
    """The number formats in which a run is compiled, the fastest first."""
    return [p for p in PRECISIONS if (compiled_folder(run, p) / MANIFEST).is_file()]


def read_manifest(run: Path, precision: CompiledPrecision) -> Manifest:
    """The manifest of a compiled form that fits its run.

    Raises:
        InputError: the files were made by another version of docmt, are damaged, or do not fit the
            weights or the text pipeline of the run; the message names the file.
    """
    folder = compiled_folder(run, precision)
    cure = compile_again(run, precision)
    path = folder / MANIFEST
    values = read_json(path, cure=cure)
    if values.get("format") != FORMAT:
        raise InputError("was made by another version of docmt", path=path, cure=cure)
    manifest = Manifest.read(values, path=path)
    if manifest.stamps == {**stamps_of_run(run), **stamps_of(folder)}:
        return manifest
    weights = run / "weights.safetensors"
    if os.path.lexists(weights) and file_hash(weights) != manifest.weights:
        raise InputError(
            f"were compiled from other weights than {weights.name} holds now",
            path=folder,
            cure=cure,
        )
    if text_hash(run) != manifest.text:
        raise InputError("were compiled for another text pipeline", path=folder, cure=cure)
    for name, known in manifest.files.items():
        if Path(name).name != name or file_hash(folder / name) != known:
            raise InputError("is damaged, or of another compilation", path=folder / name, cure=cure)
    return manifest


def keep_recipe(run: Path) -> None:
    """Keep the recipe of a run in JSON beside the compiled forms.

    Raises:
        InputError: it cannot be read or written.
    """
    from docmt_nmt.recipes.yaml_source import read

    path = run / "recipe.yaml"
    kept = {_RECIPE_HASH: file_hash(path), "recipe": read(path)[0]}
    write_text(_root(run) / _RECIPE, json_text(kept) + "\n")


def read_recipe_values(run: Path) -> dict[str, Any]:
    """The values of the recipe of a run: as `keep_recipe` kept them, if it was of the same recipe.

    Raises:
        InputError: the recipe cannot be read.
    """
    path = run / "recipe.yaml"
    with suppress(InputError):
        kept = read_json(_root(run) / _RECIPE)
        if kept.get(_RECIPE_HASH) == file_hash(path) and isinstance(kept.get("recipe"), dict):
            return dict(kept["recipe"])
    from docmt_nmt.recipes.yaml_source import read

    return read(path)[0]


def compile_again(run: PathLike, precision: str) -> str:
    """The cure for a compiled form that does not fit."""
    if is_bundled(run):
        return f"Remove the folder {_root(Path(run))}, and it is made again"
    return f"Compile the run again, in {precision}: `docmt compile --run {run}`"


def file_hash(path: Path) -> str:
    """SHA-256 of a file.

    Raises:
        InputError: the file is missing or cannot be read.
    """
    with open_stored(path) as stream:
        return file_digest(stream, "sha256").hexdigest()


def text_hash(run: Path) -> str:
    """SHA-256 of the text pipeline of a run: of the names and contents of all files."""
    digest = sha256()
    for path in sorted((run / "text").rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(run)} {file_hash(path)}\n".encode())
    return digest.hexdigest()


def stamps_of_run(run: Path) -> dict[str, tuple[int, int]]:
    """Sizes and times of the files of a run that a compiled form depends on."""
    return stamps_of(run, "weights.safetensors") | stamps_of(run, "text/**/*")


def stamps_of(folder: Path, pattern: str = "*") -> dict[str, tuple[int, int]]:
    """Sizes and times of files in a folder, by their paths there."""
    found = {
        str(path.relative_to(folder)): path.stat()
        for path in folder.glob(pattern)
        if path.is_file() and path.name != MANIFEST
    }
    return {name: (status.st_size, status.st_mtime_ns) for name, status in found.items()}


def hashes_of(folder: Path) -> Mapping[str, str]:
    """SHA-256 of each file in a folder, by name."""
    return {path.name: file_hash(path) for path in sorted(folder.iterdir())}

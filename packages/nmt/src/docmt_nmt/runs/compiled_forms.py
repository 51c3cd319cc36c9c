"""What all compiled forms have beside graphs, however they were made: embedding tables and the
manifest."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docmt_files.storage.files import write_text
from docmt_nmt.runs.compiled_files import (
    FORMAT,
    MANIFEST,
    Manifest,
    file_hash,
    hashes_of,
    stamps_of,
    stamps_of_run,
    text_hash,
)
from docmt_nmt.runs.trained_run import TrainedRun
from docmt_nmt.runs.weight_codes import row_codes

_PROGRAMS = ("docmt-nmt", "torch", "onnx", "onnxscript", "onnxruntime")


def write_table(folder: Path, name: str, table: NDArray[np.float32], *, eight_bits: bool) -> None:
    """Write a table of embeddings or of the output layer, (V, d)."""
    if not eight_bits:
        np.save(folder / f"{name}.npy", table)
        return
    codes, scales = row_codes(table)
    np.save(folder / f"{name}.npy", codes)
    np.save(folder / f"{name}.scales.npy", scales)


def manifest_of(run: TrainedRun, **values: Any) -> Manifest:
    """The manifest of a compiled form, without the hashes of files.

    Args:
        values: fields of the manifest that do not follow from the run.
    """
    system = run.recipe.system
    stamps = stamps_of_run(run.directory)  # Before the hashes: what changes later is hashed again.
    return Manifest(
        stamps=stamps,
        format=FORMAT,
        system=system["name"] if isinstance(system, dict) else system.name,
        weights=file_hash(run.weights),
        text=text_hash(run.directory),
        files={},
        versions=dict(_versions()),
        **values,
    )


def _versions() -> list[tuple[str, str]]:
    """The versions of the programs that make a compiled form, as far as they are installed."""
    found = []
    for name in _PROGRAMS:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return found


def sealed(folder: Path, manifest: Manifest) -> Manifest:
    """The manifest with the hashes of the files in a folder, written there."""
    (folder / MANIFEST).unlink(missing_ok=True)
    stamps = {**manifest.stamps, **stamps_of(folder)}
    files = dict(hashes_of(folder))
    sealed = manifest.model_copy(update={"files": files, "stamps": stamps})
    write_text(folder / MANIFEST, sealed.to_json())
    return sealed

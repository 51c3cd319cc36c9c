"""Weights in files as arrays of NumPy, without torch. `docmt_nmt.runs.weights` has them as tensors,
and describes the files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from docmt_files.base.errors import InputError
from docmt_files.storage.files import COPY_AGAIN, PathLike
from docmt_files.storage.json_files import parse_json
from docmt_files.storage.stored_files import open_stored
from docmt_nmt.runs.weight_differences import DifferenceBase

_TIED = "tied"
"""The metadata key of a weights file for the names of tied tensors."""

_SCALES = "scales"
"""The metadata key of a weights file for the scales of codes, by the name of the tensor."""


def file_metadata(tied: Mapping[str, str], scales: Mapping[str, float]) -> dict[str, str]:
    """The metadata of a weights file.

    Args:
        tied: for each further name of a tensor the name under which it is stored.
        scales: the scale of each stored tensor that holds codes.
    """
    metadata = {_TIED: json.dumps(tied, sort_keys=True)}
    if scales:
        metadata[_SCALES] = json.dumps(scales, sort_keys=True)
    return metadata


def tied_and_scales(metadata: Mapping[str, str]) -> tuple[dict[str, str], dict[str, float]]:
    """The arguments of `file_metadata`.

    Raises:
        ValueError, AttributeError, TypeError: the metadata are damaged.
    """
    tied = {str(name): str(kept) for name, kept in parse_json(metadata.get(_TIED, "{}")).items()}
    scales = parse_json(metadata.get(_SCALES, "{}")).items()
    return tied, {str(name): float(scale) for name, scale in scales}


@contextmanager
def keeping_mode(path: Path) -> Iterator[None]:
    """Write a weights file with the usual permissions: the library makes files that only their
    owner may read.

    Raises:
        OSError: it cannot be written.
    """
    path.touch()
    mode = path.stat().st_mode
    try:
        yield
        path.chmod(mode)
    except SafetensorError as error:
        raise OSError(0, str(error), str(path)) from error


def write_weight_arrays(
    path: Path, arrays: Mapping[str, NDArray[np.generic]], scales: Mapping[str, float]
) -> None:
    """Write weights by name; an array with several names is written once.

    Args:
        path: the file.
        arrays: the weights.
        scales: the scale of each array that holds codes.

    Raises:
        OSError: the file cannot be written.
    """
    first: dict[int, str] = {}
    names = {name: first.setdefault(id(array), name) for name, array in arrays.items()}
    stored = {name: arrays[name] for name in first.values()}
    tied = {name: kept for name, kept in names.items() if name != kept}
    kept_scales = {name: scales[name] for name in stored if name in scales}
    with keeping_mode(path):
        save_file(stored, path, metadata=file_metadata(tied, kept_scales))


def read_weight_arrays(path: Path) -> dict[str, NDArray[np.float32]]:
    """Read weights in fp32; names of a shared weight share an array.

    Raises:
        InputError: the file is missing or damaged, has numbers that NumPy lacks, or holds NaN or
            infinity.
    """
    open_stored(path, cure=COPY_AGAIN).close()
    try:
        with safe_open(path, framework="numpy") as file:
            stored = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            tied, scales = tied_and_scales(file.metadata() or {})
            base = DifferenceBase.read(file.metadata() or {})
        arrays = {name: array.astype(np.float32) for name, array in stored.items()}
        for name, scale in scales.items():
            arrays[name] /= np.float32(scale)
        if base is not None:
            known = read_weight_arrays(base.weights(path))
            arrays = {name: known[name] + array for name, array in arrays.items()}
        arrays |= {name: arrays[kept] for name, kept in tied.items()}
    except InputError:
        raise
    except (SafetensorError, OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise InputError(
            f"is damaged, or not a weights file that can be read without PyTorch ({error})",
            path=path,
            cure=COPY_AGAIN,
        ) from None
    check_arrays_finite(arrays, path)
    return arrays


def check_arrays_finite(arrays: Mapping[str, NDArray[np.generic]], path: PathLike) -> None:
    """Check all weights for NaN and infinity.

    Raises:
        InputError: naming the first array with NaN or infinity.
    """
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise InputError(f"{name} holds NaN or infinity", path=path, cure=COPY_AGAIN)

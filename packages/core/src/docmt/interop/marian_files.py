"""Weights of Marian: `.bin`, as Firefox's models have, and `.npz`, as OPUS-MT's originals have.

A `.bin` file has a version, the number of tensors, for each tensor the lengths of the name, of the
shape and of the data and a type, then all names, all shapes, and at a multiple of 256 bytes the
data. Of type `intgemm8`, the data are codes of a byte, in rows of the outputs, and one scale: a
weight is its code divided by the scale.
"""

from __future__ import annotations

import io
import mmap
import struct
import zipfile
import zlib
from dataclasses import dataclass
from math import isfinite, prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from docmt_files.base.errors import InputError
from docmt_files.storage.files import COPY_AGAIN
from docmt_files.storage.stored_files import open_stored

SETTINGS = "special:model.yml"
"""Name of the tensor with the settings of the model."""

MAX_WEIGHT_BYTES = 1 << 32
"""Maximum size of a file of weights, 4 GiB; OPUS-MT's largest have 900 MB."""

_FLOAT32, _INTGEMM8, _INT8 = 0x0404, 0x4101, 0x0101
_TYPES = {
    0x0102: "int16",
    0x0104: "int32",
    0x0402: "float16",
    0x0408: "float64",
    0x4102: "intgemm16",
}
"""Names of types that docmt does not read."""

_INTGEMM_OF_A_PROCESSOR = 0x4000
_SHORTLIST = 0xF11A48D5013417F5
"""Number with which a lexical shortlist begins."""

_MAX_TENSORS, _MAX_NAME, _MAX_AXES = 100_000, 1000, 8


@dataclass(frozen=True, slots=True)
class MarianTensor:
    """A tensor of a model.

    Attributes:
        values: the numbers, in rows of the outputs where `outputs_first`; codes of a byte where
            there is a scale.
        scale: the number by which a code is divided; None for plain numbers.
        outputs_first: whether a matrix is stored as (outputs, inputs), as PyTorch has it.
    """

    values: NDArray[np.float32] | NDArray[np.int8]
    scale: float | None = None
    outputs_first: bool = False

    def matrix(self) -> NDArray[Any]:
        """The weight of a linear layer, (outputs, inputs)."""
        return self.table() if self.outputs_first else self.values.T.copy()

    def table(self) -> NDArray[Any]:
        """The numbers as they are stored."""
        return self.values.copy()


def read_model_file(path: Path) -> tuple[bytes, dict[str, MarianTensor]]:
    """The settings, in YAML, and the tensors of a model by Marian's names.

    Raises:
        InputError: the file is missing, damaged or cut off, or has a tensor of an unsupported type.
    """
    with open_stored(path, max_bytes=MAX_WEIGHT_BYTES) as file:
        begin = file.read(8)
    if begin[:2] == b"PK":
        return _read_npz(path)
    if len(begin) < 8:
        raise _damaged(path, "it is empty")
    with path.open("rb") as file:
        return _read_bin(path, memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))


def _damaged(path: Path, problem: str) -> InputError:
    return InputError(f"is not a whole model of Marian: {problem}", path=path, cure=COPY_AGAIN)


class _Header(NamedTuple):
    """The sizes of a tensor, and the type."""

    name_length: int
    type: int
    axes: int
    data_length: int


def _read_bin(path: Path, content: memoryview) -> tuple[bytes, dict[str, MarianTensor]]:
    """The settings and the tensors of a `.bin` file."""
    position = 0

    def take(size: int) -> memoryview:
        nonlocal position
        if size > len(content) - position:
            raise _damaged(path, f"{len(content):,} bytes end within a tensor")
        position += size
        return content[position - size : position]

    version, count = struct.unpack("<2Q", take(16))
    if version == _SHORTLIST:
        raise InputError(
            "is a lexical shortlist, not a model",
            path=path,
            cure="Name the file of the weights, mostly model.*.bin",
        )
    if version != 1 or count > _MAX_TENSORS:
        raise _damaged(path, f"it begins with version {version} and {count} tensors")
    headers = [_Header(*sizes) for sizes in struct.iter_unpack("<4Q", take(32 * count))]
    if any(header.name_length > _MAX_NAME or header.axes > _MAX_AXES for header in headers):
        raise _damaged(path, "a tensor has a name or a shape of impossible length")
    names = [
        take(header.name_length).tobytes().rstrip(b"\0").decode("utf-8", "replace")
        for header in headers
    ]
    shapes = [struct.unpack(f"<{header.axes}i", take(4 * header.axes)) for header in headers]
    (padding,) = struct.unpack("<Q", take(8))
    take(padding)
    settings, tensors = b"", {}
    for header, name, shape in zip(headers, names, shapes, strict=True):
        data = take(header.data_length)
        if name == SETTINGS:
            settings = data.tobytes().rstrip(b"\0")
        elif not name.endswith("QuantMultA"):
            # Of the inputs of products; docmt finds a scale for each row.
            tensors[name] = _tensor(path, name, header.type, shape, data)
    return settings, tensors


def _tensor(
    path: Path, name: str, kind: int, shape: tuple[int, ...], data: memoryview
) -> MarianTensor:
    """A tensor of a `.bin` file."""
    if kind not in (_FLOAT32, _INTGEMM8):
        known = _TYPES.get(kind, f"type {kind:#x}")
        if kind & _INTGEMM_OF_A_PROCESSOR and kind not in _TYPES:
            known = f"codes in the order of one kind of processor (type {kind:#x})"
        raise InputError(
            f"{name} has {known}, which docmt does not read",
            path=path,
            cure="Use the model with float32 or intgemm8 weights",
        )
    if any(size < 1 for size in shape):
        raise _damaged(path, f"{name} has the shape {shape}")
    codes = kind == _INTGEMM8
    size = prod(shape) * (1 if codes else 4)
    if len(data) < size + 4 * codes:
        raise _damaged(path, f"{name} of shape {shape} has {len(data):,} bytes")
    if not codes:
        return MarianTensor(np.frombuffer(data[:size], np.float32).reshape(shape))
    (scale,) = struct.unpack("<f", data[size : size + 4])
    if not isfinite(scale) or scale <= 0:
        raise _damaged(path, f"the codes of {name} are scaled by {scale}")
    # Tables of embeddings are stored in rows of tokens, all other matrices transposed.
    is_table = name.endswith("Wemb")
    rows = shape if is_table else shape[::-1]
    return MarianTensor(
        np.frombuffer(data[:size], np.int8).reshape(rows), scale, outputs_first=not is_table
    )


def _read_npz(path: Path) -> tuple[bytes, dict[str, MarianTensor]]:
    """The settings and the tensors of an `.npz` file."""
    arrays = {}
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(part.file_size for part in archive.infolist()) > MAX_WEIGHT_BYTES:
                raise InputError(
                    f"unpacks to more than {MAX_WEIGHT_BYTES >> 30} GiB", path=path, cure=COPY_AGAIN
                )
            for part in archive.infolist():
                arrays[part.filename.removesuffix(".npy")] = _array(archive.read(part))
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, EOFError, RuntimeError) as error:
        raise _damaged(path, str(error) or type(error).__name__) from None
    settings = arrays.pop(SETTINGS, np.empty(0, np.int8)).tobytes().rstrip(b"\0")
    for name, array in arrays.items():
        if array.dtype != np.float32 or not array.size:
            raise InputError(
                f"{name} has {array.dtype} numbers of the shape {array.shape}, which docmt "
                "does not read",
                path=path,
                cure="Use the model with float32 weights",
            )
    return settings, {name: MarianTensor(array) for name, array in arrays.items()}


def _array(content: bytes) -> NDArray[Any]:
    """The array in the content of an `.npy` file. NumPy would make room for the shape in the header
    before it reads the numbers.

    Raises:
        ValueError: the content is damaged, or has Python objects or fewer numbers than the shape.
    """
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    read_header = (
        np.lib.format.read_array_header_1_0
        if version == (1, 0)
        else np.lib.format.read_array_header_2_0
    )
    shape, in_columns, dtype = read_header(stream)
    numbers = content[stream.tell() :]
    if dtype.hasobject or len(numbers) != prod(shape) * dtype.itemsize:
        raise ValueError(f"{len(numbers):,} bytes are not {dtype} numbers of the shape {shape}")
    return np.frombuffer(numbers, dtype).reshape(shape, order="F" if in_columns else "C")

"""Weights put into the bytes of a graph, without the package onnx.

A graph is a message of Protocol Buffers, and the bytes of two messages one after the other are the
message of both: fields that repeat are joined. So what a graph lacks is written behind it. Numbers
of fields are those of `onnx.proto`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_VARINT, _BYTES = 0, 2
"""Types of fields."""

_DATA_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}
"""`TensorProto.DataType` of types of numbers."""

_INT = 2
"""`AttributeProto.AttributeType` of a whole number."""

_GRAPH = 7
_NODE, _INITIALIZER = 1, 5
_DIMS, _DATA_TYPE, _TENSOR_NAME, _RAW_DATA = 1, 2, 8, 9
_ATTRIBUTE, _ATTRIBUTE_NAME, _ATTRIBUTE_INT, _ATTRIBUTE_TYPE = 5, 1, 3, 20


def with_weight(name: str, array: NDArray[np.generic]) -> bytes:
    """The bytes that give a graph a weight."""
    tensor = b"".join(
        [
            *(_number(_DIMS, size) for size in array.shape),
            _number(_DATA_TYPE, _DATA_TYPES[str(array.dtype)]),
            _text(_TENSOR_NAME, name.encode()),
            _text(_RAW_DATA, np.ascontiguousarray(array).tobytes()),
        ]
    )
    return _text(_GRAPH, _text(_INITIALIZER, tensor))


def with_node(node: bytes, numbers: Sequence[tuple[str, int]]) -> bytes:
    """The bytes that give a graph an operator, with more attributes that are whole numbers."""
    attributes = (
        _text(_ATTRIBUTE_NAME, name.encode())
        + _number(_ATTRIBUTE_INT, value)
        + _number(_ATTRIBUTE_TYPE, _INT)
        for name, value in numbers
    )
    whole = node + b"".join(_text(_ATTRIBUTE, attribute) for attribute in attributes)
    return _text(_GRAPH, _text(_NODE, whole))


def _number(field: int, value: int) -> bytes:
    return varint(field << 3 | _VARINT) + varint(value)


def _text(field: int, content: bytes) -> bytes:
    return varint(field << 3 | _BYTES) + varint(len(content)) + content


def varint(value: int) -> bytes:
    """A whole number in groups of seven bits, the lowest first."""
    groups = []
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value])

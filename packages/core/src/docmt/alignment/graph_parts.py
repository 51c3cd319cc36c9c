"""A part of a graph of ONNX, without the package onnx: `with_outputs`.

A graph is a message of Protocol Buffers: fields, each with a number and a type. The numbers are
those of `onnx.proto`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from docmt_nmt.runs.graph_bytes import varint

_VARINT, _BYTES = 0, 2
"""Types of fields."""

_FIXED = {1: 8, 5: 4}
"""The bytes of fields of other types."""

_GRAPH = 7
_NODE, _INITIALIZER, _OUTPUT = 1, 5, 12
_NODE_INPUT, _NODE_OUTPUT, _TENSOR_NAME, _VALUE_NAME = 1, 2, 8, 1


class _Field(NamedTuple):
    """A field of a message.

    Attributes:
        number: the number.
        whole: all bytes.
        content: the bytes of the content.
    """

    number: int
    whole: memoryview
    content: memoryview

    def names(self, number: int) -> list[str]:
        """The texts of a field of the message that is the content."""
        fields = _fields(self.content)
        return [bytes(field.content).decode() for field in fields if field.number == number]


def with_outputs(model: bytes, outputs: Collection[str]) -> bytes:
    """The bytes of a graph with some of its outputs alone, and with what they need."""
    fields = list(_fields(memoryview(model)))
    parts = [part for field in fields if field.number == _GRAPH for part in _fields(field.content)]
    needed, kept = set(outputs), list[memoryview]()
    # The operators come in the order in which they are computed.
    for part in reversed([part for part in parts if part.number == _NODE]):
        if not needed.isdisjoint(part.names(_NODE_OUTPUT)):
            needed.update(part.names(_NODE_INPUT))
            kept.insert(0, part.whole)
    for part in parts:
        name = {_INITIALIZER: _TENSOR_NAME, _OUTPUT: _VALUE_NAME}.get(part.number)
        if part.number != _NODE and (name is None or not needed.isdisjoint(part.names(name))):
            kept.append(part.whole)
    others = [field.whole for field in fields if field.number != _GRAPH]
    size = sum(map(len, kept))
    return b"".join((*others, varint(_GRAPH << 3 | _BYTES), varint(size), *kept))


def _fields(message: memoryview) -> Iterator[_Field]:
    """The fields of a message."""
    position = 0
    while position < len(message):
        start = position
        key, position = _read_varint(message, position)
        begin, kind = position, key & 7
        if kind == _BYTES:
            size, begin = _read_varint(message, position)
            position = begin + size
        elif kind == _VARINT:
            _, position = _read_varint(message, position)
        else:
            position += _FIXED[kind]
        yield _Field(key >> 3, message[start:position], message[begin:position])


def _read_varint(message: memoryview, position: int) -> tuple[int, int]:
    """A whole number, and the position after it."""
    value, shift = 0, 0
    while True:
        byte = message[position]
        value |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if byte < 0x80:
            return value, position

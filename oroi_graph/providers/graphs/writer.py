"""Writes a model in the format of ONNX: the few messages that a graph of ours needs, in the wire format of Protobuf.

The library `onnx` would bring 36 MB for these fifty lines. Numbers of fields are those of onnx.proto3 (ONNX 1.x); the
tests read what is written here with that library, and compare the bytes with its own.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

FLOAT, UINT8, INT64 = 1, 2, 7  # element types
_TYPES = {np.dtype("float32"): FLOAT, np.dtype("uint8"): UINT8, np.dtype("int64"): INT64}
_VARINT, _BYTES, _FIXED32 = 0, 2, 5  # wire types
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT, _ATTRIBUTE_INTS = 1, 2, 7


def model(graph: bytes, *, opsets: Mapping[str, int], ir_version: int, producer: str) -> bytes:
    """A whole file. graph: of `graph`; opsets: version of the operators by domain, that of ONNX itself being ""."""
    used = (_bytes(8, _text(1, domain) + _number(2, version)) for domain, version in opsets.items())
    return b"".join((_number(1, ir_version), _text(2, producer), _bytes(7, graph), *used))


def graph(
    name: str, nodes: Iterable[bytes], tensors: Iterable[bytes], *, inputs: bytes, outputs: Iterable[bytes]
) -> bytes:
    """A graph of `node`s and constant `tensor`s, with one `value` that goes in and those that come out."""
    parts = [_bytes(1, one) for one in nodes] + [_text(2, name)]
    parts += [_bytes(5, one) for one in tensors] + [_bytes(11, inputs)]
    return b"".join((*parts, *(_bytes(12, one) for one in outputs)))


def value(name: str, element: int, shape: Sequence[int | str]) -> bytes:
    """What goes in or comes out: FLOAT or INT64 numbers; a dimension is a size, or a name where any size will do."""
    dimensions = (_text(2, one) if isinstance(one, str) else _number(1, one) for one in shape)
    tensor_type = _number(1, element) + _bytes(2, b"".join(_bytes(1, one) for one in dimensions))
    return _text(1, name) + _bytes(2, _bytes(1, tensor_type))


def node(kind: str, inputs: Sequence[str], output: str, attributes: Mapping[str, Any], domain: str = "") -> bytes:
    """One operation. attributes: floats, whole numbers or tuples of whole numbers. domain: of the operator."""
    parts = [*(_text(1, one) for one in inputs), _text(2, output), _text(4, kind)]
    parts += [_bytes(5, _attribute(*one)) for one in sorted(attributes.items())]
    return b"".join((*parts, _text(7, domain) if domain else b""))


def tensor(name: str, values: NDArray[Any]) -> bytes:
    """A constant: (…) float32, uint8 or int64."""
    dims = b"".join(_number(1, size) for size in values.shape)
    little = values.astype(values.dtype.newbyteorder("<"), copy=False)
    return dims + _number(2, _TYPES[values.dtype]) + _text(8, name) + _bytes(9, little.tobytes())


def _attribute(name: str, given: Any) -> bytes:
    if isinstance(given, float):
        return _text(1, name) + _tag(2, _FIXED32) + struct.pack("<f", given) + _number(20, _ATTRIBUTE_FLOAT)
    if isinstance(given, int):
        return _text(1, name) + _number(3, given) + _number(20, _ATTRIBUTE_INT)
    return _text(1, name) + b"".join(_number(8, one) for one in given) + _number(20, _ATTRIBUTE_INTS)


def _tag(field: int, wire: int) -> bytes:
    return _varint(field << 3 | wire)


def _number(field: int, number: int) -> bytes:
    return _tag(field, _VARINT) + _varint(number & (1 << 64) - 1)  # negative ones in two's complement


def _text(field: int, text: str) -> bytes:
    return _bytes(field, text.encode())


def _bytes(field: int, content: bytes) -> bytes:
    return _tag(field, _BYTES) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)

"""The lines of an exported memory: how values are written, and what a line must be to be read (`archive` uses them).

A line is checked completely before anything of it is used; every refusal names the line.
"""

from __future__ import annotations

import base64
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta, timezone
from importlib.resources import files
from typing import Any, TextIO

import numpy as np
from neo4j.time import DateTime
from neo4j.vector import Vector

from oroi_graph.errors import InputError
from oroi_graph.model import canonical_json
from oroi_graph.storage.changes import KEPT
from oroi_graph.storage.store import Row, vector

FORMAT = "oroi-graph"
VERSION = 3

# What follows from the memory's name, or lasts only as long as a transaction or a lease, is no content. Nor is what
# tells copies in processes that something changed: marks may hold ids that a caller gave, of whatever memory.
DERIVED = frozenset(
    "memory memory_key slot lock importing reembedding reembedded deleting embedding heard_at lease_owner lease_until "
    "lease_fence digested digested_erasures version stamp gate".split()
) | {f"touched_{number}" for number in range(KEPT)}
_FIRST = ("concept", "record", "association", "mention", "coincidence")
# Records, named as [turn id, role]; what an entry contradicts, as [id, cosine, reason].
_NESTED = ("records", "host_records", "record", "last_reply", "contradicts")
_TYPES: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "text": (str, "text"),
    "integer": (int, "a whole number"),
    "number": ((int, float), "a number"),
    "flag": (bool, "true or false"),
    "list": (list, "a list"),
}
_INTEGERS = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class Line:
    """What objects of one kind are like: an entry of `archive.toml`, which says what the fields mean."""

    properties: Mapping[str, str]
    optional: Mapping[str, str]
    ends: Mapping[str, Sequence[str]]
    key: Sequence[str]
    start: Sequence[object]

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Line:
        """Read an entry."""
        properties, optional = (
            dict(typed.split(":") for typed in entry.get(name, "").split()) for name in ("properties", "optional")
        )
        return cls(properties, optional, entry.get("ends", {}), entry.get("key", ()), entry.get("start", ()))


_FILE = tomllib.loads((files(__package__) / "archive.toml").read_text("utf-8"))
_MEMORY = Line.of(_FILE["memory"])
LINES: Mapping[str, Line] = {kind: Line.of(entry) for kind, entry in _FILE["lines"].items()}
OBJECTS = tuple(LINES)
PLURALS = {kind: "entries" if kind == "entry" else f"{kind}s" for kind in OBJECTS}
_SINCE_3 = frozenset({"contract", "author", "entry", "receipt", "checkpoint"})  # kinds that older files lack


def plain(value: object) -> Any:
    """A property as JSON has it."""
    return {"datetime": value.iso_format()} if isinstance(value, DateTime) else value


def encoded(values: Vector) -> str:
    """A vector as text, to the last bit."""
    return base64.b64encode(values.to_numpy().astype("<f4").tobytes()).decode()


def decoded(text: str, dimensions: int) -> Vector:
    """A vector of the file, checked; raises InputError, ValueError or TypeError."""
    values = np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4")
    if len(values) != dimensions or not np.isfinite(values).all():
        raise InputError(f"its embedding must be {dimensions} finite numbers")
    return vector(values.astype(np.float32))


def line_of(**content: object) -> str:
    """One line of the file."""
    return canonical_json(content) + "\n"


def read_lines(file: TextIO) -> Iterator[tuple[int, Row]]:
    """(line number, object) of every line that is not blank."""
    at = 0
    try:
        for at, text in enumerate(file, 1):
            if text.strip():
                found = json.loads(text, parse_constant=_no_number)
                if not isinstance(found, dict):
                    raise InputError("it must be an object")
                yield at, found
    except UnicodeDecodeError as error:
        raise refused(at + 1, f"it is not UTF-8 ({error.reason})") from error
    except (InputError, ValueError, RecursionError) as error:
        raise refused(at, error) from error


def _no_number(text: str) -> float:
    raise InputError(f"{text} is not a number of JSON")


def read_header(first: tuple[int, Row]) -> Row:
    """The first line, checked."""
    _, header = first
    if header.get("format") != FORMAT or not isinstance(header.get("version"), int):
        raise InputError("this is no export of a memory: its first line is not the header of one")
    if header["version"] > VERSION:
        raise InputError(f"the file has version {header['version']}, this package reads {VERSION}: upgrade oroi-graph")
    memory, counts = header.get("memory"), header.get("counts")
    try:
        if not isinstance(memory, dict) or not isinstance(counts, dict):
            raise InputError("it needs a memory and its counts")
        _check_types("the memory", memory, _MEMORY)
        older = [kind for kind in OBJECTS if kind not in _SINCE_3]
        kinds = {1: _FIRST, 2: older}.get(header["version"], OBJECTS)
        _check_types("counts", counts, Line.of({"properties": " ".join(f"{PLURALS[kind]}:integer" for kind in kinds)}))
        if len(counts) != len(kinds):
            raise InputError(f"counts must be of {', '.join(kinds)}")
        checked("memory", memory)
    except (InputError, ValueError, TypeError) as error:
        raise refused(1, error) from error
    return header


def checked(kind: str, content: object) -> Row:
    """An object's properties, fit to be stored; raises InputError, ValueError or TypeError."""
    if not isinstance(content, dict):
        raise InputError(f"a {kind} must be an object")
    derived = sorted(DERIVED.intersection(content) - {"embedding"})
    if derived:
        raise InputError(f"a {kind} must not have {derived[0]!r}: it is no content of a memory")
    if kind in LINES:
        _check_types(f"a {kind}", content, LINES[kind])
    return {key: stored(value, key in _NESTED) for key, value in content.items()}


def _check_types(what: str, content: Mapping[str, object], line: Line) -> None:
    for key, name in {**line.properties, **line.optional}.items():
        value, (type_, said) = content.get(key), _TYPES[name]
        if value is None and key in line.optional:
            continue
        if not isinstance(value, type_) or (isinstance(value, bool) and type_ is not bool):
            raise InputError(f"{what} needs {key!r} as {said}")


def stored(value: object, nested: bool = False) -> Any:
    """A value of the file as the driver takes it; `nested` lists may hold lists."""
    if isinstance(value, str):
        value.encode()  # a lone surrogate is a ValueError
    elif isinstance(value, dict) and set(value) == {"datetime"}:
        moment = DateTime.from_iso_format(value["datetime"])
        # With an offset, as the server makes them: the driver's own UTC would be stored as the zone of that name.
        return moment.replace(tzinfo=timezone(moment.utcoffset() or timedelta()))
    elif isinstance(value, list):
        if not nested and len({type(item) for item in value}) > 1:
            raise InputError("a list must be of one type")
        if not nested and any(isinstance(item, list | dict) for item in value):
            raise InputError("a list must be of plain values")
        return [stored(item, nested) for item in value]
    elif isinstance(value, float) and not np.isfinite(value):
        raise InputError("it has a number that is not finite")
    elif isinstance(value, dict) or (isinstance(value, int) and value not in _INTEGERS):
        raise InputError("it has a value that cannot be stored")
    return value


def refused(at: int, error: Exception | str) -> InputError:
    """The error that names the line it is about."""
    what = f"it lacks {error}" if isinstance(error, KeyError) else str(error).splitlines()[0]
    return InputError(f"line {at}: {what}; nothing was imported")

"""The lines of an exported memory: how values are written, and what a line must be to be read (`archive` uses them).

A line is checked completely before anything of it is used; every refusal names the line.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from datetime import timedelta, timezone
from typing import Any, TextIO

import numpy as np
from neo4j.time import DateTime
from neo4j.vector import Vector

from oroi_graph.errors import InputError
from oroi_graph.model import canonical_json
from oroi_graph.storage.store import Row, vector

FORMAT = "oroi-graph"
VERSION = 3

# What follows from the memory's name, or lasts only as long as a transaction or a lease, is no content.
DERIVED = frozenset(
    "memory memory_key slot lock importing reembedding reembedded deleting embedding heard_at lease_owner lease_until "
    "lease_fence digested digested_erasures".split()
)
_FIRST = ("concept", "record", "association", "mention", "coincidence")
# Records, named as [turn id, role]; what an entry contradicts, as [id, cosine, reason].
_NESTED = ("records", "host_records", "record", "last_reply", "contradicts")
_NUMBER = (int, float)
_Type = type | tuple[type, ...]
_CONCEPT: Mapping[str, _Type] = {
    "id": str, "label": str, "label_key": str, "label_text": str, "aliases": list, "kind": str,
    "activation": _NUMBER, "strength": _NUMBER, "exposure": _NUMBER, "mentions": int, "fixed": bool,
    "first_turn": int, "last_turn": int,
}  # fmt: skip
_ASSOCIATION: Mapping[str, _Type] = {
    "id": str, "relation": str, "class": str, "weight": _NUMBER, "negated": bool, "first_turn": int,
    "last_turn": int, "count": int, "records": list,
}  # fmt: skip
# What a file holds, in this order; one of version 1 ends with the coincidences, before version 3 there are no entries.
# The properties that every object of a kind has, with the types they may have.
_REQUIRED: Mapping[str, Mapping[str, _Type]] = {
    "concept": _CONCEPT,
    "absorbed_concept": _CONCEPT,
    "record": {"turn_id": str, "turn": int, "role": str, "speaker": str, "text": str, "associations": list},
    "contract": {"number": int, "document": str, "schema_hash": str, "signature": str, "public_key": str},
    "author": {"ia_author": str, "number": int, "token_hash": str, "public_key": str},
    "entry": {
        "id": str,
        "seq": int,
        "at": str,
        "ia_author": str,
        "entry_type": str,
        "claim": str,
        "field_key": str,
        "confidence": _NUMBER,
        "schema_hash": str,
        "parents": list,
        "covers": list,
        "generated": bool,
        "value_hash": str,
        "previous": str,
        "hash": str,
    },
    "receipt": {"ia_author": str, "idempotency_key": str, "entries": list},
    "checkpoint": {"number": int, "seq": int, "root": str, "head": str, "signature": str, "public_key": str},
    "association": _ASSOCIATION,
    "mention": {"surface": str, "method": str, "score": _NUMBER},
    "coincidence": {"count": int, "last_turn": int},
    "merge": {"id": str, "turn": int, "place": int, "by": str, "method": str, "score": _NUMBER, "touched": list},
    "former_association": {**_ASSOCIATION, "merge": str},
    "former_mention": {"merge": str, "mentioned": bool, "associations": list},
    "former_coincidence": {"count": int, "last_turn": int, "merge": str},
    "comparison": {"verdict": str, "by": str, "turn": int},
    "sleep": {"turn": int, "since": int, "state": str, "attempts": int},
    "forgetting": {"id": str, "state": str},
}
OBJECTS = tuple(_REQUIRED)
PLURALS = {kind: "entries" if kind == "entry" else f"{kind}s" for kind in OBJECTS}
_SINCE_3 = frozenset({"contract", "author", "entry", "receipt", "checkpoint"})
# Those that only some have.
_OPTIONAL: Mapping[str, Mapping[str, _Type]] = {
    "the memory": {"slept_turn": int, "merges": int, "entries": int, "entry_hash": str, "chain": str, "contract": int},
    "entry": {"text": str, "salt": str, "semantic_hash": str, "words": str, "signature": str, "contradicts": list},
    "record": {"verbatim": str, "gist_turn": int, "gist_by": str, "gist_facts": list, "resting": bool},
    "concept": {"slept": int},
    "absorbed_concept": {"slept": int},
    "sleep": {"report": str},
}
_NAMES = {str: "text", int: "a whole number", _NUMBER: "a number", bool: "true or false", list: "a list"}
_INTEGERS = range(-(2**63), 2**63)


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
        _check_types("the memory", memory, {"turn": int, "dimensions": int, "embedding_model": str})
        _check_types("the memory", memory, _OPTIONAL["the memory"], optional=True)
        older = [kind for kind in OBJECTS if kind not in _SINCE_3]
        kinds = {1: _FIRST, 2: older}.get(header["version"], OBJECTS)
        _check_types("counts", counts, {PLURALS[kind]: int for kind in kinds})
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
    _check_types(f"a {kind}", content, _REQUIRED.get(kind, {}))
    _check_types(f"a {kind}", content, _OPTIONAL.get(kind, {}), optional=True)
    return {key: stored(value, key in _NESTED) for key, value in content.items()}


def _check_types(what: str, content: Mapping[str, object], types: Mapping[str, _Type], optional: bool = False) -> None:
    for key, type_ in types.items():
        value = content.get(key)
        if value is None and optional:
            continue
        if not isinstance(value, type_) or (isinstance(value, bool) and type_ is not bool):
            raise InputError(f"{what} needs {key!r} as {_NAMES[type_]}")


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

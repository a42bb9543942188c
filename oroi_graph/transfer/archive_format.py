"""The lines of an exported memory: how values are written, and what a line must be to be read (`archive` uses them).

A line is checked completely before anything of it is used (`archive_schema`); every refusal names the line. No line may
take more than MOST characters, so that no file makes an import hold more than a few lines at a time.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any, TextIO

import numpy as np
from neo4j.time import DateTime
from neo4j.vector import Vector

from oroi_graph.errors import InputError
from oroi_graph.model import canonical_json
from oroi_graph.storage.store import Row, written_vector
from oroi_graph.transfer.archive_schema import LINES, checked, shown

FORMAT = "oroi-graph"
VERSION = 4
MOST = 16_000_000  # characters of a line: several times what the longest turn or entry takes

_FIRST = ("concept", "record", "association", "mention", "coincidence")
OBJECTS = tuple(LINES)
PLURALS = {kind: "entries" if kind == "entry" else f"{kind}s" for kind in OBJECTS}
_SINCE = dict.fromkeys(("contract", "author", "entry", "receipt", "checkpoint"), 3) | {"item": 4}  # else 2


def plain(value: object) -> Any:
    """A property as JSON has it."""
    return {"datetime": value.iso_format()} if isinstance(value, DateTime) else value


def encoded(values: Vector) -> str:
    """A vector as text, to the last bit."""
    return base64.b64encode(values.to_numpy().astype("<f4").tobytes()).decode()


def decoded(text: str, dimensions: int) -> Row:
    """A vector of the file, checked, as statements write it; raises InputError, ValueError or TypeError."""
    values = np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4")
    if len(values) != dimensions or not np.isfinite(values).all():
        raise InputError(f"its embedding must be {dimensions} finite numbers")
    return written_vector(values.astype(np.float32))


def line_of(**content: object) -> str:
    """One line of the file."""
    return canonical_json(content) + "\n"


def read_lines(file: TextIO) -> Iterator[tuple[int, Row]]:
    """(line number, object) of every line that is not blank."""
    at = 0
    try:
        for at, text in _lines(file):
            if text.strip():
                found = json.loads(text, parse_constant=_no_number)
                if not isinstance(found, dict):
                    raise InputError("it must be an object")
                yield at, found
    except UnicodeDecodeError as error:
        raise refused(at + 1, f"it is not UTF-8 ({error.reason})") from error
    except RecursionError as error:
        raise refused(at, "its values are nested too deeply") from error
    except (InputError, ValueError) as error:
        raise refused(at, error) from error


def _lines(file: TextIO) -> Iterator[tuple[int, str]]:
    at = 0
    while text := file.readline(MOST + 1):
        at += 1
        if len(text) > MOST:
            raise refused(at, f"it has more than {MOST:,} characters")
        yield at, text


def _no_number(text: str) -> float:
    raise InputError(f"{text} is not a number of JSON")


def read_header(first: tuple[int, Row]) -> Row:
    """The first line, checked."""
    _, header = first
    version = header.get("version")
    if header.get("format") != FORMAT or not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise InputError("this is no export of a memory: its first line is not the header of one")
    if version > VERSION:
        raise InputError(f"the file has version {shown(version)}, this package reads {VERSION}: upgrade oroi-graph")
    try:
        checked("memory", header.get("memory"))
        _check_counts(header.get("counts"), version)
        surplus = sorted(header.keys() - {"format", "version", "memory", "counts"})
        if surplus:
            raise InputError(f"a header has no {shown(surplus[0])}")
    except InputError as error:
        raise refused(1, error) from error
    return header


def _check_counts(counts: object, version: int) -> None:
    kinds = _FIRST if version == 1 else [kind for kind in OBJECTS if _SINCE.get(kind, 2) <= version]
    if not isinstance(counts, dict) or counts.keys() != {PLURALS[kind] for kind in kinds}:
        raise InputError(f"counts must be of {', '.join(kinds)}")
    for name, count in counts.items():
        if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count < 2**63:
            raise InputError(f"the count of {name} must be a whole number")


def refused(at: int, error: Exception | str) -> InputError:
    """The error that names the line it is about."""
    if isinstance(error, InputError) and str(error).startswith(f"line {at}: "):
        return error
    what = f"it lacks {error}" if isinstance(error, KeyError) else str(error).splitlines()[0]
    return InputError(f"line {at}: {what}; nothing was imported")

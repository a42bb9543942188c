"""The closed schema of an exported memory, read from `archive.toml`: which properties an object of a kind has, of which
type, in which range. What the schema does not name is refused, so that no file brings in what a reader cannot read.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from importlib.resources import files
from math import isfinite
from typing import Any

from neo4j.time import DateTime

from oroi_graph.errors import InputError
from oroi_graph.storage.changes import KEPT
from oroi_graph.storage.store import Row

# What follows from the memory's name, or lasts only as long as a transaction or a lease, is no content. Nor is what
# tells copies in processes that something changed: marks may hold ids that a caller gave, of whatever memory.
DERIVED = frozenset(
    "memory memory_key slot lock importing reembedding reembedded deleting embedding vector_bytes heard_at lease_owner "
    "lease_until lease_fence digested digested_erasures version stamp gate path".split()
) | {f"touched_{number}" for number in range(KEPT)}
_NO_JSON = object()
_SHOWN = 60  # characters of a refused value that a message repeats


@dataclass(frozen=True, slots=True)
class PropertyType:
    """What a property must be: an entry of `[types]` in `archive.toml`, which says what the fields mean."""

    type: str
    least: float | None = None
    most: float | None = None
    choices: Sequence[str] = ()
    items: str = ""

    def fault(self, value: object) -> str | None:
        """What `value` would have to be; None if it is."""
        match self.type:
            case "flag":
                return None if isinstance(value, bool) else "true or false"
            case "whole":
                fits = isinstance(value, int) and not isinstance(value, bool)
                return self._ranged(value if fits else None, "a whole number")
            case "number":
                fits = isinstance(value, int | float) and not isinstance(value, bool)
                return self._ranged(value if fits else None, "a number")
            case "time":
                return None if _moment(value) else '{"datetime": a time of the years 1 to 9999}'
            case "list":
                return self._listed(value)
            case "record":
                named = isinstance(value, list) and len(value) == 2 and all(_text(part, 1, 1_000) for part in value)
                return None if named else "[turn id, role]"
            case "contradiction":
                return None if _contradiction(value) else "[entry id, cosine, reason]"
        return self._said(value)

    def _said(self, value: object) -> str | None:
        """The same for types that are written as text."""
        if self.choices:
            return None if value in self.choices else f"one of {', '.join(self.choices)}"
        most = int(self.most or 0)
        if not isinstance(value, str) or not _text(value, int(self.least or 0), most):
            return f"Unicode text of {int(self.least or 0)} to {most:,} characters"
        if self.type == "moment" and not _iso(value):
            return "a time in ISO 8601"
        if self.type == "object" and not isinstance(_json(value), dict):
            return "a JSON object, as text"
        if self.type == "json" and _json(value) is _NO_JSON:
            return "JSON, as text"
        return None

    def _ranged(self, value: object, said: str) -> str | None:
        least, most = self.least, self.most
        within = (
            isinstance(value, int | float) and (least is None or least <= value) and (most is None or value <= most)
        )
        return None if within else f"{said} from {least:,} to {most:,}"

    def _listed(self, value: object) -> str | None:
        most = int(self.most or 0)
        if not isinstance(value, list) or len(value) > most:
            return f"a list of at most {most:,} items"
        item = TYPES[self.items]
        fault = next((fault for one in value if (fault := item.fault(one))), None)
        return f"a list of items that are {fault}" if fault else None


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
TYPES: Mapping[str, PropertyType] = {name: PropertyType(**entry) for name, entry in _FILE["types"].items()}
MEMORY = Line.of(_FILE["memory"])
LINES: Mapping[str, Line] = {kind: Line.of(entry) for kind, entry in _FILE["lines"].items()}


def longest(name: str) -> int:
    """The most characters that a text of a type (of `[types]` in `archive.toml`) may have."""
    return int(TYPES[name].most or 0)


def checked(kind: str, content: object) -> Row:
    """An object's properties and ends, fit to be stored: "memory" or one of LINES. Raises InputError."""
    what = "the memory" if kind == "memory" else f"{'an' if kind[0] in 'aei' else 'a'} {kind.replace('_', ' ')}"
    if not isinstance(content, dict):
        raise InputError(f"{what} must be an object")
    line = MEMORY if kind == "memory" else LINES[kind]
    for name, value in content.items():
        if name in DERIVED and name not in line.properties and name not in line.optional:
            raise InputError(f"{what} must not have {shown(name)}: it is no content of a memory")
        if name not in line.properties and name not in line.optional and name not in line.ends:
            raise InputError(f"{what} has no {shown(name)}: this package does not know what it would mean")
        if isinstance(value, float) and not isfinite(value):
            raise InputError(f"{name!r} is a number that is not finite")
    for names, required in ((line.properties, True), (line.optional, False), (dict.fromkeys(line.ends, ""), True)):
        for name, named in names.items():
            value = content.get(name)
            if value is None and not required:
                continue
            if name not in content:
                raise InputError(f"{what} lacks {name!r}")
            type_ = TYPES[named or ("record" if name == "record" else "id")]
            if (fault := type_.fault(value)) is not None:
                raise InputError(f"{what} needs {name!r} as {fault}")
    return {name: stored(value) for name, value in content.items()}


def stored(value: object) -> Any:
    """A checked value of the file as the driver takes it."""
    if isinstance(value, dict):
        moment = DateTime.from_iso_format(value["datetime"])
        # With an offset, as the server makes them: the driver's own UTC would be stored as the zone of that name.
        return moment.replace(tzinfo=timezone(moment.utcoffset() or timedelta()))
    return value


def shown(value: object) -> str:
    """A value for a message, cut to a sensible length."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _text(value: object, least: int, most: int) -> bool:
    if not isinstance(value, str) or not least <= len(value) <= most:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:  # half of a character pair, which no database stores
        return False
    return True


def _moment(value: object) -> bool:
    if not isinstance(value, dict) or set(value) != {"datetime"} or not isinstance(value["datetime"], str):
        return False
    try:
        DateTime.from_iso_format(value["datetime"]).utcoffset()
    except (ValueError, TypeError, OverflowError):
        return False
    return True


def _iso(value: str) -> bool:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _json(value: str) -> object:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return _NO_JSON


def _contradiction(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 3:
        return False
    cosine, reason = value[1], value[2]
    measured = cosine is None or (isinstance(cosine, int | float) and not isinstance(cosine, bool) and -2 < cosine < 2)
    return _text(value[0], 1, 1_000) and measured and (reason is None or _text(reason, 0, 10_000))

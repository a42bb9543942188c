"""Contract documents: a JSON Schema (2020-12) of entries, with rules of the memory beside it. No database here.

A document is an object of JSON Schema whose keyword `memory_contract` holds what is no matter of one entry: a version,
thresholds, rules of single keys, who must show a token. Its canonical form (RFC 8785) is hashed: the `schema_hash`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import rfc8785
from jsonschema import Draft202012Validator, SchemaError, ValidationError
from referencing.exceptions import Unresolvable

from oroi_graph.contract.chain.hashing import sha256
from oroi_graph.contract.comparison import FieldRule, Thresholds
from oroi_graph.contract.entry import BACKEND, DEFAULT_KIND, ENTRY_TYPES, KINDS, Problem
from oroi_graph.contract.references import wrong_reference
from oroi_graph.errors import InputError, SettingsError
from oroi_graph.language.normalize import check_text
from oroi_graph.language.quoting import strip_briefs
from oroi_graph.model import exact_object

DIALECT = "https://json-schema.org/draft/2020-12/schema"
LONGEST = 20_000  # characters of a value, whatever a contract says
PARENTS = 256  # that one entry may name
_MESSAGE = 200  # characters of a problem
_ID = {"type": "string", "pattern": "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"}
_HASH = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_REQUIRED = ("ia_author", "entry_type", "field_key", "field_value", "confidence_score", "schema_hash")

# What holds in every contract; a contract can only narrow it.
_BASE: dict[str, Any] = {
    "type": "object",
    "required": list(_REQUIRED),
    "additionalProperties": False,
    "properties": {
        "ia_author": {"type": "string", "minLength": 1},
        "entry_type": {"enum": list(ENTRY_TYPES)},
        "field_key": {"type": "string", "minLength": 1},
        "field_value": {"type": "string", "minLength": 1, "maxLength": LONGEST},
        "confidence_score": {"type": "number", "minimum": 0, "maximum": 1},
        "schema_hash": _HASH,
        "parent_entry_id": {
            "anyOf": [{"type": "null"}, _ID, {"type": "array", "items": _ID, "uniqueItems": True, "maxItems": PARENTS}]
        },
        "kind": {"enum": list(KINDS)},
        "idempotency_key": {"type": "string", "minLength": 1, "maxLength": 200},
    },
}

_RULES = {
    "type": "object",
    "additionalProperties": False,
    "required": ["version"],
    "properties": {
        "version": {"type": "string", "minLength": 1, "maxLength": 40},
        "authentication": {"enum": ["none", "token"]},
        "settlement": {"enum": ["any", "others"]},
        "thresholds": exact_object(
            equivalent={"type": "number", "minimum": -1, "maximum": 1},
            compatible={"type": "number", "minimum": -1, "maximum": 1},
        ),
        "keys": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "single_valued": {"type": ["boolean", "null"]},
                    "language": {"enum": ["en", "es", "pt", None]},
                    "value": {"type": "object"},
                    "retention_days": {"type": "number", "exclusiveMinimum": 0, "maximum": 36_500},
                },
            },
        },
    },
}

_AUTHORS = ("claude", "copilot", "deepseek", "gemini", "gpt-4", "grok", "kimi")
_KEYS = ("decision", "identity", "next_step", "preference", "project_goal", "project_status", "risk", "technology")


@dataclass(frozen=True, slots=True)
class Document:
    """A checked contract. raw: the JSON object. thresholds: None if those of the embedding model are to be used."""

    raw: Mapping[str, Any]
    schema_hash: str
    version: str
    authors: tuple[str, ...]
    keys: tuple[str, ...]
    thresholds: Thresholds | None
    needs_token: bool
    settled_by_others: bool
    rules: Mapping[str, Mapping[str, Any]]
    _validators: tuple[Draft202012Validator, ...] = field(repr=False)
    _values: Mapping[str, Draft202012Validator] = field(repr=False)

    def rule(self, key: str) -> FieldRule:
        """How values of a key are compared."""
        said = self.rules.get(key, {})
        return FieldRule(key=key, single_valued=said.get("single_valued"), language=said.get("language"))

    def retention(self, key: str) -> timedelta | None:
        """How long an entry of a key is current; None: for ever."""
        days = self.rules.get(key, {}).get("retention_days")
        return None if days is None else timedelta(days=days)

    def value_schema(self, key: str) -> object:
        """The schema that a contract gives to the values of a key, None without one."""
        return self.rules.get(key, {}).get("value")

    def problems(self, entry: object) -> list[Problem]:
        """Everything that is wrong with a submitted entry, each with its JSON pointer; the schema_hash apart."""
        found = [problem for validator in self._validators for problem in _problems(validator, entry)]
        if isinstance(entry, Mapping):
            found += _unstorable(entry)
            value, key = entry.get("field_value"), entry.get("field_key")
            if isinstance(key, str) and isinstance(value, str) and key in self._values:
                found += _problems(self._values[key], value, "/field_value")
        return list(dict.fromkeys(found))


def template(
    authors: Sequence[str] = (), keys: Sequence[str] = (), *, single_valued: Sequence[str] = (), token: bool = False
) -> dict[str, Any]:
    """A new contract to start from: with these authors and keys, or those of the design that the contract follows."""
    names = list(keys) or list(_KEYS)
    single = list(single_valued) or ([] if keys else ["project_status"])
    properties = json.loads(json.dumps(_BASE["properties"]))
    properties["ia_author"] = {"enum": list(authors) or list(_AUTHORS)}
    properties["field_key"] = {"enum": list(dict.fromkeys([*names, *single]))}
    properties["kind"]["default"] = DEFAULT_KIND
    return {
        "$schema": DIALECT,
        "title": "Memory contract",
        "description": "Who may write which entries into the shared memory.",
        "type": "object",
        "required": list(_REQUIRED),
        "additionalProperties": False,
        "properties": properties,
        "memory_contract": {
            "version": "1.0",
            "authentication": "token" if token else "none",
            "settlement": "any",
            "keys": {key: {"single_valued": True} for key in single},
        },
    }


def read_document(path: Path) -> Document:
    """The contract in a file. Raises InputError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or getattr(error, "reason", None) or error
        raise InputError(f"cannot read {path}: {reason}") from error
    return parse(text, str(path))


def parse(text: str, name: str = "the contract") -> Document:
    """The contract in a JSON text. Raises InputError that says what is wrong with `name`."""
    return checked(strict_json(text, name), name)


def strict_json(text: str, name: str) -> object:
    """The value of a JSON text. Raises InputError also for NaN, infinity, and a key that occurs twice."""
    try:
        return json.loads(text, parse_constant=_no_number, object_pairs_hook=_no_twice)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is not JSON: {str(error).splitlines()[0]}") from error


def checked(data: object, name: str = "the contract") -> Document:
    """A contract from its JSON object. Raises InputError that says what is wrong with `name`."""
    try:
        made = _document(data, name)
        if made.version != made.version.strip() or not made.version.isprintable():
            where = f"{name}: /memory_contract/version"
            raise InputError(f"{where}: {made.version!r} must be printable characters, without outer spaces")
        _check_where_references_lead(made, name)
    except RecursionError as error:
        raise InputError(f"{name} is nested too deeply: make it flatter") from error
    return made


def published(data: object) -> Document:
    """A contract that is in force, or was: it is read whatever newer rules say of its references."""
    return _document(data, "the contract")


def _document(data: object, name: str) -> Document:
    if not isinstance(data, dict):
        raise InputError(f"{name} must be a JSON object: `oroi contract init FILE` writes one")
    try:
        Draft202012Validator.check_schema(data)
    except SchemaError as error:
        raise InputError(f"{name} is no JSON Schema: {_pointer(error)}: {_short(error.message)}") from error
    _check_references(data, name)
    rules: Any = data.get("memory_contract", {})
    wrong = _problems(Draft202012Validator(_RULES), rules, "/memory_contract")
    if wrong:
        raise InputError(f"{name}: {wrong[0]}")
    enums = {key: _enum(data, key, name) for key in ("ia_author", "entry_type", "field_key")}
    if BACKEND in enums["ia_author"]:
        raise InputError(
            f"{name}: /properties/ia_author: {BACKEND!r} is the author of generated entries, choose another"
        )
    if unknown := sorted(set(enums["entry_type"]) - set(ENTRY_TYPES)):
        raise InputError(f"{name}: /properties/entry_type: {unknown[0]!r} is none of {', '.join(ENTRY_TYPES)}")
    if data.get("additionalProperties") is not False:
        raise InputError(f"{name}: /additionalProperties: must be false, so that unknown keys are refused")
    said = rules.get("keys", {})
    if unknown := sorted(set(said) - set(enums["field_key"])):
        raise InputError(f"{name}: /memory_contract/keys: {unknown[0]!r} is none of the contract's keys")
    return Document(
        data,
        schema_hash(data),
        rules["version"],
        enums["ia_author"],
        enums["field_key"],
        _thresholds(rules.get("thresholds"), name),
        rules.get("authentication", "none") == "token",
        rules.get("settlement", "any") == "others",
        said,
        (Draft202012Validator(_BASE), Draft202012Validator(data)),
        {key: _value_validator(key, one["value"], name) for key, one in said.items() if "value" in one},
    )


@lru_cache(maxsize=64)
def loaded(text: str) -> Document:
    """The same as `parse` for a document that was published, kept for the next call."""
    return published(strict_json(text, "the contract"))


def canonical(data: Mapping[str, Any]) -> str:
    """The canonical form of a document (RFC 8785). Raises InputError for what JSON cannot say exactly."""
    try:
        return rfc8785.dumps(dict(data)).decode()
    except (rfc8785.CanonicalizationError, UnicodeError) as error:
        raise InputError(f"the contract has no canonical form: {error}") from error


def schema_hash(data: Mapping[str, Any]) -> str:
    """The SHA-256 of the canonical form of a document."""
    return sha256(canonical(data))


def _enum(data: Mapping[str, Any], key: str, name: str) -> tuple[str, ...]:
    properties = data.get("properties")
    said = properties.get(key) if isinstance(properties, dict) else None
    values = said.get("enum") if isinstance(said, dict) else None
    where = f"{name}: /properties/{key}"
    if not isinstance(values, list) or not values:
        raise InputError(f"{where}: must have an enum, the closed list of what is allowed")
    for value in values:
        if not isinstance(value, str) or value != value.strip() or not 0 < len(value) <= 100 or not value.isprintable():
            raise InputError(
                f"{where}: {value!r} must be a text of 1 to 100 printable characters, without outer spaces"
            )
    return tuple(values)


def _thresholds(said: Mapping[str, float] | None, name: str) -> Thresholds | None:
    if said is None:
        return None
    try:
        return Thresholds(equivalent=said["equivalent"], compatible=said["compatible"])
    except SettingsError as error:
        raise InputError(f"{name}: /memory_contract/thresholds: {error}") from error


def _value_validator(key: str, schema: Mapping[str, Any], name: str) -> Draft202012Validator:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        where = f"/memory_contract/keys/{_escaped(key)}/value{_pointer(error)}"
        raise InputError(f"{name} is no JSON Schema: {where}: {_short(error.message)}") from error
    return Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)


def _check_references(data: object, name: str) -> None:
    """A contract stands alone: what it refers to elsewhere could change, or be fetched from somewhere."""
    if isinstance(data, dict):
        for keyword in ("$ref", "$dynamicRef"):
            target = data.get(keyword)
            if isinstance(target, str) and not target.startswith("#"):
                raise InputError(f"{name}: {keyword} {target!r} leads out of the document: a contract stands alone")
    for part in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        _check_references(part, name)


def _check_where_references_lead(document: Document, name: str) -> None:
    values = {key: said["value"] for key, said in document.rules.items() if "value" in said}
    schemas = {"": document.raw} | {f"/memory_contract/keys/{_escaped(key)}/value": one for key, one in values.items()}
    for where, schema in schemas.items():
        if wrong := wrong_reference(schema):
            raise InputError(f"{name} is no JSON Schema: {where or '/'}: {_short(wrong)}")


def _problems(validator: Draft202012Validator, value: object, at: str = "") -> list[Problem]:
    """What a validator finds, or why it cannot tell: values and contracts of older versions that it gives up on."""
    try:
        return [problem for error in validator.iter_errors(value) for problem in _told(error, at)]
    except Unresolvable as error:
        return [Problem(at, f"cannot be checked: the contract in force refers to {error.ref!r}, which leads nowhere")]
    except RecursionError:
        return [Problem(at, "is nested too deeply, or the contract in force refers to itself without end")]
    except (ArithmeticError, TypeError, ValueError) as error:
        return [Problem(at, f"cannot be checked: {_short(str(error))}")]


def _told(error: ValidationError, at: str) -> Iterator[Problem]:
    """One error of the validator; what is missing or too much is pointed at itself."""
    pointer = at + _pointer(error)
    instance = error.instance
    if error.validator == "required" and isinstance(instance, Mapping):
        for name in _listed(error.validator_value):
            if name not in instance:
                yield Problem(f"{pointer}/{_escaped(name)}", "is missing")
    elif error.validator == "additionalProperties" and isinstance(instance, Mapping):
        known = error.schema.get("properties", {}) if isinstance(error.schema, Mapping) else {}
        for name in instance:
            if name not in known:
                yield Problem(f"{pointer}/{_escaped(_short(str(name)))}", "is unknown")
    elif error.validator == "enum":
        yield Problem(pointer, f"must be one of {', '.join(map(str, _listed(error.validator_value)))}"[:1000])
    elif error.context:  # none of several schemas: what is wrong by the one that comes nearest
        nearest = max(error.context, key=lambda one: len(one.absolute_path))
        yield Problem(pointer, _short(nearest.message))
    else:
        yield Problem(pointer, _short(error.message))


def _listed(value: Any) -> list[Any]:
    return list(value)


def _unstorable(entry: Mapping[Any, Any]) -> Iterator[Problem]:
    """What JSON Schema lets pass and no database keeps."""
    score = entry.get("confidence_score")
    if isinstance(score, float) and not math.isfinite(score):
        yield Problem("/confidence_score", "is not a finite number")
    for name in ("field_value", "idempotency_key"):
        value = entry.get(name)
        if isinstance(value, str) and value:
            try:
                check_text(value, LONGEST)
            except InputError as error:
                yield Problem(f"/{name}", _short(str(error)))
    value = entry.get("field_value")
    if isinstance(value, str) and strip_briefs(value) != value:
        yield Problem("/field_value", "holds a recalled brief: what was recalled is no new entry")


def _pointer(error: ValidationError | SchemaError) -> str:
    return "".join(f"/{_escaped(str(part))}" for part in error.absolute_path)


def _escaped(name: str) -> str:
    """A name as part of a JSON pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


def _short(text: str) -> str:
    line = " ".join(text.encode("utf-8", "backslashreplace").decode().split())
    return line if len(line) <= _MESSAGE else line[: _MESSAGE - 1] + "…"


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not a number of JSON")


def _no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise ValueError(f"the key {twice!r} occurs twice in one object")
    return found

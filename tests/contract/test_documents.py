"""Contract documents: what is one, what its hash covers, what is wrong with an entry, and what a newer one changes."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from contracts import Shared, document
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tables import table

from oroi_graph.contract.document import canonical, checked, loaded, parse, read_document, template
from oroi_graph.contract.entry import ENTRY_TYPES, EntryRefusedError
from oroi_graph.errors import InputError

HASH = "a" * 64
GOOD: dict[str, Any] = {
    "ia_author": "claude", "entry_type": "fact", "field_key": "risk", "field_value": "Fire.",
    "confidence_score": 0.5, "schema_hash": HASH,
}  # fmt: skip
ID = "0b7e5a52-3c1f-4f6e-9d6a-2f1f6a4f8f11"


def changed(**paths: Any) -> dict[str, Any]:
    return document() | paths


def valued(schema: dict[str, Any]) -> dict[str, Any]:
    return changed(memory_contract={"version": "1", "keys": {"risk": {"value": schema}}})


def nested(depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for _ in range(depth):
        made = {"allOf": [made]}
    return made


def deep_list(depth: int) -> list[Any]:
    made: list[Any] = []
    for _ in range(depth):
        made = [made]
    return made


def test_the_template_is_json_schema_with_closed_lists() -> None:
    made = template()
    Draft202012Validator.check_schema(made)
    assert made["$schema"].endswith("2020-12/schema")
    assert tuple(made["properties"]["entry_type"]["enum"]) == ENTRY_TYPES
    assert {"claude", "gemini", "kimi"} <= set(made["properties"]["ia_author"]["enum"])
    assert checked(made).thresholds is None  # those of the embedding model
    assert Draft202012Validator(made).is_valid(GOOD)
    assert checked(made).rule("project_status").single_valued is True
    assert checked(made).rule("risk").single_valued is None


def test_the_hash_is_of_the_canonical_form_only() -> None:
    made = document()
    shuffled = json.loads(json.dumps(dict(reversed(made.items())), indent=8))
    shuffled["properties"]["confidence_score"]["maximum"] = 1.0  # the same number
    assert checked(shuffled).schema_hash == checked(made).schema_hash
    assert checked(made).schema_hash == hashlib.sha256(canonical(made).encode()).hexdigest()
    assert checked(made | {"title": "another"}).schema_hash != checked(made).schema_hash


@table(
    "data, says",
    [
        ([], "must be a JSON object"),
        ({}, "/memory_contract"),
        (changed(type="nonsense"), "no JSON Schema"),
        (changed(additionalProperties=True), "unknown keys are refused"),
        (changed(properties={}), "/properties/ia_author"),
        (changed(memory_contract={"version": "1", "extra": 1}), "/memory_contract/extra"),
        (changed(memory_contract={"version": "1", "keys": {"nobody": {}}}), "'nobody' is none of the contract's keys"),
        (changed(memory_contract={"version": "1", "thresholds": {"equivalent": 0.1, "compatible": 0.5}}), "compatible"),
        (changed(memory_contract={"version": "1", "keys": {"risk": {"value": {"type": 5}}}}), "keys/risk/value"),
        (changed(allOf=[{"$ref": "https://example.org/schema"}]), "leads out of the document"),
        (changed(allOf=[{"$ref": "#/$defs/absent"}]), "$ref '#/$defs/absent' leads nowhere"),
        (changed(allOf=[{"$ref": "#absent"}]), "$ref '#absent' leads nowhere"),
        (changed(allOf=[{"$ref": "#/title/absent"}]), "$ref '#/title/absent' leads nowhere"),
        (changed(allOf=[{"$ref": "#/title"}]), "$ref '#/title' does not lead to a schema"),
        (valued({"$ref": "#/properties"}), "keys/risk/value: $ref '#/properties' leads nowhere"),
        (changed(allOf=[{"$ref": "#"}]), "refers to itself without end"),
        (changed(allOf=[{"$dynamicRef": "#"}]), "refers to itself without end"),
        (changed(dependentSchemas={"kind": {"not": {"$ref": "#"}}}), "refers to itself without end"),
        (
            valued({"anyOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"if": {"$ref": "#"}}}}),
            "keys/risk/value: a schema",
        ),
        (changed(allOf=[nested(400)]), "nested too deeply"),
        (document(["oroi"]), "author of generated entries"),
        (document(["a\n"]), "printable"),
        (changed(memory_contract={"version": " "}), "/memory_contract/version"),
        (changed(memory_contract={"version": "1\n2"}), "/memory_contract/version"),
    ],
)
def test_what_is_no_contract_is_refused(data: Any, says: str) -> None:
    with pytest.raises(InputError, match="contract") as error:
        checked(data)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


@table(
    "data",
    [
        changed(allOf=[{"$ref": "#/$defs/small"}], **{"$defs": {"small": {"maxProperties": 20}}}),
        changed(allOf=[{"$ref": "#small"}], **{"$defs": {"small": {"$anchor": "small"}}}),
        changed(**{"$defs": {"tree": {"properties": {"twig": {"$ref": "#/$defs/tree"}}}}}),  # ends with the value
        changed(**{"$defs": {"said": {"const": {"$ref": "#/absent"}}}}),  # a value, no reference
        valued({"$ref": "#/$defs/word", "$defs": {"word": {"pattern": "^Fire"}}}),
    ],
)
def test_references_that_lead_somewhere_are_followed(data: dict[str, Any]) -> None:
    assert checked(data).problems(GOOD) == []


@table(
    "data, pointer, says",
    [
        (changed(allOf=[{"$ref": "#/$defs/absent"}]), "", "'/$defs/absent', which leads nowhere"),
        (valued({"$ref": "#/$defs/absent"}), "/field_value", "'/$defs/absent', which leads nowhere"),
        (changed(allOf=[{"$ref": "#"}]), "", "refers to itself without end"),
    ],
)
def test_a_contract_that_was_published_with_such_references_refuses_entries(
    data: dict[str, Any], pointer: str, says: str
) -> None:
    [problem] = loaded(canonical(data)).problems(GOOD)
    assert (problem.pointer, says in problem.message) == (pointer, True), problem


BAD: tuple[tuple[str, object], ...] = (
    ("confidence_score", float("nan")),
    ("confidence_score", float("inf")),
    ("confidence_score", 10**5000),  # more digits than Python writes
    ("confidence_score", Decimal("NaN")),
    ("confidence_score", 1 + 2j),
    ("field_value", "\ud800"),
    ("field_value", deep_list(2000)),
    ("parent_entry_id", deep_list(2000)),
    ("idempotency_key", "\0"),
    ("field_key", ""),
)


def test_bad_values_are_refused_in_one_line() -> None:
    contract = checked(document())
    for name, value in BAD:
        found = contract.problems(GOOD | {name: value})
        assert found, name
        assert all(problem.pointer in ("", f"/{name}") and "\n" not in problem.message for problem in found), found


def test_files_are_read_strictly(tmp_path: Path) -> None:
    for text, says in (("{", "not JSON"), ('{"a": NaN}', "not a number"), ('{"a": 1, "a": 2}', "occurs twice")):
        with pytest.raises(InputError, match=says):
            parse(text)
    with pytest.raises(InputError, match="cannot read"):
        read_document(tmp_path / "absent.json")


@table(
    "entry, pointers",
    [
        (GOOD, []),
        (GOOD | {"parent_entry_id": ID, "kind": "verified", "idempotency_key": "k"}, []),
        (GOOD | {"parent_entry_id": [ID]}, []),
        (GOOD | {"parent_entry_id": None}, []),
        (5, [""]),
        ({}, [f"/{name}" for name in GOOD]),
        (GOOD | {"extra/key~": 1}, ["/extra~1key~0"]),
        (GOOD | {"ia_author": "nobody"}, ["/ia_author"]),
        (GOOD | {"entry_type": "rumour", "field_key": "gossip"}, ["/entry_type", "/field_key"]),
        (GOOD | {"confidence_score": 1.5}, ["/confidence_score"]),
        (GOOD | {"confidence_score": float("nan")}, ["/confidence_score"]),
        (GOOD | {"confidence_score": True}, ["/confidence_score"]),
        (GOOD | {"field_value": ""}, ["/field_value"]),
        (GOOD | {"field_value": "a\0b"}, ["/field_value"]),
        (GOOD | {"field_value": "\ud800"}, ["/field_value"]),
        (GOOD | {"field_value": "x" * 20_001}, ["/field_value"]),
        (GOOD | {"schema_hash": "v1.0"}, ["/schema_hash"]),
        (GOOD | {"parent_entry_id": "nothing"}, ["/parent_entry_id"]),
        (GOOD | {"kind": "rumour"}, ["/kind"]),
        (GOOD | {"id": ID}, ["/id"]),
        (GOOD | {"created_at": "2026-01-01"}, ["/created_at"]),
        (GOOD | {"embedding": [0.1]}, ["/embedding"]),
    ],
)
def test_every_problem_has_its_pointer(entry: Any, pointers: list[str]) -> None:
    """Also what only the backend makes is refused: id, time and embedding."""
    found = checked(document()).problems(entry)
    assert sorted({one.pointer for one in found}) == sorted(pointers), found


def test_what_fits_none_of_several_schemas_is_told_by_the_nearest() -> None:
    [problem] = checked(document()).problems(GOOD | {"parent_entry_id": ["nothing"]})
    assert "'nothing' does not match" in problem.message


def test_a_key_may_have_a_schema_of_its_own() -> None:
    rules = {"risk": {"value": {"pattern": "^(low|high)$"}}}
    found = checked(document(keys=rules))
    assert [one.pointer for one in found.problems(GOOD)] == ["/field_value"]
    assert found.problems(GOOD | {"field_value": "low"}) == []
    assert found.problems(GOOD | {"field_key": "decision"}) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=6,
)
FIELDS = [*GOOD, "parent_entry_id", "kind", "idempotency_key", "id"]
MALFORMED = (
    JSON
    | st.dictionaries(st.sampled_from(FIELDS), JSON)
    | st.builds(lambda field, value: GOOD | {field: value}, st.sampled_from(FIELDS), JSON)
)


@settings(max_examples=300, deadline=None)
@given(entry=MALFORMED)
def test_malformed_entries_are_refused_with_pointers(entry: Any) -> None:
    """Whatever is sent: it is a good entry, or every problem points into it. The rest is said in one line."""
    for problem in checked(document()).problems(entry):
        assert problem.pointer == "" or problem.pointer.startswith("/")
        assert problem.message
        assert "\n" not in str(problem)


def test_only_the_authority_publishes_and_history_stays(shared: Shared) -> None:
    first = shared.schema_hash
    with pytest.raises(InputError, match="another authority"):
        shared.contract.publish(document(["claude"]), Ed25519PrivateKey.generate())
    shared.publish(document(["claude", "gemini"], version="2.0"))
    history = shared.contract.history()
    assert [(one.number, one.version, one.active, one.valid) for one in history] == [
        (1, "1.0", False, True),
        (2, "2.0", True, True),
    ]
    assert history[0].schema_hash == first
    shared.publish(document(["claude", "gemini"], version="2.0"))
    assert len(shared.contract.history()) == 2


def test_an_older_contract_is_refused_with_the_expected_hash(shared: Shared) -> None:
    old = shared.schema_hash
    shared.write("claude", "risk", "Fire in the server room.")
    shared.publish(document(version="2.0"))
    with pytest.raises(EntryRefusedError) as error:
        shared.contract.write(shared.entry("claude", "risk", "Flood in the cellar.", schema_hash=old))
    assert error.value.expected == shared.schema_hash
    assert [problem.pointer for problem in error.value.problems] == ["/schema_hash"]
    assert shared.schema_hash in str(error.value)


def test_what_an_earlier_contract_named_can_be_read(shared: Shared) -> None:
    kept = shared.write("gemini", "technology", "Neo4j").entry
    narrow = document(["claude"], version="2.0")
    narrow["properties"]["field_key"]["enum"].remove("technology")
    shared.publish(narrow)
    for found in (shared.contract.read(author="gemini"), shared.contract.read(key="technology")):
        assert [item.entry.id for item in found.items if item.entry] == [kept.id]


def test_the_difference_says_whether_entries_still_fit(shared: Shared) -> None:
    kept = shared.write("claude", "risk", "high").entry
    shared.write("gemini", "decision", "We use Neo4j.")
    old = checked(document())
    narrow = document(["claude"], keys={"risk": {"value": {"enum": ["low"]}}})
    narrow["properties"]["field_key"]["enum"].remove("technology")
    found = shared.contract.difference(old, checked(narrow))
    assert found.entries == 2
    assert found.misfits == 2
    pointers = {one.id: [problem.pointer for problem in one.problems] for one in found.unfit}
    assert pointers[kept.id] == ["/field_value"]
    assert ["/ia_author"] in pointers.values()
    told = "\n".join(found.changes)
    assert "/properties/ia_author/enum: no longer gemini, kimi" in told
    assert "/properties/field_key/enum: no longer technology" in told
    assert shared.contract.difference(old, old).misfits == 0

"""Entries on their way into the database: before they have a place, what their hash covers, their properties."""

from __future__ import annotations

import uuid

from oroi_graph.contract.entry import BACKEND, Entry, Submission
from oroi_graph.contract.intake.decision import Remark, semantic_hash
from oroi_graph.language.normalize import memory_key
from oroi_graph.storage.store import Row


def submitted(given: Submission, id: str) -> Entry:
    """A submitted entry before it has its place in the chain."""
    return Entry(
        id=id, seq=0, created_at="", ia_author=given.ia_author, entry_type=given.entry_type, kind=given.kind,
        field_key=given.field_key, field_value=given.field_value, confidence_score=given.confidence_score,
        schema_hash=given.schema_hash, parent_entry_ids=given.parents,
    )  # fmt: skip


def generated(remark: Remark, given: Submission) -> Entry:
    """A generated entry before it has its place in the chain."""
    return Entry(
        id=str(uuid.uuid4()), seq=0, created_at="", ia_author=BACKEND, entry_type=remark.entry_type, kind="inference",
        field_key=given.field_key, field_value=remark.value, confidence_score=remark.confidence,
        schema_hash=given.schema_hash, parent_entry_ids=remark.parents, covers=remark.covers, generated=True,
    )  # fmt: skip


def properties(memory: str, entry: Entry, salt: str, value: str) -> Row:
    """The properties that every entry has."""
    return {
        "memory": memory, "id": entry.id, "seq": entry.seq, "at": entry.created_at, "ia_author": entry.ia_author,
        "entry_type": entry.entry_type, "claim": entry.kind, "field_key": entry.field_key, "text": entry.field_value,
        "confidence": entry.confidence_score, "schema_hash": entry.schema_hash,
        "parents": list(entry.parent_entry_ids), "covers": list(entry.covers), "generated": entry.generated,
        "salt": salt, "value_hash": value, "semantic_hash": semantic_hash(entry.field_value or ""),
        "previous": entry.previous_hash, "hash": entry.hash, "signature": entry.signature,
    }  # fmt: skip


def searched(memory: str, entry: Entry, words: str | None) -> Row:
    """The properties that an entry has as a record, which recall reads. It belongs to no turn."""
    return {
        "memory_key": memory_key(memory), "kind": "entry", "role": "entry", "speaker": entry.ia_author,
        "turn_id": entry.id, "words": words, "associations": [],
    }  # fmt: skip


def hashed(entry: Entry, chain: str, value: str) -> Row:
    """What the hash of an entry covers (`hashing.COVERED`). value: the hash of its value."""
    return {
        "chain": chain, "seq": entry.seq, "previous": entry.previous_hash, "id": entry.id,
        "created_at": entry.created_at, "ia_author": entry.ia_author, "entry_type": entry.entry_type,
        "kind": entry.kind, "field_key": entry.field_key, "value_hash": value,
        "confidence_score": entry.confidence_score, "schema_hash": entry.schema_hash,
        "parents": list(entry.parent_entry_ids), "covers": list(entry.covers), "generated": entry.generated,
    }  # fmt: skip

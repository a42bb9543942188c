"""What a submitted entry is to the current entries of its key, and what the backend has to add. No database here.

The rules, in this order:

1. An exact repetition (same semantic hash), or a value that compares as equivalent: the existing entry is returned. An
   entry that names parents is never merely equivalent: it supersedes them.
2. A value that contradicts a current one: kept, with a `conflict` entry; both are disputed.
3. Else the nearest current entry decides: compatible, with a `summary` entry of both, or critical, with a `flag`.
4. Nothing to compare with: inserted. So are entries about entries (summary, flag, conflict).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from oroi_graph.contract.chain.hashing import sha256
from oroi_graph.contract.comparison import Comparison, Thresholds, canonical_value, compare
from oroi_graph.contract.digest import digest
from oroi_graph.contract.document import Document
from oroi_graph.contract.entry import REMARKS, Conflict, Submission, refused
from oroi_graph.contract.intake.standing import KeyState, Standing
from oroi_graph.entities.material import Material

COMPARED = 32  # current entries that a value is compared with, the nearest ones
COVERED = 8  # current entries that a generated summary covers beside the new one


@dataclass(frozen=True, slots=True)
class Remark:
    """A generated entry that is to be written. covers: ids, for a conflict the new entry first."""

    entry_type: str
    value: str
    confidence: float
    covers: tuple[str, ...]
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """The outcome of a submission. existing: the equivalent entry, if that is the outcome."""

    result: str
    existing: Standing | None = None
    conflicts: tuple[Conflict, ...] = ()
    remark: Remark | None = None
    suggestion: str | None = None


def semantic_hash(value: str) -> str:
    """The hash that two values have in common if they differ only in what carries no meaning."""
    return sha256(canonical_value(value))


def since(document: Document, key: str, now: datetime) -> str:
    """The time (ISO) from which claims of a key count, for its retention; "": any."""
    kept = document.retention(key)
    return "" if kept is None else (now - kept).isoformat(timespec="microseconds")


def check_parents(given: Submission, state: KeyState, document: Document) -> None:
    """Refuse parents that are unknown, or whose dispute the entry would only end for one side."""
    for place, parent in enumerate(given.parents):
        pointer = f"/parent_entry_id/{place}" if len(given.parents) > 1 else "/parent_entry_id"
        known = state.entries.get(parent)
        if known is None:
            raise refused(pointer, f"there is no entry {parent} of the key {given.field_key!r}")
        if known.erased:
            raise refused(pointer, f"entry {parent} was erased")
        left_out = state.opponents(parent) - set(given.parents)
        if left_out and known.author != given.ia_author:
            names = ", ".join(sorted(left_out))
            raise refused(
                pointer, f"entry {parent} is disputed: name all its parties as parents to settle it ({names})"
            )
        others = {state.entries[other].author for other in state.opponents(parent)} - {given.ia_author}
        if document.settled_by_others and known.author == given.ia_author and others & _authors(given, state):
            raise refused(pointer, "this contract lets only others settle a dispute that an author is part of")


def _authors(given: Submission, state: KeyState) -> set[str]:
    """The authors of the parents that are known."""
    return {state.entries[parent].author for parent in given.parents if parent in state.entries}


def decide(
    given: Submission, id: str, material: Material, state: KeyState, document: Document, thresholds: Thresholds,
    now: datetime,
) -> Decision:  # fmt: skip
    """The outcome of a submission that is to have the id `id`. now: of the database, for retention."""
    if given.entry_type in REMARKS:
        same = None if given.parents else _repeated_remark(given, state)
        return Decision("equivalent", same, suggestion=_equivalent(given, same)) if same else Decision("inserted")
    from_on = since(document, given.field_key, now)
    exact = state.same(semantic_hash(given.field_value), given.parents, from_on)
    if exact is not None and not given.parents:
        return Decision("equivalent", exact, _existing(exact, state), suggestion=_equivalent(given, exact))
    rule = document.rule(given.field_key)
    compared = [
        (one, compare(given.field_value, one.value or "", field=rule, cosine=cosine, thresholds=thresholds))
        for one, cosine in state.nearest(material.vector, COMPARED, given.parents, from_on)
    ]
    alike = next((one for one, found in compared if found.relation == "equivalent"), None)
    if alike is not None and not given.parents:
        return Decision("equivalent", alike, _existing(alike, state), suggestion=_equivalent(given, alike))
    against = [(one, found) for one, found in compared if found.relation == "contradiction"]
    if against:
        return _contradiction(given, id, against)
    others = [(one, found) for one, found in compared if found.relation != "equivalent"]
    if alike is not None or not others:
        return Decision("inserted")
    if any(found.relation == "compatible" for _, found in others):
        near = [(one, found) for one, found in others if found.relation == "compatible"][:COVERED]
        return _compatible(given, id, material, near, state)
    return _critical(given, id, *others[0], len(others))


def _contradiction(given: Submission, id: str, against: Sequence[tuple[Standing, Comparison]]) -> Decision:
    first, found = against[0]
    many = f"{len(against)} current entries" if len(against) > 1 else f"the current entry {first.id} by {first.author}"
    text = f"Entry {id} by {given.ia_author} on {given.field_key} contradicts {many}: {found.reason}."
    parties = tuple(one.id for one, _ in against)
    names = " ".join([id, *parties][:8])
    return Decision(
        "contradiction",
        conflicts=tuple(_conflict(one, how) for one, how in against),
        remark=Remark("conflict", text, 1.0, (id, *parties)),
        suggestion=f"all of them are disputed until one entry names them as parents: {names}",
    )


def _compatible(
    given: Submission, id: str, material: Material, near: Sequence[tuple[Standing, Comparison]], state: KeyState
) -> Decision:
    ordered = sorted((one for one, _ in near), key=lambda one: one.seq)
    texts = [one.value or "" for one in ordered] + [given.field_value]
    vectors = None if material.vector is None else state.vectors_of([one.id for one in ordered])
    both = None if vectors is None or material.vector is None else np.vstack([vectors, material.vector])
    text = digest(texts, both).full or given.field_value
    covers = (id, *(one.id for one in ordered))
    before = (state.summary,) if state.summary else ()
    least = min([given.confidence_score, *(one.confidence for one in ordered)])
    return Decision(
        "compatible",
        remark=Remark("summary", text, least, covers, before),
        suggestion=f"if it replaces an older entry, name that as parent; the nearest is {near[0][0].id}",
    )


def _critical(given: Submission, id: str, nearest: Standing, found: Comparison, count: int) -> Decision:
    cosine = "unknown" if found.cosine is None else f"{found.cosine:.2f}"
    text = (
        f"Entry {id} by {given.ia_author} resembles none of the {count} nearest current entries of {given.field_key} "
        f"(highest cosine: {cosine})."
    )
    return Decision(
        "critical",
        conflicts=(_conflict(nearest, found),),
        remark=Remark("flag", text, 1.0, (id, nearest.id)),
        suggestion=f"it is unlike everything said of {given.field_key!r} so far: check whether this is the right key",
    )


def _conflict(one: Standing, found: Comparison) -> Conflict:
    cosine = None if found.cosine is None else round(found.cosine, 4)
    return Conflict(
        id=one.id, relation=found.relation, cosine=cosine, reason=found.reason, ia_author=one.author,
        field_value=one.value,
    )  # fmt: skip


def _existing(one: Standing, state: KeyState) -> tuple[Conflict, ...]:
    """The open disputes of an entry that is said again."""
    others = sorted((state.entries[id] for id in state.opponents(one.id)), key=lambda other: other.seq)
    return tuple(
        Conflict(id=other.id, relation="contradiction", cosine=None, reason="in dispute", ia_author=other.author,
                 field_value=other.value)
        for other in others[:COMPARED]
    )  # fmt: skip


def _equivalent(given: Submission, existing: Standing) -> str:
    who = "you" if existing.author == given.ia_author else existing.author
    return f"{who} wrote it before, so nothing was stored; to add to it, name {existing.id} as parent"


def _repeated_remark(given: Submission, state: KeyState) -> Standing | None:
    """The same remark by the same author, not superseded; one of the last entries."""
    wanted = semantic_hash(given.field_value)
    for one in list(state.entries.values())[:-COMPARED:-1]:
        same = (one.author, one.entry_type, one.semantic_hash) == (given.ia_author, given.entry_type, wanted)
        if same and not state.superseded(one.id) and not one.erased:
            return one
    return None

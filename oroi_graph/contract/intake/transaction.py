"""The write transaction of some entries: lock their keys, decide about each, append what is new to the chain.

Locks are taken in one order by everybody, keys sorted and then the memory, so that writers never deadlock. The memory
is locked last and shortly: writers of different keys compare side by side, and only appending is serial.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from numpy.typing import NDArray

from oroi_graph.contract.chain.hashing import entry_hash, new_salt, sha256, value_hash
from oroi_graph.contract.chain.signing import sign
from oroi_graph.contract.comparison import Thresholds
from oroi_graph.contract.document import Document
from oroi_graph.contract.entry import REMARKS, Conflict, Entry, EntryRefusedError, Outcome, Submission, refused
from oroi_graph.contract.intake.decision import COMPARED, Decision, check_parents, decide, semantic_hash, since
from oroi_graph.contract.intake.rights import authorised, check_hash
from oroi_graph.contract.intake.rows import generated, hashed, properties, searched, submitted
from oroi_graph.contract.intake.standing import (
    MARGIN,
    RECENT,
    BehindError,
    KeyState,
    StaleStateError,
    Standing,
    StandingCache,
)
from oroi_graph.contract.retrieval.entries import entries_by_id
from oroi_graph.entities.material import Material, dated
from oroi_graph.model import canonical_json
from oroi_graph.storage.catalog import refusal
from oroi_graph.storage.changes import Touched
from oroi_graph.storage.store import Row, Transaction, vector, written_vector

SIGNAL = 63  # earlier entries of a key that a signal of drift looks at
EVERY = 8  # entries of a key from one look to the next
MARKED = 256  # records that a write says it touches; of one that touches more, working sets are loaded again


@dataclass(frozen=True, slots=True)
class Prepared:
    """A submission that fits its contract, with what was made of it outside the transaction."""

    given: Submission
    id: str
    material: Material
    token: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Terms:
    """What a write is made under: the contract, the thresholds of its memory, the embedder's dimensions."""

    document: Document
    thresholds: Thresholds
    dimensions: int


@dataclass(slots=True)
class _Batch:
    """What is to be appended."""

    entries: list[Row] = field(default_factory=list)
    remarks: list[Row] = field(default_factory=list)
    supersedes: list[list[str]] = field(default_factory=list)
    covers: list[list[str]] = field(default_factory=list)
    contradicts: list[Row] = field(default_factory=list)
    receipts: list[Row] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)  # entries that are new, or superseded, or disputed or no longer so


class WriteTransaction:
    """One run of the transaction; it may be run again after a failure that passes."""

    def __init__(
        self, tx: Transaction, memory: str, prepared: Sequence[Prepared], terms: Terms, cache: StandingCache
    ) -> None:
        self.tx, self.memory, self.prepared, self.terms, self.cache = tx, memory, prepared, terms, cache
        self.token = uuid.uuid4().hex
        self.redacted = {one.id: list(one.given.redacted) for one in prepared if one.given.redacted}
        self.receipts: dict[tuple[str, str], Row] = {}
        self.outcomes: dict[tuple[str, str], Outcome] = {}  # of this batch, by author and idempotency key
        self.states: dict[str, KeyState] = {}
        self.written: dict[str, Entry] = {}
        self.bare = 0  # entries that wait for a vector
        self.meanings: list[tuple[Standing, NDArray[np.float32]]] = []  # of the last entry's key, for a signal of drift
        self.batch = _Batch()
        self.head: Row | None = None

    def run(self, mentions: Sequence[Row]) -> list[Outcome | EntryRefusedError]:
        """The outcome of each submission, in order; a refused one does not touch the others.

        mentions: of the prepared entries (`entities.material.mention_rows`).
        """
        locked = self._lock()
        self.now, self.bare, self.epoch = _moment(locked["now"]), locked["bare"], locked["epoch"]
        self.enrolled = {row[0]: row[1:] for row in locked["enrolled"]}
        if len(self.prepared) > 1:
            self._take_head()
        found: list[Outcome | EntryRefusedError] = []
        for one in self.prepared:
            try:
                found.append(self._write(one, locked))
            except EntryRefusedError as error:
                found.append(error)
        self._append(mentions)
        return found

    def _lock(self) -> Row:
        keys = sorted({one.given.field_key for one in self.prepared})
        known = {key: self.cache.known(self.memory, key) for key in keys}
        rows = [
            {"key": key, "chain": state.chain, "epoch": state.epoch, "after": state.last}
            for key, state in known.items()
        ]
        found = self.tx.run(
            "contract/lock_keys",
            memory=self.memory,
            rows=rows,
            token=self.token,
            most=self.cache.at_once,
            dimensions=self.terms.dimensions,
            authors=sorted({one.given.ia_author for one in self.prepared}),
            receipts=self._asked(),
        )
        if not found:
            raise refusal(self.tx, self.memory)
        [locked] = found
        self._note(locked["receipts"])
        for row in locked["keys"]:
            if row["entries"] is None:
                if not self._compares_with_part(row["key"]):
                    raise BehindError(row["key"])
                self.states[row["key"]] = self._part(self.prepared[0], row["key"], locked["now"])
                continue
            state = known[row["key"]]
            self.states[row["key"]] = self.cache.refreshed(self.memory, state, row, locked["chain"], locked["epoch"])
        return locked

    def _compares_with_part(self, key: str) -> bool:
        """Whether a part of the key is enough: one entry is written, which has a vector to find the nearest by."""
        alone = len(self.prepared) == 1 and self.prepared[0].material.vector is not None
        return alone and self.cache.is_new(self.memory, key)

    def _part(self, one: Prepared, key: str, now: Any) -> KeyState:
        """Of a key with many unread entries what `one`, which has a vector, is compared with."""
        meaning = one.material.vector
        [row] = self.tx.run(
            "contract/near_key",
            memory=self.memory,
            key=key,
            vector=None if meaning is None else vector(meaning),
            hash=semantic_hash(one.given.field_value),
            parents=list(one.given.parents),
            since=since(self.terms.document, key, _moment(now)),
            remarks=sorted(REMARKS),
            near=COMPARED + len(one.given.parents) + MARGIN,
            recent=RECENT,
            dimensions=self.terms.dimensions,
        )
        return self.cache.part(self.memory, key, row)

    def _asked(self) -> list[list[str]]:
        given = [one.given for one in self.prepared]
        return [[one.ia_author, one.idempotency_key] for one in given if one.idempotency_key is not None]

    def _note(self, receipts: Sequence[Sequence[Any]]) -> None:
        for author, key, content, salt, reply in receipts:
            self.receipts[author, key] = {"content_hash": content, "salt": salt, "reply": reply}

    def _take_head(self) -> Row:
        """Lock the memory, once; the end of its chain."""
        if self.head is None:
            found = self.tx.run("contract/head", memory=self.memory, token=self.token, receipts=self._asked())
            if not found:
                raise refusal(self.tx, self.memory)
            [self.head] = found
            if self.head["epoch"] != self.epoch:  # something was erased since the keys were read
                raise StaleStateError
            self._note(self.head["receipts"])
        return self.head

    def _write(self, one: Prepared, locked: Row) -> Outcome:
        given, document = one.given, self.terms.document
        key = authorised(given, one.token, self.enrolled.get(given.ia_author), document)
        repeated = self._repeated(given)
        if repeated is not None:
            return repeated
        check_hash(given, locked["schema_hash"])
        state = self.states[given.field_key]
        check_parents(given, state, document)
        decision = decide(given, one.id, one.material, state, document, self.terms.thresholds, self.now)
        if decision.existing is None or given.idempotency_key is not None:
            head = self._take_head()
            repeated = self._repeated(given)  # under another key, meanwhile
            if repeated is not None:
                return repeated
            check_hash(given, head["schema_hash"])
        outcome = self._kept(one, decision, key)
        if given.idempotency_key is not None:
            self._receipt(given, outcome)
        return outcome

    def _kept(self, one: Prepared, decision: Decision, key: Ed25519PrivateKey | None) -> Outcome:
        if decision.existing is not None:
            here = self.written.get(decision.existing.id)
            [entry] = [here] if here else entries_by_id(self.tx, self.memory, [decision.existing.id])
            return Outcome(
                outcome="equivalent", entry=entry, conflicts=decision.conflicts, suggestion=decision.suggestion
            )
        given = one.given
        entry = self._chained(submitted(given, one.id), key)
        state = self.states[given.field_key]
        due = len(self.prepared) == 1 and (state.count + 1) % EVERY == 0
        self.meanings = [(other, row.copy()) for other, row in state.vectors(SIGNAL)] if due else []
        standing = self._new(entry, one.material)
        if due and one.material.vector is not None:
            self.meanings.append((standing, one.material.vector))
        self.written[entry.id] = entry
        remarks: tuple[Entry, ...] = ()
        if decision.remark is not None:
            remark = self._chained(generated(decision.remark, given), None)
            self._new(remark, None)
            remarks = (remark,)
            if decision.result == "contradiction":
                entry = replace(entry, disputed=True)
                self.batch.touched.update(against.id for against in decision.conflicts)
                self.batch.contradicts += [
                    {"source": entry.id, "target": against.id,
                     "properties": {"cosine": against.cosine, "reason": against.reason}}
                    for against in decision.conflicts
                ]  # fmt: skip
        return Outcome(
            outcome=decision.result, entry=entry, generated=remarks, conflicts=decision.conflicts,
            suggestion=decision.suggestion,
        )  # fmt: skip

    def _chained(self, entry: Entry, key: Ed25519PrivateKey | None) -> Entry:
        """The entry as the next of the chain: with its place, time and hashes."""
        head = self._take_head()
        head["seq"] += 1
        at = _moment(head["now"]).isoformat(timespec="microseconds")
        placed = replace(entry, seq=head["seq"], created_at=at, previous_hash=head["previous"])
        salt = new_salt()
        own = value_hash(salt, placed.field_value or "")
        found = entry_hash(hashed(placed, head["chain"], own))
        self.secrets = (salt, own)
        head["previous"] = found
        return replace(placed, hash=found, signature=sign(key, found) if key is not None else None)

    def _new(self, entry: Entry, material: Material | None) -> Standing:
        """Note an entry for `contract/append`, and let those after it in this batch see it."""
        salt, own = self.secrets
        value = entry.field_value or ""
        own_properties = properties(self.memory, entry, salt, own)
        if material is None:
            self.batch.remarks.append({"properties": own_properties})
        else:
            state = self.states[entry.field_key]
            settled = (state.disputes.get(parent, ()) for parent in entry.parent_entry_ids)
            self.batch.touched.update([entry.id], entry.parent_entry_ids, *settled)
            found = searched(self.memory, entry, material.words)
            found["redacted"] = self.redacted.get(entry.id)
            made = None if material.vector is None else written_vector(material.vector)
            self.batch.entries.append({"properties": own_properties | found, "vector": made})
        self.batch.supersedes += [[entry.id, parent] for parent in entry.parent_entry_ids]
        self.batch.covers += [[entry.id, covered] for covered in entry.covers]
        standing = Standing(
            entry.seq, entry.id, entry.ia_author, entry.entry_type, entry.generated, value,
            own_properties["semantic_hash"], entry.parent_entry_ids, entry.covers, False, entry.created_at,
            entry.confidence_score,
        )  # fmt: skip
        if len(self.prepared) > 1:
            self.states[entry.field_key].add(standing, None if material is None else material.vector)
        return standing

    def _append(self, mentions: Sequence[Row]) -> None:
        batch, head = self.batch, self.head
        if head is None or not (batch.entries or batch.receipts):
            return
        kept = {row["properties"]["id"] for row in batch.entries}
        rows = dated([row for row in mentions if row["record"] in kept], head["clock"])
        touched = Touched(records=sorted(batch.touched)) if len(batch.touched) <= MARKED else None
        [done] = self.tx.change(
            "contract/append",
            touched,
            memory=self.memory,
            seq=head["seq"],
            hash=head["previous"],
            clock=head["clock"],
            entries=batch.entries,
            remarks=batch.remarks,
            supersedes=batch.supersedes,
            covers=batch.covers,
            contradicts=batch.contradicts,
            mentions=rows,
            receipts=batch.receipts,
            bare=[row["properties"]["id"] for row in batch.entries if row["vector"] is None],
        )
        self.tx.also(self.memory, Touched(concepts=done["mentioned"]))  # another entry may have made one meanwhile

    def _repeated(self, given: Submission) -> Outcome | None:
        """The first outcome of a write with the same idempotency key. Raises EntryRefusedError for other content."""
        if given.idempotency_key is None:
            return None
        known = self.receipts.get((given.ia_author, given.idempotency_key))
        if known is None:
            return None
        if known["reply"] is None:
            raise refused("/idempotency_key", "its entry was erased")
        if known["content_hash"] != _content_hash(given, known["salt"]):
            raise refused("/idempotency_key", "was used for other content: use a new one")
        here = self.outcomes.get((given.ia_author, given.idempotency_key))
        return replace(here, repeated=True) if here else _replayed(self.tx, self.memory, json.loads(known["reply"]))

    def _receipt(self, given: Submission, outcome: Outcome) -> None:
        salt = new_salt()
        reply = {
            "outcome": outcome.outcome,
            "entry": outcome.entry.id,
            "generated": [one.id for one in outcome.generated],
            "conflicts": [[one.id, one.relation, one.cosine] for one in outcome.conflicts],
            "suggestion": outcome.suggestion,
        }
        row = {
            "memory": self.memory, "ia_author": given.ia_author, "idempotency_key": given.idempotency_key,
            "salt": salt, "content_hash": _content_hash(given, salt), "reply": canonical_json(reply),
            "entries": [outcome.entry.id, *(one.id for one in outcome.generated)],
        }  # fmt: skip
        self.batch.receipts.append(row)
        self.outcomes[given.ia_author, given.idempotency_key or ""] = outcome
        self._note([[given.ia_author, given.idempotency_key, row["content_hash"], salt, row["reply"]]])


def _content_hash(given: Submission, salt: str) -> str:
    content = {name: value for name, value in given.content().items() if name != "schema_hash"}
    return sha256(f"{salt}\n{canonical_json(content)}")


def _replayed(tx: Transaction, memory: str, reply: Mapping[str, Any]) -> Outcome:
    """A first outcome, read again."""
    wanted = [reply["entry"], *reply["generated"], *(one[0] for one in reply["conflicts"])]
    found = {one.id: one for one in entries_by_id(tx, memory, wanted)}
    conflicts = tuple(
        Conflict(
            id=id,
            relation=relation,
            cosine=cosine,
            reason="as first reported",
            ia_author=found[id].ia_author,
            field_value=found[id].field_value,
        )
        for id, relation, cosine in reply["conflicts"]
    )
    return Outcome(
        outcome=reply["outcome"],
        entry=found[reply["entry"]],
        generated=tuple(found[id] for id in reply["generated"]),
        conflicts=conflicts,
        suggestion=reply["suggestion"],
        repeated=True,
    )


def _moment(time: Any) -> datetime:
    """A time of the server, to the microsecond."""
    moment: datetime = time.to_native()
    return moment.astimezone(UTC)

"""Verification of a chain: whether its entries are those that were written, in that order, by those authors.

What is found: an entry that was changed, moved, deleted or put in; a tail that was cut off, by checkpoints or by what
the memory's node says of its chain; a dispute that was removed or put in; an entry that its author did not sign; a
contract that its authority did not sign.
Whoever can write to the database can make a chain anew: keep the authority's public key and the latest checkpoint
elsewhere, and give them to the verification.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from oroi_graph.contract.chain.checkpoints import Checkpoint, authors_hash, chain, checkpoint_of
from oroi_graph.contract.chain.hashing import GENESIS, entry_hash, merkle_root, value_hash
from oroi_graph.contract.chain.signing import signed_by
from oroi_graph.contract.entry import BACKEND
from oroi_graph.contract.registry import published
from oroi_graph.errors import InputError, MemoryNotFoundError
from oroi_graph.model import Value
from oroi_graph.storage.store import Row, Store, Transaction

MOST = 100  # faults that are listed
TRIED = 1_000  # places at which an entry is looked for that is not what its own says


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault(Value):
    """Something that is not as it was written. fault: a word for it. seq, id: of the entry, None if it is none."""

    fault: str
    message: str
    seq: int | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification(Value):
    """The result. valid: nothing was found. head: hash of the last entry. faults: at most MOST of them."""

    valid: bool
    entries: int
    erased: int
    signed: int
    checkpoints: int
    root: str
    head: str
    faults: tuple[Fault, ...] = ()


@dataclass(slots=True)
class _Check:
    """The state of a walk along the chain."""

    chain: str
    keys: dict[str, list[str]]  # public keys of every author that was ever enrolled
    schemas: set[str]
    hashes: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)  # seq by id
    faults: list[Fault] = field(default_factory=list)
    broken: list[Row] = field(default_factory=list)  # entries whose hash is not theirs at this place
    opposed: dict[str, list[str]] = field(default_factory=dict)  # what each contradicts by its relationships
    disputed: dict[str, list[str]] = field(default_factory=dict)  # and by the conflict entries, which the chain covers
    erased: int = 0
    signed: int = 0

    def say(self, fault: str, message: str, row: Row | None = None) -> None:
        """Note a fault."""
        self.faults.append(
            Fault(fault=fault, message=message, seq=row["seq"] if row else None, id=row["id"] if row else None)
        )


def verify(
    store: Store, memory: str, *, authority: str | None = None, checkpoints: Sequence[Checkpoint] = ()
) -> Verification:
    """Check all that is said in this module's description. Reads only, in one transaction.

    authority: the public key that the memory must have. checkpoints: such that were kept elsewhere.
    """
    return store.read(lambda tx: _verify(tx, memory, authority, checkpoints))


def _verify(tx: Transaction, memory: str, authority: str | None, kept: Sequence[Checkpoint]) -> Verification:
    found = tx.run("contract/checkpoints", memory=memory)
    if not found:
        raise MemoryNotFoundError(memory)
    [row] = found
    enrolled = tx.one("contract/authors", memory=memory)["authors"]
    keys: dict[str, list[str]] = {}
    for one in enrolled:
        keys.setdefault(one["name"], []).append(one["public_key"])
    history = published(tx.one("contract/contracts", memory=memory))
    check = _Check(row["chain"] or "", keys, {one.schema_hash for one in history})
    for contract in history:
        if not contract.valid:
            check.say("forged contract", f"contract {contract.number} is not what its authority signed")
    trusted = authority or row["authority"]
    if authority is not None and row["authority"] != authority:
        check.say("forged contract", "the memory has another authority than the given public key")
    for entry in chain(tx, memory):
        _entry(check, entry)
    for entry in tx.run("contract/misplaced", memory=memory):
        check.say("inserted", "it has no place in the chain", {**entry, "seq": None})
    _disputes(check)
    _classify(check)
    _end(check, row)
    for one in row["checkpoints"]:
        try:
            _checkpoint(check, checkpoint_of(one, "it"), trusted, enrolled)
        except InputError:
            check.say("forged checkpoint", "a checkpoint of the memory lacks something, or has values of another kind")
    for checkpoint in kept:
        _checkpoint(check, checkpoint, trusted, enrolled)
    return Verification(
        valid=not check.faults, entries=len(check.hashes), erased=check.erased, signed=check.signed,
        checkpoints=len(row["checkpoints"]) + len(kept), root=merkle_root(check.hashes),
        head=check.hashes[-1] if check.hashes else GENESIS, faults=tuple(check.faults[:MOST]),
    )  # fmt: skip


def _entry(check: _Check, row: Row) -> None:
    """The next entry: its place, its link, its hash, its value, its signature, and what its relationships say."""
    expected = len(check.hashes) + 1
    if row["seq"] != expected:
        last = row["seq"] - 1
        check.say("deleted", f"entries {expected} to {last} are missing" if last > expected else
                  f"entry {expected} is missing", row)  # fmt: skip
        check.hashes += [GENESIS] * (row["seq"] - expected)
    before = check.hashes[-1] if check.hashes else GENESIS
    linked = row["previous"] == before or row["seq"] != expected
    own = row["hash"] == _hash_at(check, row, row["seq"])
    if not own:
        check.broken.append(row)
    elif not linked:
        check.say("inserted", "it does not follow the entry before it", row)
    # What is missing or of another kind is not what the hash covers; the rest is compared as if it were empty.
    row = {**row, **{name: row[name] if isinstance(row[name], list) else [] for name in ("parents", "covers")}}
    _value(check, row)
    _author(check, row)
    if row["schema_hash"] not in check.schemas:
        check.say("edited", "its schema_hash is that of no contract of the memory", row)
    _relationships(check, row)
    check.hashes.append(row["hash"] if _is_hash(row["hash"]) else GENESIS)
    check.places[row["id"]] = row["seq"]


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def _hash_at(check: _Check, row: Row, seq: int) -> str:
    try:
        return entry_hash({**row, "chain": check.chain, "seq": seq})
    except (TypeError, ValueError, ArithmeticError):
        return ""


def _value(check: _Check, row: Row) -> None:
    if row["erased"]:
        check.erased += 1
        if row["value"] is not None:
            check.say("edited", "it was erased, and yet has a value", row)
    elif row["value"] is None or row["salt"] is None:
        check.say("edited", "its value is gone without a tombstone", row)
    elif value_hash(row["salt"], row["value"]) != row["value_hash"]:
        check.say("edited", "its value is not the one that was written", row)


def _author(check: _Check, row: Row) -> None:
    keys = check.keys.get(row["ia_author"], [])
    if row["generated"] != (row["ia_author"] == BACKEND) or (row["searched"] and row["speaker"] != row["ia_author"]):
        check.say("forged author", f"it poses as an entry of {row['ia_author']!r}", row)
    elif row["signature"] is not None:
        check.signed += 1
        if not any(signed_by(key, row["signature"], row["hash"]) for key in keys):
            check.say("forged author", f"{row['ia_author']!r} did not sign it", row)


def _relationships(check: _Check, row: Row) -> None:
    if not _has_its_date(row):
        check.say("edited", "its two dates differ", row)
    if sorted(map(str, row["supersedes"])) != sorted(map(str, row["parents"])):
        check.say("edited", "what it supersedes is not what it names as parents", row)
    if sorted(map(str, row["covered"])) != sorted(map(str, row["covers"])):
        check.say("edited", "what it is about is not what it was about when it was written", row)
    unknown = [id for id in [*row["parents"], *row["covers"]] if id not in check.places and id != row["id"]]
    if unknown:
        check.say("deleted", f"it names {unknown[0]}, which does not stand before it", row)
    if row["contradicts"]:
        check.opposed.setdefault(row["id"], []).extend(row["contradicts"])
    if row["generated"] and row["entry_type"] == "conflict" and row["covers"]:
        newcomer, *others = row["covers"]
        check.disputed.setdefault(newcomer, []).extend(others)


def _has_its_date(row: Row) -> bool:
    try:
        return moment(row["stamp"]) == datetime.fromisoformat(row["created_at"])
    except (AttributeError, TypeError, ValueError):
        return False


def _disputes(check: _Check) -> None:
    """A conflict entry is written after the one that it tells of, so disputes are compared when all were read."""
    for id in dict.fromkeys([*check.opposed, *check.disputed]):
        if sorted(map(str, check.opposed.get(id, []))) != sorted(map(str, check.disputed.get(id, []))):
            row = {"id": id, "seq": check.places.get(id)}
            check.say("edited", "what it contradicts is not what it contradicted when it was written", row)


def moment(stamp: str) -> datetime:
    """A time as the server writes it, to the microsecond, in UTC."""
    text, _, _ = stamp.partition("[")
    head, _, rest = text.partition(".")
    digits = rest.rstrip("Z").split("+")[0]
    return datetime.fromisoformat(f"{head[:19]}.{digits[:6]:0<6}+00:00")


def _classify(check: _Check) -> None:
    """An entry whose hash fits another place was moved; else it was edited. Tried are the TRIED nearest broken places,
    and only for faults that can be listed: where all is broken, trying all places would take the square of the chain.
    """
    places = np.array([row["seq"] for row in check.broken])
    for number, row in enumerate(check.broken):
        near = places[np.argsort(np.abs(places - row["seq"]), kind="stable")[1 : TRIED + 1]] if number < MOST else ()
        moved = next((int(seq) for seq in near if row["hash"] == _hash_at(check, row, int(seq))), None)
        if moved is not None:
            check.say("reordered", f"it was entry {moved}", row)
        else:
            check.say("edited", "its hash is not that of what it says", row)


def _end(check: _Check, row: Row) -> None:
    """The tail of the chain against what the memory's node says of it."""
    entries, head = len(check.hashes), check.hashes[-1] if check.hashes else GENESIS
    if entries < row["entries"]:
        check.say("truncated", f"the chain ends with entry {entries}, {row['entries']} were written")
    elif entries > row["entries"]:
        check.say("inserted", f"the chain has {entries} entries, {row['entries']} were written")
    elif row["head"] is not None and head != row["head"]:
        check.say("edited", "the last entry is not the last one that was written")


def _checkpoint(check: _Check, checkpoint: Checkpoint, authority: str | None, enrolled: Sequence[Row]) -> None:
    """One checkpoint against the chain, and against the authors who were enrolled by then."""
    which = f"the checkpoint of {checkpoint.at[:19]}Z after entry {checkpoint.seq}"
    if authority is None or not checkpoint.is_by(authority) or checkpoint.chain != check.chain:
        check.say("forged checkpoint", f"{which} is not signed by the authority of this chain")
        return
    if checkpoint.seq > len(check.hashes):
        check.say("truncated", f"the chain ends with entry {len(check.hashes)}, but there is {which}")
        return
    try:
        root = merkle_root(check.hashes[: checkpoint.seq])
    except ValueError:
        root = ""
    if root != checkpoint.root:
        check.say("edited", f"the entries are not those of {which}")
    at = datetime.fromisoformat(checkpoint.at)
    by_then = [one for one in enrolled if one["added_at"] is None or moment(one["added_at"]) <= at]
    if authors_hash(by_then) != checkpoint.authors:
        check.say("forged author", f"the authors' keys are not those of {which}")

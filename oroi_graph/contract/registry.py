"""What a memory's contract is and was, and who its authors are.

The first contract of a memory pins the authority's public key; every later one must be signed with the same key.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from oroi_graph.contract.chain.hashing import GENESIS
from oroi_graph.contract.chain.signing import (
    new_token,
    public_key,
    sign,
    signed_by,
    token_hash,
)
from oroi_graph.contract.document import Document, canonical, loaded
from oroi_graph.contract.entry import Problem
from oroi_graph.contract.retrieval.entries import Selection, entries
from oroi_graph.errors import InputError, MemoryNotFoundError
from oroi_graph.model import Value, canonical_json
from oroi_graph.storage.catalog import refusal
from oroi_graph.storage.store import Row, Store, Transaction

SHOWN = 20  # entries that a difference names


@dataclass(frozen=True, slots=True)
class Active:
    """The contract in force. chain: id of the memory's chain of entries."""

    number: int
    document: Document
    chain: str
    entries: int

    @property
    def schema_hash(self) -> str:
        """That of the document."""
        return self.document.schema_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class Published(Value):
    """One contract of a memory's history. valid: whether hash and signature are right."""

    number: int
    version: str
    schema_hash: str
    published_at: str
    public_key: str
    active: bool
    valid: bool
    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfit(Value):
    """Entries that would not fit a contract: one of them, how many are like it, and what is wrong with them."""

    id: str
    count: int
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(Value):
    """What a newer contract changes, and the current entries that would no longer fit it.

    changes: one line each.
    """

    old: str
    new: str
    changes: tuple[str, ...]
    entries: int
    misfits: int
    unfit: tuple[Unfit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Author(Value):
    """An enrolment of an author. revoked_at: None while its token is good."""

    name: str
    number: int
    public_key: str
    added_at: str
    revoked_at: str | None


def active(tx: Transaction, memory: str) -> Active:
    """The contract in force. Raises MemoryNotFoundError, and InputError before one was published."""
    found = tx.run("contract/active", memory=memory)
    if not found:
        raise MemoryNotFoundError(memory)
    [row] = found
    if row["document"] is None:
        raise InputError(
            f"memory {memory!r} has no contract yet: `oroi contract init FILE`, then "
            f"`oroi contract publish {memory} FILE --key KEYFILE`"
        )
    return Active(row["number"], loaded(row["document"]), row["chain"], row["entries"])


def publish(store: Store, memory: str, document: Document, key: Ed25519PrivateKey) -> Published:
    """Put a contract in force; the one that is in force already stays as it is. Raises InputError, MemoryNotFoundError.

    The authority of a memory is whoever publishes its first contract.
    """
    public, text, chain = public_key(key), canonical(document.raw), str(uuid.uuid4())

    def work(tx: Transaction) -> None:
        head = _locked(tx, memory)
        [known] = tx.run("contract/contracts", memory=memory)
        if known["authority"] not in (None, public):
            raise InputError(
                f"memory {memory!r} has another authority (public key {known['authority'][:16]}…): publish with its key"
            )
        history = known["contracts"]
        if history and history[-1]["schema_hash"] == document.schema_hash:
            return
        previous = history[-1]["schema_hash"] if history else GENESIS
        number = len(history) + 1
        signed = claim(known["chain"] or chain, number, document.schema_hash, previous)
        contract = {
            "memory": memory, "number": number, "version": document.version, "schema_hash": document.schema_hash,
            "document": text, "previous": previous, "public_key": public, "signature": sign(key, signed),
        }  # fmt: skip
        tx.run(
            "contract/publish",
            memory=memory,
            contract=contract,
            chain=head["chain"] or chain,
            authority=public,
            genesis=GENESIS,
        )

    store.write(work)
    return history_of(store, memory)[-1]


def claim(chain: str, number: int, schema_hash: str, previous: str) -> str:
    """The text that an authority signs when it publishes."""
    return canonical_json({"chain": chain, "contract": number, "schema_hash": schema_hash, "previous": previous})


def history_of(store: Store, memory: str) -> list[Published]:
    """All contracts of a memory, the first one first. Raises MemoryNotFoundError."""
    found = store.rows("contract/contracts", memory=memory)
    if not found:
        raise MemoryNotFoundError(memory)
    return published(found[0])


def published(row: Row) -> list[Published]:
    """The contracts of a row of `contract/contracts`, each checked; the document of one that is none is empty."""
    made = []
    document: Document | None
    previous = GENESIS
    for one in row["contracts"]:
        try:
            document = loaded(one["document"])
        except (InputError, TypeError):  # changed in the database, so that it is no contract any more
            document = None
        signed = claim(row["chain"], one["number"], one["schema_hash"], previous)
        valid = (
            document is not None
            and document.schema_hash == one["schema_hash"]
            and one["public_key"] == row["authority"]
            and signed_by(one["public_key"], one["signature"], signed)
        )
        made.append(
            Published(
                number=one["number"],
                version=document.version if document else one["version"],
                schema_hash=one["schema_hash"],
                published_at=one["published_at"],
                public_key=one["public_key"],
                active=one["number"] == row["active"],
                valid=valid,
                document=document.raw if document else {},
            )
        )
        previous = one["schema_hash"]
    return made


def one_of(history: Sequence[Published], which: str | None, memory: str) -> Published:
    """The contract that a number, a version or the beginning of a hash names; the active one by default."""
    if not history:
        raise InputError(f"memory {memory!r} has no contract yet")
    if which is None:
        return next(one for one in history if one.active)
    found = [one for one in history if which in (str(one.number), one.version)]
    if not found and len(which) >= 6:
        found = [one for one in history if one.schema_hash.startswith(which)]
    if not found:
        raise InputError(f"memory {memory!r} has no contract {which!r}: `oroi contract list {memory}` shows them")
    return found[-1]


def difference(store: Store, memory: str, old: Document, new: Document) -> Difference:
    """What changes from one contract to another, and which of the memory's entries would not fit the new one."""
    changes = tuple(_changes(old, new))

    def work(tx: Transaction) -> Difference:
        shapes = tx.run("contract/shapes", memory=memory)
        unfit: list[Unfit] = []
        for shape in shapes:
            problems = [p for p in new.problems(_sample(shape, new)) if p.pointer != "/field_value"]
            if problems:
                unfit.append(Unfit(id=shape["latest"], count=shape["count"], problems=tuple(problems)))
        for key in sorted({shape["field_key"] for shape in shapes} & set(new.keys)):
            if new.raw["properties"].get("field_value") != old.raw["properties"].get("field_value") or (
                new.value_schema(key) != old.value_schema(key)
            ):
                unfit += _unfit_values(tx, memory, key, new)
        count = sum(shape["count"] for shape in shapes)
        misfits = sum(one.count for one in unfit)
        return Difference(
            old=old.schema_hash, new=new.schema_hash, changes=changes, entries=count, misfits=misfits,
            unfit=tuple(unfit[:SHOWN]),
        )  # fmt: skip

    return store.read(work)


def add_author(store: Store, memory: str, name: str) -> str:
    """Enrol an author, or give it a new token in place of its old one; the token, which is kept nowhere.

    Raises InputError if the contract does not know the author.
    """
    token, public = new_token()

    def work(tx: Transaction) -> None:
        _locked(tx, memory)
        known = active(tx, memory).document.authors
        if name not in known:
            raise InputError(f"{name!r} is no author of this contract: {', '.join(known)}")
        tx.run("contract/revoke", memory=memory, author=name)
        author = {"ia_author": name, "token_hash": token_hash(token), "public_key": public}
        tx.run("contract/enrol", memory=memory, author=author)

    store.write(work)
    return token


def revoke_author(store: Store, memory: str, name: str) -> None:
    """Refuse an author's writes from now on; its entries stay. Raises InputError if it has no token."""

    def work(tx: Transaction) -> None:
        _locked(tx, memory)
        if not tx.run("contract/revoke", memory=memory, author=name):
            raise InputError(f"{name!r} has no token that could be revoked: `oroi contract author list {memory}`")

    store.write(work)


def authors(store: Store, memory: str) -> list[Author]:
    """All enrolments of a memory, by name. Raises MemoryNotFoundError."""
    found = store.rows("contract/authors", memory=memory)
    if not found:
        raise MemoryNotFoundError(memory)
    return [Author(**row) for row in found[0]["authors"]]


def _locked(tx: Transaction, memory: str) -> Row:
    found = tx.run("contract/head", memory=memory, token=uuid.uuid4().hex, receipts=[])
    if not found:
        raise refusal(tx, memory)
    return found[0]


def _sample(shape: Row, document: Document) -> dict[str, object]:
    return {
        "ia_author": shape["ia_author"], "entry_type": shape["entry_type"], "field_key": shape["field_key"],
        "kind": shape["kind"], "field_value": "-", "confidence_score": 1.0, "schema_hash": document.schema_hash,
    }  # fmt: skip


def _unfit_values(tx: Transaction, memory: str, key: str, document: Document) -> list[Unfit]:
    found: list[Unfit] = []
    for one in entries(tx, memory, Selection(key=key, history=True), None):
        if one.generated or one.erased_at is not None:
            continue
        sample = {**_sample(one.to_json(), document), "field_value": one.field_value}
        problems = [p for p in document.problems(sample) if p.pointer.startswith("/field_value")]
        if problems:
            found.append(Unfit(id=one.id, count=1, problems=tuple(problems)))
    return found


def _changes(old: Document, new: Document) -> list[str]:
    """One line for each difference, by JSON pointer."""
    return [str(one) for one in _differences(old.raw, new.raw, "")]


def _differences(old: object, new: object, at: str) -> list[Problem]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        found = []
        for key in sorted({*old, *new}):
            where = f"{at}/{key.replace('~', '~0').replace('/', '~1')}"
            if key not in old:
                found.append(Problem(where, f"added: {canonical_json(new[key])}"))
            elif key not in new:
                found.append(Problem(where, f"removed: {canonical_json(old[key])}"))
            else:
                found += _differences(old[key], new[key], where)
        return found
    if old == new and type(old) is type(new):
        return []
    if isinstance(old, list) and isinstance(new, list) and all(isinstance(x, str) for x in [*old, *new]):
        gone, come = [x for x in old if x not in new], [x for x in new if x not in old]
        told = [f"no longer {', '.join(gone)}"] * bool(gone) + [f"now {', '.join(come)}"] * bool(come)
        return [Problem(at, "; ".join(told) or "in another order")]
    return [Problem(at, f"{canonical_json(old)} → {canonical_json(new)}")]

"""Signed checkpoints of a chain: whoever keeps one can tell later whether the entries up to it are all still there."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from oroi_graph.contract.chain.hashing import merkle_root, sha256
from oroi_graph.contract.chain.signing import public_key, sign, signed_by
from oroi_graph.errors import InputError
from oroi_graph.model import Value, canonical_json
from oroi_graph.storage.catalog import refusal
from oroi_graph.storage.store import Row, Store, Transaction

PAGE = 5_000  # entries read in one statement
_SIGNED = ("chain", "seq", "root", "head", "at", "authors")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint(Value):
    """The state of a chain, signed. seq: of its last entry. root: of the Merkle tree over the hashes of all entries.

    head: hash of the last entry. authors: SHA-256 of the canonical JSON of all authors' public keys at that time.
    """

    chain: str
    seq: int
    root: str
    head: str
    at: str
    authors: str
    public_key: str
    signature: str

    @property
    def signed(self) -> str:
        """The text that is signed."""
        return canonical_json({name: getattr(self, name) for name in _SIGNED})

    def is_by(self, authority: str) -> bool:
        """Whether the owner of that public key signed it."""
        return self.public_key == authority and signed_by(authority, self.signature, self.signed)


def make_checkpoint(store: Store, memory: str, key: Ed25519PrivateKey) -> Checkpoint:
    """Sign the chain as it is now, and keep the checkpoint in the memory. Raises InputError for another's key."""

    def work(tx: Transaction) -> Checkpoint:
        found = tx.run("contract/head", memory=memory, token=uuid.uuid4().hex, receipts=[])
        if not found:
            raise refusal(tx, memory)
        [head] = found
        row = tx.one("contract/checkpoints", memory=memory)
        if row["authority"] != public_key(key):
            raise InputError(f"this is not the key of the authority of memory {memory!r}, who alone signs checkpoints")
        hashes = [one["hash"] for one in chain(tx, memory)]
        at = head["now"].to_native().astimezone(UTC).isoformat(timespec="microseconds")
        parts = {
            "chain": head["chain"], "seq": head["seq"], "root": merkle_root(hashes), "head": head["previous"],
            "at": at, "authors": authors_hash(tx.one("contract/authors", memory=memory)["authors"]),
        }  # fmt: skip
        made = Checkpoint(**parts, public_key=public_key(key), signature=sign(key, canonical_json(parts)))
        tx.one("contract/seal", memory=memory, checkpoint=made.to_json())
        return made

    return store.write(work)


def chain(tx: Transaction, memory: str, after: int = 0) -> Iterator[Row]:
    """The entries of a memory in the order of the chain, as `contract/chain` returns them."""
    while rows := tx.run("contract/chain", memory=memory, after=after, page=PAGE):
        yield from rows
        after = rows[-1]["seq"]


def authors_hash(enrolled: Sequence[Row]) -> str:
    """The SHA-256 of some enrolments' names, numbers and public keys. enrolled: as `contract/authors` orders them."""
    return sha256(canonical_json([[one["name"], one["number"], one["public_key"]] for one in enrolled]))


def read_checkpoint(path: Path) -> Checkpoint:
    """A checkpoint that was kept in a file. Raises InputError."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"cannot read the checkpoint {path}: {getattr(error, 'strerror', None) or error}") from error
    return checkpoint_of(data, str(path))


def checkpoint_of(data: Mapping[str, Any] | Any, name: str) -> Checkpoint:
    """A checkpoint from its JSON object. Raises InputError."""
    fields = Checkpoint.__dataclass_fields__
    if (
        not isinstance(data, Mapping)
        or not fields.keys() <= data.keys()
        or not isinstance(data["seq"], int)
        or not all(isinstance(data[field], str) for field in fields.keys() - {"seq"})
    ):
        raise InputError(f"{name} is no checkpoint: `oroi contract checkpoint MEMORY --key KEYFILE --json` prints one")
    return Checkpoint(**{field: data[field] for field in fields})

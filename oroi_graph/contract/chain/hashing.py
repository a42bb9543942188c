"""The hashes of the chain: of a value, of an entry, of the tree over all entries. No database here.

All are SHA-256 as 64 hexadecimal digits. docs/contract.md describes them for whoever writes another verifier.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Mapping
from decimal import Decimal

from oroi_graph.model import canonical_json

GENESIS = "0" * 64  # what the first entry has as the hash of its predecessor

# What an entry's hash covers. `value_hash` stands for the value, so that an erased one can be verified, too.
COVERED = (
    "chain", "seq", "previous", "id", "created_at", "ia_author", "entry_type", "kind", "field_key", "value_hash",
    "confidence_score", "schema_hash", "parents", "covers", "generated",
)  # fmt: skip


def sha256(data: str | bytes) -> str:
    """The SHA-256 of a text (as UTF-8) or of bytes."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def new_salt() -> str:
    """128 random bits, so that nobody can guess an erased value from its hash."""
    return secrets.token_hex(16)


def value_hash(salt: str, value: str) -> str:
    """The hash of a value: of its salt, a line feed, and the value."""
    return sha256(f"{salt}\n{value}")


def entry_hash(entry: Mapping[str, object]) -> str:
    """The hash of an entry: of the canonical JSON of what COVERED names. Raises KeyError if something is missing."""
    covered = {name: entry[name] for name in COVERED}
    covered["confidence_score"] = decimal(covered["confidence_score"])
    return sha256(canonical_json(covered))


def decimal(number: object) -> str:
    """A number as the shortest plain decimal: 1.0 → "1", 1e-07 → "0.0000001"; the same in every language."""
    text = format(Decimal(repr(float(str(number)))), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def merkle_root(hashes: Iterable[str]) -> str:
    """The root of the tree over some hashes, in order (RFC 6962, section 2.1); that of none is SHA-256("")."""
    stack: list[tuple[int, bytes]] = []  # (height, hash) of complete subtrees, from the left
    for one in hashes:
        node = (0, hashlib.sha256(b"\x00" + bytes.fromhex(one)).digest())
        while stack and stack[-1][0] == node[0]:
            height, left = stack.pop()
            node = (height + 1, _joined(left, node[1]))
        stack.append(node)
    if not stack:
        return sha256(b"")
    _, root = stack.pop()
    while stack:
        root = _joined(stack.pop()[1], root)
    return root.hex()


def _joined(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()

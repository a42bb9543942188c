"""Keys in the graph: made, listed, revoked, recognised.

A key is `oroi_<id>_<secret>`: the id (12 hexadecimal digits) finds it, the secret (256 random bits) proves it.
Only the SHA-256 of the whole is kept; a random secret of that length needs no slow hash.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from oroi_graph.errors import InputError, KeyRefusedError, MemoryNotFoundError
from oroi_graph.interfaces.keys.principal import Principal, checked_rights
from oroi_graph.language.normalize import check_memory_name, check_name
from oroi_graph.model import Value
from oroi_graph.storage import catalog
from oroi_graph.storage.store import Row, Store

LONGEST = 400  # characters of a session's key
NOTED_EVERY = 60.0  # seconds between two notes of the last use, so that reading does not mean writing
_KEY = re.compile(r"oroi_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class Key(Value):
    """A key as it is kept. Times are ISO, UTC; None: never. state: active, expired, revoked, or closed (its own memory
    is gone). session: the key of the session that it is bound to, None for none."""

    id: str
    name: str
    memories: tuple[str, ...]
    rights: tuple[str, ...]
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    state: str
    session: str | None = None


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made, with its text, which is kept nowhere."""

    key: Key
    text: str

    def to_json(self) -> dict[str, object]:
        """A JSON-serialisable object."""
        return self.key.to_json() | {"key": self.text}


class KeyRegistry:
    """The keys of one database. Safe to share among threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._noted: dict[str, float] = {}
        self._lock = threading.Lock()

    def create(
        self,
        name: str,
        memories: Sequence[str],
        rights: Iterable[str] = ("read", "write"),
        *,
        days: float | None = None,
        session: str | None = None,
    ) -> NewKey:
        """Make a key that opens `memories`, the first of which is its own.

        name: of who gets it, for people. days: until it expires, None for never. session: the key of the session that
        its holder is in, for the scope of notes. Raises InputError, and MemoryNotFoundError for a memory that does not
        exist.
        """
        check_name(name, "name")
        if session is not None:
            check_name(session, "session")
            if not session.strip() or len(session) > LONGEST:
                raise InputError(f"a session's key has 1 to {LONGEST} characters, such as agent:main:discord:channel:5")
        allowed = checked_rights(rights)
        if isinstance(memories, str) or not memories:
            raise InputError("name the memories that the key opens, at least one")
        opened = list(dict.fromkeys(check_memory_name(memory) for memory in memories))
        if days is not None and not 0 < days <= 36500:
            raise InputError(f"a key lasts more than 0 and at most 36500 days, got {days:g}")
        id = secrets.token_hex(6)
        text = f"oroi_{id}_{secrets.token_urlsafe(32)}"
        kept = {"id": id, "name": name, "hash": _hash(text), "rights": list(allowed), "session": session}
        if not self._store.write_rows("interfaces/create_key", key=kept, memories=opened, days=days):
            missing = next((memory for memory in opened if catalog.describe(self._store, memory) is None), opened[0])
            raise MemoryNotFoundError(missing)
        [row] = self._store.rows("interfaces/read_key", id=id)
        return NewKey(_key(row), text)

    def list(self, memory: str | None = None) -> list[Key]:
        """Every key, the newest first; those that open `memory`, if one is given."""
        if memory is not None:
            check_memory_name(memory)
        return [_key(row) for row in self._store.rows("interfaces/list_keys", only=memory)]

    def revoke(self, id: str) -> Key:
        """Refuse a key from now on. Raises InputError if there is none with that id."""
        if not self._store.write_rows("interfaces/revoke_key", id=id):
            raise InputError(f"no key has the id {id!r}: `oroi key list` shows them")
        [row] = self._store.rows("interfaces/read_key", id=id)
        return _key(row)

    def recognise(self, text: str | None) -> Principal:
        """Whoever holds the key `text`; its use is noted, once a minute. Raises KeyRefusedError."""
        if not text:
            raise KeyRefusedError("a key is needed: `oroi key create` makes one")
        found = _KEY.fullmatch(text)
        rows = self._store.rows("interfaces/read_key", id=found[1]) if found else []
        if not rows or not hmac.compare_digest(rows[0]["hash"], _hash(text)):
            raise KeyRefusedError(
                "no such key: check that it was copied as a whole, or make one with `oroi key create`"
            )
        [row] = rows
        if row["revoked_at"] is not None:
            raise KeyRefusedError(f"key {row['id']} was revoked on {row['revoked_at'][:10]}")
        if row["expired"]:
            raise KeyRefusedError(f"key {row['id']} expired on {row['expires_at'][:10]}: make a new one")
        self._note(row["id"])
        rights = frozenset(checked_rights(row["rights"]))
        return Principal(row["id"], row["name"], tuple(row["memories"]), rights, row["session"])

    def _note(self, id: str) -> None:
        now = time.monotonic()
        with self._lock:
            if now - self._noted.get(id, -NOTED_EVERY) < NOTED_EVERY:
                return
            self._noted[id] = now
        self._store.write_rows("interfaces/use_key", id=id)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _key(row: Row) -> Key:
    state = "revoked" if row["revoked_at"] else "expired" if row["expired"] else "active"
    if state == "active" and not row["memories"]:
        state = "closed"
    shown = {name: value for name, value in row.items() if name not in ("hash", "expired", "memories", "rights")}
    return Key(**shown, memories=tuple(row["memories"]), rights=tuple(row["rights"]), state=state)

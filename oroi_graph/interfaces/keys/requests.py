"""Requests that a key must not make twice, in the graph: beyond the process that answers them.

Kept is that a request was begun and done, as hashes and a time, for a day; never what was asked or answered: most of
these requests delete, and an answer would keep what they deleted. A key that is not of the graph has none.
"""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass

from oroi_graph.storage.store import Store

LASTING = 24 * 3600.0  # seconds for which a request is known, here and where its answer is kept


@dataclass(frozen=True, slots=True)
class Noted:
    """What is noted of a request. mine: it was noted just now, by this call. at: when it was begun, ISO, UTC."""

    mine: bool
    fingerprint: str
    done: bool
    at: str


class Requests:
    """The requests of one database. Safe to share among threads."""

    def __init__(self, store: Store, lasting: float = LASTING) -> None:
        self._store, self._lasting = store, lasting

    def begin(self, key: str, name: str, fingerprint: str) -> Noted | None:
        """Note a request before it is done. name: by which its sender knows it. None: no key of the graph."""
        rows = self._store.write_rows(
            "interfaces/begin_request",
            key=key,
            id=_id(name),
            fingerprint=fingerprint,
            claim=uuid.uuid4().hex,
            lasting=self._lasting,
        )
        return Noted(**rows[0]) if rows else None

    def end(self, key: str, name: str, *, done: bool) -> None:
        """Note that it is done; or that it failed, and may be made again."""
        self._store.write_rows("interfaces/end_request", key=key, id=_id(name), done=done)


def _id(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()

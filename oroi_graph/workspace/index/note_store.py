"""Notes are written here, and nowhere else: one transaction at a time, under the memory's lock."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from oroi_graph.errors import OroiError
from oroi_graph.storage.catalog import refusal
from oroi_graph.storage.changes import Touched
from oroi_graph.storage.store import Row, Store, Transaction

MARKED = 256  # notes whose change is told to the copies of a memory one by one


@dataclass(frozen=True, slots=True)
class NoteStore:
    """The notes of one memory. cache: whether the vectors of deleted notes are kept.

    foreign: whether vectors are of another model than the memory's.
    """

    store: Store
    memory: str
    cache: bool
    foreign: bool = False

    def change(self, shelf: str, served: bool, **changes: Any) -> None:
        """One transaction of `workspace/write`; what is not given is nothing.

        served: whether the index answers. Raises StoreError, MemoryNotFoundError.
        """
        given: dict[str, Any] = {name: [] for name in ("new", "kept", "filled", "gone", "files", "lost")} | changes
        ids = [*(row["id"] for row in given["kept"]), *given["gone"]]  # new ones are in no copy of the memory yet
        touched: Touched | None = None
        if not served:
            touched = Touched()  # no copy of the memory has these notes
        elif not given["filled"] and len(ids) <= MARKED:
            touched = Touched(records=ids)
        fixed = {"memory": self.memory, "shelf": shelf, "cache": self.cache, "foreign": self.foreign}
        now = int(time.time() * 1000)

        def written(tx: Transaction, _: int) -> list[Row]:
            rows = tx.change("workspace/write", touched, now=now, **fixed, **given)
            if rows and rows[0]["concepts"]:
                tx.also(self.memory, Touched(concepts=rows[0]["concepts"]))
            return rows

        self.write(written)

    def promote(self, shelf: str, page: int) -> int:
        """Let recall read notes of an index, `page` at most; how many."""

        def promoted(tx: Transaction, _: int) -> list[Row]:
            rows = tx.change("workspace/promote", Touched(), memory=self.memory, shelf=shelf, page=page)
            ids = rows[0]["promoted"]
            if ids:
                tx.also(self.memory, Touched(records=ids) if len(ids) <= MARKED else None)
            return rows

        return len(self.write(promoted)[0]["promoted"])

    def set(self, **properties: object) -> None:
        """Change what the memory knows of its workspace."""
        self.write(lambda tx, _: tx.run("workspace/set", memory=self.memory, properties=properties))

    def write(self, work: Callable[[Transaction, int], list[Row]]) -> list[Row]:
        """Run `work` in a transaction that holds the memory; it is given the memory's turn."""

        def held(tx: Transaction) -> list[Row]:
            rows = tx.run("workspace/hold", memory=self.memory, token=uuid.uuid4().hex)
            if not rows:
                error: OroiError = refusal(tx, self.memory)
                raise error
            return work(tx, int(rows[0]["clock"] or 0))

        return self.store.write(held)

"""Merges for users: list them, merge two concepts by hand, and undo a merge, also after later turns."""

from __future__ import annotations

from dataclasses import dataclass

from oroi_graph.consolidation.merge import MergeRequest, merge
from oroi_graph.consolidation.split_plan import SplitPlan
from oroi_graph.errors import InputError, NotFoundError
from oroi_graph.language.normalize import label_key
from oroi_graph.model import Value
from oroi_graph.options import Dynamics
from oroi_graph.storage.catalog import required
from oroi_graph.storage.store import Store, Transaction


@dataclass(frozen=True, slots=True)
class Merge(Value):
    """One merge: `absorbed` became part of `survivor` (labels and ids). state: "in force" or "undone"."""

    id: str
    survivor_id: str
    survivor: str
    absorbed_id: str
    absorbed: str
    kind: str
    turn: int
    by: str
    method: str
    score: float
    at: str | None
    state: str


def merges(tx: Transaction, memory: str) -> list[Merge]:
    """Every merge of a memory, the newest first."""
    return [Merge(**row) for row in tx.run("consolidation/list_merges", memory=memory)]


def unmerge(tx: Transaction, memory: str, id: str, dynamics: Dynamics, *, later: bool = False) -> list[str]:
    """Undo the merge `id`; with `later`, those first that were built upon it. The ids undone, in that order.

    Raises InputError if there is no such merge, if it was undone already, if later ones stand on it (and `later` is
    False), or if its label belongs to another concept by now. Must run under the memory's lock.
    """
    rows = tx.run("consolidation/unmerge_read", memory=memory, merge=id)
    if not rows:
        known = next((m for m in merges(tx, memory) if m.id == id), None)
        if known is not None:
            raise InputError(f"merge {id} was undone already: {known.absorbed!r} and {known.survivor!r} are apart")
        raise NotFoundError(f"memory {memory!r} has no merge {id!r}: `oroi merges list {memory}` shows them")
    row = rows[0]
    if row["later"]:
        if not later:
            raise InputError(
                f"merge {id} has later merges built on it: undo {row['later'][0]} first, or all of them with --later"
            )
        undone = unmerge(tx, memory, row["later"][0], dynamics, later=True)
        return [*undone, *unmerge(tx, memory, id, dynamics, later=True)]
    if row["taken"]:
        raise InputError(f"merge {id} cannot be undone: another concept is called {row['absorbed']['label']!r} by now")
    SplitPlan(memory, row, dynamics).run(tx)
    return [id]


def undo(store: Store, memory: str, id: str, *, later: bool = False, dynamics: Dynamics | None = None) -> list[Merge]:
    """Undo the merge `id` in a transaction of its own (`unmerge`); the merges undone. Also while the memory sleeps."""

    def work(tx: Transaction) -> list[Merge]:
        _heard(tx, memory)
        known = {merge.id: merge for merge in merges(tx, memory)}
        return [known[undone] for undone in unmerge(tx, memory, id, dynamics or Dynamics(), later=later)]

    return store.write(work)


def unite(
    store: Store, memory: str, first: str, second: str, *, by: str | None = None, dynamics: Dynamics | None = None
) -> Merge:
    """Merge two concepts because a person says so, each named by label, alias or id. by: who.

    Raises InputError if a name finds no concept or several, or the two cannot be one (two kinds, a value, a self).
    """

    def work(tx: Transaction) -> Merge:
        heard = _heard(tx, memory)
        union = MergeRequest(_named(tx, memory, first), _named(tx, memory, second), by or "person", "said", 1.0)
        made, _ = merge(tx, memory, [union], heard, dynamics or Dynamics())
        if not made:
            raise InputError(
                f"{first!r} and {second!r} cannot be one: only two concepts or two names that are not the same"
            )
        return next(found for found in merges(tx, memory) if found.id == made[0])

    return store.write(work)


def _heard(tx: Transaction, memory: str) -> int:
    """Lock the memory; the last turn that was heard."""
    return int(required(tx, "consolidation/lock_memory", memory, by="merge")["heard"])


def _named(tx: Transaction, memory: str, name: str) -> str:
    found = tx.run("consolidation/named", memory=memory, called=name, key=label_key(name))
    if not found:
        raise InputError(f"memory {memory!r} has no concept {name!r}: `oroi show {memory}` shows what it has")
    if len(found) > 1:
        kinds = ", ".join(f"{row['label']} ({row['kind']}, id {row['id']})" for row in found)
        raise InputError(f"{name!r} may be several concepts, name one by its id: {kinds}")
    return str(found[0]["id"])

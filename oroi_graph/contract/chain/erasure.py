"""Erasure on request: an entry's value goes for ever; its hash and a tombstone stay; the chain verifies still."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from oroi_graph.contract.comparison import forget_values
from oroi_graph.contract.retrieval.entries import entry
from oroi_graph.errors import InputError
from oroi_graph.language.normalize import check_name
from oroi_graph.model import Value
from oroi_graph.storage.catalog import refusal
from oroi_graph.storage.store import Store, Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure(Value):
    """What was erased: ids of entries, generated ones among them, and how many concepts only they held.

    remains: ids of entries that still hold something of their value (none).
    """

    erased: tuple[str, ...]
    concepts: int
    remains: tuple[str, ...] = ()


def erase(store: Store, memory: str, ids: Sequence[str], by: str) -> Erasure:
    """Erase the values of some entries, and of what was generated from them. by: who asked for it.

    Raises InputError if one of the ids is no entry. Idempotent: what was erased stays so. A write that is under way
    finds out when it locks the memory, and is decided anew.
    """
    if not ids:
        raise InputError("name the entries to erase by their ids, at least one")
    if not isinstance(by, str) or not by.strip():
        raise InputError("say who asked for the erasure: the tombstone keeps it")
    check_name(by, "name of who asked")

    def work(tx: Transaction) -> tuple[list[str], int]:
        known = [entry(tx, memory, id).id for id in ids]
        if not tx.run("contract/head", memory=memory, token=uuid.uuid4().hex, receipts=[]):
            raise refusal(tx, memory)
        orphans = [row["id"] for row in tx.run("contract/mentioned_only", memory=memory, ids=known)]
        rows = tx.run("contract/erase", memory=memory, ids=known, by=by, token=uuid.uuid4().hex)
        if orphans:
            tx.run("forgetting/delete", memory=memory, records=[], associations=[], concepts=orphans)
        return [id for row in rows for id in row["erased"]], len(orphans)

    erased, concepts = store.write(work)
    forget_values()
    left = store.rows("contract/remains", memory=memory, ids=erased)
    return Erasure(erased=tuple(erased), concepts=concepts, remains=tuple(row["id"] for row in left))

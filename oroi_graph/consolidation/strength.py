"""Strength: promotion of coincidences, growth and decay of strength, and pruning. Each step is idempotent.

Strength (0..1) is the slow trace of a concept. It grows with exposure, which is the activation summed over turns, and
decays with every turn. Coincidences that recur become associations. Concepts whose strength stayed low are pruned.
Growth and decay note on each concept the turn up to which they were applied: an interrupted run continues there, and
nothing is applied twice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from oroi_graph.consolidation.run_context import RunContext
from oroi_graph.entities.fact_updates import new_association
from oroi_graph.language.normalize import digest
from oroi_graph.language.relations import SINGLE_VALUED
from oroi_graph.options import PROVENANCE
from oroi_graph.storage.store import Row, Transaction

TOGETHER = "goes with"  # the relation of two concepts that were only mentioned together
# Relations whose value is a lasting state: neither the current value nor an earlier one is pruned.
LASTING = sorted(SINGLE_VALUED - {"price"})


def promote(sleep: RunContext) -> None:
    """Turn recurrent coincidences into weak associations, which conduct activation and are never shown as facts."""
    options = sleep.options.sleep
    limits = {"recurrence": options.recurrence, "turn": sleep.turn, "page": options.page, "provenance": PROVENANCE}
    after = ["", ""]
    while True:

        def page(tx: Transaction, after: list[str] = after) -> list[Row]:
            rows = tx.run("consolidation/recurring", memory=sleep.memory, after=after, **limits)
            if rows:
                tx.run("consolidation/promote", memory=sleep.memory, rows=[_association(sleep, row) for row in rows])
            return rows

        rows = sleep.write(page)
        sleep.count(promoted=len(rows))
        sleep.progress(sleep.counts["promoted"], 0, "promote")
        if len(rows) < options.page:
            return
        after = rows[-1]["key"]


def _association(sleep: RunContext, row: Row) -> Row:
    dynamics, recurrence = sleep.options.dynamics, sleep.options.sleep.recurrence
    return {
        "source": row["source"],
        "target": row["target"],
        "properties": new_association(sleep.memory, row["source"], TOGETHER, sleep.turn)
        | {
            "id": digest(sleep.memory, TOGETHER, row["source"], row["target"]),
            "class": TOGETHER,
            # Always below the weight of a stated association, however often the two were mentioned together.
            "weight": dynamics.weight_initial * (1 - math.exp(-row["count"] / (2 * recurrence))),
            "implied": True,
            "consolidated": True,
            "last_turn": row["last_turn"],
            "count": row["count"],
            "records": row["records"][::-1],
        },
    }


def strengthen(sleep: RunContext) -> None:
    """Transfer and decay: s ← (s + (1 − s)(1 − e^(−exposure/E))) · γ^turns; activation is untouched."""
    options = sleep.options.sleep
    turns = {"turn": sleep.turn, "since": sleep.since}
    rates = {"exposure": options.exposure, "decay": options.decay, "page": options.page}
    after: str | None = ""
    while after is not None:
        row = sleep.write_one("consolidation/fade", memory=sleep.memory, after=after, **turns, **rates)
        sleep.count(transferred=row["transferred"], decayed=row["concepts"])
        sleep.progress(sleep.counts["decayed"], 0, "strengthen")
        after = row["last"]


def prune(sleep: RunContext) -> None:
    """Delete weak concepts with all their relationships, and coincidences that did not recur."""
    options = sleep.options.sleep
    before = sleep.turn - options.prune_after
    limits = {"took_hold": options.took_hold, "seldom": options.seldom, "lasting": LASTING, "page": options.page}
    after = ""
    while True:

        def page(tx: Transaction, after: str = after) -> tuple[list[Row], Row | None]:
            rows = tx.run("consolidation/prunable", memory=sleep.memory, after=after, before=before, **limits)
            ids = _dispensable(rows)
            if not ids:
                return rows, None
            deleted = tx.run("consolidation/prune", memory=sleep.memory, ids=sorted(ids))
            return rows, deleted[0] if deleted else None

        rows, deleted = sleep.write(page)
        if deleted:
            sleep.count(pruned=deleted["pruned"], pruned_associations=deleted["associations"])
            sleep.progress(sleep.counts["pruned"], 0, "prune")
        if len(rows) < options.page:
            break
        after = rows[-1]["id"]
    _prune_pairs(sleep, before)


def _dispensable(rows: Sequence[Row]) -> set[str]:
    """The ids of those concepts that can go while every record keeps at least one of its mentions."""
    going: set[str] = set()
    for row in rows:
        if all(set(link) - going - {row["id"]} for link in row["links"]):
            going.add(row["id"])
    return going


def _prune_pairs(sleep: RunContext, before: int) -> None:
    seldom = {"memory": sleep.memory, "before": before, "recurrence": sleep.options.sleep.recurrence}
    pairs = page = sleep.options.sleep.page
    while pairs == page:
        pairs = sleep.write_one("consolidation/prune_pairs", **seldom, page=page)["pairs"]
        sleep.count(pruned_pairs=pairs)

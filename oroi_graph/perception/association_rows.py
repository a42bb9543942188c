"""The associations that a turn makes and changes, as they will be read. No database here.

The numbers are computed here and written as they are, but for what the working set does not hold (counts), which the
statement adds up.
"""

from __future__ import annotations

from collections.abc import Iterable

from oroi_graph.options import PROVENANCE, Dynamics
from oroi_graph.storage.store import Row
from oroi_graph.working_set.rows import columns
from oroi_graph.working_set.snapshot import Snapshot


class AssociationRows:
    """The associations that a turn makes and changes, one after the other, as they are afterwards."""

    def __init__(self, held: Snapshot, turn: int) -> None:
        self.held, self.turn = held, turn
        self._rows: dict[str, Row] = {}

    def create(self, row: Row) -> bool:
        """Add a new one (`turn_rows.association_row`); False if it is there already."""
        made = row["properties"]
        if made["id"] in self._rows or self.held.associations.place(made["id"]) is not None:
            return False
        self._rows[made["id"]] = {
            "ids": made["id"], "sources": row["source"], "targets": row["target"], "weights": made["weight"],
            "relations": made["relation"], "classes": made["class"], "implied": bool(made.get("implied")),
            "confidences": 1.0 if made.get("confidence") is None else made["confidence"],
            "first_turns": made["first_turn"], "last_turns": made["last_turn"],
            "superseded": made.get("superseded_turn") is not None, "negated": made["negated"],
            "contested": made["contested"], "times": made.get("when") or "", "stated": made.get("stated_at") or "",
            "records": made["records"],
        }  # fmt: skip
        return True

    def repeat(self, id: str, records: Iterable[str], confidence: float | None, dynamics: Dynamics) -> Row:
        """State one again: heavier, more recent, with more provenance. Returns what is written of it."""
        row = self._changed(id)
        listed = [*row["records"], *(record for record in records if record not in row["records"])]
        row["records"] = listed if len(listed) <= PROVENANCE else listed[:1] + listed[1 - PROVENANCE :]
        row["weights"] += dynamics.reinforcement * (1 - row["weights"] / dynamics.weight_max)
        before = row["confidences"]
        row["confidences"] = max(before, 1.0 if confidence is None else confidence)
        row["last_turns"] = max(row["last_turns"], self.turn)
        sure = row["confidences"] >= 1
        return {
            "id": id, "weight": row["weights"], "records": row["records"], "last_turn": row["last_turns"],
            "confidence": None if sure else row["confidences"],
            "confidence_before": before if row["confidences"] > before else None,
        }  # fmt: skip

    def supersede(self, id: str) -> None:
        """Close one."""
        self._changed(id)["superseded"] = True

    def contest(self, id: str) -> None:
        """Mark one as contested."""
        self._changed(id)["contested"] = True

    @property
    def ids(self) -> list[str]:
        """Of all of them."""
        return list(self._rows)

    def columns(self) -> Row:
        """All of them, in the shape of `working_set/touched`."""
        return columns(list(self._rows.values()))

    def _changed(self, id: str) -> Row:
        if id not in self._rows:
            place = self.held.associations.place(id)
            if place is None:
                raise KeyError(id)
            self._rows[id] = self.held.associations.row(place, self.held.concepts)
        return self._rows[id]

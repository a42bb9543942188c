"""Rows that a writer adds to a working set, in the shape of `working_set/touched`: as they will be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from oroi_graph.storage.store import Row
from oroi_graph.working_set.snapshot import Snapshot
from oroi_graph.working_set.tables import CONCEPT_COLUMNS, NO_ASSOCIATIONS, RECORD_COLUMNS


def concept_columns(held: Snapshot, rows: Sequence[Row]) -> Row:
    """Concepts that a turn mentions, as it leaves them; new ones are dark.

    rows: [{id, created: properties of a new one, kind | None, strength, vector | None}]
    """
    table = held.concepts
    found: dict[str, list[Any]] = {name: [] for name in CONCEPT_COLUMNS}
    for row in rows:
        place, new = table.place(row["id"]), row["created"]
        if place is None:
            known = (new["label"], new["label_key"], new["kind"], new["aliases"], 0, 0.0)
        else:
            known = (
                table.labels[place], table.keys[place], table.kinds[place], table.aliases[place],
                int(table.mentions[place]), float(table.strength[place]),
            )  # fmt: skip
        label, key, kind, aliases, mentions, strength = known
        values: tuple[Any, ...] = (
            row["id"], label, key, row["kind"] or kind, aliases, mentions + 1, max(strength, row["strength"]),
            _as_held(row["vector"]),
        )  # fmt: skip
        for column, value in zip(found.values(), values, strict=True):
            column.append(value)
    return found


def columns(rows: Sequence[Row]) -> Row:
    """Rows of associations as columns."""
    return {name: [row[name] for row in rows] for name in NO_ASSOCIATIONS}


def record_columns(record: Row, vector: Row | None, concepts: Sequence[str]) -> Row:
    """A new episode. record: its properties; vector: as it is written, or None; concepts: ids of what it mentions."""
    said = [record[name] for name in ("turn_id", "turn", "role", "speaker", "session", "at", "text", "kind")]
    values: tuple[Any, ...] = (
        record["id"], said, [], False, bool(record.get("resting")), record["associations"], list(concepts),
        _as_held(vector),
    )  # fmt: skip
    return {name: [value] for name, value in zip(RECORD_COLUMNS, values, strict=True)}


def stating_more(held: Snapshot, record: str, associations: Sequence[str]) -> Row | None:
    """A known episode that now states more; None if it is not known or states them already."""
    table = held.records
    place = table.place(record)
    if place is None or not associations:
        return None
    listed = [*table.associations[place], *(id for id in associations if id not in table.associations[place])]
    values = (
        record, table.said[place], table.entries[place], table.gists[place], table.resting[place], listed,
        table.concepts[place], -1,
    )  # fmt: skip
    return {name: [value] for name, value in zip(RECORD_COLUMNS, values, strict=True)}


def nothing() -> Row:
    """No row."""
    return {
        "concepts": {name: [] for name in CONCEPT_COLUMNS},
        "associations": columns(()),
        "records": {name: [] for name in RECORD_COLUMNS},
    }


def _as_held(vector: Row | None) -> object:
    """A vector as working sets read it; -1 if there is none. vector: as it is written."""
    return -1 if vector is None else vector["bytes"]

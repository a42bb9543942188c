"""What a transaction changes of each memory, for those who keep a copy of it in process.

A transaction that changes a memory raises its number (`Memory.version`) with its commit: `Store` does that, for
whatever statement it was, unless the statement changes nothing that is ever copied (`UNREAD`). Where every changing
statement says what it touches, the marks of that are kept beside the number, so that a copy can be brought up to date
instead of being read again. A statement that says nothing costs a copy its life, never its truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

KEPT = 16  # changes whose marks a memory keeps: eight turns, each opened and closed

# Locks, leases, the notes that a memory makes of its own sleep, what stands beside the entries of a contract, what a
# workspace notes of its index, and the keys that open memories, with what they asked for. And what sets a memory's
# stamp itself: its beginning and its end.
UNREAD = frozenset(
    {
        "activation/begin_close",
        "consolidation/begin_sleep",
        "consolidation/end_sleep",
        "consolidation/lock_memory",
        "consolidation/note_sleep",
        "consolidation/write_compared",
        "contract/head",
        "contract/keep_calibration",
        "contract/lock_keys",
        "contract/seal",
        "contract/write_digests",
        "storage/add_usage",
        "forgetting/marked",
        "forgetting/open_record",
        "forgetting/turn_state",
        "interfaces/begin_request",
        "interfaces/create_key",
        "interfaces/end_request",
        "interfaces/revoke_key",
        "interfaces/use_key",
        "perception/open_turn",
        "storage/acquire",
        "storage/begin_delete",
        "storage/create_memory",
        "storage/hold",
        "storage/index_new",
        "storage/raise_version",
        "storage/release",
        "transfer/export_hold",
        "working_set/lock",
        "working_set/small",
        "workspace/clear_vectors",
        "workspace/hold",
        "workspace/open",
        "workspace/serve",
        "workspace/set",
        "workspace/use_vectors",
    }
)

# Statements that number what their transaction has changed so far, themselves included, as `storage/raise_version`.
NUMBERING = frozenset({"activation/write_close", "perception/write_turn"})


@dataclass(frozen=True, slots=True)
class Touched:
    """Ids of what a statement touches, new ones included. Activation needs no mention: what is lit is always read."""

    concepts: Iterable[str] = ()
    associations: Iterable[str] = ()
    records: Iterable[str] = ()

    def marks(self) -> list[str]:
        """Each id behind the first letter of what it is."""
        return [
            mark + id
            for mark, ids in (("c", self.concepts), ("a", self.associations), ("r", self.records))
            for id in ids
        ]


@dataclass(slots=True)
class Changes:
    """The changes of one transaction: marks by memory of those that have no number yet, None where a statement did not
    say what it touches.

    noted: how many statements changed something. numbered: the last number and the stamp that each memory got for it.
    once: whether no statement may number what was changed so far, since much more will be.
    """

    marks: dict[str, list[str] | None] = field(default_factory=dict)
    noted: int = 0
    numbered: dict[str, tuple[int, str]] = field(default_factory=dict)
    once: bool = False

    def note(self, memory: str, touched: Touched | None) -> None:
        """One statement changed `memory`."""
        self.noted += 1
        known = self.marks.get(memory, [])
        self.marks[memory] = None if touched is None or known is None else [*known, *touched.marks()]

    def number(self, memory: str, row: Mapping[str, Any]) -> None:
        """All that was changed of `memory` has got a number. row: {version, stamp, …}."""
        self.marks.pop(memory, None)
        self.numbered[memory] = row["version"], row["stamp"]


def read_marks(marks: Iterable[str]) -> Touched:
    """What `Touched.marks` wrote, of one or several changes."""
    found: dict[str, dict[str, None]] = {"c": {}, "a": {}, "r": {}}
    for mark in marks:
        found[mark[:1]][mark[1:]] = None
    return Touched(tuple(found["c"]), tuple(found["a"]), tuple(found["r"]))

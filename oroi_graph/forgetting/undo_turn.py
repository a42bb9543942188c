"""Undo a turn: the memory as it was before that turn.

No journal is needed: ids derive from the turn, and provenance is stored in both directions. Not reverted is what the
end of the turn applied: decay, weights learned from co-activation, exposure, the testing effect. Activation loses the
pulse of the turn, but not what has spread from it. Of two turns that each made a fact surer, the second one that is
undone leaves its confidence as it is. A turn that the undone one had closed stays closed.
"""

from __future__ import annotations

from dataclasses import dataclass

from oroi_graph.errors import BusyError, InputError
from oroi_graph.language.normalize import digest
from oroi_graph.model import Value
from oroi_graph.options import PROVENANCE, Dynamics
from oroi_graph.storage.catalog import required
from oroi_graph.storage.store import Row, Store, Transaction


@dataclass(frozen=True, slots=True)
class UndoResult(Value):
    """What was taken back: the turn's number, its words (records), and how many things were its own.

    restored: associations that it had replaced and that hold again.
    """

    turn: int
    records: int
    concepts: int
    associations: int
    restored: int
    texts: tuple[str, ...] = ()


def undo(store: Store, memory: str, dynamics: Dynamics, *, dry_run: bool = False) -> UndoResult:
    """Take back the last turn with its reply. dry_run: say what it would take back, change nothing.

    Raises InputError if there is none, if sleep or a merge built on it, or if its words are gone; MemoryNotFoundError;
    BusyError while the memory is being consolidated.
    """

    def work(tx: Transaction) -> UndoResult:
        state = required(tx, "forgetting/turn_state", memory)
        if state["leased_by"] is not None:
            raise BusyError(memory, state["leased_by"], state["leased_until"])
        number = state["clock"] + (1 if state["open"] else 0)
        if number < 1:
            raise InputError(f"nothing to undo: nobody has said anything in memory {memory!r} yet")
        if number <= state["slept"]:
            raise InputError(
                f"turn {number} cannot be undone: the memory has slept since, and sleep has built on it; "
                f'`oroi forget {memory} "…"` forgets what was said'
            )
        written = tx.one("forgetting/turn_written", memory=memory, turn=number)
        said = next((record for record in written["records"] if record["role"] == "user"), None)
        if said is None:
            raise InputError(f"turn {number} cannot be undone: its words were forgotten")
        if said["forgot"]:
            raise InputError(f"turn {number} cannot be undone: it asked to forget, and what is forgotten is gone")
        merge = _merged(written)
        if merge is not None:
            raise InputError(
                f"turn {number} cannot be undone: a merge was built on it; `oroi merges undo {memory} {merge}` first"
            )
        taking = _Taking(tx, memory, number, state, written, dynamics)
        return taking.planned() if dry_run else taking.write()

    return store.write(work)


def take_back(tx: Transaction, memory: str, number: int, dynamics: Dynamics) -> bool:
    """Take back the turn `number`, be it the last or not, under the memory's lock.

    False where sleep, or a merge, has built on it.
    """
    rows = tx.run("forgetting/turn_state", memory=memory)
    if not rows or rows[0]["leased_by"] is not None or number <= rows[0]["slept"]:
        return False
    written = tx.one("forgetting/turn_written", memory=memory, turn=number)
    if _merged(written) is not None:
        return False
    _Taking(tx, memory, number, rows[0], written, dynamics).write()
    return True


def _merged(written: Row) -> str | None:
    """The last merge that was made since of what the turn mentions."""
    return next((record["merge"] for record in written["records"] if record["merge"] is not None), None)


class _Taking:
    """The plan of one undo, made from what was read, and its writing."""

    def __init__(self, tx: Transaction, memory: str, number: int, state: Row, written: Row, dynamics: Dynamics) -> None:
        self.tx, self.memory, self.number, self.state = tx, memory, number, state
        self.written, self.dynamics = written, dynamics
        self.last = number == state["clock"] + (1 if state["open"] else 0)
        self.own = {record["id"] for record in written["records"]}
        self.turn_id = next((r["turn_id"] for r in written["records"] if r["role"] == "user"), "")
        self.replies = {reply["id"]: reply["associations"] for reply in written["replies"] if reply["id"]}
        self.repeated = [row for row in written["associations"] if not self._made(row)]
        self.gone = [row["id"] for row in written["associations"] if self._made(row)]
        self.concepts_gone = [row["id"] for row in written["concepts"] if self._created(row)]

    def planned(self) -> UndoResult:
        """What `write` would take back."""
        return UndoResult(
            self.number,
            len(self.own),
            len(self.concepts_gone),
            len(self.gone),
            sum(row["properties"].get("superseded_turn", 0) is None for row in self._restored()),
            tuple(record["text"] for record in self.written["records"]),
        )

    def write(self) -> UndoResult:
        """Write it; what was taken back."""
        planned = self.planned()
        staying = [row for row in self.written["concepts"] if row["id"] not in self.concepts_gone]
        self.tx.run(
            "forgetting/take_back",
            memory=self.memory,
            associations_gone=self.gone,
            associations=[*map(self._unsaid, self.repeated), *self._restored()],
            pairs=[self._uncounted(pair) for pair in self.written["pairs"]],
            replies=self._released(),
            concepts=[self._unmentioned(row) for row in staying],
            dimmed=[[row["id"], self._pulse(row)] for row in staying],
            floor=self.dynamics.floor,
            records_gone=sorted(self.own),
            concepts_gone=self.concepts_gone,
            last=self.last,
            clock=self.number - 1 if self.last else self.state["clock"],
            last_reply=next(iter(self.replies), None) if self.last else None,
        )
        return planned

    def _made(self, row: Row) -> bool:
        """Whether this turn made the association, and no other holds it."""
        return row["properties"]["first_turn"] == self.number and not row["others"]

    def _created(self, row: Row) -> bool:
        """Whether this turn created the concept, and nothing else holds it."""
        own = digest(self.memory, self.turn_id, row["kind"], row["key"]) == row["id"]
        return own and not row["others"] and set(self.gone).issuperset(row["associations"])

    def _unsaid(self, row: Row) -> Row:
        """A repeated association as it was before it was said again."""
        was, dynamics = row["properties"], self.dynamics
        turns = [turn for _, turn in row["others"]]
        share = 1 - dynamics.reinforcement / dynamics.weight_max
        weight = (was["weight"] - dynamics.reinforcement) / share if share > 0 else was["weight"]
        records = self._listed(row)
        changed: Row = {
            "count": max(1, was["count"] - 1),
            "weight": min(dynamics.weight_max, max(0.0, weight)),
            "records": records,
            "last_turn": max([was["first_turn"], *turns] if was["first_turn"] != self.number else turns),
        }
        if was["first_turn"] == self.number:
            changed["first_turn"] = min(turns)
        if was.get("confidence_turn") == self.number:
            changed |= {
                "confidence": was["confidence_before"], "confidence_before": None, "confidence_turn": None,
            }  # fmt: skip
        if not records:
            changed["consolidated"] = True
        return {"id": row["id"], "properties": changed}

    def _listed(self, row: Row) -> list[str]:
        """The provenance that a repeated association listed before; what its list had to drop comes back."""
        listed = row["properties"]["records"]
        taken_up = {id for id, stated in self.replies.items() if row["id"] in stated}
        kept = [id for id in listed if id not in self.own and id not in taken_up]
        if len(listed) < PROVENANCE:
            return kept
        dropped = [id for id, _ in row["others"] if id not in kept]
        room = PROVENANCE - len(kept)
        return [*kept[:1], *(dropped[-room:] if room > 0 else []), *kept[1:]]

    def _restored(self) -> list[Row]:
        """What the turn replaced or called into question, as it was; a later replacement takes its place."""
        later = {row["id"]: row["properties"] for row in self.written["associations"]}
        rows = []
        for row in self.written["superseded"]:
            changed: Row = {"contested": False, "contested_turn": None} if row["contested"] else {}
            by = later.get(row["by"])
            if by is not None and row["by"] in self.gone:
                changed |= {"superseded_turn": by.get("superseded_turn"), "superseded_by": by.get("superseded_by")}
            elif by is not None and row["turn"] == self.number:
                changed |= {"superseded_turn": None, "superseded_by": None}
            if changed and row["id"] not in self.gone:
                rows.append({"id": row["id"], "properties": changed})
        return rows

    def _uncounted(self, pair: Row) -> Row:
        before = max(pair["others"], default=pair["last_turn"])
        return {"source": pair["source"], "target": pair["target"], "count": pair["count"] - 1, "last_turn": before}

    def _released(self) -> list[Row]:
        """The replies before this turn without what it took up of them."""
        stated = {row["id"] for row in self.written["associations"]}
        return [
            {"id": id, "associations": [a for a in associations if a not in stated]}
            for id, associations in self.replies.items()
            if stated.intersection(associations)
        ]

    def _unmentioned(self, row: Row) -> Row:
        """A concept as it was before this turn mentioned it."""
        turns = [max(turn, 0) for turn in row["others"]]  # an entry of a contract, which has no turn, is below 0
        changed: Row = {"mentions": len(turns), "last_turn": max(turns, default=row["first_turn"])}
        if turns and row["method"] == "new":
            changed["first_turn"] = min(turns)
        names = ["strength", "fixed"]
        if not any(turn > self.number for turn in turns):  # whoever spoke later still speaks
            names.append("kind")
        for name in names:
            if row[f"{name}_before"] is not None:
                changed[name] = row[f"{name}_before"]
        return {"id": row["id"], "properties": changed}

    def _pulse(self, row: Row) -> float:
        known = {
            end
            for said in self.repeated
            if not said["properties"].get("implied")
            for end in (said["source"], said["target"])
        }
        return self.dynamics.pulse + (self.dynamics.known_relation_pulse if row["id"] in known else 0.0)

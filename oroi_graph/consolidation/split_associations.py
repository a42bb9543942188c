"""How the associations of a merged concept are divided when the merge is undone.

Every association of the survivor becomes up to two: one for each concept. A side consists of its base (what the
association was on that side before the merge) and of the records that stated it since. The record's mention decides
whose a record is: the surface that it used is a label of the absorbed concept, or resembles its labels more.

Weights: if nothing was said since, both sides get back exactly what they had. Otherwise the change of the weight since
the merge is divided in proportion to the number of records on each side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rapidfuzz.fuzz import ratio

from oroi_graph.consolidation.merge import ADDED_UP, listed
from oroi_graph.entities.fact_updates import slot
from oroi_graph.language.normalize import digest, fold, label_key
from oroi_graph.language.relations import single_valued
from oroi_graph.options import Dynamics
from oroi_graph.storage.store import Row

LEAST = 1e-3  # a weight stays above 0


@dataclass(slots=True)
class _Side:
    """What an association is on one side: the id it gets there, its base before the merge, what was said since."""

    id: str
    base: Row | None
    since: list[str]

    @property
    def there(self) -> bool:
        return self.base is not None or bool(self.since)


_Sides = tuple[_Side, _Side]  # the survivor's, the absorbed concept's


class Evidence:
    """What was said since one merge, and of which of the two concepts; from a row of `unmerge_read`.

    of_absorbed: ids of the records that speak of the absorbed concept. turns: the turn of each record said since.
    """

    def __init__(self, row: Row) -> None:
        self.row = row
        self.link, self.survivor, self.absorbed = row["link"], row["survivor"], row["absorbed"]
        self.since = [m for m in row["mentions"] if m["properties"].get("of_merge") != self.link["id"]]
        self.turns = {mention["record"]: mention["turn"] for mention in self.since}
        theirs = {self.absorbed["label"], *self.absorbed["aliases"]}
        ours = {self.survivor["label"], *(self.link.get("before_aliases") or [])}
        self.of_absorbed = {m["record"] for m in self.since if _closer(m["properties"]["surface"], theirs, ours)}


class AssociationSplit:
    """The associations that an undo deletes (`gone`: ids), creates (`live`) and changes (`changed`).

    renamed: {record: {association id: its id after the undo}}.
    """

    def __init__(self, memory: str, evidence: Evidence, dynamics: Dynamics) -> None:
        row = evidence.row
        self.memory, self.evidence, self.dynamics = memory, evidence, dynamics
        self.link, self.survivor, self.absorbed = evidence.link, evidence.survivor, evidence.absorbed
        self.edges, self.shadows = row["edges"], row["shadows"]
        self.properties: dict[str, Row] = {edge["properties"]["id"]: edge["properties"] for edge in self.edges}
        self.replies = {record["id"] for record in row["stating"] if record["reply"]}
        self.stated_at = {record["id"]: record["turn"] for record in row["stating"]}
        self.gone: list[str] = []
        self.live: list[Row] = []
        self.changed: list[Row] = []
        self.renamed: dict[str, dict[str, str]] = {}
        self.split = self._split()
        for edge in self.edges:
            self._divide(edge, *self.split[edge["properties"]["id"]])
        self._restore_shadows()

    def _split(self) -> dict[str, _Sides]:
        """Both sides of every association of the survivor, by its id."""
        moved = {s["properties"]["id"]: s for s in self.shadows if not s["properties"].get("host")}
        hosted = {s["properties"]["host"]: s for s in self.shadows if s["properties"].get("host")}
        return {id: self._sides(found, moved.get(id), hosted.get(id)) for id, found in self.properties.items()}

    def _restore_shadows(self) -> None:
        """Restore the associations between the two concepts, and what the absorbed concept's had superseded."""
        for shadow in self.shadows:
            properties = shadow["properties"]
            if shadow["other"] == self.survivor["id"]:
                self._create(shadow["source"], shadow["target"], as_it_was(properties))
            for id in properties.get("superseding") or []:
                if properties["host"] in self.split:  # deleted since: what was deleted does not come back
                    self.changed.append({"id": id, "properties": {"superseded_by": properties["id"]}})

    def _sides(self, properties: Row, moved: Row | None, hosted: Row | None) -> _Sides:
        """The sides of one association. moved, hosted: the shadow of one that the survivor took over, or added up."""
        id = properties["id"]
        stating = [m["record"] for m in self.evidence.since if id in m["associations"]]
        said = self._with_replies(properties["records"], stating)
        ours = [record for record, by in said.items() if by not in self.evidence.of_absorbed]
        theirs = [record for record, by in said.items() if by in self.evidence.of_absorbed]
        other = digest(id, "undone", self.link["id"])
        if hosted is not None:
            base = {name: hosted["properties"].get(f"host_{name}") for name in ADDED_UP}
            return _Side(id, base, ours), _Side(hosted["properties"]["id"], as_it_was(hosted["properties"]), theirs)
        if moved is not None:
            return _Side(other, None, ours), _Side(id, as_it_was(moved["properties"]), theirs)
        if properties["first_turn"] <= self.link["turn"] or not (ours or theirs):
            base = {"records": [r for r in properties["records"] if r not in said]}
            base["count"] = max(1, properties["count"] - len(stating))
            turns = [self.stated_at[r] for r in base["records"] if r in self.stated_at]
            base["last_turn"] = min(properties["last_turn"], max(turns, default=self.link["turn"]))
            return _Side(id, base, ours), _Side(other, None, theirs)
        return _Side(id, None, ours), _Side(id if not ours else other, None, theirs)

    def _with_replies(self, records: Sequence[str], stating: Sequence[str]) -> dict[str, str]:
        """{record: the record that decides whose it is}: an assistant's words go with those that took them up."""
        before = {after: reply for reply, after in pairwise(records) if reply in self.replies}
        found: dict[str, str] = {}
        for record in stating:
            if record in before:
                found[before[record]] = record
            found[record] = record
        return found

    def _divide(self, edge: Row, ours: _Side, theirs: _Side) -> None:
        """Plan the two sides of one association; it is left alone if nothing of it is the absorbed concept's."""
        id = edge["properties"]["id"]
        if not theirs.there:
            changed = self._superseding(edge, 0)  # it holds again if what superseded it was said of the other concept
            if any(edge["properties"].get(name) != value for name, value in changed.items()):
                self.changed.append({"id": ours.id, "properties": changed})
            return
        own, other = self._weights(edge["properties"], ours, theirs)
        a = self._numbers(ours, own) | self._superseding(edge, 0)
        b = self._numbers(theirs, other) | self._superseding(edge, 1)
        for side in (ours, theirs):
            if side.id != id:
                for record in side.since:
                    self.renamed.setdefault(record, {})[id] = side.id
        absorbed = (theirs.base or edge["properties"]) | b | {"id": theirs.id}
        if theirs.base is None and edge["source"] == self.survivor["id"]:
            absorbed["slot"] = slot(self.memory, self.absorbed["id"], absorbed["relation"])
        ends = [self.absorbed["id"] if end == self.survivor["id"] else end for end in (edge["source"], edge["target"])]
        if ours.there and ours.id == id:
            self.changed.append({"id": id, "properties": (ours.base or {}) | a})
        else:
            self.gone.append(id)
            if ours.there:
                self._create(edge["source"], edge["target"], edge["properties"] | a | {"id": ours.id})
        self._create(ends[0], ends[1], absorbed)

    def _superseding(self, edge: Row, which: int) -> Row:
        """`superseded_turn` and `superseded_by` of one side (0: the survivor's, 1: the absorbed concept's).

        What superseded it must have been said of the same side. If it was not, what superseded that one counts.
        """
        by_other = self._superseded_by_other_side(edge, which)
        if by_other is not None:
            return by_other
        turn, by = (edge["properties"].get(f"superseded_{name}") for name in ("turn", "by"))
        if turn is None or by not in self.split:
            return {"superseded_turn": turn, "superseded_by": by}
        if edge["source"] != self.survivor["id"] and turn <= self.link["turn"]:  # decided before they were merged
            return {"superseded_turn": turn, "superseded_by": next(s.id for s in self.split[by] if s.there)}
        while by in self.split and not self.split[by][which].there:
            turn, by = (self.properties[by].get(f"superseded_{name}") for name in ("turn", "by"))
        return {"superseded_turn": turn, "superseded_by": self.split[by][which].id if by in self.split else by}

    def _superseded_by_other_side(self, edge: Row, which: int) -> Row | None:
        """If one source has a single-valued relation to both concepts, the side that was stated last supersedes."""
        found, sides = edge["properties"], self.split[edge["properties"]["id"]]
        if edge["source"] == self.survivor["id"] or found["negated"] or not single_valued(found["relation"]):
            return None
        said = [[self.evidence.turns[r] for r in side.since if r in self.evidence.turns] for side in sides]
        own, other = said[which], said[1 - which]
        last = max([*own, (sides[which].base or {}).get("last_turn") or 0])
        if not sides[which].there or not other or max(other) <= last:
            return None
        return {"superseded_turn": min(turn for turn in other if turn > last), "superseded_by": sides[1 - which].id}

    def _numbers(self, side: _Side, weight: float) -> Row:
        """Weight, count, records and turns of one side."""
        base = side.base or {"count": 0, "records": []}
        turns = [self.evidence.turns[r] for r in side.since if r in self.evidence.turns]
        row: Row = {
            "weight": min(self.dynamics.weight_max, max(LEAST, weight)),
            "count": max(1, base["count"] + len(turns)),
            "records": listed([*base["records"], *side.since]),
        }
        if side.base is None and turns:
            row["first_turn"] = min(turns)
        if turns:
            row["last_turn"] = max([*turns, base.get("last_turn") or 0])
        return row

    def _weights(self, properties: Row, ours: _Side, theirs: _Side) -> tuple[float, float]:
        now, n, m = properties["weight"], len(ours.since), len(theirs.since)
        if ours.base and theirs.base:
            a, b = ours.base["weight"], theirs.base["weight"]
            shadows = (shadow["properties"] for shadow in self.shadows)
            after = next(shadow["host_after"] for shadow in shadows if shadow.get("host") == properties["id"])
            part = m / (n + m) if n + m else b / (a + b)
            return a + (now - after) * (1 - part), b + (now - after) * part
        if ours.base:
            return self._without(now, m), self._said_often(m)
        if theirs.base:
            return self._said_often(n), self._without(now, n)
        return (self._said_often(n), self._said_often(m)) if n and m else (now, now)

    def _said_often(self, times: int) -> float:
        """The weight of an association that was stated so often, nothing else."""
        weight = self.dynamics.weight_initial
        for _ in range(times - 1):
            weight += self.dynamics.reinforcement * (1 - weight / self.dynamics.weight_max)
        return weight

    def _without(self, weight: float, times: int) -> float:
        """A weight without so many of its repetitions: the inverse of reinforcement."""
        step = self.dynamics.reinforcement
        for _ in range(times):
            weight = (weight - step) / (1 - step / self.dynamics.weight_max)
        return weight

    def _create(self, source: str, target: str, properties: Row) -> None:
        self.live.append({"source": source, "target": target, "properties": properties})


_NOTED = ("merge", "host", "superseding", "mentioned")


def as_it_was(shadow: Row) -> Row:
    """The properties of a shadow without what the merge noted on it."""
    mention = "mentioned" in shadow
    return {
        name: value
        for name, value in shadow.items()
        if name not in _NOTED and not name.startswith("host_") and not (mention and name == "associations")
    }


def _closer(surface: str, theirs: set[str], ours: set[str]) -> bool:
    """Whether a surface means the absorbed concept: it is one of `theirs`, or resembles them more than `ours`."""
    key = label_key(surface)
    own, other = {label_key(label) for label in theirs}, {label_key(label) for label in ours}
    if key in own or key in other:
        return key in own and key not in other
    return max(ratio(fold(surface), fold(a)) for a in theirs) > max(ratio(fold(surface), fold(a)) for a in ours)

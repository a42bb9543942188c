"""What two concepts are after their merge is undone: the plan of an undo (`unmerge`), and its writing (S4).

What the absorbed concept was lies beside it as shadows (`merge`). What was said since is later evidence: each
record's mention has its surface, and the surface decides whose it is. So every association of the survivor is
split into what it would be on either side: the base it had before the merge, plus the evidence said of it since.

Numbers: where nothing was said since, both sides get back exactly what they had. Otherwise a weight's change since
the merge goes to the sides in proportion to what was said of each; activation is divided in proportion to what each
brought in. What was learned between co-active concepts (Hebb) cannot be told apart and is divided likewise.

Not known any more: which words of one turn meant which concept, where the turn named both; and what a correction of
one of them would have replaced, where for the merged concept it met what had been said of the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rapidfuzz.fuzz import ratio

from oroi_graph.consolidation.merge import ADDED_UP, listed
from oroi_graph.entities.fact_updates import slot
from oroi_graph.language.normalize import digest, fold, label_key
from oroi_graph.options import Dynamics
from oroi_graph.storage.store import Row, Transaction

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


class SplitPlan:
    """The plan of one undo, from what was read; and its writing."""

    def __init__(self, memory: str, row: Row, dynamics: Dynamics) -> None:
        self.memory, self.row, self.dynamics = memory, row, dynamics
        self.link, self.survivor, self.absorbed = row["link"], row["survivor"], row["absorbed"]
        self.since = [m for m in row["mentions"] if m["properties"].get("of_merge") != self.link["id"]]
        self.replies = set(row["replies"])
        self.turns = {mention["record"]: mention["turn"] for mention in self.since}
        theirs = {self.absorbed["label"], *self.absorbed["aliases"]}
        ours = {self.survivor["label"], *(self.link.get("before_aliases") or [])}
        self.of_absorbed = {m["record"] for m in self.since if _closer(m["properties"]["surface"], theirs, ours)}
        self.gone: list[str] = []
        self.live: list[Row] = []
        self.changed: list[Row] = []
        self.renamed: dict[str, dict[str, str]] = {}  # record: {association id: its id now}

    def run(self, tx: Transaction) -> None:
        link, memory = self.link, self.memory
        ids = {"survivor": self.survivor["id"], "absorbed": self.absorbed["id"]}
        of_survivor, of_absorbed = self._concepts()
        apart = {name: link[name] for name in ("memory", "turn", "method", "score", "place")}
        apart |= {"merge": link["id"], "merged_by": link["by"], "verdict": "apart", "by": "undo"}
        self._edges()
        tx.run(
            "consolidation/unmerge_concepts",
            memory=memory,
            **ids,
            merge=link["id"],
            of_survivor=of_survivor,
            of_absorbed=of_absorbed,
            apart=apart,
        )
        tx.run(
            "consolidation/unmerge_associations",
            memory=memory,
            gone=self.gone,
            live=self.live,
            changed=self.changed,
            stated=self._stated(),
        )
        tx.run("consolidation/unmerge_mentions", memory=memory, **ids, **self._mentions(), **self._pairs())

    # -- concepts ------------------------------------------------------------------------------------------

    def _concepts(self) -> tuple[Row, Row]:
        """The properties of survivor and absorbed concept."""
        link = self.link
        before = {name.removeprefix("before_"): value for name, value in link.items() if name.startswith("before_")}
        last = {side: [self.turns[r] for r in self._said(side)] for side in (False, True)}
        unslept = self.survivor.get("slept") == link.get("after_slept")
        ours: Row = {
            "aliases": before["aliases"],
            "label_text": before["label_text"],
            "fixed": before["fixed"],
            "first_turn": before["first_turn"],
            "last_turn": max([before["last_turn"], *last[False]]),
            "slept": before.get("slept") if unslept else self.survivor["slept"],
        }
        theirs: Row = {
            "last_turn": max([self.absorbed["last_turn"], *last[True]]),
            "slept": self.absorbed.get("slept") if unslept else self.survivor["slept"],
        }
        for name in ("activation", "strength", "exposure"):
            parts = before[name], self.absorbed[name]
            ours[name], theirs[name] = self._divided(name, self.survivor[name], link[f"after_{name}"], parts)
        return ours, theirs

    def _said(self, of_absorbed: bool) -> list[str]:
        return [m["record"] for m in self.since if (m["record"] in self.of_absorbed) == of_absorbed]

    def _divided(self, name: str, now: float, after: float, parts: tuple[float, float]) -> tuple[float, float]:
        """A number of the survivor as the two sides have it; `parts` are what they had when they were merged."""
        if now == after:
            return parts
        share = len(self.of_absorbed) / len(self.since) if self.since else 0.0
        total = sum(parts)
        if name == "strength":  # the stronger one's was kept: both changed in proportion since
            least = min(1.0, now / after) if after else 0.0
            gained = max(0.0, now - after)
            return (
                min(1.0, parts[0] * least + gained * (1 - share)),
                min(1.0, parts[1] * least + gained * share),
            )
        if name == "exposure" and now > after:
            return parts[0] + (now - after) * (1 - share), parts[1] + (now - after) * share
        if total <= 0:
            return now * (1 - share), now * share
        return now * parts[0] / total, now * parts[1] / total

    # -- associations --------------------------------------------------------------------------------------

    def _edges(self) -> None:
        """Split every association of the survivor into its two sides."""
        moved = {s["properties"]["id"]: s for s in self.row["shadows"] if not s["properties"].get("host")}
        hosted = {s["properties"]["host"]: s for s in self.row["shadows"] if s["properties"].get("host")}
        split: dict[str, tuple[_Side, _Side]] = {}
        for edge in self.row["edges"]:
            id = edge["properties"]["id"]
            split[id] = self._sides(edge["properties"], moved.get(id), hosted.get(id))
        for edge in self.row["edges"]:
            ours, theirs = split[edge["properties"]["id"]]
            self._keep(edge, ours, theirs, split)
        for shadow in self.row["shadows"]:
            # What joined the two comes back as it was; what was deleted since does not.
            if shadow["other"] == self.survivor["id"]:
                self._create(shadow["source"], shadow["target"], _as_it_was(shadow["properties"]))
            for id in shadow["properties"].get("superseding") or []:
                if shadow["properties"]["host"] in split:
                    self.changed.append({"id": id, "properties": {"superseded_by": shadow["properties"]["id"]}})

    def _sides(self, properties: Row, moved: Row | None, hosted: Row | None) -> tuple[_Side, _Side]:
        """(the survivor's, the absorbed one's) sides of one association."""
        id = properties["id"]
        stating = [m["record"] for m in self.since if id in m["associations"]]
        said = self._with_replies(properties["records"], stating)
        ours = [record for record, by in said.items() if by not in self.of_absorbed]
        theirs = [record for record, by in said.items() if by in self.of_absorbed]
        other = digest(id, "undone", self.link["id"])
        if hosted is not None:
            base = {name: hosted["properties"].get(f"host_{name}") for name in ADDED_UP}
            return _Side(id, base, ours), _Side(hosted["properties"]["id"], _as_it_was(hosted["properties"]), theirs)
        if moved is not None:
            return _Side(other, None, ours), _Side(id, _as_it_was(moved["properties"]), theirs)
        if properties["first_turn"] <= self.link["turn"] or not (ours or theirs):
            base = {"records": [r for r in properties["records"] if r not in said]}
            base["count"] = max(1, properties["count"] - len(stating))
            base["last_turn"] = min(properties["last_turn"], self.link["turn"])
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

    def _keep(self, edge: Row, ours: _Side, theirs: _Side, split: Mapping[str, tuple[_Side, _Side]]) -> None:
        """Write one association's two sides; where nothing is the absorbed one's, it stays untouched."""
        id = edge["properties"]["id"]
        if not theirs.there:
            self._resupersede(edge, ours, theirs, split)
            return
        a, b = self._numbers(edge["properties"], ours, theirs)
        for side in (ours, theirs):
            if side.id != id:
                for record in side.since:
                    self.renamed.setdefault(record, {})[id] = side.id
        absorbed = (theirs.base or edge["properties"]) | b | {"id": theirs.id}
        if theirs.base is None and edge["source"] == self.survivor["id"]:
            absorbed["slot"] = slot(self.memory, self.absorbed["id"], absorbed["relation"])
        absorbed |= self._superseding(edge, theirs, 1, split)
        ends = [self.absorbed["id"] if end == self.survivor["id"] else end for end in (edge["source"], edge["target"])]
        if ours.there and ours.id == id:
            self.changed.append(
                {"id": id, "properties": (ours.base or {}) | a | self._superseding(edge, ours, 0, split)}
            )
        else:
            self.gone.append(id)
            if ours.there:
                kept = edge["properties"] | a | {"id": ours.id} | self._superseding(edge, ours, 0, split)
                self._create(edge["source"], edge["target"], kept)
        self._create(ends[0], ends[1], absorbed)

    def _resupersede(self, edge: Row, ours: _Side, theirs: _Side, split: Mapping[str, tuple[_Side, _Side]]) -> None:
        """An association that was the survivor's alone holds again if what replaced it was said of the other."""
        changed = self._superseding(edge, ours, 0, split)
        if any(edge["properties"].get(name) != value for name, value in changed.items()):
            self.changed.append({"id": ours.id, "properties": changed})

    def _superseding(self, edge: Row, side: _Side, which: int, split: Mapping[str, tuple[_Side, _Side]]) -> Row:
        """`superseded_turn` and `superseded_by` of one side: who replaced it must have been said of that side."""
        turn, by = edge["properties"].get("superseded_turn"), edge["properties"].get("superseded_by")
        if turn is None or by not in split:
            return {"superseded_turn": turn, "superseded_by": by}
        if edge["source"] == self.survivor["id"]:
            replacing = split[by][which]
            if not replacing.there:
                return {"superseded_turn": None, "superseded_by": None}
            return {"superseded_turn": turn, "superseded_by": replacing.id}
        return {"superseded_turn": turn, "superseded_by": next(s.id for s in split[by] if s.there)}

    def _numbers(self, properties: Row, ours: _Side, theirs: _Side) -> tuple[Row, Row]:
        """Weight, count, records and turns of both sides."""
        now = properties["weight"]
        n = len(ours.since) + len(theirs.since)
        if ours.base and theirs.base:
            a, b = ours.base["weight"], theirs.base["weight"]
            after = next(
                s["properties"]["host_after"]
                for s in self.row["shadows"]
                if s["properties"].get("host") == properties["id"]
            )
            change = now - after
            part = len(theirs.since) / n if n else b / (a + b)
            weights = a + change * (1 - part), b + change * part
        elif ours.base:
            weights = self._without(now, len(theirs.since)), self._said_often(len(theirs.since))
        elif theirs.base:
            weights = self._said_often(len(ours.since)), self._without(now, len(ours.since))
        else:
            weights = self._said_often(len(ours.since)), self._said_often(len(theirs.since))
            if not ours.since or not theirs.since:
                weights = now, now
        found = []
        for side, weight in zip((ours, theirs), weights, strict=True):
            base = side.base or {"count": 0, "records": []}
            turns = [self.turns[r] for r in side.since if r in self.turns]
            row = {
                "weight": min(self.dynamics.weight_max, max(LEAST, weight)),
                "count": max(1, base["count"] + len(turns)),
                "records": listed([*base["records"], *side.since]),
            }
            if side.base is None and turns:
                row |= {"first_turn": min(turns)}
            if turns:
                row |= {"last_turn": max([*turns, base.get("last_turn") or 0])}
            found.append(row)
        return found[0], found[1]

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

    # -- records -------------------------------------------------------------------------------------------

    def _stated(self) -> list[Row]:
        """What each record states: as before the merge, and what was added since.

        Only what this merge touched is given back: of the rest, another merge may have made something else by now.
        """
        touched = set(self.link["touched"])
        hosts = {s["properties"]["host"] for s in self.row["shadows"] if s["properties"].get("host")}
        rows = []
        for were in self.row["were"]:
            now = were["associations"]
            before = [id for id in were["properties"]["associations"] if id in touched or id in now]
            since = [id for id in now if id not in before and id not in hosts]
            rows.append({"record": were["record"], "associations": [*before, *since]})
        written = {row["record"]: row["associations"] for row in rows}
        for record, names in self.renamed.items():
            current = written.get(record)
            if current is None:
                current = next((m["associations"] for m in self.since if m["record"] == record), None)
            if current is not None:
                written[record] = [names.get(id, id) for id in current]
        return [{"record": record, "associations": associations} for record, associations in written.items()]

    def _mentions(self) -> Row:
        """Which mentions go back, and the absorbed one's own."""
        back = [m["record"] for m in self.row["mentions"] if m["properties"].get("of_merge") == self.link["id"]]
        own = [
            {"record": were["record"], "properties": _as_it_was(were["properties"])}
            for were in self.row["were"]
            if were["properties"]["mentioned"]
        ]
        said = [m for m in self.since if m["record"] in self.of_absorbed]
        own += [{"record": m["record"], "properties": self._recognised(m["properties"])} for m in said]
        return {"back": [*back, *(m["record"] for m in said)], "mentions": own}

    def _turns_with(self, of_absorbed: bool) -> dict[str, list[int]]:
        """The turns since the merge in which one side was mentioned together with another concept."""
        found: dict[str, list[int]] = {}
        ends = {edge["properties"]["id"]: edge["other"] for edge in self.row["edges"]}
        for mention in self.since:
            if (mention["record"] in self.of_absorbed) == of_absorbed:
                related = {ends.get(id) for id in mention["associations"]}  # what is stated of two is no coincidence
                for other in set(mention["others"]) - related:
                    found.setdefault(other, []).append(mention["turn"])
        return found

    def _recognised(self, mention: Row) -> Row:
        """A mention that was recognised by alias would have been recognised by its label."""
        exact = mention["method"] == "alias" and label_key(mention["surface"]) == self.absorbed["label_key"]
        return mention | {"method": "exact"} if exact else mention

    def _pairs(self) -> Row:
        """The coincidences of both: what they had, and what was said of the absorbed one since."""
        ours, theirs = self._turns_with(False), self._turns_with(True)
        shadows = {s["other"]: s for s in self.row["coincided"]}
        pairs, own = list[Row](), list[Row]()
        for pair in self.row["pairs"]:
            now, shadow = pair["properties"], shadows.get(pair["other"])
            had = shadow["properties"] if shadow else {"count": 0}
            free = now["count"] - had["count"] - (had.get("host_count") or 0)
            turns = theirs.get(pair["other"], [])[: max(0, free)]
            if not shadow and not turns:
                continue
            before = had.get("host_last_turn") or min(now["last_turn"], self.link["turn"])
            left = now["count"] - had["count"] - len(turns)
            last = max([before, *ours.get(pair["other"], [])])
            pairs.append({"other": pair["other"], "count": left, "last_turn": last})
            mine = {"memory": self.memory, "count": had["count"] + len(turns)}
            mine["last_turn"] = max([*turns, had.get("last_turn") or 0])
            base = _as_it_was(shadow["properties"]) if shadow else {}
            out = shadow["out"] if shadow else self.absorbed["id"] < pair["other"]
            own.append({"other": pair["other"], "out": out, "properties": base | mine})
        if self.survivor["id"] in shadows:
            both = shadows[self.survivor["id"]]
            own.append({"other": both["other"], "out": both["out"], "properties": _as_it_was(both["properties"])})
        return {"pairs": pairs, "own": own}


_OF_MERGES = ("merge", "host", "superseding", "mentioned")


def _as_it_was(shadow: Row) -> Row:
    """A shadow's properties without what the merge noted on it."""
    mention = "mentioned" in shadow
    return {
        name: value
        for name, value in shadow.items()
        if name not in _OF_MERGES and not name.startswith("host_") and not (mention and name == "associations")
    }


def _closer(surface: str, theirs: set[str], ours: set[str]) -> bool:
    """Whether a surface was said of the absorbed concept: it is one of its labels, or resembles them more."""
    key = label_key(surface)
    own, other = {label_key(label) for label in theirs}, {label_key(label) for label in ours}
    if key in own or key in other:
        return key in own and key not in other
    return max(ratio(fold(surface), fold(a)) for a in theirs) > max(ratio(fold(surface), fold(a)) for a in ours)

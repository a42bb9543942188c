"""Merge one concept (the absorbed one) into another (the survivor), so that `unmerge` can undo it.

The absorbed concept keeps its node under the label Merged. Copies of its relationships stay beside it as shadows
(WAS_ASSOCIATED, WAS_MENTIONED, WAS_COINCIDED), which perception and recall never read. Its labels become aliases of the
survivor. Its associations move to the survivor under their own ids; one that states what an association of the survivor
states already is added to that one.

The plan is made in Python from rows that were read under the memory's lock; three statements a batch write it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from oroi_graph.entities.fact_updates import slot
from oroi_graph.language.normalize import digest, label_key
from oroi_graph.options import PROVENANCE, Dynamics
from oroi_graph.storage.store import Row, Transaction

# What of an association changes when it takes up another one.
ADDED_UP = tuple("weight count first_turn last_turn stated_at when implied contested consolidated records".split())
MERGEABLE = ("concept", "name")
LOAD = 2000  # relationships that one transaction moves at most, unless one concept alone has more


@dataclass(frozen=True, slots=True)
class MergeRequest:
    """A request to merge the concepts `a` and `b` (ids). by: "automatic", a judge's name, "person", or who
    that is. score: -1..1.
    """

    a: str
    b: str
    by: str
    method: str
    score: float


class Merging:
    """The merges of one transaction: the rows that its statements will write."""

    def __init__(self, tx: Transaction, memory: str, turn: int, dynamics: Dynamics) -> None:
        self.tx, self.memory, self.turn, self.dynamics = tx, memory, turn, dynamics
        self.gone: list[str] = []
        self.shadows: list[Row] = []
        self.live: list[Row] = []
        self.changed: list[Row] = []
        self.superseding: list[Row] = []
        self.mentions: list[Row] = []
        self.pairs: list[Row] = []
        self.merges: list[Row] = []
        self.stated: dict[str, list[str]] = {}  # what each record states by now: several merges may change it

    def plan(self, union: MergeRequest, survivor: Row, absorbed: Row, row: Row) -> None:
        """Add one merge, given the properties of both concepts and what hangs on the absorbed one."""
        ends = survivor["id"], absorbed["id"]
        id = digest(self.memory, "merge", *ends, self.turn)
        renamed = self._edges(*ends, row, id)
        loops = {edge["properties"]["id"] for edge in row["edges"] if edge["other"] == ends[0]}
        self._mentions(*ends, row, id, {**renamed, **dict.fromkeys(loops)})
        self._pairs(*ends, row, id)
        properties = united(survivor, absorbed, self.dynamics)
        link = {
            "id": id,
            "memory": self.memory,
            "turn": self.turn,
            "by": union.by,
            "method": union.method,
            "score": union.score,
            "touched": sorted({edge["properties"]["id"] for edge in row["edges"]} | set(renamed.values())),
            **{f"before_{name}": survivor.get(name) for name in properties},
            **{f"after_{name}": properties[name] for name in ("activation", "strength", "exposure", "slept")},
        }
        self.merges.append({"survivor": ends[0], "absorbed": ends[1], "properties": properties, "link": link})

    def write(self) -> list[str]:
        """Write what was planned; the ids of the merges."""
        if self.merges:
            edges = {"gone": self.gone, "shadows": self.shadows, "live": self.live, "changed": self.changed}
            self.tx.run("consolidation/merge_associations", memory=self.memory, **edges, superseding=self.superseding)
            self.tx.run("consolidation/merge_mentions", memory=self.memory, mentions=self.mentions, pairs=self.pairs)
            self.tx.run("consolidation/merge_concepts", memory=self.memory, merges=self.merges)
        return [row["link"]["id"] for row in self.merges]

    def _edges(self, survivor: str, absorbed: str, row: Row, id: str) -> dict[str, str]:
        """Plan the associations; {id of one that was added up: id of the one that took it up}."""
        renamed: dict[str, str] = {}
        live: list[Row] = []
        for edge in row["edges"]:
            properties = edge["properties"]
            shadow = properties | {"merge": id}
            host = next((h for h in edge["hosts"] if h["id"] not in renamed.values()), None)
            if edge["other"] == survivor:
                pass  # an association between the two would become a loop: it stays a shadow only
            elif host is None:
                live.append(self._moved(survivor, absorbed, edge))
            else:
                renamed[properties["id"]] = host["id"]
                added = added_up(host, properties, self.dynamics)
                shadow |= {"host": host["id"], "host_after": added["weight"], "superseding": edge["superseded"]}
                shadow |= {f"host_{name}": host.get(name) for name in ADDED_UP}
                self.changed.append({"id": host["id"], "properties": added})
            self.gone.append(properties["id"])
            self.shadows.append({"source": edge["source"], "target": edge["target"], "properties": shadow})
        moved = {edge["properties"]["id"] for edge in live}
        for edge in live:
            by = edge["properties"].get("superseded_by")
            edge["properties"]["superseded_by"] = renamed.get(by, by)
        self.live += live
        self.superseding += [
            {"id": other, "by": renamed[edge["properties"]["id"]]}
            for edge in row["edges"]
            if edge["properties"]["id"] in renamed
            for other in edge["superseded"]
            if other not in moved
        ]
        return renamed

    def _moved(self, survivor: str, absorbed: str, edge: Row) -> Row:
        source, target = (survivor if end == absorbed else end for end in (edge["source"], edge["target"]))
        properties = dict(edge["properties"])
        if source == survivor:
            properties["slot"] = slot(self.memory, survivor, properties["relation"])
        return {"source": source, "target": target, "properties": properties}

    def _mentions(self, survivor: str, absorbed: str, row: Row, id: str, renamed: Mapping[str, str | None]) -> None:
        """Plan the mentions; `renamed`: associations that are stated under another id now, or (None) no longer."""
        for mention in [*row["mentions"], *row["replies"]]:
            properties = mention.get("properties")
            before = self.stated.get(mention["record"], mention["associations"])
            now = (renamed.get(association, association) for association in before)
            after = list(dict.fromkeys(association for association in now if association is not None))
            if properties is None and after == before:
                continue
            self.stated[mention["record"]] = after
            mentioned = properties is not None
            self.mentions.append(
                {
                    "record": mention["record"],
                    "survivor": survivor,
                    "absorbed": absorbed,
                    "mentioned": mentioned,
                    "shadow": (properties or {}) | {"merge": id, "mentioned": mentioned, "associations": before},
                    "live": properties | {"of_merge": id} if mentioned and not mention["both"] else None,
                    "associations": after,
                }
            )

    def _pairs(self, survivor: str, absorbed: str, row: Row, id: str) -> None:
        for pair in row["pairs"]:
            own, host = pair["properties"], pair["host"]
            shadow = own | {"merge": id}
            live = None
            if host:
                shadow |= {"host_count": host["count"], "host_last_turn": host["last_turn"]}
            if pair["other"] != survivor:
                live = own | {
                    "count": own["count"] + (host["count"] if host else 0),
                    "last_turn": max(own["last_turn"], host["last_turn"] if host else 0),
                }
            self.pairs.append(
                {"survivor": survivor, "absorbed": absorbed, "other": pair["other"], "out": pair["out"]}
                | {"shadow": shadow, "live": live}
            )


def merge(
    tx: Transaction, memory: str, unions: Sequence[MergeRequest], turn: int, dynamics: Dynamics
) -> tuple[list[str], list[MergeRequest]]:
    """Merge as many of `unions` as one transaction can: (ids of the merges made, unions left for the next one).

    turn: the last turn that was heard; what is said after it is later evidence. What is gone or of two kinds is
    passed over: no value, no self, nothing across kinds is ever merged. Must run under the memory's lock.
    """
    ids = sorted({id for union in unions for id in (union.a, union.b)})
    heads = {row["properties"]["id"]: row for row in tx.run("consolidation/merge_heads", memory=memory, ids=ids)}
    chosen, left = _batch(unions, heads)
    read = tx.run(
        "consolidation/merge_read",
        memory=memory,
        pairs=[{"survivor": survivor, "absorbed": absorbed} for _, survivor, absorbed in chosen],
    )
    found = {(row["survivor"], row["absorbed"]): row for row in read}
    merging = Merging(tx, memory, turn, dynamics)
    taken: dict[str, str] = {}
    for union, survivor, absorbed in chosen:
        row = found[survivor, absorbed]
        around = {item["other"] for item in [*row["edges"], *row["pairs"]]}
        if around & {*taken, *taken.values()}:  # a relationship between two pairs of one batch would move twice
            left.append(union)
            continue
        taken[absorbed] = survivor
        merging.plan(union, heads[survivor]["properties"], heads[absorbed]["properties"], row)
    made = merging.write()
    return made, [replace(union, a=taken.get(union.a, union.a), b=taken.get(union.b, union.b)) for union in left]


def _batch(
    unions: Sequence[MergeRequest], heads: Mapping[str, Row]
) -> tuple[list[tuple[MergeRequest, str, str]], list[MergeRequest]]:
    """Unions of which no concept occurs twice, and not too much to move; the others."""
    chosen, left = list[tuple[MergeRequest, str, str]](), list[MergeRequest]()
    taken: set[str] = set()
    load = 0
    for union in unions:
        if union.a not in heads or union.b not in heads or union.a == union.b:
            continue
        a, b = heads[union.a]["properties"], heads[union.b]["properties"]
        if a["kind"] != b["kind"] or a["kind"] not in MERGEABLE:
            continue
        # The one mentioned more often keeps its label, then the older one.
        survivor, absorbed = sorted((a, b), key=lambda c: (-c["mentions"], c["first_turn"], c["id"]))
        degree = heads[absorbed["id"]]["degree"]
        if {union.a, union.b} & taken or (chosen and load + degree > LOAD):
            left.append(union)
            continue
        taken |= {union.a, union.b}
        load += degree
        chosen.append((union, survivor["id"], absorbed["id"]))
    return chosen, left


def united(survivor: Row, absorbed: Row, dynamics: Dynamics) -> Row:
    """The properties that the survivor has afterwards, of those that a merge changes."""
    names = [absorbed["label"], *absorbed["aliases"]]
    known = {label_key(survivor["label"]), *(label_key(alias) for alias in survivor["aliases"])}
    new = [name for name in dict.fromkeys(names) if label_key(name) not in known]
    aliases = [*survivor["aliases"], *new]
    slept = [c["slept"] for c in (survivor, absorbed) if c.get("slept") is not None]
    return {
        "aliases": aliases,
        "label_text": " | ".join([survivor["label"], *aliases]),
        "activation": min(dynamics.ceiling, survivor["activation"] + absorbed["activation"]),
        "strength": max(survivor["strength"], absorbed["strength"]),
        "exposure": survivor["exposure"] + absorbed["exposure"],
        "fixed": survivor["fixed"] or absorbed["fixed"],
        "first_turn": min(survivor["first_turn"], absorbed["first_turn"]),
        "last_turn": max(survivor["last_turn"], absorbed["last_turn"]),
        "slept": max(slept, default=None),
    }


def added_up(host: Row, other: Row, dynamics: Dynamics) -> Row:
    """The properties of `host` that change when `other`, which states the same, is added to it."""
    return {
        "weight": min(dynamics.weight_max, host["weight"] + other["weight"]),
        "count": host["count"] + other["count"],
        "first_turn": min(host["first_turn"], other["first_turn"]),
        "last_turn": max(host["last_turn"], other["last_turn"]),
        "stated_at": min(filter(None, (host.get("stated_at"), other.get("stated_at"))), default=None),
        "when": host.get("when") or other.get("when"),
        "confidence": surer(host.get("confidence"), other.get("confidence")),
        "implied": True if host.get("implied") and other.get("implied") else None,
        "contested": bool(host.get("contested") or other.get("contested")),
        "consolidated": True if host.get("consolidated") or other.get("consolidated") else None,
        "records": listed([*host["records"], *other["records"]]),
    }


def surer(*confidences: float | None) -> float | None:
    """The highest confidence; None, which says that nobody doubts it, where one is None."""
    known = [confidence for confidence in confidences if confidence is not None]
    return max(known) if len(known) == len(confidences) else None


def listed(records: Sequence[str]) -> list[str]:
    """The record ids that an association keeps: the first, and the last few."""
    once = list(dict.fromkeys(records))
    return once if len(once) <= PROVENANCE else [once[0], *once[1 - PROVENANCE :]]

"""The plan of the undo of one merge: what the two concepts are afterwards, and the statements that write it.

The shadows beside the absorbed concept say what it was when it was merged. `Evidence` divides what was said since: the
surface of a record's mention decides of which concept the record speaks. `AssociationSplit` divides the associations.

If nothing was said since, both concepts get back exactly what they had. Otherwise activation is divided in proportion
to what each brought in. Weights that co-activation has taught since cannot be told apart and are divided likewise.

Not recoverable: which surface meant which concept if one turn named both; and whether a statement repeated an
association or replaced its successor, if only a statement about the other concept had superseded the association
(docs/decisions/0502-undo-of-merges.md).
"""

from __future__ import annotations

from oroi_graph.consolidation.split_associations import AssociationSplit, Evidence, as_it_was
from oroi_graph.language.normalize import label_key
from oroi_graph.options import Dynamics
from oroi_graph.storage.store import Row, Transaction


class SplitPlan:
    """The undo of one merge, planned from a row of `unmerge_read`."""

    def __init__(self, memory: str, row: Row, dynamics: Dynamics) -> None:
        self.memory, self.row, self.evidence = memory, row, Evidence(row)
        self.link, self.survivor, self.absorbed = row["link"], row["survivor"], row["absorbed"]
        self.since, self.of_absorbed = self.evidence.since, self.evidence.of_absorbed
        self.turns = self.evidence.turns
        self.associations = AssociationSplit(memory, self.evidence, dynamics)

    def run(self, tx: Transaction) -> None:
        """Write the plan. Must run under the memory's lock, in the transaction in which `row` was read."""
        link, memory, split = self.link, self.memory, self.associations
        ids = {"survivor": self.survivor["id"], "absorbed": self.absorbed["id"]}
        ours, theirs = self._concepts()
        concepts = {"of_survivor": ours, "of_absorbed": theirs}
        edges = {"gone": split.gone, "live": split.live, "changed": split.changed, "stated": self._stated()}
        apart = {name: link[name] for name in ("memory", "turn", "method", "score", "place")}
        apart |= {"merge": link["id"], "merged_by": link["by"], "verdict": "apart", "by": "undo"}
        tx.run("consolidation/unmerge_concepts", memory=memory, **ids, merge=link["id"], **concepts, apart=apart)
        tx.run("consolidation/unmerge_associations", memory=memory, **edges)
        tx.run("consolidation/unmerge_mentions", memory=memory, **ids, **self._mentions(), **self._pairs())

    def _concepts(self) -> tuple[Row, Row]:
        """The properties of survivor and absorbed concept."""
        link = self.link
        before = {name.removeprefix("before_"): value for name, value in link.items() if name.startswith("before_")}
        ours_said = [self.turns[m["record"]] for m in self.since if m["record"] not in self.of_absorbed]
        theirs_said = [self.turns[m["record"]] for m in self.since if m["record"] in self.of_absorbed]
        unslept = self.survivor.get("slept") == link.get("after_slept")
        ours: Row = {
            "aliases": before["aliases"],
            "label_text": before["label_text"],
            "fixed": before["fixed"],
            "first_turn": before["first_turn"],
            "last_turn": max([before["last_turn"], *ours_said]),
            "slept": before.get("slept") if unslept else self.survivor["slept"],
        }
        theirs: Row = {
            "last_turn": max([self.absorbed["last_turn"], *theirs_said]),
            "slept": self.absorbed.get("slept") if unslept else self.survivor["slept"],
        }
        for name in ("activation", "strength", "exposure"):
            parts = before[name], self.absorbed[name]
            ours[name], theirs[name] = self._divided(name, self.survivor[name], link[f"after_{name}"], parts)
        return ours, theirs

    def _divided(self, name: str, now: float, after: float, parts: tuple[float, float]) -> tuple[float, float]:
        """A number of the survivor as the two sides have it; `parts` are what they had when they were merged."""
        if now == after:
            return parts
        share = len(self.of_absorbed) / len(self.since) if self.since else 0.0
        total = sum(parts)
        if name == "strength":  # the stronger one's was kept: both changed in proportion since
            least = min(1.0, now / after) if after else 0.0
            gained = max(0.0, now - after)
            return min(1.0, parts[0] * least + gained * (1 - share)), min(1.0, parts[1] * least + gained * share)
        if name == "exposure" and now > after:
            return parts[0] + (now - after) * (1 - share), parts[1] + (now - after) * share
        if total <= 0:
            return now * (1 - share), now * share
        return now * parts[0] / total, now * parts[1] / total

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
        for record, names in self.associations.renamed.items():
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
            {"record": were["record"], "properties": as_it_was(were["properties"])}
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
            base = as_it_was(shadow["properties"]) if shadow else {}
            out = shadow["out"] if shadow else self.absorbed["id"] < pair["other"]
            own.append({"other": pair["other"], "out": out, "properties": base | mine})
        if self.survivor["id"] in shadows:
            both = shadows[self.survivor["id"]]
            own.append({"other": both["other"], "out": both["out"], "properties": as_it_was(both["properties"])})
        return {"pairs": pairs, "own": own}

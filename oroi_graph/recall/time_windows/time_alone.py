"""The answer to a question that names a time and no theme: a digest of what was said, and the facts of that time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from oroi_graph.model import Fact
from oroi_graph.options import Options
from oroi_graph.recall.entity_linking import present
from oroi_graph.recall.graph.paths import Paths
from oroi_graph.recall.graph.search import Evocation
from oroi_graph.recall.request import RecallRequest
from oroi_graph.recall.selection import Chosen
from oroi_graph.recall.time_windows.absence import absent, nearest_day
from oroi_graph.recall.time_windows.digest import Digest, best_of, digest
from oroi_graph.recall.time_windows.scope import Scope
from oroi_graph.recall.time_windows.search import Inside
from oroi_graph.storage.store import Row
from oroi_graph.working_set.candidates import Candidate, candidates_of
from oroi_graph.working_set.neighbourhood import Edges
from oroi_graph.working_set.transactions import Reading

# What a question evokes that names no concept.
NOTHING = Evocation(
    (), (), (), (), Edges.of(()), np.zeros((0, 0)), np.zeros(0), np.zeros(0), Paths.of(()), np.zeros(0, bool)
)
_FACTS_SHARE = 0.4  # of the budget that the digest leaves to facts and what states them, where there are any


@dataclass(frozen=True, slots=True)
class TimeAlone:
    """Answers one question in one read transaction."""

    tx: Reading
    memory: str
    scope: Scope
    request: RecallRequest

    def told(self, inside: Inside, budget: int, options: Options) -> Digest:
        """What was said then, or happened then, whichever is asked for. budget: tokens of the brief."""
        facts, stating = self._dated(inside, options)
        hits, known = tuple(best_of(stating, self.scope.language)), {one.id: one for one in stating}
        told = Chosen(tuple(facts), hits)
        if (facts or hits) and not self.scope.said:
            return Digest(told, hits, known)
        if inside.rests and not inside.said:
            return Digest(replace(told, notes=(self.scope.wording.rests(inside.rests),)), hits, known)
        if not inside.said:
            near = nearest_day(self.tx, self.memory, self.scope, self.request)
            found = absent(told, near, self.scope)
            return Digest(found, found.records, {one.id: one for one in near} | known)
        then = {one.id for one in inside.said}
        later = [hit for hit in hits if hit.id not in then]  # "yesterday", said the day after
        later = later[: options.selection.facts]
        part = budget if not (facts or later) else round((1 - _FACTS_SHARE) * budget)
        summed = digest(self.tx, self.memory, inside, self.scope.wording, part, options)
        chosen = replace(summed.chosen, facts=told.facts, records=(*summed.chosen.records, *later))
        return Digest(chosen, (*summed.ranked, *later), {**summed.candidates, **known})

    def _dated(self, inside: Inside, options: Options) -> tuple[list[Fact], list[Candidate]]:
        """The sure facts that date something in the windows, in the order of their dates, and who states them."""
        if not inside.facts:
            return [], []
        told_of, records = candidates_of(
            self.tx, memory=self.memory, facts=inside.facts, found=list(inside.stating), cosines={}, concepts=[],
            period=None, central=0, around=0,
        )  # fmt: skip
        excluded = self.request.exclude[1] if self.request.exclude else frozenset[str]()
        stating = [
            one
            for one in records
            if one.id in inside.stating and one.id not in excluded and self.request.filters.admit(one)
        ]
        told = {one.id for one in stating}
        facts = [fact for fact in _facts(told_of) if not fact.records or not told.isdisjoint(fact.records)]
        sure = [fact for fact in facts if fact.confidence >= options.selection.sure_fact]
        return sorted(sure, key=lambda fact: (fact.when or "", fact.id))[: options.selection.facts], stating


def _facts(rows: Sequence[Row]) -> list[Fact]:
    whole = present(rows, "id", "source", "source_id", "target", "target_id", "relation", "weight", "records")
    return [Fact(**{**row, "records": tuple(row["records"])}) for row in whole]

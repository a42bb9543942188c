"""What the paths from the cues tell: which associations lead on or answer, and where a path turns or passes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from operator import eq

import numpy as np

from oroi_graph.language.relations import ASKED
from oroi_graph.recall.graph.paths import Mask, of_classes
from oroi_graph.recall.graph.search import Evocation
from oroi_graph.working_set.tables import Places

# Relations that lead on to the answer, and those that are the answer to a question.
_LEADING_ON = frozenset({"has", "is called", "is", "es", "é", "is a", "is located in"})
_ANSWERING = frozenset(ASKED) - _LEADING_ON


class Told:
    """What the k paths of an evocation tell. Concepts are (n,) masks here, associations (m,) arrays.

    leading_on, answering: of which relation classes each association is. starts: (cues,) where each cue stands. steps:
    (hops, k) the associations of each path in order, -1 behind the last. last: (k,) that on which each path arrives.
    """

    def __init__(self, evocation: Evocation) -> None:
        self.evocation, self.edges, self.paths = evocation, evocation.edges, evocation.paths
        self.leading_on, self.answering = of_classes(self.edges, _LEADING_ON, _ANSWERING)
        ids = evocation.ids
        self.starts = np.array([ids.index(cue.concept_id) for cue in evocation.cues], dtype=np.int64)
        self.steps, self.last = self.paths.edge.T, self.paths.last

    def ids_of(self, concepts: Mask) -> list[str]:
        """The ids of some concepts."""
        return [self.evocation.ids[place] for place in concepts.nonzero()[0].tolist()]

    def concepts(self, places: Places) -> Mask:
        """Some concepts by their places."""
        found = np.zeros(len(self.evocation.ids), dtype=bool)
        found[places] = True
        return found

    def of_cues(self, cues: Sequence[int]) -> Mask:
        """(k,): whether each path starts at one of some cues."""
        among = np.zeros(len(self.starts), dtype=bool)
        among[cues] = True
        found: Mask = among[self.paths.cue]
        return found

    def ends(self, some: Mask) -> Mask:
        """The concepts at the ends of some paths."""
        return self.concepts(self.paths.end[some])

    def any_step(self, edges: Mask) -> Mask:
        """(k,): whether each path goes over one of some associations."""
        found: Mask = np.logical_or.reduce(edges[self.steps] & (self.steps >= 0))
        return found

    @cached_property
    def telling(self) -> Places:
        """(k,): how many steps of each path are more than names and having."""
        found: Places = np.add.reduce(~self.leading_on[self.steps] & (self.steps >= 0), dtype=np.int64)
        return found

    def turning(self, some: Mask) -> Mask:
        """(k,): which of some paths enter a concept on a relation and leave it backwards on a like one, of the same
        class or verb: they pass through something shared ("both come to dinner") to another who shares it."""
        found, looked_at = np.zeros(len(some), dtype=bool), some.nonzero()[0]
        edges, steps = self.edges, self.steps[:, looked_at]
        before, after = steps[:-1], steps[1:]
        hop, path = ((edges.target[before] == edges.target[after]) & (after >= 0)).nonzero()
        before, after = before[hop, path], after[hop, path]
        alike = edges.code[before] == edges.code[after]
        other = (~alike).nonzero()[0]
        verbs = ([_verb(edges.relations[edge]) for edge in side[other].tolist()] for side in (before, after))
        alike[other] = list(map(eq, *verbs))
        found[looked_at[path[alike]]] = True
        return found

    def one_way(self, way: Places) -> Mask:
        """The concepts that all paths reach on the same way. way: (k,) on which each path arrives."""
        most = np.full(len(self.evocation.ids), -1)
        np.maximum.at(most, self.paths.end, way)
        return ~self.ends(way < most[self.paths.end])

    def between(self, some: Places) -> Places:
        """(hops - 1, some): the concepts that some paths pass between their ends, in order; -1 behind the last."""
        here, passed = self.starts[self.paths.cue[some]], []
        for step, onwards in pairwise(self.steps[:, some]):
            here = self.edges.source[step] + self.edges.target[step] - here  # the other end of the association
            passed.append(np.where(onwards >= 0, here, -1))
        return np.array(passed, dtype=np.int64).reshape(-1, len(some))


@lru_cache(maxsize=10_000)
def _verb(relation: str) -> str:
    """The first word of a relation: "plays" of "plays the oboe in"."""
    return (relation.split(maxsplit=1) or [""])[0]

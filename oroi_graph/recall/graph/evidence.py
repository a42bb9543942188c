"""Graph evidence: which concepts the cues support together, and how much of that a record mentions.

Evidence decides what may enter a brief; the ranker decides the order of records.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from statistics import median

import numpy as np
from numpy.typing import NDArray

from oroi_graph.language.relations import ASKED
from oroi_graph.options import Options
from oroi_graph.recall.graph.paths import Mask, Path, Paths
from oroi_graph.recall.graph.search import Evocation
from oroi_graph.working_set.tables import Places

# Relations that lead on to the answer, and those that are the answer to a question.
_LEADING_ON = frozenset({"has", "is called", "is", "es", "é", "is a", "is located in"})
_ANSWERING = frozenset(ASKED) - _LEADING_ON


@dataclass(frozen=True, slots=True)
class Evidence:
    """Which concepts are answers. support: {id: 0..1}, cues included. paths: those that lead to them, best first.

    A path is explicit if it says, step by step, what the question says.

    share: of the best support, that an answer needs. converged: whether several cues reach the answers. chained:
    whether a path to an answer is explicit in two steps or more. distractors: concepts that are none of the answers,
    though what is asked for is said of them, too; crowd: those that are nothing but one of a hub's many neighbours on
    one relation. adjacent: answers next to a cue, if the cues converge. explicit_support: from which support an answer
    outweighs a distractor in the same record. few: whether the answers are few enough for their facts to be shown.
    decides: whether the evidence selects the records, too: few answers at the end of an explicit path or that cues
    converge on, by relations that were surely stated.
    """

    support: Mapping[str, float]
    paths: Iterable[Path]
    share: float
    converged: bool = False
    chained: bool = False
    distractors: frozenset[str] = frozenset()
    crowd: frozenset[str] = frozenset()
    adjacent: frozenset[str] = frozenset()
    explicit_support: float = 0.0
    few: bool = False
    decides: bool = False


def gather(evocation: Evocation, options: Options) -> Evidence:
    """Which concepts the cues support together.

    support(n) = Σ over cues of (strength of the best path from the cue to n) · (the cue's weight) / Σ of weights;
    a cue supports itself with 1. The concepts kept are the cues, the ends of explicit paths, and whatever has enough
    support, unless the cues converge elsewhere, or it is a sibling of an explicit answer, or one of a hub's many
    neighbours on one relation.
    """
    selection, cues = options.selection, evocation.cues
    told = _Told(evocation)
    active = _active_cues(told, selection.explicit_path)
    total = sum(cues[i].weight for i in active)
    if not total:
        return Evidence({}, (), selection.support)
    paths = evocation.paths
    own = told.concepts(cues[i].concept_id for i in active)
    ways = np.isin(paths.cue, active)
    supported, support = _support(told, ways, active, total)
    sure = ways & ~told.on_path(told.edges.confidence < selection.sure_step).any(axis=1)
    explicit = _explicit(told, sure, selection.explicit_path)
    converging = _convergence(told, sure, own)
    converged = bool(converging.any())
    # If one cue leads to another, the answer lies beyond both: what the question names is no answer.
    ends = converging if converged else told.ends(ways) & ~own
    share = selection.converged_support if converged else selection.support
    floor = share * support[ends].max(initial=0.0)
    if (converging & explicit).any():
        explicit &= converging
    siblings = _siblings(told, ways, explicit) & ~own & ~explicit
    crowded, unseen = _hub_neighbours(told, explicit, options)
    crowded &= ~own & ~explicit
    among = (converging if converged else supported) & ~siblings & ~crowded
    kept = supported & (own | explicit | ((support >= floor) & among))
    named = told.concepts(cue.concept_id for cue in cues)
    if np.count_nonzero(kept & ~named) > selection.answers and not converged:
        asked = _asked(told, sure, selection.explicit_path)
        if 0 < np.count_nonzero(asked & ~named) <= selection.answers:
            kept &= own | asked
    adjacent = told.ends(ways & (paths.length == 1)) & ~own if converged else np.zeros_like(own)
    rivals = adjacent & ~kept  # next to one cue only
    if rivals.any():
        rivals &= ~_bridges(told, ways, kept)
    answering = ways & kept[paths.end]
    if rivals.any():
        answering &= ~told.pass_one(rivals)
    few = int(np.count_nonzero(kept & ~named)) <= selection.answers
    best = float(support[kept & ~named].max(initial=0.0))
    crowd = told.ids(crowded & ~kept) | unseen
    return Evidence(
        support={evocation.ids[place]: float(support[place]) for place in np.flatnonzero(kept)},
        paths=_best_first(paths.only(answering), support),
        share=share,
        converged=converged,
        chained=bool((answering & sure & _is_chain(told, selection.explicit_path)).any()),
        distractors=told.ids(siblings | rivals) | crowd,
        crowd=crowd,
        adjacent=told.ids(adjacent & kept),
        explicit_support=selection.explicit_path * best,
        few=few,
        decides=few and (converged or bool(explicit.any())),
    )


def record_supports(records: Sequence[Sequence[str]], evidence: Evidence, evocation: Evocation) -> list[float]:
    """How much of the evidence each record mentions, 0..1: its best answer, or the cues that it names together.

    records: ids of the concepts of each, each once. If the cues converge, a record that names only one of them is about
    something else. So is one that mentions a distractor ("Marta is allergic, too"), unless it names whom the question
    names, or an answer outweighs it.
    """
    cues = {cue.concept_id: cue.weight for cue in evocation.cues if cue.concept_id in evidence.support}
    total = sum(cues.values())
    if not total:
        return [0.0] * len(records)
    specific = {cue.concept_id for cue in evocation.cues if cue.specific}
    known = dict.fromkeys([*evidence.support, *specific, *evidence.distractors])
    number = {concept: i for i, concept in enumerate(known)}
    who, what = mentions(records, number)

    def mentioned(values: Iterable[float]) -> NDArray[np.float64]:
        """(n,) Σ over the known concepts that a record mentions; values: of each."""
        table = np.fromiter(values, dtype=np.float64, count=len(known))
        return np.bincount(who, table[what], len(records)).astype(np.float64)

    named = mentioned(cues.get(concept, 0.0) for concept in known) / total
    names = mentioned(concept in cues for concept in known)
    if evidence.converged:
        named[names < 2] = 0.0
    answers = [
        0.0 if concept in cues or concept in evocation.selves else evidence.support.get(concept, 0.0)
        for concept in known
    ]
    answer = np.zeros(len(records))
    np.maximum.at(answer, who, np.array(answers)[what])
    if evidence.converged:
        about = mentioned(concept in evidence.adjacent for concept in known) > 0
    else:
        about = mentioned(concept in specific for concept in known) > 0
        about |= (names > 0) & (answer >= evidence.explicit_support)
    distracted = mentioned(concept in evidence.distractors for concept in known) > 0
    supports: list[float] = np.where(distracted & ~about, 0.0, np.maximum(named, answer)).tolist()
    return supports


def mentions(records: Sequence[Collection[str]], number: Mapping[str, int]) -> tuple[Places, Places]:
    """(record, number) of each thing that records have, in their order, as two (k,) arrays; others are left out."""
    lengths = [*map(len, records)]
    what = np.fromiter(map(number.get, chain.from_iterable(records), repeat(-1)), dtype=np.int64, count=sum(lengths))
    known = np.flatnonzero(what >= 0)
    return np.repeat(np.arange(len(records)), lengths)[known], what[known]


class _Told:
    """What the k paths of an evocation tell. Concepts are (n,) masks here, associations (m,) arrays.

    leading_on, answering: of which relation classes each association is.
    """

    def __init__(self, evocation: Evocation) -> None:
        self.evocation, self.edges, self.paths = evocation, evocation.edges, evocation.paths
        self.leading_on = self.edges.of_classes(_LEADING_ON)
        self.answering = self.edges.of_classes(_ANSWERING)

    @cached_property
    def verbs(self) -> Places:
        """(m,): equal for relations with the same first word ("plays the oboe in")."""
        numbers: dict[str, int] = {}
        known = {relation: " ".join(relation.split()[:1]) for relation in set(self.edges.relations)}
        verbs = map(known.__getitem__, self.edges.relations)
        return np.array([numbers.setdefault(verb, len(numbers)) for verb in verbs], dtype=np.int64)

    def ids(self, concepts: Mask) -> frozenset[str]:
        """The ids of some concepts."""
        return frozenset(self.evocation.ids[place] for place in np.flatnonzero(concepts))

    def concepts(self, ids: Iterable[str]) -> Mask:
        """Some concepts by their ids."""
        found = np.zeros(len(self.evocation.ids), dtype=bool)
        found[[self.place(id) for id in ids]] = True
        return found

    def place(self, id: str) -> int:
        """Where a concept stands."""
        return self._places[id]

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {id: place for place, id in enumerate(self.evocation.ids)}

    def ends(self, some: Mask) -> Mask:
        """The concepts at the ends of some paths."""
        found = np.zeros(len(self.evocation.ids), dtype=bool)
        found[self.paths.end[some]] = True
        return found

    def on_path(self, edges: Mask) -> Mask:
        """(k, hops): whether each step of each path is one of some associations."""
        step = self.paths.edge
        found: Mask = (step >= 0) & edges[step]
        return found

    @cached_property
    def last(self) -> Places:
        """(k,): the association on which each path arrives."""
        return self.paths.last

    @cached_property
    def telling(self) -> Places:
        """(k,): how many steps of each path are more than names and having."""
        found: Places = np.count_nonzero(self.on_path(~self.leading_on), axis=1)
        return found

    @cached_property
    def turns(self) -> Mask:
        """(k,): whether each path enters a concept on a relation and leaves it backwards on a like one, of the same
        class or verb: it then passes through something shared ("both come to dinner") to another who shares it."""
        before, after = self.paths.edge[:, :-1], self.paths.edge[:, 1:]
        alike = (self.edges.code[before] == self.edges.code[after]) | (self.verbs[before] == self.verbs[after])
        found: Mask = ((after >= 0) & (self.edges.target[before] == self.edges.target[after]) & alike).any(axis=1)
        return found

    @cached_property
    def between(self) -> Places:
        """(k, 2·hops): the concepts between the ends of each path, -1 for others."""
        step, paths = self.paths.edge, self.paths
        start = np.array([self.place(cue.concept_id) for cue in self.evocation.cues], dtype=np.int64)[paths.cue]
        passed = np.where(
            np.tile(step, 2) >= 0, np.concatenate([self.edges.source[step], self.edges.target[step]], axis=1), -1
        )
        outside = (passed == start[:, np.newaxis]) | (passed == paths.end[:, np.newaxis])
        return np.where(outside, -1, passed)

    def pass_one(self, concepts: Mask) -> Mask:
        """(k,): whether each path passes one of some concepts between its ends."""
        found: Mask = np.any((self.between >= 0) & concepts[self.between], axis=1)
        return found


def _active_cues(told: _Told, explicit: float) -> list[int]:
    """The cues that count: if a named one leads to an explicit answer, recognised ones do not."""
    cues, paths = told.evocation.cues, told.paths
    named = [i for i, cue in enumerate(cues) if cue.method != "recognition"]
    answered = np.isin(paths.cue, named) & (paths.clear >= explicit) & told.answering[told.last]
    return named if answered.any() else list(range(len(cues)))


def _support(told: _Told, ways: Mask, active: Sequence[int], total: float) -> tuple[Mask, NDArray[np.float64]]:
    """(n,) which concepts are supported, and how much."""
    cues, paths = told.evocation.cues, told.paths.only(ways)
    weights = np.array([cue.weight for cue in cues], dtype=np.float64)
    own = {told.place(cues[i].concept_id): i for i in active}
    places = np.concatenate([np.array(list(own), dtype=np.int64), paths.end])
    parts = np.concatenate([weights[list(own.values())] / total, paths.strength * weights[paths.cue] / total])
    support = np.bincount(places, parts, len(told.evocation.ids)).astype(np.float64)
    return np.bincount(places, minlength=len(support)) > 0, support


def _explicit(told: _Told, sure: Mask, least: float) -> Mask:
    """The ends of paths that say, step by step, what the question says; of those that do not turn, if there are any.

    sure: the paths of which every step was surely stated.
    """
    clear = sure & (told.paths.clear >= least)
    straight = clear & ~told.turns
    return told.ends(straight if straight.any() else clear)


def _asked(told: _Told, sure: Mask, least: float) -> Mask:
    """The explicit ends of paths that arrive by a relation of a class which the question asks for ("lives in").

    Among all that "I" is in, these are what was asked: of a speaker himself, not of who he has; of anything else that
    the question names, also beyond its name ("my sister –is→ Marta –lives in→").
    """
    cues, paths = told.evocation.cues, told.paths
    named = np.array([cue.specific for cue in cues], dtype=bool)[paths.cue]
    asked = (told.evocation.asked & told.answering)[told.last]
    direct = (paths.length == 1) | (named & (told.telling == 1))
    clear = sure & (paths.clear >= least) & ~told.turns & asked & direct
    return told.ends(clear)


def _is_chain(told: _Told, least: float) -> Mask:
    """(k,): whether a path says what the question says in two steps or more beyond names, and does not turn."""
    found: Mask = (told.telling > 1) & (told.paths.clear >= least) & ~told.turns
    return found


def _convergence(told: _Told, sure: Mask, own: Mask) -> Mask:
    """The concepts that several cues reach; none if two cues are adjacent, whose shared neighbours are no answers.

    Cues from recognition are guesses and converge nowhere.
    """
    paths, evocation = told.paths, told.evocation
    if (sure & (paths.length == 1) & own[paths.end]).any():
        return np.zeros_like(own)
    meeting = [i for i, cue in enumerate(evocation.cues) if cue.specific and cue.method != "recognition"]
    reaching = sure & np.isin(paths.cue, meeting) & ~told.turns
    by = np.bincount(paths.end[reaching], minlength=len(own))  # a cue has one path to a concept
    return (by > 1) & ~own & ~told.concepts(evocation.selves)


def _bridges(told: _Told, ways: Mask, kept: Mask) -> Mask:
    """The concepts through which several cues lead to the same answer."""
    paths, n, cues = told.paths, len(kept), len(told.evocation.cues)
    some = np.flatnonzero(ways & kept[paths.end])
    row, column = np.nonzero(told.between[some] >= 0)
    path = some[row]
    pairs = told.between[path, column] * n + paths.end[path]
    pair, by = np.unique(np.unique(pairs * cues + paths.cue[path]) // cues, return_counts=True)
    found = np.zeros(n, dtype=bool)
    found[pair[by > 1] // n] = True
    return found


def _siblings(told: _Told, ways: Mask, explicit: Mask) -> Mask:
    """Beside explicit answers: whom else the same relation is said of, and who shares something with the subject.

    "Where do I live?" does not ask where my cousin lives.
    """
    if not explicit.any():
        return np.zeros_like(explicit)
    paths, last = told.paths, told.last
    asked = told.answering[last] | ((paths.length == 1) & ~told.leading_on[last])
    relations = told.edges.code[last[ways & explicit[paths.end] & asked]]
    besides = np.isin(told.edges.code[last], relations) | told.turns
    return told.ends(ways & besides) & ~told.ends(ways & ~besides)


def _hub_neighbours(told: _Told, explicit: Mask, options: Options) -> tuple[Mask, frozenset[str]]:
    """The hub filter: concepts that every cue reaches only among a hub's many neighbours on one relation.

    Also the ids of those that were left behind, unless one that was fetched is explicit: then the question asks for
    them. They are many if all of them would fill more than `hub_share` of the fan-out at the hub's distance. One whose
    path clearly scores better than their median is no part of them.
    """
    paths, last, n = told.paths, told.last, len(told.evocation.ids)
    crowded, unseen = np.zeros(n, dtype=bool), set[str]()
    if not len(paths):
        return crowded, frozenset()
    source, target, code = told.edges.source[last], told.edges.target[last], told.edges.code
    width = int(code.max()) + 1
    hub = np.where(source == paths.end, target, source) * width + code[last]
    hubs, place = np.unique(hub, return_inverse=True)
    hops = np.full(len(hubs), paths.edge.shape[1])
    np.minimum.at(hops, place, paths.length)
    members, first = np.unique(place * n + paths.end, return_index=True)  # paths come best first
    of, end = np.divmod(members, n)
    entrances = np.bincount(end, minlength=n)
    fan_out = np.array(options.search.nested_fan_out)
    left_behind = [told.evocation.left_behind.get(divmod(one, width), ()) for one in hubs.tolist()]
    number = np.bincount(of, minlength=len(hubs)) + list(map(len, left_behind))
    for one in np.flatnonzero(number > options.selection.hub_share * fan_out[hops - 1]):
        alike = np.flatnonzero(of == one)
        worth = paths.worth[first[alike]]
        enough = options.selection.hub_outlier * median(worth.tolist())
        crowded[end[alike[(worth < enough) & (entrances[end[alike]] == 1)]]] = True
        if not explicit[end[alike]].any():
            unseen.update(left_behind[one])
    return crowded, frozenset(unseen.difference(told.evocation.ids))


def _best_first(paths: Paths, support: NDArray[np.float64]) -> Paths:
    """Paths by the support of their ends, then by their own worth, then by cue and edges."""
    return paths.only(np.lexsort((*paths.edge.T[::-1], paths.cue, -paths.worth, -support[paths.end])))

"""Graph evidence: which concepts the cues support together, and how much of that a record mentions.

Evidence decides what may enter a brief; the ranker decides the order of records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain, pairwise
from statistics import median

from oroi_graph.language.relations import ASKED
from oroi_graph.options import Options
from oroi_graph.recall.graph_search import Edge, Evocation, Path

# Relations that lead on to the answer, and those that are the answer to a question.
_LEADING_ON = frozenset({"has", "is called", "is", "es", "é", "is a", "is located in"})
_ANSWERING = frozenset(ASKED) - _LEADING_ON


@dataclass(frozen=True, slots=True)
class Evidence:
    """Which concepts are answers. support: {id: 0..1}, cues included. paths: those that lead to them, best first.

    share: of the best support, that an answer needs. converged: whether several cues reach the answers. explicit:
    whether a path says, step by step, what the question says; chained: in two steps or more. distractors: concepts that
    are none of the answers, though what is asked for is said of them, too. adjacent: answers next to a cue, if the cues
    converge. explicit_support: from which support an answer outweighs a distractor in the same record. few: whether the
    answers are few enough for their facts to be shown. decides: whether the evidence selects the records, too: few
    answers that are explicit or that cues converge on, by relations that were surely stated.
    """

    support: Mapping[str, float]
    paths: tuple[Path, ...]
    share: float
    converged: bool = False
    explicit: bool = False
    chained: bool = False
    distractors: frozenset[str] = frozenset()
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
    active = _active_cues(evocation, selection.explicit_path)
    total = sum(cues[i].weight for i in active)
    if not total:
        return Evidence({}, (), selection.support)
    own = {cues[i].concept_id for i in active}
    ways = [path for path in evocation.paths if path.cue in active]
    support = _support(evocation, ways, active, total)
    sure = _sure(evocation, ways, selection.sure_step)
    explicit = _explicit(evocation, sure, selection.explicit_path)
    converging = _convergence(evocation, sure, own)
    # If one cue leads to another, the answer lies beyond both: what the question names is no answer.
    ends = converging or {evocation.ids[path.end] for path in ways} - own
    share = selection.converged_support if converging else selection.support
    floor = share * max((support[concept] for concept in ends), default=0.0)
    if converging & explicit:
        explicit &= converging
    siblings = _siblings(evocation, ways, explicit) - own - explicit
    crowded = _hub_neighbours(evocation, options) - own - explicit
    among = (converging or support.keys()) - siblings - crowded
    kept = {c: s for c, s in support.items() if c in own or c in explicit or (s >= floor and c in among)}
    adjacent = {evocation.ids[p.end] for p in ways if len(p.edges) == 1} - own if converging else set()
    rivals = adjacent - kept.keys()  # next to one cue only
    if rivals:
        rivals -= _bridges(evocation, ways, kept)
    paths = [path for path in ways if evocation.ids[path.end] in kept]
    if rivals:
        paths = [path for path in paths if rivals.isdisjoint(_intermediates(evocation, path))]
    paths.sort(key=lambda p: (-support[evocation.ids[p.end]], -p.worth, p.cue, p.edges))
    named = {cue.concept_id for cue in cues}
    few = len(kept.keys() - named) <= selection.answers
    best = max((worth for concept, worth in kept.items() if concept not in named), default=0.0)
    surely = {(path.cue, path.end) for path in sure}  # a cue has one path to a concept
    telling = (path for path in paths if (path.cue, path.end) in surely)
    return Evidence(
        support=kept,
        paths=tuple(paths),
        share=share,
        converged=bool(converging),
        explicit=bool(explicit),
        chained=any(_is_chain(evocation, path, selection.explicit_path) for path in telling),
        distractors=frozenset(siblings | rivals | (crowded - kept.keys())),
        adjacent=frozenset(adjacent & kept.keys()),
        explicit_support=selection.explicit_path * best,
        few=few,
        decides=few and bool(converging or explicit),
    )


def record_supports(records: Sequence[Sequence[str]], evidence: Evidence, evocation: Evocation) -> list[float]:
    """How much of the evidence each record mentions, 0..1: its best answer, or the cues that it names together.

    records: ids of the concepts of each.
    """
    cues = {cue.concept_id: cue.weight for cue in evocation.cues if cue.concept_id in evidence.support}
    total = sum(cues.values())
    if not total:
        return [0.0] * len(records)
    specific = {cue.concept_id for cue in evocation.cues if cue.specific}
    return [_support_of(concepts, evidence, evocation.selves, _Cued(cues, total, specific)) for concepts in records]


@dataclass(frozen=True, slots=True)
class _Cued:
    """The cues that are supported: {id: weight}, the sum of the weights; ids of all specific cues."""

    weights: Mapping[str, float]
    total: float
    specific: Set[str]


def _support_of(concepts: Sequence[str], evidence: Evidence, selves: Set[str], cued: _Cued) -> float:
    cues = cued.weights
    among = [cues[concept] for concept in set(concepts) if concept in cues]
    # If the cues converge, a record that names only one of them is about something else.
    named = 0.0 if evidence.converged and len(among) < 2 else sum(among) / cued.total
    others = [c for c in concepts if c not in cues and c not in selves]
    answer = max((evidence.support.get(c, 0.0) for c in others), default=0.0)
    if not evidence.distractors.isdisjoint(concepts):
        # "Marta is allergic, too" is about somebody else, unless the record names whom the question names.
        outweighed = not cued.specific.isdisjoint(concepts) or (among and answer >= evidence.explicit_support)
        if not (evidence.adjacent.intersection(concepts) if evidence.converged else outweighed):
            return 0.0
    return max(named, answer)


def _active_cues(evocation: Evocation, explicit: float) -> set[int]:
    """The cues that count: if a named one leads to an explicit answer, recognised ones do not."""
    named = {i for i, cue in enumerate(evocation.cues) if cue.method != "recognition"}
    answered = any(
        path.cue in named and path.clear >= explicit and _last(evocation, path) in _ANSWERING
        for path in evocation.paths
    )
    return named if answered else set(range(len(evocation.cues)))


def _support(evocation: Evocation, ways: Sequence[Path], active: Set[int], total: float) -> dict[str, float]:
    cues = evocation.cues
    support = {cues[i].concept_id: cues[i].weight / total for i in active}
    for path in ways:
        concept = evocation.ids[path.end]
        support[concept] = support.get(concept, 0.0) + path.strength * cues[path.cue].weight / total
    return support


def _sure(evocation: Evocation, ways: Sequence[Path], least: float) -> list[Path]:
    """The paths of which every step was surely stated."""
    unsure = {position for position, edge in enumerate(evocation.edges) if edge.confidence < least}
    return [path for path in ways if unsure.isdisjoint(path.edges)]


def _explicit(evocation: Evocation, ways: Sequence[Path], least: float) -> set[str]:
    """The ends of paths that say, step by step, what the question says; of those that do not turn, if there are any."""
    clear = [path for path in ways if path.clear >= least]
    straight = [path for path in clear if not _turns(evocation, path)]
    return {evocation.ids[path.end] for path in straight or clear}


def _is_chain(evocation: Evocation, path: Path, least: float) -> bool:
    """Whether a path says what the question says in two steps or more beyond names, and does not turn."""
    steps = [evocation.edges[position].relation_class for position in path.edges]
    told = sum(step not in _LEADING_ON for step in steps)
    return told > 1 and path.clear >= least and not _turns(evocation, path)


def _convergence(evocation: Evocation, ways: Sequence[Path], own: Set[str]) -> set[str]:
    """The concepts that several cues reach; none if two cues are adjacent, whose shared neighbours are no answers.

    Cues from recognition are guesses and converge nowhere.
    """
    if any(evocation.ids[path.end] in own and len(path.edges) == 1 for path in ways):
        return set()
    reached: dict[str, set[int]] = {}
    for path in ways:
        cue = evocation.cues[path.cue]
        if cue.specific and cue.method != "recognition" and not _turns(evocation, path):
            reached.setdefault(evocation.ids[path.end], set()).add(path.cue)
    return {concept for concept, by in reached.items() if len(by) > 1} - own - evocation.selves


def _bridges(evocation: Evocation, ways: Sequence[Path], kept: Mapping[str, float]) -> set[str]:
    """The concepts through which several cues lead to the same answer."""
    through: dict[tuple[str, str], set[int]] = {}
    for path in ways:
        if evocation.ids[path.end] in kept:
            for concept in _intermediates(evocation, path):
                through.setdefault((concept, evocation.ids[path.end]), set()).add(path.cue)
    return {concept for (concept, _), by in through.items() if len(by) > 1}


def _intermediates(evocation: Evocation, path: Path) -> set[str]:
    """The concepts between the ends of a path."""
    ends = {
        end for position in path.edges for end in (evocation.edges[position].source, evocation.edges[position].target)
    }
    return {evocation.ids[end] for end in ends} - {evocation.cues[path.cue].concept_id, evocation.ids[path.end]}


def _last(evocation: Evocation, path: Path) -> str:
    """The class of the relation on which a path arrives."""
    return evocation.edges[path.edges[-1]].relation_class


def _turns(evocation: Evocation, path: Path) -> bool:
    """Whether a path enters a concept on a relation and leaves it backwards on a like one: it then passes through
    something shared ("both come to dinner") to another who shares it."""
    edges = evocation.edges
    for before, after in pairwise(path.edges):
        a, b = edges[before], edges[after]
        if a.target == b.target and _say_the_same(a, b):
            return True
    return False


def _say_the_same(a: Edge, b: Edge) -> bool:
    """Whether two associations have one class, or one verb ("plays the oboe in")."""
    return a.relation_class == b.relation_class or a.relation.split()[:1] == b.relation.split()[:1]


def _siblings(evocation: Evocation, ways: Sequence[Path], explicit: Set[str]) -> set[str]:
    """Beside explicit answers: whom else the same relation is said of, and who shares something with the subject.

    "Where do I live?" does not ask where my cousin lives.
    """
    if not explicit:
        return set()
    ids, last = evocation.ids, [_last(evocation, path) for path in ways]
    told = {
        relation
        for path, relation in zip(ways, last, strict=True)
        if ids[path.end] in explicit
        and (relation in _ANSWERING or (len(path.edges) == 1 and relation not in _LEADING_ON))
    }
    besides: set[int] = set()
    direct: set[int] = set()
    for path, relation in zip(ways, last, strict=True):
        (besides if relation in told or _turns(evocation, path) else direct).add(path.end)
    return {ids[end] for end in besides - direct}


def _hub_neighbours(evocation: Evocation, options: Options) -> set[str]:
    """The hub filter: concepts that every cue reaches only among a hub's many neighbours on one relation.

    They are many if they fill more than `hub_share` of the fan-out at the hub's distance. One whose path clearly scores
    better than their median is no part of them.
    """
    members: dict[tuple[int, str], dict[int, float]] = {}
    hops: dict[tuple[int, str], int] = {}
    for path in evocation.paths:
        edge = evocation.edges[path.edges[-1]]
        hub = (edge.target if edge.source == path.end else edge.source, edge.relation_class)
        members.setdefault(hub, {}).setdefault(path.end, path.worth)  # paths come best first
        length = len(path.edges)
        if hops.setdefault(hub, length) > length:
            hops[hub] = length
    entrances = Counter(chain.from_iterable(members.values()))
    fan_out, share = options.search.nested_fan_out, options.selection.hub_share
    crowded: set[str] = set()
    for hub, alike in members.items():
        if len(alike) > share * fan_out[hops[hub] - 1]:
            enough = options.selection.hub_outlier * median(alike.values())
            crowded |= {evocation.ids[end] for end, worth in alike.items() if worth < enough and entrances[end] == 1}
    return crowded

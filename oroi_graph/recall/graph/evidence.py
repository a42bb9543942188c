"""Graph evidence: which concepts the cues support together, and how much of that a record mentions.

Evidence decides what may enter a brief; the ranker decides the order of records.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, repeat

import numpy as np
from numpy.typing import NDArray

from oroi_graph.options import Options
from oroi_graph.recall.graph.paths import Mask, Path, Paths
from oroi_graph.recall.graph.search import Evocation
from oroi_graph.recall.graph.told import Told
from oroi_graph.working_set.tables import Places


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
    told = Told(evocation)
    active = _active_cues(told, selection.explicit_path)
    total = sum(cues[i].weight for i in active)
    if not total:
        return Evidence({}, (), selection.support)
    paths = evocation.paths
    own = told.concepts(told.starts[active])
    ways = told.of_cues(active)
    supported, support = _support(told, ways, active, total)
    sure = ways & ~told.any_step(told.edges.confidence < selection.sure_step)
    clear = sure & (paths.clear >= selection.explicit_path)
    straight = clear & ~told.turning(clear)
    # The ends of paths that say, step by step, what the question says; of those that do not turn, if there are any.
    explicit = told.ends(straight if straight.any() else clear)
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
    named = told.concepts(told.starts)
    if np.count_nonzero(kept & ~named) > selection.answers and not converged:
        asked = _asked(told, straight)
        if 0 < np.count_nonzero(asked & ~named) <= selection.answers:
            kept &= own | asked
    adjacent = told.ends(ways & (paths.length == 1)) & ~own if converged else np.zeros_like(own)
    rivals = adjacent & ~kept  # next to one cue only
    answering = ways & kept[paths.end]
    if rivals.any():
        rivals, answering = _without_bridges(told, answering, rivals)
    plain = answering & straight
    few = int(np.count_nonzero(kept & ~named)) <= selection.answers
    best = float(support[kept & ~named].max(initial=0.0))
    crowd = unseen.union(told.ids_of(crowded & ~kept))
    return Evidence(
        support=dict(zip(told.ids_of(kept), support[kept].tolist(), strict=True)),
        paths=_best_first(paths, answering, support),
        share=share,
        converged=converged,
        chained=bool(plain.any() and (told.telling[plain] > 1).any()),
        distractors=crowd.union(told.ids_of(siblings | rivals)),
        crowd=crowd,
        adjacent=frozenset(told.ids_of(adjacent & kept)),
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
    specific = frozenset(cue.concept_id for cue in evocation.cues if cue.specific)
    apart = cues.keys() | evocation.selves
    answers = {concept: much for concept, much in evidence.support.items() if concept not in apart}
    meant = evidence.adjacent if evidence.converged else specific
    known = specific.union(evidence.support, evidence.distractors)

    @cache  # many records mention the same
    def support(mentioned: tuple[str, ...]) -> float:
        """By what one record mentions of what is known."""
        named = [cues[concept] for concept in mentioned if concept in cues]
        answer = max([answers.get(concept, 0.0) for concept in mentioned])
        outweighs = not evidence.converged and named and answer >= evidence.explicit_support
        about = outweighs or not meant.isdisjoint(mentioned)
        if not about and not evidence.distractors.isdisjoint(mentioned):
            return 0.0
        if evidence.converged and len(named) < 2:
            return answer
        return max(sum(named) / total, answer)

    found = [[concept for concept in concepts if concept in known] for concepts in records]
    return [support(tuple(mentioned)) if mentioned else 0.0 for mentioned in found]


def mentions(records: Sequence[Collection[str]], number: Mapping[str, int]) -> tuple[Places, Places]:
    """(record, number) of each thing that records have, in their order, as two (k,) arrays; others are left out."""
    lengths = [*map(len, records)]
    what = np.fromiter(map(number.get, chain.from_iterable(records), repeat(-1)), dtype=np.int64, count=sum(lengths))
    known = np.flatnonzero(what >= 0)
    return np.repeat(np.arange(len(records)), lengths)[known], what[known]


def _active_cues(told: Told, explicit: float) -> list[int]:
    """The cues that count: if a named one leads to an explicit answer, recognised ones do not."""
    cues, paths = told.evocation.cues, told.paths
    named = [i for i, cue in enumerate(cues) if cue.method != "recognition"]
    if len(named) == len(cues):
        return named
    answered = told.of_cues(named) & (paths.clear >= explicit) & told.answering[told.last]
    return named if answered.any() else list(range(len(cues)))


def _support(told: Told, ways: Mask, active: Sequence[int], total: float) -> tuple[Mask, NDArray[np.float64]]:
    """(n,) which concepts are supported, and how much."""
    paths, cue = told.paths, told.paths.cue[ways]
    weights = np.array([cue.weight for cue in told.evocation.cues], dtype=np.float64)
    places = np.concatenate((told.starts[active], paths.end[ways]))
    parts = np.concatenate((weights[active] / total, paths.strength[ways] * weights[cue] / total))
    support: NDArray[np.float64] = np.bincount(places, parts, len(told.evocation.ids)).astype(np.float64)
    return told.concepts(places), support


def _asked(told: Told, straight: Mask) -> Mask:
    """The explicit ends of paths that arrive by a relation of a class which the question asks for ("lives in").

    Among all that "I" is in, these are what was asked: of a speaker himself, not of who he has; of anything else that
    the question names, also beyond its name ("my sister –is→ Marta –lives in→").
    """
    paths = told.paths
    named = np.array([cue.specific for cue in told.evocation.cues], dtype=bool)[paths.cue]
    direct = (paths.length == 1) | (named & (told.telling == 1))
    return told.ends(straight & direct & (told.evocation.asked & told.answering)[told.last])


def _convergence(told: Told, sure: Mask, own: Mask) -> Mask:
    """The concepts that several cues reach; none if two cues are adjacent, whose shared neighbours are no answers.

    Cues from recognition are guesses and converge nowhere.
    """
    paths, evocation = told.paths, told.evocation
    if (sure & (paths.length == 1) & own[paths.end]).any():
        return np.zeros_like(own)
    meeting = [i for i, cue in enumerate(evocation.cues) if cue.specific and cue.method != "recognition"]
    if len(meeting) < 2:
        return np.zeros_like(own)
    reaching = sure & told.of_cues(meeting)
    reaching &= ~told.turning(reaching)
    by = np.bincount(paths.end[reaching], minlength=len(own))  # a cue has one path to a concept
    selves = np.array([kind == "self" for kind in evocation.kinds], dtype=bool)
    found: Mask = (by > 1) & ~own & ~selves
    return found


def _without_bridges(told: Told, answering: Mask, rivals: Mask) -> tuple[Mask, Mask]:
    """The rivals through which not several cues lead to the same answer, and the answering paths that pass none."""
    paths, n, cues = told.paths, len(rivals), len(told.evocation.cues)
    some = answering.nonzero()[0]
    between = told.between(some)
    hop, path = (rivals[between] & (between >= 0)).nonzero()
    rival, path = between[hop, path], some[path]
    through = np.unique((rival * n + paths.end[path]) * cues + paths.cue[path])
    pair, by = np.unique(through // cues, return_counts=True)
    rivals = rivals & ~told.concepts(pair[by > 1] // n)
    left, answering = rivals[rival], answering.copy()
    answering[path[left]] = False
    return rivals, answering


def _siblings(told: Told, ways: Mask, explicit: Mask) -> Mask:
    """Beside explicit answers: whom else the same relation is said of, and who shares something with the subject.

    "Where do I live?" does not ask where my cousin lives.
    """
    if not explicit.any():
        return np.zeros_like(explicit)
    paths, last = told.paths, told.last
    asked = told.answering[last] | ((paths.length == 1) & ~told.leading_on[last])
    relations = told.edges.code[last[ways & explicit[paths.end] & asked]]
    alike = np.zeros(len(told.edges.classes), dtype=bool)
    alike[relations] = True
    besides = alike[told.edges.code[last]] | told.turning(ways)
    return told.ends(ways & besides) & ~told.ends(ways & ~besides)


def _hub_neighbours(told: Told, explicit: Mask, options: Options) -> tuple[Mask, frozenset[str]]:
    """The hub filter: concepts that every cue reaches only among a hub's many neighbours on one relation.

    Also the ids of those that were left behind, unless one that was fetched is explicit: then the question asks for
    them. They are many if all of them would fill more than `hub_share` of the fan-out at the hub's distance. One whose
    path clearly scores better than their median is no part of them.
    """
    paths, edges = told.paths, told.edges
    if not len(paths):
        return np.zeros_like(explicit), frozenset()
    source, target, width = edges.source[told.last], edges.target[told.last], len(edges.classes)
    way = np.where(source == paths.end, target, source) * width + edges.code[told.last]  # the hub and the relation
    left = told.evocation.left_behind
    crowded, unseen = _crowds(paths, way, left.concept * width + left.code, explicit, options)
    found = told.concepts(crowded)
    if len(told.starts) > 1:  # one cue has one path to a concept
        found &= told.one_way(way)
    return found, frozenset(left.ids_of(unseen).difference(told.evocation.ids) if unseen.any() else ())


def _crowds(paths: Paths, way: Places, left_behind: Places, explicit: Mask, options: Options) -> tuple[Places, Mask]:
    """The concepts in the crowd of a way with too many, and who was left behind on one where none is explicit, (l,).

    way: (k,) on which each path arrives. left_behind: (l,) on which each one was left behind.
    """
    order = np.lexsort((paths.end, way))  # stable: of several cues' paths to a concept the best stays the first
    ways, ends = way[order], paths.end[order]
    begins = np.concatenate(([True], ways[1:] != ways[:-1]))
    first = begins | np.concatenate(([True], ends[1:] != ends[:-1]))
    begin, group = begins.nonzero()[0], (np.cumsum(begins) - 1)[first]
    distance, asked = np.minimum.reduceat(paths.length[order], begin), np.logical_or.reduceat(explicit[ends], begin)
    ways, ends, worth = ways[begin], ends[first], paths.worth[order[first]]
    behind = np.minimum(np.searchsorted(ways, left_behind), len(ways) - 1)
    unseen = ways[behind] == left_behind  # as far as any path arrives on that way
    most = options.selection.hub_share * np.array(options.search.nested_fan_out)[distance - 1]
    most -= np.bincount(behind[unseen], minlength=len(ways))
    size = np.bincount(group)
    ordered, begin = worth[np.lexsort((worth, group))], np.cumsum(size) - size
    median = (ordered[begin + (size - 1) // 2] + ordered[begin + size // 2]) / 2
    many = size > most
    unseen &= (many & ~asked)[behind]
    return ends[many[group] & (worth < (options.selection.hub_outlier * median)[group])], unseen


def _best_first(paths: Paths, some: Mask, support: NDArray[np.float64]) -> Paths:
    """Some paths by the support of their ends, then by their own worth, then by cue and edges."""
    of = some.nonzero()[0]
    edge = paths.edge[of].T[::-1]
    return paths.only(of[np.lexsort((*edge, paths.cue[of], -paths.worth[of], -support[paths.end[of]]))])

"""Support: which concepts the cues point at together, and how much of that a record mentions (S5).

Support decides what may enter a brief at all; the order of records is `ranking`'s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from statistics import median

from oroi_graph.language import detection
from oroi_graph.language.relations import ASKED
from oroi_graph.language.stemming import content_words
from oroi_graph.recall.graph_search import HOPS, NESTED, Edge, Evocation, Path
from oroi_graph.recall.question import Question

KEEP = 0.5  # an answer must be supported at least this much of what the best one is
CONVERGED = 0.75  # … and this much where several cues meet in the best one
CROWD = 0.5  # neighbours along one relation say nothing where they take more of a concept's places than this …
STANDS_OUT = 1.2  # … unless the way to one is worth this much of what their median is
_LEADING_ON = frozenset({"has", "is called", "is", "es", "é", "is a", "is located in"})  # … to what is asked for
_TELLING = frozenset(ASKED) - _LEADING_ON  # relations that answer a question
PLAIN = 0.9  # mean worth of a step from which a path is what the question says, step by step


@dataclass(frozen=True, slots=True)
class Answers:
    """Concepts that the cues support, {id: support in 0..1}, and the paths that lead to them, best first."""

    support: Mapping[str, float]
    paths: tuple[Path, ...]
    keep: float
    meeting: bool = False
    plain: bool = False  # whether some path says, step by step, what the question says
    others: frozenset[str] = frozenset()  # of whom the same is said, beside what is asked for, or of many alike
    met: frozenset[str] = frozenset()  # right beside the cues that meet
    best: float = 0.0  # the greatest support of what is no cue


def answers(evocation: Evocation) -> Answers:
    """Which concepts the cues point at together.

    support(n) = Σ over cues of (strength of the best path from the cue to n) · (the cue's weight) / Σ of weights;
    a cue supports itself with 1. Where cues meet, what fewer of them reach is left out. A path that says, step by
    step, what the question says leads to an answer whatever other cues there are; beside one that stays with its
    subject, one that turns to whoever shares something with it does not. One of a hub's many like neighbours is no
    answer.
    """
    cues = evocation.cues
    speaking = _speaking(evocation)
    total = sum(cues[i].weight for i in speaking)
    if not total:
        return Answers({}, (), KEEP)
    support = {cues[i].concept_id: cues[i].weight / total for i in speaking}
    own = set(support)
    ways = [path for path in evocation.paths if path.cue in speaking]
    for path in ways:
        concept = evocation.ids[path.end]
        support[concept] = support.get(concept, 0.0) + path.strength * cues[path.cue].weight / total
    clear = [path for path in ways if path.strength >= PLAIN]
    straight = [path for path in clear if not _turns(evocation, path)]
    plain = {evocation.ids[path.end] for path in straight or clear}
    meeting = _meeting(evocation, ways, own)
    # What the question names itself is no answer: where one cue leads to another, the answer lies beyond both.
    ends = meeting or {evocation.ids[path.end] for path in ways} - own
    keep = CONVERGED if meeting else KEEP
    floor = keep * max((support[concept] for concept in ends), default=0.0)
    if meeting & plain:
        plain &= meeting
    others = _others(evocation, ways, plain) - own - plain
    crowd = _crowd(evocation) - own - plain
    out = others | crowd
    kept = {
        c: s
        for c, s in support.items()
        if c in own or c in plain or (s >= floor and c not in out and (not meeting or c in meeting))
    }
    # Where cues meet, who is right beside one of them alone is somebody else.
    beside = {evocation.ids[p.end] for p in ways if len(p.edges) == 1} - own if meeting else set()
    rivals = beside - set(kept)
    if rivals:
        rivals -= _bridges(evocation, ways, kept)
    others |= rivals | (crowd - set(kept))
    paths = [p for p in ways if evocation.ids[p.end] in kept]
    if rivals:
        paths = [p for p in paths if rivals.isdisjoint(_between(evocation, p))]
    paths.sort(key=lambda p: (-support[evocation.ids[p.end]], -p.worth, p.cue, p.edges))
    named = {cue.concept_id for cue in cues}
    return Answers(
        support=kept,
        paths=tuple(paths),
        keep=keep,
        meeting=bool(meeting),
        plain=bool(plain),
        others=frozenset(others),
        met=frozenset(beside & set(kept)),
        best=max((worth for concept, worth in kept.items() if concept not in named), default=0.0),
    )


def _meeting(evocation: Evocation, ways: Sequence[Path], own: Set[str]) -> set[str]:
    """The concepts that several cues reach, where no cue is right beside another: what lies between two that are is
    no answer. What merely was lit is one guess or another, and meets nowhere; everything is somebody's."""
    if any(evocation.ids[path.end] in own and len(path.edges) == 1 for path in ways):
        return set()
    reached: dict[str, set[int]] = {}
    for path in ways:
        cue = evocation.cues[path.cue]
        if cue.specific and cue.method != "recognition" and not _turns(evocation, path):
            reached.setdefault(evocation.ids[path.end], set()).add(path.cue)
    return {concept for concept, by in reached.items() if len(by) > 1} - own - evocation.selves


def _speaking(evocation: Evocation) -> set[int]:
    """The cues that count: what merely was lit does not, where what was named leads to an answer by a relation
    that answers questions."""
    named = {i for i, cue in enumerate(evocation.cues) if cue.method != "recognition"}
    answered = any(
        path.cue in named and path.strength >= PLAIN and evocation.edges[path.edges[-1]].relation_class in _TELLING
        for path in evocation.paths
    )
    return named if answered else set(range(len(evocation.cues)))


def _bridges(evocation: Evocation, ways: Sequence[Path], kept: Mapping[str, float]) -> set[str]:
    """The concepts over which several cues lead to one that is kept."""
    over: dict[tuple[str, str], set[int]] = {}
    for path in ways:
        if evocation.ids[path.end] in kept:
            for concept in _between(evocation, path):
                over.setdefault((concept, evocation.ids[path.end]), set()).add(path.cue)
    return {concept for (concept, _), by in over.items() if len(by) > 1}


def _between(evocation: Evocation, path: Path) -> set[str]:
    """The concepts that a path goes over."""
    ends = {
        end for position in path.edges for end in (evocation.edges[position].source, evocation.edges[position].target)
    }
    return {evocation.ids[end] for end in ends} - {evocation.cues[path.cue].concept_id, evocation.ids[path.end]}


def _turns(evocation: Evocation, path: Path) -> bool:
    """Whether a path enters a concept along a relation and leaves it against one of its class: over a thing that many
    share ("both come to dinner") to another of them."""
    if len(path.edges) < 2:
        return False
    steps = [evocation.edges[position] for position in path.edges]
    return any(a.target == b.target and _alike(a, b) for a, b in pairwise(steps))


def _alike(a: Edge, b: Edge) -> bool:
    """Whether two associations say the same of their sources: one class, or one verb ("plays the oboe in")."""
    return a.relation_class == b.relation_class or a.relation.split()[:1] == b.relation.split()[:1]


def _others(evocation: Evocation, ways: Sequence[Path], plain: set[str]) -> set[str]:
    """Where a path says plainly what the question says: who shares something with its subject, and whom else the
    relation asked for is said of ("Where do I live?" does not ask where my cousin lives)."""
    if not plain:
        return set()
    last = [evocation.edges[path.edges[-1]].relation_class for path in ways]
    told = {
        name
        for path, name in zip(ways, last, strict=True)
        if evocation.ids[path.end] in plain and (name in _TELLING or (len(path.edges) == 1 and name not in _LEADING_ON))
    }
    besides: set[str] = set()
    direct: set[str] = set()
    for path, name in zip(ways, last, strict=True):
        (besides if name in told or _turns(evocation, path) else direct).add(evocation.ids[path.end])
    return besides - direct


def _crowd(evocation: Evocation) -> set[str]:
    """Concepts that every cue reaches only among many alike: over one hub, along one relation, for the same worth.

    How many are many depends on how far the hub is from the cues: of a concept farther away fewer are fetched.
    """
    members: dict[tuple[tuple[int, str], str], float] = {}
    hops: dict[tuple[int, str], int] = {}
    for path in evocation.paths:
        edge = evocation.edges[path.edges[-1]]
        hub = (edge.target if edge.source == path.end else edge.source, edge.relation_class)
        member = hub, evocation.ids[path.end]
        members[member] = max(members.get(member, 0.0), path.worth)
        hops[hub] = min(hops.get(hub, HOPS), len(path.edges))
    sizes, entrances = Counter(hub for hub, _ in members), Counter(concept for _, concept in members)
    crowd: set[str] = set()
    for hub in (hub for hub, size in sizes.items() if size > CROWD * NESTED[hops[hub] - 1]):
        alike = {concept: worth for (over, concept), worth in members.items() if over == hub}
        enough = STANDS_OUT * median(alike.values())
        crowd |= {concept for concept, worth in alike.items() if worth < enough and entrances[concept] == 1}
    return crowd


def coverage(question: Question, text: str) -> float:
    """The share of the question's content words that a text says, 0..1."""
    if not question.stems:
        return 0.0
    return len(question.stems & _said(text)) / len(question.stems)


@lru_cache(maxsize=20_000)  # the same records come back for many questions
def _said(text: str) -> frozenset[str]:
    return frozenset(word for tongue in detection.READ for word in content_words(text, tongue))


def record_support(concepts: Sequence[str], answers: Answers, evocation: Evocation) -> float:
    """How much of what the cues point at a record mentions: its best answer, or the cues it names together."""
    cues = {cue.concept_id: cue.weight for cue in evocation.cues if cue.concept_id in answers.support}
    total = sum(cues.values())
    if not total:
        return 0.0
    among = [cues[concept] for concept in set(concepts) if concept in cues]
    # Where cues meet, a record that names one of them alone speaks of something else.
    named = 0.0 if answers.meeting and len(among) < 2 else sum(among) / total
    others = [c for c in concepts if c not in cues and c not in evocation.selves]
    answer = max((answers.support.get(c, 0.0) for c in others), default=0.0)
    if not answers.others.isdisjoint(concepts):
        # "Marta is allergic, too": of somebody else, unless it names whom the question names.
        specific = any(cue.specific and cue.concept_id in concepts for cue in evocation.cues)
        beside = specific or (among and answer >= PLAIN * answers.best)
        told = answers.met.intersection(concepts) if answers.meeting else beside
        if not told:
            return 0.0
    return max(named, answer)

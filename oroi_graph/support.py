"""Support: which concepts the cues point at together, and how much of that a record mentions (S5).

Support decides what may enter a brief at all; the order of records is `ranking`'s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from oroi_graph import language
from oroi_graph.cues import Question
from oroi_graph.evocation import Evocation, Path

KEEP = 0.5  # an answer must be supported at least this much of what the best one is
CONVERGED = 0.75  # … and this much where several cues meet in the best one
CROWD = 8  # so many neighbours of one concept along one relation say nothing by being there …
STANDS_OUT = 1.1  # … unless the way to one is worth this much of what their median is
PLAIN = 0.9  # mean worth of a step from which a path is what the question says, step by step


@dataclass(frozen=True, slots=True)
class Answers:
    """Concepts that the cues support, {id: support in 0..1}, and the paths that lead to them, best first."""

    support: Mapping[str, float]
    paths: tuple[Path, ...]
    keep: float
    meeting: bool = False
    plain: bool = False  # whether some path says, step by step, what the question says


def answers(evocation: Evocation) -> Answers:
    """Which concepts the cues point at together.

    support(n) = Σ over cues of (strength of the best path from the cue to n) · (the cue's weight) / Σ of weights;
    a cue supports itself with 1. Where cues meet, what fewer of them reach is left out. A path that says, step by
    step, what the question says leads to an answer whatever other cues there are. One of a hub's many like
    neighbours is no answer.
    """
    cues = evocation.cues
    total = sum(cue.weight for cue in cues)
    if not total:
        return Answers({}, (), KEEP)
    support = {cue.concept_id: cue.weight / total for cue in cues}
    own = set(support)
    reached: dict[str, set[int]] = {}
    plain: set[str] = set()
    for path in evocation.paths:
        concept = evocation.ids[path.end]
        support[concept] = support.get(concept, 0.0) + path.strength * cues[path.cue].weight / total
        if cues[path.cue].specific:
            reached.setdefault(concept, set()).add(path.cue)
        if path.strength >= PLAIN:
            plain.add(concept)
    joined = any(evocation.ids[path.end] in own and len(path.edges) == 1 for path in evocation.paths)
    meeting = {c for c, by in reached.items() if len(by) > 1 and c not in own} if not joined else set()
    ends = meeting or {evocation.ids[path.end] for path in evocation.paths}
    keep = CONVERGED if meeting else KEEP
    floor = keep * max((support[concept] for concept in ends), default=0.0)
    if meeting & plain:
        plain &= meeting
    crowd = _crowd(evocation) - own - plain
    kept = {c: s for c, s in support.items() if c in own or c in plain or (s >= floor and c not in crowd)}
    paths = [p for p in evocation.paths if evocation.ids[p.end] in kept]
    paths.sort(key=lambda p: (-support[evocation.ids[p.end]], -p.worth, p.cue, p.edges))
    return Answers(kept, tuple(paths), keep, bool(meeting), bool(plain))


def _crowd(evocation: Evocation) -> set[str]:
    """Concepts that every cue reaches only among many alike: over one hub, along one relation, for the same worth."""
    groups: dict[tuple[int, str], dict[str, float]] = {}
    entrances: dict[str, set[tuple[int, str]]] = {}
    for path in evocation.paths:
        edge, concept = evocation.edges[path.edges[-1]], evocation.ids[path.end]
        hub = (edge.target if edge.source == path.end else edge.source, edge.relation_class)
        entrances.setdefault(concept, set()).add(hub)
        members = groups.setdefault(hub, {})
        members[concept] = max(members.get(concept, 0.0), path.worth)
    crowd = set()
    for members in groups.values():
        if len(members) > CROWD:
            enough = STANDS_OUT * median(members.values())
            crowd |= {c for c, worth in members.items() if worth < enough and len(entrances[c]) == 1}
    return crowd


def coverage(question: Question, text: str) -> float:
    """The share of the question's content words that a text says, 0..1."""
    if not question.stems:
        return 0.0
    said = {word for tongue in language.READ for word in language.content_words(text, tongue)}
    return len(question.stems & said) / len(question.stems)


def record_support(concepts: Sequence[str], answers: Answers, evocation: Evocation) -> float:
    """How much of what the cues point at a record mentions: its best answer, or the cues it names together."""
    cues = {cue.concept_id: cue.weight for cue in evocation.cues}
    total = sum(cues.values())
    if not total:
        return 0.0
    among = [cues[concept] for concept in set(concepts) if concept in cues]
    # Where cues meet, a record that names one of them alone speaks of something else.
    named = 0.0 if answers.meeting and len(among) < 2 else sum(among) / total
    answer = max((answers.support.get(c, 0.0) for c in concepts if c not in cues), default=0.0)
    return max(named, answer)

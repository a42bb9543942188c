"""Ranking: which concepts answer, which facts lie on the way to them, which records speak of it (S5).

Records are ranked by meaning, words and activation together, as z-scores over the candidates (so that no channel's
scale decides), with symbolic channels for who spoke and when. `support` is what decides who may enter a brief at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oroi_graph import language
from oroi_graph.cues import Question
from oroi_graph.evocation import Evocation, Path
from oroi_graph.model import RecordHit
from oroi_graph.text import label_key

KEEP = 0.5  # an answer must be supported at least this much of what the best one is
CONVERGED = 0.75  # … and this much where several cues meet in the best one
CROWD = 8  # so many neighbours of one concept along one relation say nothing by being there …
STANDS_OUT = 1.1  # … unless the way to one is worth this much of what their median is
PLAIN = 0.9  # mean worth of a step from which a path is what the question says, step by step
# Beside meaning and words, which count 1 each. A turn that says more, and does not ask, is likelier to answer.
ACTIVATION, WHO, WHEN, ASSISTANT, LENGTH, ASKS = 0.7, 0.5, 1.0, -0.25, 0.3, -0.5


@dataclass(frozen=True, slots=True)
class Answers:
    """Concepts that the cues support, {id: support in 0..1}, and the paths that lead to them, best first."""

    support: Mapping[str, float]
    paths: tuple[Path, ...]
    keep: float
    meeting: bool = False


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
    crowd = _crowd(evocation) - own - plain
    kept = {c: s for c, s in support.items() if c in own or c in plain or (s >= floor and c not in crowd)}
    paths = [p for p in evocation.paths if evocation.ids[p.end] in kept]
    paths.sort(key=lambda p: (-support[evocation.ids[p.end]], -p.worth, p.cue, p.edges))
    return Answers(kept, tuple(paths), keep, bool(meeting))


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


def rank(
    question: Question, evocation: Evocation, hydrated: Sequence[Mapping[str, Any]], words: Mapping[str, float]
) -> list[RecordHit]:
    """The candidate records, best first. `words`: full-text score by record id."""
    if not hydrated:
        return []
    relevance = dict(zip(evocation.ids, evocation.relevance, strict=True))
    cued = {label_key(cue.label) for cue in evocation.cues if cue.kind == "self"}
    speakers = {name for name in {record["speaker"] for record in hydrated} if label_key(name) in cued}
    dates = [span.key for span in question.spans if span.kind == "value" and span.key[:4].isdigit()]
    meaning = np.array([record["cosine"] for record in hydrated])
    lexical = np.array([words.get(record["id"], 0.0) for record in hydrated])
    lit = np.array([_activation(record["concepts"], relevance) for record in hydrated])
    who = np.array([record["speaker"] in speakers for record in hydrated])
    when = np.array([_dated(record["at"], dates) for record in hydrated])
    spoken = np.array([record["role"] == "assistant" for record in hydrated])
    length = np.log([2.0 + len(record["text"].split()) for record in hydrated])
    asks = np.array([record["text"].rstrip().endswith("?") for record in hydrated])
    score = _z(meaning) + _z(lexical) + ACTIVATION * _z(lit) + LENGTH * _z(length)
    score += WHO * who + WHEN * when + ASSISTANT * spoken + ASKS * asks
    channels = {"meaning": meaning, "words": lexical, "activation": lit, "who": who, "when": when}
    order = sorted(range(len(hydrated)), key=lambda i: (-score[i], -hydrated[i]["turn"], hydrated[i]["id"]))
    return [
        RecordHit(
            **{
                k: hydrated[i][k] for k in ("id", "turn_id", "turn", "role", "speaker", "session", "at", "text", "gist")
            },
            score=round(float(score[i]), 6),
            channels={name: round(float(values[i]), 6) for name, values in channels.items()},
        )
        for i in order
    ]


def coverage(question: Question, text: str) -> float:
    """The share of the question's content words that a text says, 0..1."""
    if not question.stems:
        return 0.0
    said = {*language.content_words(text, "en"), *language.content_words(text, "es")}
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


def _activation(concepts: Sequence[str], relevance: Mapping[str, float]) -> float:
    best = sorted((float(relevance.get(concept, 0.0)) for concept in concepts), reverse=True)[:2]
    return sum(best) / 2


def _dated(at: str | None, dates: Sequence[str]) -> bool:
    if not at:
        return False
    for value in dates:
        start, _, end = value.partition("/")
        if (end and start <= at[:10] <= end) or (not end and at.startswith(start)):
            return True
    return False


def _z(values: NDArray[np.float64]) -> NDArray[np.float64]:
    spread: float = float(values.std())
    if spread < 1e-9:
        return np.zeros(len(values))
    scored: NDArray[np.float64] = (values - values.mean()) / spread
    return scored

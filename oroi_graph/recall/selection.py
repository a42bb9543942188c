"""The choice (S5): which facts and records may speak in a brief.

An item enters only if it supports the evoked paths or clears a relevance cut: there is no filling up, and when
nothing is relevant nothing is chosen. Where the associations decide little, the ranking has its say.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from oroi_graph.entities.fact_updates import relation_class
from oroi_graph.model import Fact, RecordHit
from oroi_graph.recall.evidence import Answers, coverage, record_support
from oroi_graph.recall.features import Candidate
from oroi_graph.recall.graph_search import Evocation, Path
from oroi_graph.recall.question import Question

# Cosines of all-MiniLM-L6-v2: unrelated turns lie below 0.3, a turn that answers a question above 0.4.
ALIKE = 0.55  # enough by itself
RELATED = 0.30  # enough together with words of the question
FAINT = 0.20  # enough for one of several things: the words of each are few
SOME = 1e-6  # support of a record that mentions anything at all of what the cues reach
SAID = 0.5  # share of the question's content words
AHEAD = 0.5  # where the associations do not decide, the best record speaks if it is so much ahead …
EACH = 3  # … and so many of the best where a question asks for several things: their answers stand far apart
LIKELY, BEHIND = 4, 2.0  # so many of the best records, and so little behind the best, where nothing else decides
TOGETHER = 0.75  # of what the best of them mentions of the cues and what they point at
MET = 0.35  # mean cosine of words: unrelated turns lie below 0.2


@dataclass(frozen=True, slots=True)
class Chosen:
    """What may enter a brief, in order of entrance."""

    facts: tuple[Fact, ...]
    records: tuple[RecordHit, ...]


def choose_facts(evocation: Evocation, answers: Answers, most: int = 12) -> list[tuple[str, Path]]:
    """The association ids on the way to the answers, each with the best path it lies on, best first."""
    found: dict[str, Path] = {}
    for path in answers.paths:
        for position in path.edges:
            edge = evocation.edges[position]
            if not edge.implied:
                found.setdefault(edge.id, path)
    return list(found.items())[:most]


def choose(
    question: Question,
    evocation: Evocation,
    answers: Answers,
    facts: Sequence[Fact],
    ranked: Sequence[RecordHit],
    candidates: Mapping[str, Candidate],
    superseded: frozenset[str],
    several: bool = False,
) -> Chosen:
    """The facts and records that may speak. A record speaks only if what it says still holds (or the past is asked).

    several: this is one of several questions asked at once.
    """
    speaking = _newest_first(_asked_for(question, facts))
    told = {record for fact in speaking for record in fact.records}
    former = told if any(not fact.current for fact in speaking) else set()
    holding = _holding(question, ranked, superseded, former)
    support = {r.id: record_support(candidates[r.id].concepts, answers, evocation) for r in holding}
    entering = _supported(question, evocation, answers, holding, support, told)
    if not answers.plain:
        entering |= _likely(evocation, holding, support)
    # Where the associations decide, the best of the ranking may be said of somebody else.
    decided = answers.meeting or (answers.plain and not several)
    best = [] if decided else _best(holding, several)
    chosen = [*best, *(record for record in holding if record.id in entering and record not in best)]
    return Chosen(tuple(speaking), tuple(chosen))


def only(chosen: Chosen, records: Sequence[str], ranked: Sequence[RecordHit]) -> Chosen:
    """Of what was chosen what these records state, and the records themselves."""
    told = set(records)
    facts = tuple(fact for fact in chosen.facts if not told.isdisjoint(fact.records))
    return Chosen(facts, tuple(record for record in ranked if record.id in told))


def _asked_for(question: Question, facts: Sequence[Fact]) -> list[Fact]:
    """The current facts; where the past is asked for, what was replaced in place of what replaced it."""
    if not question.past:
        return [fact for fact in facts if fact.current]
    former: dict[tuple[str, str], list[Fact]] = {}
    for fact in sorted(facts, key=lambda fact: fact.first_turn):
        if not fact.current:
            former.setdefault((fact.source_id, relation_class(fact.relation)), []).append(fact)
    asked = {fact.id for told in former.values() for fact in (told[:1] if question.first else told)}
    return [fact for fact in facts if fact.id in asked or (fact.source_id, relation_class(fact.relation)) not in former]


def _holding(
    question: Question, ranked: Sequence[RecordHit], superseded: frozenset[str], former: set[str]
) -> list[RecordHit]:
    """The records that still hold; where the past is asked for, those that tell of what was replaced, if any does.

    former: records of the former facts that were chosen.
    """
    if not question.past:
        return [record for record in ranked if record.id not in superseded]
    past = former & superseded or (superseded if any(record.id in superseded for record in ranked[:LIKELY]) else set())
    return [record for record in ranked if record.id in past] if past else list(ranked)


def _supported(
    question: Question,
    evocation: Evocation,
    answers: Answers,
    holding: Sequence[RecordHit],
    support: Mapping[str, float],
    told: Collection[str],
) -> set[str]:
    """The records that mention what the cues point at, and state a chosen fact or are relevant by themselves."""
    relevant = {r.id for r in holding if _relevant(question, r)}
    # Where the question names what the memory knows, a record that mentions none of it is about something else.
    named = any(cue.specific for cue in evocation.cues)
    least = max(answers.keep * max((support[r] for r in relevant), default=0.0), SOME if named else 0.0)
    return {r.id for r in holding if (r.id in told or r.id in relevant) and support[r.id] >= least}


def _likely(evocation: Evocation, holding: Sequence[RecordHit], support: Mapping[str, float]) -> set[str]:
    """The best of the ranking, where the associations do not say which fact is asked for."""
    # What merely is lit, and who asks, names nothing that an answer would have to mention.
    naming = any(cue.specific and cue.method != "recognition" for cue in evocation.cues)
    enough = TOGETHER * max(support.values(), default=0.0) if naming else 0.0
    among = [record for record in holding if support[record.id] >= enough]
    best = among[0].score if among else 0.0
    near = [record for record in among[:LIKELY] if record.score >= best - BEHIND]
    likely = {record.id for record in near if record.channels["meaning"] >= RELATED or _words_met(record)}
    # Beside what mentions something that the question leads to, the rest is about somebody else.
    return {id for id in likely if support[id] > 0} or likely


def _words_met(record: RecordHit) -> bool:
    return record.channels["interaction"] >= MET


def _best(holding: Sequence[RecordHit], several: bool) -> list[RecordHit]:
    """The records that speak for being the best of the ranking."""
    if several:
        return [record for record in holding[:EACH] if record.channels["meaning"] >= FAINT]
    ahead = len(holding) < 2 or holding[0].score - holding[1].score >= AHEAD
    return [record for record in holding[:1] if ahead and record.channels["meaning"] >= RELATED]


def _relevant(question: Question, record: RecordHit) -> bool:
    meaning = record.channels["meaning"]
    if not question.stems:
        return False
    return meaning >= ALIKE or (meaning >= RELATED and coverage(question, record.text) >= SAID)


def _newest_first(facts: Sequence[Fact]) -> list[Fact]:
    """The facts in their order, except that accounts that differ take their places newest first."""
    ordered = list(facts)
    for fact in facts:
        rivals = [i for i, other in enumerate(ordered) if _rival(other, fact)]
        newest = sorted((ordered[i] for i in rivals), key=lambda other: (-other.last_turn, other.id))
        for i, other in zip(rivals, newest, strict=True):
            ordered[i] = other
    return ordered


def _rival(a: Fact, b: Fact) -> bool:
    return a.contested and b.contested and a.source_id == b.source_id and a.relation == b.relation

"""Selection: which facts and records enter a brief.

An item enters only if graph evidence supports it or its relevance passes a threshold; a brief is not filled up. If the
graph evidence is weak, the ranker decides.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from oroi_graph.entities.fact_updates import relation_class
from oroi_graph.model import Fact, RecordHit
from oroi_graph.recall.evidence import Evidence, coverage, record_support
from oroi_graph.recall.features import Candidate
from oroi_graph.recall.graph_search import Evocation, Path
from oroi_graph.recall.question import Question
from oroi_graph.recall_options import Selection


@dataclass(frozen=True, slots=True)
class Chosen:
    """What may enter a brief, in order of entrance."""

    facts: tuple[Fact, ...]
    records: tuple[RecordHit, ...]

    def only(self, records: Collection[str], ranked: Sequence[RecordHit]) -> Chosen:
        """These records, and the chosen facts that they state."""
        facts = tuple(fact for fact in self.facts if not set(records).isdisjoint(fact.records))
        return Chosen(facts, tuple(record for record in ranked if record.id in records))


def fact_paths(evocation: Evocation, evidence: Evidence, most: int) -> dict[str, Path]:
    """{association id: the best path it lies on} on the way to the answers, best first."""
    found: dict[str, Path] = {}
    for path in evidence.paths:
        for position in path.edges:
            edge = evocation.edges[position]
            if not edge.implied:
                found.setdefault(edge.id, path)
    return dict(list(found.items())[:most])


@dataclass(frozen=True, slots=True)
class Selector:
    """Selects for one question. several: it is one of several questions asked at once."""

    question: Question
    evocation: Evocation
    evidence: Evidence
    options: Selection
    several: bool = False

    def choose(
        self,
        facts: Sequence[Fact],
        ranked: Sequence[RecordHit],
        candidates: Mapping[str, Candidate],
        superseded: frozenset[str],
    ) -> Chosen:
        """The facts and records that may enter.

        facts: best first. ranked: the eligible records, best first. superseded: ids of records whose facts were
        replaced; they enter only if the past is asked for.
        """
        entering_facts = _newest_first(_of_the_time_asked_for(self.question, facts))
        stating = {record for fact in entering_facts for record in fact.records}
        former = stating if any(not fact.current for fact in entering_facts) else set()
        valid = self._valid(ranked, superseded, former)
        support = {r.id: record_support(candidates[r.id].concepts, self.evidence, self.evocation) for r in valid}
        entering = self._supported(valid, support, stating)
        if not self.evidence.explicit:
            entering |= self._likely(valid, support)
        # If the graph evidence decides, the best of the ranking may be about somebody else.
        decided = self.evidence.converged or (self.evidence.explicit and not self.several)
        best = [] if decided else self._best(valid)
        records = [*best, *(record for record in valid if record.id in entering and record not in best)]
        return Chosen(tuple(entering_facts), tuple(records))

    def _valid(self, ranked: Sequence[RecordHit], superseded: frozenset[str], former: set[str]) -> list[RecordHit]:
        """The records that still hold; if the past is asked for, those of replaced facts, if there are any.

        former: ids of the records of chosen facts that were replaced.
        """
        if not self.question.past:
            return [record for record in ranked if record.id not in superseded]
        likely = {record.id for record in ranked[: self.options.likely]}
        past = former & superseded or (superseded if likely & superseded else frozenset())
        return [record for record in ranked if record.id in past] if past else list(ranked)

    def _supported(
        self, valid: Sequence[RecordHit], support: Mapping[str, float], stating: Collection[str]
    ) -> set[str]:
        """Ids of records that mention the evidence, and state a chosen fact or are relevant by themselves."""
        relevant = {record.id for record in valid if self._relevant(record)}
        # If the question names what the memory knows, a record that mentions none of it is about something else.
        named = any(cue.specific for cue in self.evocation.cues)
        least = max(
            self.evidence.share * max((support[record] for record in relevant), default=0.0),
            self.options.some_support if named else 0.0,
        )
        return {r.id for r in valid if (r.id in stating or r.id in relevant) and support[r.id] >= least}

    def _likely(self, valid: Sequence[RecordHit], support: Mapping[str, float]) -> set[str]:
        """Ids of the best of the ranking that are related to the question, those with support before all others."""
        # A speaker and a recognised concept name nothing that an answer must mention.
        naming = any(cue.specific and cue.method != "recognition" for cue in self.evocation.cues)
        enough = self.options.likely_support * max(support.values(), default=0.0) if naming else 0.0
        among = [record for record in valid if support[record.id] >= enough]
        best = among[0].score if among else 0.0
        near = [r for r in among[: self.options.likely] if r.score >= best - self.options.likely_behind]
        likely = {
            record.id
            for record in near
            if record.features["meaning"] >= self.options.related
            or record.features["interaction"] >= self.options.word_similarity
        }
        return {id for id in likely if support[id] > 0} or likely

    def _best(self, valid: Sequence[RecordHit]) -> list[RecordHit]:
        """The records that enter for being the best of the ranking."""
        if self.several:
            best = valid[: self.options.best_of_several]
            return [record for record in best if record.features["meaning"] >= self.options.faint]
        leads = len(valid) < 2 or valid[0].score - valid[1].score >= self.options.best_lead
        best = valid[: self.options.best] if leads else []
        return [record for record in best if record.features["meaning"] >= self.options.related]

    def _relevant(self, record: RecordHit) -> bool:
        meaning, options = record.features["meaning"], self.options
        if not self.question.stems:
            return False
        return meaning >= options.similar or (
            meaning >= options.related and coverage(self.question, record.text) >= options.said
        )


def _of_the_time_asked_for(question: Question, facts: Sequence[Fact]) -> list[Fact]:
    """The current facts; if the past is asked for, replaced facts in place of those that replaced them."""
    if not question.past:
        return [fact for fact in facts if fact.current]
    former: dict[tuple[str, str], list[Fact]] = {}
    for fact in sorted(facts, key=lambda fact: fact.first_turn):
        if not fact.current:
            former.setdefault((fact.source_id, relation_class(fact.relation)), []).append(fact)
    asked = {fact.id for told in former.values() for fact in (told[:1] if question.first else told)}
    return [fact for fact in facts if fact.id in asked or (fact.source_id, relation_class(fact.relation)) not in former]


def _newest_first(facts: Sequence[Fact]) -> list[Fact]:
    """The facts in their order, except that contradicting ones take their places newest first."""
    ordered = list(facts)
    for fact in facts:
        rivals = [i for i, other in enumerate(ordered) if _contradict(other, fact)]
        newest = sorted((ordered[i] for i in rivals), key=lambda other: (-other.last_turn, other.id))
        for i, other in zip(rivals, newest, strict=True):
            ordered[i] = other
    return ordered


def _contradict(a: Fact, b: Fact) -> bool:
    return a.contested and b.contested and a.source_id == b.source_id and a.relation == b.relation

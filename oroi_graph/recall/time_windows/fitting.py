"""What of a selection fits the time asked for, and what a brief says where nothing does.

Time is evidence, not a filter: a record that fits is likelier by its ranking (`in_time`). If the likeliest records fit,
only fitting ones stay. If they do not (the question may be wrong about the time), those that were said at
another time stay, and the brief says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import accumulate

from oroi_graph.model import Exclusion, Fact, RecordHit, Rule
from oroi_graph.recall.ranking.kept_texts import stems_of, tells_nothing
from oroi_graph.recall.selection import Chosen
from oroi_graph.recall.time_windows.scope import Scope
from oroi_graph.recall.time_windows.search import Inside
from oroi_graph.recall_options import Selection
from oroi_graph.working_set.candidates import Candidate

_MOST = 0.5  # of the probability


def in_time(probability: Mapping[str, float], ranked: Sequence[RecordHit], weight: float) -> dict[str, float]:
    """The probabilities of ranked records if the question names a time; they sum to 1 again.

    The features of `recall/ranking/relevance` know no time, those of the ranker do: weight is the log odds for a unit
    of its score.
    """
    best = max((hit.score for hit in ranked), default=0.0)
    odds = {hit.id: probability[hit.id] * math.exp(weight * (hit.score - best)) for hit in ranked}
    total = sum(odds.values())
    return {id: odd / total for id, odd in odds.items()} if total else dict(probability)


@dataclass(frozen=True, slots=True)
class Fitting:
    """What fits the time of one question. stems: its content words. likely: {record id: probability} in time."""

    scope: Scope
    stems: Set[str]
    inside: Inside
    records: Mapping[str, Candidate]
    likely: Mapping[str, float]
    options: Selection

    def lacks(self, chosen: Chosen) -> bool:
        """Whether nothing at all was said in the windows, and nothing that was chosen tells of them."""
        if self.inside.said or self.inside.rests or not self.scope.said:
            return False
        return not any(self._fit(hit) > 0 for hit in chosen.records)

    def restricted(self, chosen: Chosen, ranked: Sequence[RecordHit], dated: Sequence[Fact]) -> Chosen:
        """The fitting part of a selection. ranked: eligible records that still hold. dated: facts of the windows."""
        order = sorted(ranked, key=lambda hit: (-self.likely[hit.id], hit.id))
        level = self._level(order)
        if level <= 0:
            # A fact without a date would be taken for one of the time asked for.
            others = tuple(hit for hit in chosen.records if not self._fit(hit))
            notes = (self.scope.wording.elsewhere(),) if self.scope.said and others else ()
            rest = replace(chosen, facts=(), records=others, notes=notes)
            return rest.without(chosen.records, "of the time asked for, but the likeliest are not")
        fitting = {hit.id for hit in order if self._fit(hit) >= level}
        surely = [h for h in chosen.records if h.id in fitting and self.likely[h.id] >= self.options.relevant]
        told = [hit for hit in order if hit.id in fitting and not tells_nothing(hit.text)]
        # Silence, if what was said then has nothing to do with what is asked for.
        near = not self.stems or any(map(self._is_near, told))
        # Of whom the question names some records come, however little they say of its words.
        named = [hit for hit in told if self._is_named(hit)]
        found = [*self._likeliest(told), *self._likeliest(named)] if near else []
        # The question may be wrong about the time: what is by far the likeliest comes with its own date.
        alone = [hit for hit in order if hit.id not in fitting and self.likely[hit.id] >= self.options.likely_alone]
        kept = {hit.id: hit for hit in (*found, *surely, *alone)}
        ids = kept.keys()
        sure = [fact for fact in dated if fact.confidence >= self.options.sure_fact]
        facts = {fact.id: fact for fact in (*chosen.facts, *sure) if not ids.isdisjoint(fact.records)}
        rules: dict[str, Rule] = {hit.id: "likely by itself" for hit in alone}
        rules |= {fact.id: chosen.rule(fact.id) for fact in facts.values()}
        left_out: dict[str, Exclusion] = dict.fromkeys((hit.id for hit in order), "not of the time asked for")
        left_out |= dict.fromkeys(fitting, "asks and tells nothing")
        unlikely: Exclusion = "below the likelihood line" if near else "nothing is near to the question"
        left_out |= {hit.id: unlikely for hit in told}
        left_out = {id: rule for id, rule in {**chosen.left_out, **left_out}.items() if id not in kept}
        return Chosen(tuple(facts.values()), tuple(kept.values()), chosen.notes, rules, left_out)

    def _fit(self, hit: RecordHit) -> float:
        return self.records[hit.id].fit or 0.0

    def _level(self, order: Sequence[RecordHit]) -> float:
        """How well a record must fit: as the likeliest does, or if that does not, but most of the probability fits."""
        fitting = [hit for hit in order if self._fit(hit) > 0]
        if not fitting:
            return 0.0
        if fitting[0].id != order[0].id and sum(self.likely[hit.id] for hit in fitting) <= _MOST:
            return 0.0
        return self._fit(fitting[0])

    def _is_near(self, hit: RecordHit) -> bool:
        """Whether a record has to do with the question: by its meaning, a word of it, or a fact of the windows."""
        meant = hit.features["meaning"] >= self.options.related
        said = hit.features["interaction"] >= self.options.word_similarity or hit.features["words"] > 0
        return meant or said or hit.id in self.inside.stating or self._is_named(hit)

    def _is_named(self, hit: RecordHit) -> bool:
        """Whether the question names who said it ("What did Claude write today?")."""
        named = stems_of(hit.speaker, self.scope.language).distinct
        return bool(named) and named <= self.stems

    def _likeliest(self, among: Sequence[RecordHit]) -> list[RecordHit]:
        """The first of some records, the likeliest first, until they hold enough of the probability of all of them."""
        total = sum(self.likely[hit.id] for hit in among) or 1.0
        before = accumulate((self.likely[hit.id] / total for hit in among), initial=0.0)
        return [hit for hit, mass in zip(among, before, strict=False) if mass < self.options.time_mass]

"""Selection: which facts and records enter a brief; a brief is not filled up.

If the graph evidence decides (`Evidence.decides`, and what it supports is likely enough), the records that mention it
enter, and the sure facts on the way to it; likely records, too, unless cues converge on it or a chain of steps leads to
it (decision 1962). If it does not, the most likely records enter (`relevance`), and the sure facts on the way to few
answers if a record that states one of them is likely to help (decision 1968); nothing does if none is likely to answer
at all (decision 1974).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Literal

from oroi_graph.entities.fact_updates import relation_class
from oroi_graph.language.lexicons.pronouns import is_shared
from oroi_graph.language.normalize import label_key
from oroi_graph.language.sentences import is_question, only_asks, sentences
from oroi_graph.language.stemming import content_words
from oroi_graph.model import Exclusion, Fact, RecordHit, Rule
from oroi_graph.recall.graph.evidence import Evidence, record_supports
from oroi_graph.recall.graph.paths import Path
from oroi_graph.recall.graph.search import Evocation
from oroi_graph.recall.question import Question, owners
from oroi_graph.recall.ranking.kept_texts import kept, stems_of, wishes_to_forget
from oroi_graph.recall.ranking.relevance import clearness, in_ranking
from oroi_graph.recall.reminders import Reminders, reminders
from oroi_graph.recall_options import Selection
from oroi_graph.working_set.candidates import Candidate

# A question word at the beginning asks for what is not known; "did I tell you that …?" may tell something.
_ASKS_FOR = re.compile(
    r"^\W*(?:(?:and|so|ok|but|y|pero|e|mas|então) )*(?:what|who|whom|whose|which|where|when|why|how"
    r"|(?:(?:a|de|en|con|por|para) )?(?:qué|quién(?:es)?|cuál(?:es)?|d[óo]nde|cuándo|cómo|cuánt[oa]s?)"
    r"|(?:o que|que|quem|qual|quais|onde|quando|quant[oa]s?)) ",
    re.IGNORECASE,
)


_BY_MODEL: Rule = "chosen by a model"
_CRITERIA: Rule = "meets every criterion"


@dataclass(frozen=True, slots=True)
class Chosen:
    """What may enter a brief, in order of entrance. notes: lines about the time asked for, which stand first.

    reminders: those of the records that were to be remembered, where that is asked for: they stand before the facts.
    rules: {id of a fact or record: what let it in}; of others it is the time asked for.
    left_out: {id of a ranked record that may not enter: what keeps it out}. excerpts: {id of a record: the run of its
    own words that tells what is needed}, which a model said: they stand for it where there is no room.
    """

    facts: tuple[Fact, ...]
    records: tuple[RecordHit, ...]
    notes: tuple[str, ...] = ()
    rules: Mapping[str, Rule] = field(default_factory=dict)
    left_out: Mapping[str, Exclusion] = field(default_factory=dict)
    reminders: Reminders = field(default_factory=Reminders)
    excerpts: Mapping[str, str] = field(default_factory=dict)

    def rule(self, id: str) -> Rule:
        """What let a fact or a record in."""
        return self.rules.get(id, "of the time asked for")

    def without(self, hits: Iterable[RecordHit], rule: Exclusion) -> Chosen:
        """The same, with what keeps out those of some records that are not chosen; what is known of others stays."""
        chosen = {record.id for record in self.records}
        return replace(self, left_out={**{hit.id: rule for hit in hits if hit.id not in chosen}, **self.left_out})

    def meeting_all(self, records: Collection[str], ranked: Sequence[RecordHit], superseded: Collection[str]) -> Chosen:
        """These records, which meet every criterion, and the chosen facts that they state.

        superseded: ids of records that were not considered.
        """
        kept = tuple(one for one in ranked if one.id in records)
        left_out: dict[str, Exclusion] = {
            one.id: "superseded" if one.id in superseded else "does not meet every criterion"
            for one in ranked
            if one.id not in records
        }
        rules: dict[str, Rule] = {**self.rules, **dict.fromkeys(records, _CRITERIA)}
        return replace(self, facts=self._stated_by(records), records=kept, notes=(), rules=rules, left_out=left_out)

    def by_model(
        self,
        records: Sequence[RecordHit],
        notes: tuple[str, ...],
        refused: Mapping[str, Exclusion],
        excerpts: Mapping[str, str] | None = None,
    ) -> Chosen:
        """These records, which a model chose, in their order, and the chosen facts that they state.

        Where what was to be remembered is asked for, what the model left out of it comes behind them; if it chose
        nothing, nothing comes. refused: {id: what keeps a record out because the model decides}.
        """
        if not records:
            return Chosen((), (), notes, left_out={**self.left_out, **refused})
        entering = {record.id: record for record in records}
        rules: dict[str, Rule] = {**self.rules, **dict.fromkeys(entering, _BY_MODEL)}
        reminded = self.reminders.behind(records)
        entering |= {record.id: record for record in reminded.more}
        left_out = {id: rule for id, rule in {**self.left_out, **refused}.items() if id not in entering}
        return Chosen(
            self._stated_by(entering), tuple(entering.values()), notes, rules, left_out, reminded, excerpts or {}
        )

    def _stated_by(self, records: Collection[str]) -> tuple[Fact, ...]:
        return tuple(fact for fact in self.facts if not set(records).isdisjoint(fact.records))


@dataclass(frozen=True, slots=True)
class _ByEvidence:
    """What the graph evidence lets in; records: with what lets each in, if the evidence decides.

    left_out: {id: what keeps a record out beside them}. agreed: the probability of the likeliest of them.
    """

    facts: tuple[Fact, ...]
    records: tuple[tuple[RecordHit, Rule], ...] = ()
    left_out: Mapping[str, Exclusion] = field(default_factory=dict)
    decided: bool = False
    agreed: float = 0.0


def fact_paths(evocation: Evocation, evidence: Evidence, most: int) -> dict[str, Path]:
    """{association id: the best path it lies on} on the way to the answers, best first."""
    found: dict[str, Path] = {}
    for path in evidence.paths:
        for position in path.edges:
            edge = evocation.edges[position]
            if not edge.implied and len(found) < most:
                found.setdefault(edge.id, path)
        if len(found) >= most:
            break
    return found


@dataclass(frozen=True, slots=True)
class Selector:
    """Selects for one question. probability: {record id: that it helps to answer} (`relevance`).

    several: it is one of several questions asked at once, whose words are few: its most likely records enter, too.
    silent: the probability that no record answers.
    """

    question: Question
    evocation: Evocation
    evidence: Evidence
    probability: Mapping[str, float]
    options: Selection
    several: bool = False
    silent: float = 0.0

    def choose(
        self,
        facts: Sequence[Fact],
        ranked: Sequence[RecordHit],
        candidates: Mapping[str, Candidate],
        superseded: frozenset[str],
    ) -> Chosen:
        """The facts and records that may enter.

        facts: best first. ranked: the eligible records, best first. superseded: ids of those of which a part was
        replaced, or all; they enter only if the past is asked for.
        """
        told = _newest_first(_of_the_time_asked_for(self.question, facts))
        telling = self._telling(ranked)
        valid = self._valid(telling, superseded, told)
        found = self._by_evidence(valid, candidates, told)
        left_out = _dropped(ranked, telling, "asks and tells nothing")
        left_out |= _dropped(telling, valid, "not of what was so before" if self.question.past else "superseded")
        left_out |= found.left_out
        silence = self._silence(ranked)
        records = list(found.records)
        # Cues that meet, and several steps that all say what the question says, agree by no chance. One step does at
        # times: then the likeliest records come, too.
        if self.several or not (found.decided and (self.evidence.converged or self.evidence.chained)):
            likely, others = self._by_likelihood(valid, candidates, found, silence)
            records += [(record, "among the likeliest") for record in likely]
            left_out = others | left_out
        reminded = reminders(self.question, valid, self.probability, self.options) if silence is None else Reminders()
        records = [*((one, "was to be remembered") for one in reminded.records), *records]
        rules: dict[str, Rule] = {fact.id: "sure fact on the way to an answer" for fact in found.facts}
        entered: dict[str, RecordHit] = {}
        for record, rule in self._with_context(records, ranked):
            entered.setdefault(record.id, record)
            rules.setdefault(record.id, rule)
        for id in entered:
            left_out.pop(id, None)
        return Chosen(found.facts, tuple(entered.values()), rules=rules, left_out=left_out, reminders=reminded)

    def _by_evidence(
        self, valid: Sequence[RecordHit], candidates: Mapping[str, Candidate], told: Sequence[Fact]
    ) -> _ByEvidence:
        """The sure facts on the way to few answers, and the records that mention what the evidence decides for."""
        sure = [fact for fact in told if fact.confidence >= self.options.sure_fact] if self.evidence.few else []
        records, left_out = self._supported(valid, candidates, told) if self.evidence.decides else ([], {})
        if self._is_decided([record for record, _ in records], sure):
            agreed = max((self.probability[record.id] for record, _ in records), default=0.0)
            return _ByEvidence(tuple(sure), tuple(records), left_out, decided=True, agreed=agreed)
        # Of a chain the end alone may be likely.
        helps = not self._is_silent and any(map(self._is_likely, sure))
        return _ByEvidence(tuple(sure) if helps else ())

    def _by_likelihood(
        self,
        valid: list[RecordHit],
        candidates: Mapping[str, Candidate],
        found: _ByEvidence,
        silence: Exclusion | None,
    ) -> tuple[list[RecordHit], dict[str, Exclusion]]:
        """The likeliest records, and {id: what keeps one of the others out}. silence: what keeps all of them out.

        Beside what the evidence decides for they must be likely enough, and stand alone.
        """
        said = self._of_the_asker(valid)
        likely = self._likely(said) if silence is None else []
        helping = self._helping(likely)
        apart = self._outside_the_crowd(helping, candidates)
        left_out = _dropped(said, likely, silence or "below the likelihood line")
        left_out |= _dropped(valid, said, "mentions another answer, or somebody else said it")
        left_out |= _dropped(likely, helping, "likelier to mislead than to help")
        left_out |= _dropped(helping, apart, "speaks of one of many alike")
        if found.decided:  # what keeps the others out, `_supported` has told
            apart = [one for one in apart if self.probability[one.id] >= self.options.relevant]
            apart = [one for one in apart if self._stands_alone(one, candidates[one.id], found.agreed) is None]
        return apart, left_out

    def _silence(self, ranked: Sequence[RecordHit]) -> Exclusion | None:
        """Why the memory has nothing to say; None if it has something: the ranking stands out, or a record is near to
        the question, and the network does not say that none answers."""
        if self._is_silent:
            return "nothing that was said answers the question"
        if any(map(self._is_near, ranked)) or (ranked and clearness(in_ranking(ranked), self.options) > 0):
            return None
        return "nothing is near to the question"

    @property
    def _is_silent(self) -> bool:
        """Whether the network that reads the records is sure enough that none answers."""
        return self.silent >= self.options.silent

    def _is_likely(self, fact: Fact) -> bool:
        """Whether a record that states a fact is likely to help, or none that does was ranked."""
        ranked = (self.probability[record] for record in fact.records if record in self.probability)
        return max(ranked, default=1.0) >= self.options.relevant

    def _is_decided(self, supported: Sequence[RecordHit], shown: Sequence[Fact]) -> bool:
        """Whether the evidence selects the records: not if nothing but one step says so, and what it supports is hardly
        likely to help, and never where it is all but certain that no record answers. Several steps that all say what
        the question says agree by no chance. Where no fact that is sure enough to be shown tells the evidence, what it
        supports must be likelier."""
        if not self.evidence.decides or self.silent >= self.options.surely_silent:
            return False
        if shown and (self.evidence.converged or self.evidence.chained or not supported):
            return True
        mass = sum(self.probability[record.id] for record in supported)
        return bool(supported) and mass >= (self.options.decided if shown else self.options.decided_untold)

    def _valid(self, ranked: Sequence[RecordHit], superseded: frozenset[str], told: Sequence[Fact]) -> list[RecordHit]:
        """The records that still hold; if the past is asked for, those of replaced facts, if there are any."""
        if not self.question.past:
            return [record for record in ranked if record.id not in superseded]
        replaced = any(not fact.current for fact in told)
        former = {record for fact in told for record in fact.records} if replaced else set()
        likely = {record.id for record in ranked[: self.options.likely]}
        past = former & superseded or (superseded if likely & superseded else frozenset())
        return [record for record in ranked if record.id in past] if past else list(ranked)

    def _with_context(
        self, records: Sequence[tuple[RecordHit, Rule]], ranked: Sequence[RecordHit]
    ) -> Iterator[tuple[RecordHit, Rule]]:
        """The records; behind one of few words that answers a question ("Yes, that one.") the question."""
        short = {record.id for record, _ in records if self._is_short(record.text)}
        before: dict[str, RecordHit] = {}
        if short:
            said = sorted(ranked, key=lambda record: (record.turn, record.role == "assistant"))
            before = {b.id: a for a, b in pairwise(said) if a.session == b.session and b.turn - a.turn <= 1}
        for record, rule in records:
            yield record, rule
            asked = before.get(record.id) if record.id in short else None
            if asked is not None and is_question(asked.text):
                yield asked, "asks what the next one answers"

    def _is_short(self, text: str) -> bool:
        """Whether a text has so few words that it needs what it answers to be understood."""
        return stems_of(text, self.question.language).total < self.options.complete

    def _telling(self, ranked: Sequence[RecordHit]) -> list[RecordHit]:
        """The records that may answer something: not those that ask for something, or what is asked now."""
        manners = [_manner(hit.text) for hit in ranked]
        return [
            hit
            for hit, manner in zip(ranked, manners, strict=True)
            if manner == "tells" or (manner == "only asks" and not self._is_asked_now(hit.text))
        ]

    def _is_asked_now(self, text: str) -> bool:
        said, asked = stems_of(text, self.question.language).distinct, self.question.stems
        return len(said & asked) >= self.options.repeated * len(said | asked)

    def _supported(
        self, valid: Sequence[RecordHit], candidates: Mapping[str, Candidate], told: Sequence[Fact]
    ) -> tuple[list[tuple[RecordHit, Rule]], dict[str, Exclusion]]:
        """The records that mention the evidence, and state a chosen fact or are likely by themselves; by which rule.

        Also {id: what keeps one of the others out}.
        """
        stating = {record for fact in told for record in fact.records}
        mentioned = [candidates[record.id].concepts for record in valid]
        found = record_supports(mentioned, self.evidence, self.evocation)
        support = {record.id: value for record, value in zip(valid, found, strict=True)}
        best = max((self.probability[record.id] for record in valid), default=0.0)
        enough = max(self.options.relevant, self.options.behind * best)
        relevant = {record.id for record in valid if self.probability[record.id] >= enough}
        # If the question names what the memory knows, a record that mentions none of it is about something else.
        named = any(cue.specific for cue in self.evocation.cues)
        least = max(
            self.evidence.share * max((support[record] for record in relevant), default=0.0),
            self.options.some_support if named else 0.0,
        )
        # If no relevant record mentions any of it, the least is 0: then what mentions nothing is backed by nothing.
        mentioning = {id for id, much in support.items() if much >= least and much > 0}
        backed = {id for id in mentioning if id in stating or id in relevant}
        alone = max(self.options.likely_alone, best / 2)
        # Where the paths lead to a likelier record, graph and ranking agree on it.
        agreed = max((self.probability[id] for id in backed), default=0.0)
        chosen: list[tuple[RecordHit, Rule]] = []
        left_out: dict[str, Exclusion] = {}
        for record in valid:
            if record.id in backed:
                chosen.append((record, "mentions what the paths lead to"))
            elif self.probability[record.id] < alone:
                mentions = record.id in mentioning
                left_out[record.id] = (
                    "below the likelihood line" if mentions else "mentions too little of what the paths lead to"
                )
            elif (bar := self._stands_alone(record, candidates[record.id], agreed)) is not None:
                left_out[record.id] = bar
            else:
                chosen.append((record, "likely by itself"))
        return chosen, left_out

    def _stands_alone(self, record: RecordHit, candidate: Candidate, agreed: float) -> Exclusion | None:
        """What keeps a record without support from answering beside what has some; None: nothing does.

        It must name no distractor, and whom the question names must have said it: whoever says "I", and whose "my boss"
        is. agreed: the probability of the likeliest record with support; one that is no likelier and hardly likely must
        not be of another.
        """
        probability = self.probability[record.id]
        if probability <= agreed and self._is_of_another(record, likely=probability >= self.options.of_another):
            return "mentions too little of what the paths lead to"
        asked = {label_key(cue.label) for cue in self.evocation.cues if not cue.specific}
        asked |= {owner.key for span in self.question.spans for owner in owners(span) if owner.kind == "self"}
        said = record.role != "user" or not asked or label_key(record.speaker) in asked
        if said and self.evidence.distractors.isdisjoint(candidate.concepts):
            return None
        return "mentions another answer, or somebody else said it"

    def _of_the_asker(self, valid: list[RecordHit]) -> list[RecordHit]:
        """The records without those in which others say "my boss", where that is asked for and the asker said it, too:
        each means his own. "Our dog" may be the same one's.
        """
        asker = label_key(self.question.speaker)
        asked = (span.alias for span in self.question.spans if span.owner is not None and span.owner.key == asker)
        own = [re.escape(alias) for alias in asked if alias is not None and not is_shared(alias)]
        if not own:
            return valid
        says = re.compile(rf"\b(?:{'|'.join(own)})\b", re.IGNORECASE)
        saying = [one for one in valid if one.role == "user" and says.search(one.text)]
        others = {one.id for one in saying if label_key(one.speaker) != asker}
        return [one for one in valid if one.id not in others] if len(others) < len(saying) else valid

    def _is_of_another(self, record: RecordHit, *, likely: bool) -> bool:
        """Whether the question names things, and a record says the name of none: then it tells of others of their kind.

        Names are compared as words: extraction may have missed who "she" is, or that "the dog" is "our dog". Of what is
        likely that holds for proper names alone: "my class" may say "the group" instead, but "Marta" is not "Jon".
        """
        said = stems_of(record.text, self.question.language).distinct
        cues = (cue for cue in self.evocation.cues if cue.specific and cue.method != "recognition")
        if likely:
            cues = (cue for cue in cues if cue.label[:1].isupper())
        names = [set(content_words(cue.span, self.question.language)) for cue in cues]
        return bool(names) and not any(name <= said for name in names)

    def _is_near(self, record: RecordHit) -> bool:
        """Whether a record is so near to the question that the memory has something to say, or says all its words."""
        near, words = record.features["meaning"], record.features["interaction"]
        if near >= self.options.related or words >= self.options.word_similarity:
            return True
        asked = self.question.stems
        return bool(asked) and asked <= stems_of(record.text, self.question.language).distinct

    def _outside_the_crowd(self, likely: Sequence[RecordHit], candidates: Mapping[str, Candidate]) -> list[RecordHit]:
        """The records, but for those that are there only because a hub has many neighbours on one relation.

        They say the same of one after another: all are about as near to the question, and none answers it. Others that
        are less likely do not take their places.
        """
        crowd = self.evidence.crowd
        within = {one.id: concepts for one in likely if not crowd.isdisjoint(concepts := candidates[one.id].concepts)}
        if not within:
            return list(likely)
        support = record_supports(list(within.values()), self.evidence, self.evocation)
        unsupported = {id for id, much in zip(within, support, strict=True) if much <= 0}
        return [record for record in likely if record.id not in unsupported]

    def _likely(self, valid: Sequence[RecordHit]) -> list[RecordHit]:
        """The most likely records, until they hold enough of the probability."""
        likely, relevant = self.probability, self.options.relevant
        faint = self.options.faint * max((likely[record.id] for record in valid), default=0.0)
        # What is less likely than both enters in no case, and stands behind all that does.
        least = min(faint, relevant)
        best = [record for record in valid if likely[record.id] >= least]
        best.sort(key=lambda record: (-likely[record.id], record.id))
        before = accumulate((likely[record.id] for record in best), initial=0.0)
        return [
            record
            for record, mass in zip(best, before, strict=False)
            if (mass < self.options.mass and likely[record.id] >= faint) or likely[record.id] >= relevant
        ]

    def _helping(self, likely: Sequence[RecordHit]) -> list[RecordHit]:
        """The likely records without those that mislead rather than help; the likeliest one stays.

        What misleads is as near to the question as what answers it: what was so before, or is of somebody else.
        """
        worth = self.options.misleading
        return [
            record
            for i, record in enumerate(likely)
            if i == 0 or self.probability[record.id] >= worth * record.features.get("misleading", 0.0)
        ]


@kept(50_000)
def _manner(text: str) -> Literal["tells", "only asks", "tells nothing"]:
    """What a record does. What only asks may tell something ("did I tell you that …?"), unless it asks for it."""
    if wishes_to_forget(text):
        return "tells nothing"
    if not text.rstrip().endswith("?") or not only_asks(text):
        return "tells"
    return "tells nothing" if _ASKS_FOR.match(text) and len(sentences(text)) == 1 else "only asks"


def _dropped(before: Sequence[RecordHit], after: Sequence[RecordHit], rule: Exclusion) -> dict[str, Exclusion]:
    """{id: rule} of the records that a step did not let pass."""
    if len(before) == len(after):
        return {}
    passed = {record.id for record in after}
    return {record.id: rule for record in before if record.id not in passed}


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
    for fact in (one for one in facts if one.contested):
        rivals = [i for i, other in enumerate(ordered) if _contradict(other, fact)]
        newest = sorted((ordered[i] for i in rivals), key=lambda other: (-other.last_turn, other.id))
        for i, other in zip(rivals, newest, strict=True):
            ordered[i] = other
    return ordered


def _contradict(a: Fact, b: Fact) -> bool:
    return a.contested and b.contested and a.source_id == b.source_id and a.relation == b.relation

"""The brief (S5): current facts as sentences, then dated verbatim quotes, within a token budget.

An item enters only if it supports the evoked paths or clears a relevance cut: there is no filling up, and when
nothing is relevant the brief is empty. Deterministic: the same graph and question give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from oroi_graph import prose
from oroi_graph.channels import Candidate
from oroi_graph.correction import relation_class
from oroi_graph.cues import Cue, Question
from oroi_graph.evocation import Evocation, Path
from oroi_graph.model import Brief, Fact, Reason, RecordHit
from oroi_graph.quotation import block, quoted
from oroi_graph.support import Answers, coverage, record_support
from oroi_graph.tokens import count_tokens

# Cosines of all-MiniLM-L6-v2: unrelated turns lie below 0.3, a turn that answers a question above 0.4.
ALIKE = 0.55  # enough by itself
RELATED = 0.30  # enough together with words of the question
FAINT = 0.20  # enough for one of several things: the words of each are few
SOME = 1e-6  # support of a record that mentions anything at all of what the cues reach
SAID = 0.5  # share of the question's content words
QUOTE = 480  # characters of one quote
AHEAD = 0.5  # where the associations do not decide, the best record speaks if it is so much ahead …
EACH = 3  # … and so many of the best where a question asks for several things: their answers stand far apart
LIKELY, BEHIND = 4, 2.0  # so many of the best records, and so little behind the best, where nothing else decides
TOGETHER = 0.75  # of what the best of them mentions of the cues and what they point at
MET = 0.35  # mean cosine of words: unrelated turns lie below 0.2
FACTS = 0.6  # share of the budget that facts may take, so that literal text always has room


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
    holding = _holding(question, ranked, superseded, told if any(not fact.current for fact in speaking) else set())
    support = {r.id: record_support(candidates[r.id].concepts, answers, evocation) for r in holding}
    relevant = {r.id for r in holding if _relevant(question, r)}
    # Where the question names what the memory knows, a record that mentions none of it is about something else.
    named = any(cue.specific for cue in evocation.cues)
    least = max(answers.keep * max((support[r] for r in relevant), default=0.0), SOME if named else 0.0)
    entering = {r.id for r in holding if (r.id in told or r.id in relevant) and support[r.id] >= least}
    if not answers.plain:
        # What merely is lit, and who asks, names nothing that an answer would have to mention.
        naming = any(cue.specific and cue.method != "recognition" for cue in evocation.cues)
        enough = TOGETHER * max(support.values(), default=0.0) if naming else 0.0
        likely = _likely([r for r in holding if support[r.id] >= enough])
        # Beside what mentions something that the question leads to, the rest is about somebody else.
        entering |= {id for id in likely if support[id] > 0} or likely
    # Where the associations decide, the best of the ranking may be said of somebody else.
    decided = answers.meeting or (answers.plain and not several)
    best = [] if decided else _best(holding, several)
    after = [record for record in holding if record.id in entering and record not in best]
    return Chosen(tuple(speaking), (*best, *after))


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


def _best(holding: Sequence[RecordHit], several: bool) -> list[RecordHit]:
    """The records that speak for being the best of the ranking."""
    if several:
        return [record for record in holding[:EACH] if record.channels["meaning"] >= FAINT]
    ahead = len(holding) < 2 or holding[0].score - holding[1].score >= AHEAD
    return [record for record in holding[:1] if ahead and record.channels["meaning"] >= RELATED]


def _likely(holding: Sequence[RecordHit]) -> set[str]:
    """The best of the ranking, where the associations do not say which fact is asked for."""
    best = holding[0].score if holding else 0.0
    near = [record for record in holding[:LIKELY] if record.score >= best - BEHIND]
    return {record.id for record in near if record.channels["meaning"] >= RELATED or _words_met(record)}


def _words_met(record: RecordHit) -> bool:
    return record.channels["interaction"] >= MET


def compose(chosen: Chosen, cues: Sequence[Cue], budget: int) -> Brief:
    """The text, and the ids of all that is in it. `budget`: tokens, delimiters included."""
    empty = count_tokens(block([" "]))
    room = budget - empty
    facts: list[tuple[str, Fact]] = []
    for fact in chosen.facts:
        line = f"- {prose.sentence(fact)}"
        cost = count_tokens(line)
        if cost <= room and budget - empty - room + cost <= FACTS * budget:
            facts.append((line, fact))
            room -= cost
    quotes: list[tuple[str, RecordHit]] = []
    for record in chosen.records:
        line = f"- {quote(record)}"
        cost = count_tokens(line)
        if cost <= room:
            quotes.append((line, record))
            room -= cost
    lines = [line for line, _ in facts] + [line for line, _ in quotes]
    text = block(lines)
    return Brief(
        text=text,
        tokens=count_tokens(text),
        concept_ids=_concepts([fact for _, fact in facts], cues),
        fact_ids=tuple(fact.id for _, fact in facts),
        record_ids=tuple(record.id for _, record in quotes),
    )


def quote(record: RecordHit) -> str:
    """One record as a dated quote that says whose words they are, and whether they are all of them.

    A gist is no literal quote, but it is remembered text all the same: the marks keep it from posing as ours.
    """
    text = quoted(record.text)
    if len(text) > QUOTE:
        text = text[:QUOTE].rsplit(" ", 1)[0] + " …"
    who = "the assistant said" if record.role == "assistant" else quoted(record.speaker)
    when = prose.stamp(record.at)
    short = " (in short)" if record.gist else ""
    return f'{when + ", " if when else ""}{who}{short}: "{text}"'


def reasons(
    chosen: Chosen,
    brief: Brief,
    paths: Mapping[str, Path],
    evocation: Evocation,
    candidates: Mapping[str, Candidate],
) -> tuple[Reason, ...]:
    """For each item of the brief: the cue that reached it, the path, the numbers."""
    explained = []
    for fact in chosen.facts:
        if fact.id in brief.fact_ids:
            path = paths[fact.id]
            explained.append(_reason(prose.sentence(fact), path, evocation, {"weight": round(fact.weight, 4)}))
    best: dict[str, Path] = {}
    for path in evocation.paths:
        best.setdefault(evocation.ids[path.end], path)
    for record in chosen.records:
        if record.id in brief.record_ids:
            near = [best[c] for c in candidates[record.id].concepts if c in best]
            # Ends of equal worth: the nearer one explains more; the id decides, since mentions come in no order.
            route = max(near, key=lambda p: (p.worth, -p.cue, -len(p.edges), evocation.ids[p.end]), default=None)
            explained.append(_reason(quote(record), route, evocation, {"score": record.score, **record.channels}))
    return tuple(explained)


def _reason(item: str, path: Path | None, evocation: Evocation, numbers: Mapping[str, float]) -> Reason:
    if path is None:
        return Reason(item, "", (), numbers)
    cue = evocation.cues[path.cue]
    return Reason(
        item,
        cue.span,
        evocation.steps(path),
        {
            "cue weight": round(cue.weight, 4),
            "path": round(path.worth, 4),
            "wave": round(float(evocation.waves[path.cue, path.end]), 6),
            "relevance": round(float(evocation.relevance[path.end]), 4),
            **numbers,
        },
    )


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


def _relevant(question: Question, record: RecordHit) -> bool:
    meaning = record.channels["meaning"]
    if not question.stems:
        return False
    return meaning >= ALIKE or (meaning >= RELATED and coverage(question, record.text) >= SAID)


def _concepts(facts: Sequence[Fact], cues: Sequence[Cue]) -> tuple[str, ...]:
    ends = (id for fact in facts for id in (fact.source_id, fact.target_id))
    return tuple(dict.fromkeys([*ends, *(cue.concept_id for cue in cues)] if facts else ()))

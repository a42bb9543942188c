"""Recall (S5): cues → evocation → ranking → brief. Four statements in one read transaction; reading changes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from oroi_graph import brief as briefs
from oroi_graph import cues as cue_reading
from oroi_graph.cues import Cue, Question
from oroi_graph.errors import InputError
from oroi_graph.evocation import Evocation, evoke
from oroi_graph.model import Brief, Fact, Reason, RecordHit
from oroi_graph.options import Options
from oroi_graph.providers.protocols import Embedder, Extractor
from oroi_graph.ranking import answers, rank
from oroi_graph.store import Row, Transaction, vector
from oroi_graph.text import check_text, lucene_words, memory_key, without_names

CANDIDATES = 40  # records per side of the hybrid search
FAN = [24, 10, 5]  # neighbours per concept at hops 1, 2, 3
MENTIONED = 12  # evoked concepts whose own records become candidates
# What every fact and record has. Sleep may merge or delete between two statements of one reading, and while one runs:
# what is gone is left out.
_FACT = ("id", "source", "source_id", "target", "target_id", "relation", "weight", "records")
_RECORD = ("id", "turn", "role", "speaker", "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which records may speak; None is any. `since` and `until` are ISO dates or times,
    until exclusive; a date is a day where the record was made, a time without an offset is UTC."""

    session: str | None = None
    speaker: str | None = None
    since: str | None = None
    until: str | None = None

    def __post_init__(self) -> None:
        for name in ("since", "until"):
            value = getattr(self, name)
            if value is not None:
                try:
                    object.__setattr__(self, name, _canonical(value))
                except ValueError as error:
                    raise InputError(f"{name} must be an ISO date like 2026-03-01, got {value!r}") from error

    def __bool__(self) -> bool:
        return any((self.session, self.speaker, self.since, self.until))


@dataclass(frozen=True, slots=True)
class Recall:
    """What came back: the brief for the model, everything ranked behind it, and why."""

    question: str
    brief: Brief
    facts: tuple[Fact, ...]
    cues: tuple[Cue, ...]
    reasons: tuple[Reason, ...]
    ranked: tuple[RecordHit, ...] = field(default=(), repr=False)

    def records(self, k: int = 10) -> tuple[RecordHit, ...]:
        """The k best verbatim records, relevance cut or not: the ranking itself."""
        return self.ranked[:k]

    def to_json(self) -> dict[str, Any]:
        """A JSON-serialisable object."""
        return {
            "question": self.question,
            "brief": self.brief.text,
            "tokens": self.brief.tokens,
            "cues": [{"span": c.span, "label": c.label, "method": c.method, "weight": c.weight} for c in self.cues],
            "facts": [fact.to_json() for fact in self.facts],
            "records": [record.to_json() for record in self.ranked],
        }


def recall(
    read: Any,
    memory: str,
    text: str,
    embedder: Embedder,
    reader: Extractor,
    options: Options,
    *,
    speaker: str,
    protagonists: Sequence[str] = (),
    at: datetime | None = None,
    filters: Filters | None = None,
    budget: int | None = None,
    exclude: tuple[int, frozenset[str]] | None = None,
) -> Recall:
    """Ask one memory, whose speakers are `protagonists`. `read` is `Store.read`; `exclude` names what must not speak.

    Raises InputError for an unusable question. Small talk ("ok, thanks") brings back nothing.
    """
    text = check_text(text, options.max_text)
    question = cue_reading.ask(text[:4000], speaker, at, reader)
    if question.small_talk:
        return Recall(text, Brief("", 0), (), (), ())
    asked = without_names(question.text, protagonists)
    labels = list(dict.fromkeys([asked, *(s.label for s in question.spans if s.kind == "concept")]))
    vectors = dict(zip(labels, (vector(row) for row in embedder.embed(labels)), strict=True))
    budget = options.brief_tokens if budget is None else budget
    result: Recall = read(
        lambda tx: _Reading(tx, memory, question, asked, vectors, options, filters or Filters(), exclude).run(budget)
    )
    return result


class _Reading:
    """One read transaction of a recall."""

    def __init__(
        self,
        tx: Transaction,
        memory: str,
        question: Question,
        asked: str,
        vectors: Row,
        options: Options,
        filters: Filters,
        exclude: tuple[int, frozenset[str]] | None,
    ) -> None:
        self.tx, self.memory, self.question, self.vectors = tx, memory, question, vectors
        self.options, self.filters, self.exclude = options, filters, exclude
        self.vector = vectors[asked]

    def run(self, budget: int) -> Recall:
        question = self.question
        row = self.tx.one(
            "recall/find_cues",
            memory=self.memory,
            rows=cue_reading.rows(question, self.vectors, memory_key(self.memory)),
            vector=self.vector,
            most=8,
        )
        cues = cue_reading.find(question, row)
        words = self._search()
        near = {id: cosine for id, cosine in row["near"] if id is not None and cosine is not None}
        evocation = self._evoke(cues, near)
        found = answers(evocation)
        paths = dict(briefs.choose_facts(evocation, found))
        hydrated = self._hydrate(list(paths), list(words), evocation)
        facts = [_fact(fact) for fact in cue_reading.there(hydrated["facts"], *_FACT)]
        facts.sort(key=lambda fact: list(paths).index(fact.id))
        if self.exclude:
            # Without provenance (promoted, edited, its words forgotten) a fact was not said in sight.
            facts = [fact for fact in facts if not (fact.records and self.exclude[1].issuperset(fact.records))]
        whole = cue_reading.there(hydrated["records"], *_RECORD)
        records = {record["id"]: record for record in whole if self._admitted(record)}
        if self.filters:
            facts = [fact for fact in facts if any(record in records for record in fact.records)]
        ranked = rank(question, evocation, list(records.values()), words)
        chosen = briefs.choose(question, evocation, found, facts, ranked, records)
        brief = briefs.compose(chosen, evocation, budget)
        return Recall(
            question=question.text,
            brief=brief,
            facts=chosen.facts,
            cues=evocation.cues,
            reasons=briefs.reasons(chosen, brief, paths, evocation, records),
            ranked=tuple(ranked),
        )

    def _search(self) -> dict[str, float]:
        """Record ids found by meaning or words, with their full-text score."""
        stems = lucene_words(self.question.text)
        query = f"memory_key:{memory_key(self.memory)} AND text:({stems})" if stems else ""
        shared = {"memory": self.memory, "vector": self.vector, "words": query, "limit": CANDIDATES}
        if not self.filters:
            row = self.tx.one("recall/search_records", **shared)
        else:
            f = self.filters
            row = self.tx.one(
                "recall/search_records_filtered",
                **shared,
                session=f.session,
                speaker=f.speaker,
                since=f.since,
                until=f.until,
            )
        return {id: score for id, score in row["found"] if id is not None}

    def _evoke(self, cues: Sequence[Cue], near: dict[str, float]) -> Evocation:
        row = self.tx.one(
            "recall/evoke",
            memory=self.memory,
            cues=[cue.concept_id for cue in cues],
            near=near,
            classes=list(self.question.classes),
            fan=FAN,
            past=self.question.past,
            exclude=self.exclude[0] if self.exclude else None,
        )
        return evoke(cues, self.question, row, near, self.options)

    def _hydrate(self, facts: Sequence[str], records: Sequence[str], evocation: Evocation) -> Row:
        order = sorted(range(len(evocation.ids)), key=lambda i: (-evocation.score[i], evocation.ids[i]))
        concepts = [evocation.ids[i] for i in order if evocation.kinds[i] != "self"][:MENTIONED]
        return self.tx.one(
            "recall/hydrate",
            memory=self.memory,
            facts=list(facts),
            records=list(records),
            concepts=concepts,
            vector=self.vector,
        )

    def _admitted(self, record: Mapping[str, Any]) -> bool:
        f, at = self.filters, record["at"] or ""
        if self.exclude and record["id"] in self.exclude[1]:
            return False
        return (
            (f.session is None or record["session"] == f.session)
            and (f.speaker is None or record["speaker"] == f.speaker)
            and (f.since is None or (bool(at) and not _before(at, f.since)))
            and (f.until is None or (bool(at) and _before(at, f.until)))
        )


def _canonical(value: str) -> str:
    """A filter's date as YYYY-MM-DD, or its time with an offset (UTC where none is given)."""
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        return _instant(value).isoformat()


def _before(at: str, limit: str) -> bool:
    """Whether a record's time lies before a filter's: a date means the day where the record was made."""
    return at < limit if len(limit) == len("2026-03-01") else _instant(at) < _instant(limit)


def _instant(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _fact(row: Mapping[str, Any]) -> Fact:
    return Fact(**{**row, "records": tuple(row["records"])})

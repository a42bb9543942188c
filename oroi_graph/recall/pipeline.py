"""Recall: question → entity linking → graph search → evidence → features → ranker → selection → brief.

One read transaction beside the memory's working set; reading changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from itertools import takewhile, zip_longest
from math import ceil
from typing import Any, Protocol, TypeVar

from oroi_graph.errors import InputError
from oroi_graph.language.normalize import check_text, lucene_words, memory_key, without_names
from oroi_graph.language.parsed_text import ParsedText
from oroi_graph.language.stemming import content_words
from oroi_graph.model import Brief, Fact, Reason, RecordHit
from oroi_graph.options import Options
from oroi_graph.providers.protocols import Embedder, Extractor
from oroi_graph.providers.word_vectors import embedded
from oroi_graph.recall import time_match
from oroi_graph.recall.brief import Explainer, compose
from oroi_graph.recall.decomposition import criteria, meeting_all, parts
from oroi_graph.recall.entity_linking import Cue, link, present, query_rows
from oroi_graph.recall.evidence import gather
from oroi_graph.recall.features import Candidate, candidates
from oroi_graph.recall.graph_search import Affinity, Evocation, association_affinity, evoke
from oroi_graph.recall.profile import asked_about, known
from oroi_graph.recall.question import Question, read_question
from oroi_graph.recall.ranker import ShortList, Words, rank, shortlist
from oroi_graph.recall.relevance import Ranked, probabilities
from oroi_graph.recall.selection import Chosen, Selector, fact_paths
from oroi_graph.storage.store import Row
from oroi_graph.working_set.candidates import inspect, weigh
from oroi_graph.working_set.entry import find
from oroi_graph.working_set.kept import Reading
from oroi_graph.working_set.neighbourhood import surround

T = TypeVar("T")

# What every fact has. Sleep may merge or delete between two statements of one reading, and while one runs: rows that
# lack one of these were deleted.
_FACT = ("id", "source", "source_id", "target", "target_id", "relation", "weight", "records")


class Read(Protocol):
    """`WorkingSets.reader`: runs `work` in one read transaction beside a fresh working set of the memory."""

    def __call__(self, work: Callable[[Reading], T], /) -> T: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which records may be recalled; None is any. `since` and `until` are ISO dates or times,
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

    def admit(self, record: Candidate) -> bool:
        """Whether a record passes."""
        return self.passes(record.session, record.speaker, record.at)

    def passes(self, session: str | None, speaker: str, at: str | None) -> bool:
        """Whether a record of this session, speaker and time passes; one without a time passes no filter of time."""
        at = at or ""
        return (
            (self.session is None or session == self.session)
            and (self.speaker is None or speaker == self.speaker)
            and (self.since is None or (bool(at) and not _before(at, self.since)))
            and (self.until is None or (bool(at) and _before(at, self.until)))
        )


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A question to a memory.

    speaker: whom "I" and "my" mean. protagonists: the memory's speakers. at: the moment of asking. budget: tokens of
    the brief, None for the options'. exclude: a turn and record ids that the model has before its eyes. profile: `text`
    names what all is to be told about.
    """

    text: str
    _: KW_ONLY
    speaker: str
    protagonists: tuple[str, ...] = ()
    at: datetime | None = None
    filters: Filters = field(default_factory=Filters)
    budget: int | None = None
    exclude: tuple[int, frozenset[str]] | None = None
    profile: bool = False


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
        """The k best verbatim records of the ranking, whether they entered the brief or not."""
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
    read: Read, memory: str, request: RecallRequest, embedder: Embedder, reader: Extractor, options: Options
) -> Recall:
    """Ask one memory. reader: the offline extractor. Small talk ("ok, thanks") brings back nothing.

    Raises InputError for an unusable question.
    """
    text = check_text(request.text, options.max_text)
    asked = text[: options.search.question_length]
    about = asked if request.profile else asked_about(asked)
    if about is not None:
        told = _profile(read, memory, replace(request, text=about), embedder, reader, options)
        if told.ranked or told.facts or request.profile:
            return replace(told, question=text)
    questions = [read_question(part, request.speaker, request.at, reader) for part in parts(asked, options.selection)]
    if all(question.parsed.is_small_talk for question in questions):
        return Recall(text, Brief("", 0), (), (), ())
    prepared = [_embed(question, request.protagonists, embedder, options) for question in questions]
    whole = ParsedText(asked, questions[0].parsed.language) if len(questions) > 1 else None
    found = read(lambda tx: [_Reading(tx, memory, one, request, options, whole).run() for one in prepared])
    return _merged(asked, found, request.budget, options)


def _profile(
    read: Read, memory: str, request: RecallRequest, embedder: Embedder, reader: Extractor, options: Options
) -> Recall:
    """All that is surely known about what the request names, and what was said last; empty if nothing is named."""
    question = read_question(request.text, request.speaker, request.at, reader)
    prepared = _embed(question, request.protagonists, embedder, options)

    def work(tx: Reading) -> tuple[list[Cue], list[Fact], list[RecordHit]]:
        reading = _Reading(tx, memory, prepared, request, options, None)
        cues = link(question, reading.find(), options.search)
        admitted = reading.admitted if request.filters or request.exclude else None
        return (cues, *known(tx, memory, cues, options.selection, admitted))

    cues, facts, said = read(work)
    budget = options.brief_tokens if request.budget is None else request.budget
    brief = compose(Chosen(tuple(facts), tuple(said)), cues, budget, options.selection)
    return Recall(request.text, brief, tuple(facts), tuple(cues), (), tuple(said))


@dataclass(frozen=True, slots=True)
class _Embedded:
    """A question with its vectors. bare: its text without the names of speakers.

    vectors: those of `bare` and of spans, by text. words: those of `bare`, packed for late interaction;
    criteria: the same for each criterion. dimensions: of the embedder.
    """

    question: Question
    bare: str
    vectors: Row
    words: str | None
    criteria: Sequence[str | None]
    dimensions: int


@dataclass(frozen=True, slots=True)
class _Found:
    """What one question brought back."""

    chosen: Chosen
    evocation: Evocation
    explainer: Explainer
    ranked: Sequence[RecordHit]


def _embed(question: Question, protagonists: Sequence[str], embedder: Embedder, options: Options) -> _Embedded:
    bare = without_names(question.text, protagonists)
    several = criteria(ParsedText(bare, question.parsed.language), options.selection)
    sought = dict.fromkeys([bare, *(s.label for s in question.spans if s.kind == "concept")])
    texts = list(sought | dict.fromkeys(several))
    rows, packed = embedded(embedder, texts)
    words = dict(zip(texts, packed, strict=True))
    vectors = {text: row for text, row in zip(texts, rows, strict=True) if text in sought}
    return _Embedded(question, bare, vectors, words[bare], [words[one] for one in several], embedder.dimensions)


def _merged(text: str, found: Sequence[_Found], budget: int | None, options: Options) -> Recall:
    """The answers to all questions in one brief; their rankings take turns, the first question's first."""
    facts = {fact.id: fact for one in found for fact in one.chosen.facts}
    hits = {hit.id: hit for one in found for hit in one.chosen.records}
    chosen = Chosen(tuple(facts.values()), tuple(hits.values()))
    cues = {cue.concept_id: cue for one in found for cue in one.evocation.cues}
    tokens = options.brief_tokens if budget is None else budget
    brief = compose(chosen, list(cues.values()), tokens, options.selection, found[0].explainer.question)
    reasons = {reason.item: reason for one in found for reason in one.explainer.reasons(one.chosen, brief)}
    ranked: dict[str, RecordHit] = {}
    for row in zip_longest(*(one.ranked for one in found)):
        for hit in row:
            if hit is not None:
                ranked.setdefault(hit.id, hit)
    return Recall(text, brief, chosen.facts, tuple(cues.values()), tuple(reasons.values()), tuple(ranked.values()))


class _Reading:
    """The reading of one question; all its statements are of one transaction.

    whole: all that was asked, if that was several questions.
    """

    def __init__(
        self,
        tx: Reading,
        memory: str,
        asked: _Embedded,
        request: RecallRequest,
        options: Options,
        whole: ParsedText | None,
    ) -> None:
        self.tx, self.memory, self.asked, self.question = tx, memory, asked, asked.question
        self.vector = asked.vectors[asked.bare]
        self.filters, self.exclude, self.several = request.filters, request.exclude, whole is not None
        self.whole = whole or asked.question.parsed
        self.options, self.search = options, options.search

    def run(self) -> _Found:
        """From the question to what may enter the brief."""
        row = self.find()
        cues = link(self.question, row, self.search)
        evocation = self._evoke(cues, row)
        evidence = gather(evocation, self.options)
        paths = fact_paths(evocation, evidence, self.options.selection.facts)
        weighed = self._weigh(list(paths), row, evocation)
        records = {record.id: record for record in candidates(weighed["records"]) if self.admitted(record)}
        facts = self._facts(weighed["facts"], list(paths), records)
        stating = {record for fact in facts for record in fact.records}
        retrieved = {*(id for id, _ in row["alike"]), *row["saying"], *stating}
        short = shortlist(
            self.question, evocation, list(records.values()), self.options.ranking, retrieved, stating & records.keys()
        )
        seen = self._inspect(short)
        words = Words(self.asked.words, dict(seen["held"]), self.asked.dimensions)
        ranked = rank(short, words, _known(seen["compared"]), self.options.ranking)
        superseded = frozenset(seen["superseded"])
        likely = probabilities(
            Ranked(
                self.question, evocation, evidence, ranked, records,
                words.best([hit.id for hit in ranked]),
                stating, superseded,
            ),
            self.options.selection,
        )  # fmt: skip
        ranked = [replace(hit, features={**hit.features, "probability": round(likely[hit.id], 6)}) for hit in ranked]
        eligible = set(short.eligible)
        selector = Selector(self.question, evocation, evidence, likely, self.options.selection, self.several)
        chosen = selector.choose(facts, [hit for hit in ranked if hit.id in eligible], records, superseded)
        if self.asked.criteria and not evidence.converged:
            valid = [candidate for candidate in short.said if candidate.id not in superseded]
            meeting = self._meeting_criteria(valid, words, evocation)
            chosen = chosen.only(meeting, ranked) if meeting else chosen
        explainer = Explainer(evocation, paths, records, self.options.selection.quote_length, self.whole)
        return _Found(chosen, evocation, explainer, ranked)

    def find(self) -> Row:
        """Where the question enters the graph, and records by meaning and words."""
        key = memory_key(self.memory)
        words = search_terms(self.asked.bare, self.question.language, self.search.prefix)
        return find(
            self.tx,
            memory=self.memory,
            rows=query_rows(self.question, self.asked.vectors, key),
            vector=self.vector,
            most=self.search.span_candidates,
            said=f"memory_key:{key} AND text:({words})" if words else "",
            limit=self.search.records,
            passes=self.filters.passes if self.filters else None,
        )

    def _evoke(self, cues: Sequence[Cue], row: Row) -> Evocation:
        """The neighbourhood of the cues, searched. row: of `find`."""
        search = self.search
        fan_out = search.nested_fan_out if self.question.nested else search.fan_out
        affinity = Affinity(_known(row["near"]), association_affinity(row["alike"], row["stating"], search))
        fetched = surround(
            self.tx,
            cues=[cue.concept_id for cue in cues],
            near=affinity.concepts,
            nearest=_best(affinity.concepts, search.hub_targets),
            classes=list(self.question.classes),
            fan=list(fan_out),
            alike=[ceil(search.relation_share * places) for places in fan_out],
            hub=search.hub_degree,
            stated=_best(affinity.associations, search.hub_targets),
            searched=search.hub_associations,
            past=self.question.past,
            exclude=self.exclude[0] if self.exclude else None,
        )
        return evoke(cues, self.question, fetched, affinity, self.options)

    def _weigh(self, facts: Sequence[str], row: Row, evocation: Evocation) -> Row:
        """The chosen facts, and the candidate records with what the first stage needs. row: of `find`."""
        scored = zip(evocation.ids, evocation.kinds, evocation.score, strict=True)
        concepts = {id: score for id, kind, score in scored if kind != "self"}
        since, until = self._period()
        return weigh(
            self.tx,
            memory=self.memory,
            facts=facts,
            found=_fused([id for id, _ in row["alike"]], row["saying"], self.search.records),
            cosines=_known(row["alike"]),
            concepts=_best(concepts, self.search.mentioned_concepts),
            since=since,
            until=until,
            central=self.search.central_records,
            around=self.search.neighbour_turns,
            vector=self.vector,
        )

    def _inspect(self, short: ShortList) -> Row:
        """The words of the short list, missing cosines, and which eligible records state replaced facts.

        If the embedder knows no words, the second stage needs the cosines of all records, else of the eligible ones.
        """
        compared = set(short.eligible) if self.asked.words else {candidate.id for candidate in short.said}
        return inspect(
            self.tx,
            memory=self.memory,
            records=[candidate.id for candidate in short.said],
            eligible=short.eligible,
            unknown=[c.id for c in short.said if c.cosine is None and c.id in compared],
            vector=self.vector,
        )

    def _facts(self, rows: Sequence[Row], order: Sequence[str], records: Mapping[str, Candidate]) -> list[Fact]:
        """The facts that may enter, in `order` (ids): not those stated only by excluded or filtered records."""
        facts = [Fact(**{**row, "records": tuple(row["records"])}) for row in present(rows, *_FACT)]
        facts.sort(key=lambda fact: order.index(fact.id))
        if self.exclude:
            # A fact without records (promoted, edited, its words forgotten) was not stated by an excluded one.
            facts = [fact for fact in facts if not (fact.records and self.exclude[1].issuperset(fact.records))]
        if self.filters:
            facts = [fact for fact in facts if not records.keys().isdisjoint(fact.records)]
        return facts

    def _meeting_criteria(self, valid: Sequence[Candidate], words: Words, evocation: Evocation) -> list[str]:
        lead = self.options.selection.criteria_lead
        return meeting_all(self.asked.criteria, valid, words.held, evocation.selves, words.dimensions, lead)

    def _period(self) -> tuple[str | None, str | None]:
        """The first period of the question that is short enough: (first day, day after the last), or two None."""
        for value in self.question.values:
            days = time_match.days(value)
            if days and date.fromisoformat(days[1]) - date.fromisoformat(days[0]) <= timedelta(
                days=self.search.longest_period
            ):
                return days
        return None, None

    def admitted(self, record: Candidate) -> bool:
        """Whether a record passes the filters and is not before the model's eyes."""
        return not (self.exclude and record.id in self.exclude[1]) and self.filters.admit(record)


def _known(pairs: Sequence[tuple[str | None, float | None]]) -> dict[str, float]:
    """{id: cosine} without what has no vector or was deleted meanwhile."""
    return {id: cosine for id, cosine in pairs if id is not None and cosine is not None}


def _best(scores: Mapping[str, float], most: int) -> list[str]:
    """The ids with the highest scores, the best first."""
    return sorted(scores, key=lambda item: (-scores[item], item))[:most]


def _fused(alike: Sequence[str | None], saying: Sequence[str | None], k: int) -> list[str]:
    """Two rankings as one by reciprocal rank fusion (Cormack et al. 2009), the best first."""
    scores: dict[str, float] = {}
    for ranking in (alike, saying):
        for place, id in enumerate(ranking):
            if id is not None:
                scores[id] = scores.get(id, 0.0) + 1 / (k + place)
    return _best(scores, len(scores))


def search_terms(text: str, language: str, prefix: int) -> str:
    """A question's content words as Lucene terms, each with the prefix that it shares with its other forms.

    prefix: least letters of one.
    """
    said = lucene_words(text).split()
    terms = []
    for word in said:
        for stem in content_words(word, language):
            shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, stem, strict=False)))
            terms.append(f"{word}^2 {word[:shared]}*" if shared >= prefix else word)
    return " ".join(terms or said)


def _canonical(value: str) -> str:
    """A filter's date as YYYY-MM-DD, or its time with an offset (UTC if none is given)."""
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        return _instant(value).isoformat()


def _before(at: str, limit: str) -> bool:
    """Whether a record's time lies before a filter's; a date is a day where the record was made."""
    return at < limit if len(limit) == len("2026-03-01") else _instant(at) < _instant(limit)


def _instant(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    return time if time.tzinfo else time.replace(tzinfo=UTC)

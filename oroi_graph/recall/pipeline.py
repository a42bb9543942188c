"""Recall (S5): cues → evocation → ranking → brief. Four statements in one read transaction; reading changes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import takewhile, zip_longest
from math import ceil
from typing import Any

from oroi_graph.errors import InputError
from oroi_graph.language.normalize import check_text, lucene_words, memory_key, without_names
from oroi_graph.language.stemming import content_words
from oroi_graph.model import Brief, Fact, Reason, RecordHit
from oroi_graph.options import Options
from oroi_graph.providers.protocols import Embedder, Extractor
from oroi_graph.providers.word_vectors import embedded
from oroi_graph.recall import brief as briefs
from oroi_graph.recall import question as cue_reading
from oroi_graph.recall import selection, time_match
from oroi_graph.recall.decomposition import criteria, fitting, parts
from oroi_graph.recall.evidence import answers
from oroi_graph.recall.features import Candidate, candidates
from oroi_graph.recall.graph_search import FAN, NESTED, Evocation, Path, evoke, meanings
from oroi_graph.recall.question import Cue, Question
from oroi_graph.recall.ranker import ShortList, rank, shortlist
from oroi_graph.storage.store import Row, Transaction, vector

CANDIDATES = 60  # records per side of the hybrid search
VARIETY = 0.5  # no relation takes more of the places of a concept on the way than this while others want them
HUB = 64  # associations from which only those that have to do with the question are walked …
SEARCHED = 1000  # … among so many of them for the relations that it names
MEANT = 12  # concepts nearest to the question, and associations that the nearest records state: a hub's are walked
MENTIONED = 12  # evoked concepts whose own records become candidates
CENTRAL = 50  # records found by the search, the best first, whose neighbours are candidates, too …
AROUND = 1  # … so many turns before and after
LONGEST = timedelta(days=40)  # a month with its slack: all that was said in longer times would be too much
SHARED = 4  # letters that two forms of a word must share for the search
# What every fact and record has. Sleep may merge or delete between two statements of one reading, and while one runs:
# what is gone is left out.
_FACT = ("id", "source", "source_id", "target", "target_id", "relation", "weight", "records")


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
    asked = [cue_reading.ask(part, speaker, at, reader) for part in parts(text[:4000])]
    if all(part.small_talk for part in asked):
        return Recall(text, Brief("", 0), (), (), ())
    given = _Given(memory, embedder, options, filters or Filters(), exclude, tuple(protagonists), len(asked) > 1)
    prepared = [_prepare(part, given) for part in asked]
    budget = options.brief_tokens if budget is None else budget
    found: list[_Found] = read(lambda tx: [_Reading(tx, part, given).run() for part in prepared])
    return _answer(text[:4000], found, budget)


@dataclass(frozen=True, slots=True)
class _Given:
    """What all parts of one question share. several: there is more than one."""

    memory: str
    embedder: Embedder
    options: Options
    filters: Filters
    exclude: tuple[int, frozenset[str]] | None
    protagonists: tuple[str, ...]
    several: bool


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question, embedded. bare: its text without the names of who speaks; words: packed for late interaction, and
    so are those of each of its criteria."""

    question: Question
    bare: str
    vectors: Row
    words: str | None
    criteria: Sequence[str | None]


@dataclass(frozen=True, slots=True)
class _Found:
    """What one question brought back."""

    chosen: selection.Chosen
    evocation: Evocation
    paths: Mapping[str, Path]
    records: Mapping[str, Candidate]
    ranked: Sequence[RecordHit]


def _prepare(question: Question, given: _Given) -> _Asked:
    bare = without_names(question.text, given.protagonists)
    several = criteria(bare)
    sought = dict.fromkeys([bare, *(s.label for s in question.spans if s.kind == "concept")])
    texts = list(sought | dict.fromkeys(several))
    rows, packed = embedded(given.embedder, texts)
    words = dict(zip(texts, packed, strict=True))
    vectors = {text: vector(row) for text, row in zip(texts, rows, strict=True) if text in sought}
    return _Asked(question, bare, vectors, words[bare], [words[one] for one in several])


def _answer(text: str, found: Sequence[_Found], budget: int) -> Recall:
    """The answers to all parts in one brief; the first part's ranking goes first, the others' in turns with it."""
    facts = {fact.id: fact for part in found for fact in part.chosen.facts}
    hits = {hit.id: hit for part in found for hit in part.chosen.records}
    chosen = selection.Chosen(tuple(facts.values()), tuple(hits.values()))
    cues = {cue.concept_id: cue for part in found for cue in part.evocation.cues}
    brief = briefs.compose(chosen, list(cues.values()), budget)
    explained = {
        r.item: r
        for part in found
        for r in briefs.reasons(part.chosen, brief, part.paths, part.evocation, part.records)
    }
    ranked: dict[str, RecordHit] = {}
    for row in zip_longest(*(part.ranked for part in found)):
        for hit in row:
            if hit is not None:
                ranked.setdefault(hit.id, hit)
    return Recall(text, brief, chosen.facts, tuple(cues.values()), tuple(explained.values()), tuple(ranked.values()))


class _Reading:
    """The reading of one question; all its statements are of one transaction."""

    def __init__(self, tx: Transaction, asked: _Asked, given: _Given) -> None:
        self.tx, self.memory, self.question = tx, given.memory, asked.question
        self.options, self.filters, self.exclude = given.options, given.filters, given.exclude
        self.asked, self.words, self.vectors = asked.bare, asked.words, asked.vectors
        self.criteria = asked.criteria
        self.vector = asked.vectors[asked.bare]
        self.dimensions, self.several = given.embedder.dimensions, given.several

    def run(self) -> _Found:
        question = self.question
        row = self._find()
        cues = cue_reading.find(question, row)
        near = _known(row["near"])
        evocation = self._evoke(cues, near, meanings(row["alike"], row["stating"]))
        found = answers(evocation)
        paths = dict(selection.choose_facts(evocation, found))
        weighed = self._weigh(list(paths), row, evocation)
        facts = [_fact(fact) for fact in cue_reading.there(weighed["facts"], *_FACT)]
        facts.sort(key=lambda fact: list(paths).index(fact.id))
        if self.exclude:
            # Without provenance (promoted, edited, its words forgotten) a fact was not said in sight.
            facts = [fact for fact in facts if not (fact.records and self.exclude[1].issuperset(fact.records))]
        records = {record.id: record for record in candidates(weighed["records"]) if self._admitted(record)}
        if self.filters:
            facts = [fact for fact in facts if any(record in records for record in fact.records)]
        told = {record for fact in facts for record in fact.records}
        found_itself = {*(id for id, _ in row["alike"]), *row["saying"], *told}
        short = shortlist(question, evocation, list(records.values()), found_itself, told & records.keys())
        seen = self._inspect(short)
        words = dict(seen["held"])
        ranked = rank(short, words, _known(seen["compared"]), self.words, self.dimensions)
        may_speak = set(short.speaking)
        speaking = [hit for hit in ranked if hit.id in may_speak]
        superseded = frozenset(seen["superseded"])
        chosen = selection.choose(question, evocation, found, facts, speaking, records, superseded, self.several)
        if self.criteria and not found.meeting:
            holding = [candidate for candidate in short.said if candidate.id not in superseded]
            fit = fitting(self.criteria, holding, words, evocation.selves, self.dimensions)
            chosen = selection.only(chosen, fit, ranked) if fit else chosen
        return _Found(chosen, evocation, paths, records, ranked)

    def _find(self) -> Row:
        """Where the question enters the graph, and records by meaning and words."""
        stems = searched_words(self.asked, self.question.language)
        return self.tx.one(
            "recall/find",
            memory=self.memory,
            rows=cue_reading.rows(self.question, self.vectors, memory_key(self.memory)),
            vector=self.vector,
            most=8,
            said=f"memory_key:{memory_key(self.memory)} AND text:({stems})" if stems else "",
            limit=CANDIDATES,
            filtered=bool(self.filters),
            session=self.filters.session,
            speaker=self.filters.speaker,
            since=self.filters.since,
            until=self.filters.until,
        )

    def _evoke(self, cues: Sequence[Cue], near: dict[str, float], meant: dict[str, float]) -> Evocation:
        fan = NESTED if self.question.nested else FAN
        row = self.tx.one(
            "recall/evoke",
            memory=self.memory,
            cues=[cue.concept_id for cue in cues],
            near=near,
            nearest=sorted(near, key=lambda concept: (-near[concept], concept))[:MEANT],
            classes=list(self.question.classes),
            fan=fan,
            alike=[ceil(VARIETY * places) for places in fan],
            hub=HUB,
            stated=sorted(meant, key=lambda association: (-meant[association], association))[:MEANT],
            searched=SEARCHED,
            past=self.question.past,
            exclude=self.exclude[0] if self.exclude else None,
        )
        return evoke(cues, self.question, row, near, meant, self.options)

    def _weigh(self, facts: Sequence[str], row: Row, evocation: Evocation) -> Row:
        order = sorted(range(len(evocation.ids)), key=lambda i: (-evocation.score[i], evocation.ids[i]))
        concepts = [evocation.ids[i] for i in order if evocation.kinds[i] != "self"][:MENTIONED]
        since, until = self._days()
        return self.tx.one(
            "recall/weigh",
            memory=self.memory,
            facts=list(facts),
            found=_fused([id for id, _ in row["alike"]], row["saying"]),
            cosines=_known(row["alike"]),
            concepts=concepts,
            since=since,
            until=until,
            central=CENTRAL,
            around=AROUND,
            vector=self.vector,
        )

    def _inspect(self, short: ShortList) -> Row:
        """What the short list holds. Where the embedder knows no words, all of it is compared, else what may speak."""
        compared = set(short.speaking) if self.words else {candidate.id for candidate in short.said}
        return self.tx.one(
            "recall/inspect",
            memory=self.memory,
            records=[candidate.id for candidate in short.said],
            speaking=short.speaking,
            unknown=[c.id for c in short.said if c.cosine is None and c.id in compared],
            vector=self.vector,
        )

    def _days(self) -> tuple[str | None, str | None]:
        """The first span of days, no longer than LONGEST, that the question names."""
        for span in self.question.spans:
            days = time_match.days(span.key) if span.kind == "value" else None
            if days and date.fromisoformat(days[1]) - date.fromisoformat(days[0]) <= LONGEST:
                return days
        return None, None

    def _admitted(self, record: Candidate) -> bool:
        f, at = self.filters, record.at or ""
        if self.exclude and record.id in self.exclude[1]:
            return False
        return (
            (f.session is None or record.session == f.session)
            and (f.speaker is None or record.speaker == f.speaker)
            and (f.since is None or (bool(at) and not _before(at, f.since)))
            and (f.until is None or (bool(at) and _before(at, f.until)))
        )


def _known(pairs: Sequence[tuple[str | None, float | None]]) -> dict[str, float]:
    """{id: cosine} of what the search compared and nobody has deleted since."""
    return {id: cosine for id, cosine in pairs if id is not None and cosine is not None}


def _fused(alike: Sequence[str | None], saying: Sequence[str | None]) -> list[str]:
    """Both rankings as one: what stands high in either, high (reciprocal ranks; Cormack et al. 2009)."""
    worth: dict[str, float] = {}
    for ranking in (alike, saying):
        for place, id in enumerate(ranking):
            if id is not None:
                worth[id] = worth.get(id, 0.0) + 1 / (CANDIDATES + place)
    return sorted(worth, key=lambda record: (-worth[record], record))


def searched_words(text: str, tongue: str) -> str:
    """A question's content words as Lucene terms, each with the beginning it shares with its other forms."""
    said = lucene_words(text).split()
    terms = []
    for word in said:
        for stem in content_words(word, tongue):
            shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, stem, strict=False)))
            terms.append(f"{word}^2 {word[:shared]}*" if shared >= SHARED else word)
    return " ".join(terms or said)


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

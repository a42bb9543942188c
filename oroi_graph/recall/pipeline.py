"""Recall: question → entity linking → graph search → evidence → features → ranker → selection → brief.

One read transaction beside the memory's working set; reading changes nothing. A question that asks for a time alone is
answered by a digest of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import reduce
from itertools import zip_longest
from math import ceil
from operator import or_
from typing import NamedTuple, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from oroi_graph.language.detection import Language, detect
from oroi_graph.language.normalize import check_text, without_names
from oroi_graph.language.parsed_text import ParsedText, parse
from oroi_graph.model import Brief, Exclusion, Fact, LeftOut, RecordHit
from oroi_graph.options import Options
from oroi_graph.providers.protocols import Embedder, Extractor, RelevanceFilter, Reranker, for_questions
from oroi_graph.providers.word_vectors import embedded
from oroi_graph.recall.brief import Explainer, compose, left_out
from oroi_graph.recall.decomposition import criteria, meeting_all, parts
from oroi_graph.recall.entity_linking import Cue, link, present, query_rows
from oroi_graph.recall.graph.evidence import gather
from oroi_graph.recall.graph.search import Affinity, Evocation, association_affinity, evoke
from oroi_graph.recall.profile import asked_about, known
from oroi_graph.recall.question import Question, read_question, tells_kin
from oroi_graph.recall.ranking.ranker import Met, ShortList, Words, rank, shortlist
from oroi_graph.recall.ranking.relevance import Ranked, probabilities
from oroi_graph.recall.ranking.still_so import still_so
from oroi_graph.recall.ranking.stressed import asks_for_reminders
from oroi_graph.recall.ranking.supersession import Successor, passed_on, successors
from oroi_graph.recall.request import Recall, RecallRequest, WindowContents
from oroi_graph.recall.reranking import Choosable, reranked
from oroi_graph.recall.selection import Chosen, Selector, fact_paths
from oroi_graph.recall.time_windows import time_match
from oroi_graph.recall.time_windows.absence import absent, nearest_day
from oroi_graph.recall.time_windows.conversations import Asking, keep_relevant
from oroi_graph.recall.time_windows.fitting import Fitting, in_time
from oroi_graph.recall.time_windows.scope import Scope, scope_of
from oroi_graph.recall.time_windows.search import Inside, search_windows
from oroi_graph.recall.time_windows.time_alone import NOTHING, TimeAlone
from oroi_graph.storage.store import Row
from oroi_graph.windows import read_windows
from oroi_graph.windows.by_model import WindowReader
from oroi_graph.working_set.candidates import Candidate, Period, candidates_of, stage_two_rows
from oroi_graph.working_set.entry import seeds
from oroi_graph.working_set.neighbourhood import surround
from oroi_graph.working_set.transactions import Reading
from oroi_graph.working_set.words.search import terms_of

T = TypeVar("T")
_Vector = tuple[NDArray[np.float32], str | None]  # a text's vector, and its packed words

# What every fact has. Sleep may merge or delete between two statements of one reading, and while one runs: rows that
# lack one of these were deleted.
_FACT = ("id", "source", "source_id", "target", "target_id", "relation", "weight", "records")


class Read(Protocol):
    """`WorkingSets.reader`: runs `work` in one read transaction beside a fresh working set of the memory."""

    def __call__(self, work: Callable[[Reading], T], /) -> T: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """Who reads questions and what they find.

    extractor: the offline one. windows: of times that a question names. relevance: a model that says which sessions
    answer a question about a time; reranker: one that says which records answer any other; None: the probabilities
    decide alone.
    """

    embedder: Embedder
    extractor: Extractor
    windows: WindowReader = read_windows
    relevance: RelevanceFilter | None = None
    reranker: Reranker | None = None


def recall(read: Read, memory: str, request: RecallRequest, readers: Readers, options: Options) -> Recall:
    """Ask one memory. Small talk ("ok, thanks") brings back nothing.

    Raises InputError for an unusable question, such as one about a day that no calendar has.
    """
    text = check_text(request.text, options.max_text)
    asked = text[: options.search.question_length]
    about = asked if request.profile else asked_about(asked)
    if about is not None:
        told = _profile(read, memory, replace(request, text=about), readers, options, detect(asked))
        if told.ranked or told.facts or request.profile:
            return replace(told, question=text)
    questions = [parse(part, request.at) for part in parts(asked, options.selection)]
    if all(question.is_small_talk for question in questions):
        return Recall(text, Brief("", 0), (), (), ())
    prepared = [_prepare(question, request, readers, options) for question in questions]
    whole = ParsedText(asked, questions[0].language) if len(questions) > 1 else None
    found = read(lambda tx: [_Reading(tx, memory, one, request, options, whole).run() for one in prepared])
    found = [_relevant(one, readers, request, options) for one in found]
    merged = _merged(asked, found, request.budget, options)
    if not request.traced:
        return merged
    return replace(merged, evocations=tuple(one.evocation for one in found if one.evocation.cues))


def _profile(
    read: Read, memory: str, request: RecallRequest, readers: Readers, options: Options, language: Language
) -> Recall:
    """All that is surely known about what the request names, and what was said last; empty if nothing is named.

    language: in which it is asked, of which the name alone says nothing.
    What names a time is no name: then it is empty, unless a profile is what is asked for.
    """
    prepared = _prepare(parse(request.text, request.at), request, readers, options)
    if prepared.scope is not None and not request.profile:
        return Recall(request.text, Brief("", 0), (), (), ())

    def work(tx: Reading) -> tuple[list[Cue], list[Fact], list[RecordHit]]:
        reading = _Reading(tx, memory, prepared, request, options, None)
        cues = link(prepared.question, reading.seeds(), options.search)
        admitted = reading.admitted if request.filters or request.exclude else None
        return (cues, *known(tx, memory, cues, options.selection, admitted))

    cues, facts, said = read(work)
    budget = options.brief_tokens if request.budget is None else request.budget
    chosen = Chosen(tuple(facts), tuple(said))
    brief = compose(chosen, cues, budget, options.selection, ParsedText(request.text, language))
    unquoted = left_out(said, [chosen], brief, options.selection.left_out)
    return Recall(request.text, brief, tuple(facts), tuple(cues), (), tuple(said), unquoted)


@dataclass(frozen=True, slots=True)
class _Embedded:
    """A question with its vectors. bare: its text without the names of speakers, and vector: its vector.

    spans: vectors of the spans, by text. words: those of `bare`, packed for late interaction;
    criteria: the same for each criterion. dimensions: of the embedder. scope: the time it asks for, if it does.
    """

    question: Question
    scope: Scope | None
    bare: str
    vector: NDArray[np.float32]
    spans: Row
    words: str | None
    criteria: Sequence[str | None]
    dimensions: int


@dataclass(frozen=True, slots=True)
class _Found:
    """What one question brought back. eligible: the ranked records that may enter the brief.

    likely: {record id: probability}. superseded: ids of records that state a replaced fact. contents: what its windows
    held, if it has any. failure: why a reranker had no say. barred: records that may not enter, the nearest first.
    """

    chosen: Chosen
    evocation: Evocation
    explainer: Explainer
    ranked: Sequence[RecordHit]
    eligible: Sequence[RecordHit] = ()
    likely: Mapping[str, float] = field(default_factory=dict)
    superseded: frozenset[str] = frozenset()
    contents: WindowContents | None = None
    failure: str | None = None
    barred: Sequence[LeftOut] = ()


def _prepare(parsed: ParsedText, request: RecallRequest, readers: Readers, options: Options) -> _Embedded:
    """Read and embed one question. What names its time is no cue: its windows stand for it.

    The words of a time of saying are not searched for, either; those of an event's time are: records say them, too.
    """
    scope = scope_of(parsed, request, readers.windows) if options.search.windows else None
    text = parsed.text if scope is None or not scope.reading.theme else scope.reading.theme
    question = read_question(text, request.speaker, request.at, readers.extractor)
    if scope is not None and scope.happened:
        question = replace(question, parsed=parsed)
    if request.turn and not asks_for_reminders(question.text, question.language, turn=True):
        question = replace(question, reminding=False)
    bare = without_names(question.text, request.protagonists)
    several = criteria(ParsedText(bare, question.parsed.language), options.selection)
    labels = dict.fromkeys(span.label for span in question.spans if span.kind == "concept")
    asked, named = _vectors(readers.embedder, dict.fromkeys([bare, *several]), labels)
    vector, words = asked[bare]
    said = [asked[one][1] for one in several]
    spans = {label: named[label][0] for label in labels}
    return _Embedded(question, scope, bare, vector, spans, words, said, readers.embedder.dimensions)


def _vectors(
    embedder: Embedder, questions: Iterable[str], labels: Iterable[str]
) -> tuple[Mapping[str, _Vector], Mapping[str, _Vector]]:
    """The vectors and packed words of what is asked and of what is named in it, by text.

    In one call, which may be a service's, unless the embedder tells questions from what answers them.
    """

    def embed(by: Embedder, texts: Iterable[str]) -> Mapping[str, _Vector]:
        texts = list(texts)
        return dict(zip(texts, zip(*embedded(by, texts), strict=True), strict=True)) if texts else {}

    asking = for_questions(embedder)
    if asking is embedder:
        together = embed(embedder, dict.fromkeys([*questions, *labels]))
        return together, together
    return embed(asking, questions), embed(embedder, labels)


def _relevant(found: _Found, readers: Readers, request: RecallRequest, options: Options) -> _Found:
    """What a model keeps of an answer, if one is asked; if it fails, all of it, and why is reported.

    After the transaction: a model may take seconds.
    """
    if not found.eligible or (found.contents is not None and found.contents.alone):
        return found
    if found.contents is not None and readers.relevance is not None:
        asking = Asking(request.text, request.at, found.eligible, found.likely, options.selection)
        chosen, contents = keep_relevant(found.chosen, found.contents, readers.relevance, asking)
        return replace(found, chosen=chosen, contents=contents)
    if found.contents is None and readers.reranker is not None:
        choosable = Choosable(found.eligible, found.likely, found.superseded, options.selection.reranked)
        chosen, failure = reranked(found.chosen, choosable, readers.reranker, request)
        return replace(found, chosen=chosen, failure=failure)
    return found


def _merged(text: str, found: Sequence[_Found], budget: int | None, options: Options) -> Recall:
    """The answers to all questions in one brief; their rankings take turns, the first question's first."""
    facts = {fact.id: fact for one in found for fact in one.chosen.facts}
    hits = {hit.id: hit for one in found for hit in one.chosen.records}
    notes = dict.fromkeys(note for one in found for note in one.chosen.notes)
    reminded = reduce(or_, (one.chosen.reminders for one in found))
    chosen = Chosen(tuple(facts.values()), tuple(hits.values()), tuple(notes), reminders=reminded)
    cues = {cue.concept_id: cue for one in found for cue in one.evocation.cues}
    tokens = options.brief_tokens if budget is None else budget
    brief = compose(chosen, list(cues.values()), tokens, options.selection, found[0].explainer.question)
    reasons = {reason.item: reason for one in found for reason in one.explainer.reasons(one.chosen, brief)}
    ranked: dict[str, RecordHit] = {}
    for row in zip_longest(*(one.ranked for one in found)):
        for hit in row:
            if hit is not None:
                ranked.setdefault(hit.id, hit)
    unquoted = left_out(ranked.values(), [one.chosen for one in found], brief, options.selection.left_out)
    barred = {one.record.id: one for some in found for one in some.barred}
    contents = tuple(one.contents for one in found if one.contents is not None)
    failure = next((one.failure for one in found if one.failure is not None), None)
    return Recall(
        text, brief, chosen.facts, tuple(cues.values()), tuple(reasons.values()), tuple(ranked.values()),
        (*unquoted, *list(barred.values())[: options.selection.left_out]), contents, failure,
    )  # fmt: skip


class _Candidates(NamedTuple):
    """The facts that may be told, the candidate records, and {id: cosine to the question} of what was compared."""

    facts: Sequence[Row]
    records: Sequence[Candidate]
    cosines: Mapping[str, float]


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
        self.vector = asked.vector
        self.request, self.scope = request, asked.scope
        self.filters, self.exclude, self.several = request.filters, request.exclude, whole is not None
        self.whole = whole or asked.question.parsed
        self.options, self.search = options, options.search

    def run(self) -> _Found:
        """From the question to what may enter the brief."""
        inside = self._search_windows()
        if inside is not None and self.scope is not None and self.scope.alone:
            return self._summed_up(self.scope, inside)
        row = self.seeds()
        cues = link(self.question, row, self.search)
        evocation = self._evoke(cues, row)
        self.tx.prove_if_known()  # what a set that is behind leads to would be ranked for nothing
        evidence = gather(evocation, self.options)
        paths = fact_paths(evocation, evidence, self.options.selection.facts)
        found = self._candidates(paths, row, evocation, inside)
        bars = {record.id: bar for record in found.records if (bar := self._bar(record)) is not None}
        barred = self._barred(found, bars)
        records = {one.id: one for one in self._fitted([one for one in found.records if one.id not in bars], inside)}
        facts = self._facts(found.facts, list(paths), records)
        stating = {record for fact in facts for record in fact.records}
        retrieved = {*(id for id, _ in row["alike"]), *row["saying"], *stating}
        if inside is not None:
            retrieved |= {*(one.id for one in inside.said), *inside.stating}
        met = Met(list(records.values()), found.cosines, retrieved, stating & records.keys())
        short = shortlist(self.question, evocation, met, self.options.ranking)
        details = self._second_stage(short, found.cosines)
        words = Words(self.asked.words, dict(details["held"]), self.asked.dimensions)
        ranked = rank(short, words, _known(details["compared"]), self.options.ranking)
        replaced = (id for id, record in records.items() if record.entry is not None and record.entry.superseded)
        ranked, gone = self._still_so(ranked, details["superseded"])
        superseded = frozenset([*gone, *replaced])
        likely = probabilities(
            Ranked(
                self.question, evocation, evidence, ranked, records,
                words.best([hit.id for hit in ranked]),
                stating, superseded,
            ),
            self.options.selection,
        )  # fmt: skip
        if inside is not None:
            likely = in_time(likely, ranked, self.options.selection.in_time)
        may_enter = set(short.eligible)
        later = self._successors([hit for hit in ranked if hit.id in may_enter and hit.id not in superseded], likely)
        lasting = self._lasting(facts)
        later = {id: one for id, one in later.items() if id not in lasting}
        likely = passed_on(likely, later)
        earlier, outlived = (
            {id for id, one in later.items() if one.probability >= line}
            for line in (self.options.selection.earlier, self.options.selection.superseded)
        )
        ranked = [replace(hit, outdated=True) if hit.id in earlier else hit for hit in ranked]
        superseded |= outlived
        facts = [fact for fact in facts if not fact.records or not earlier.issuperset(fact.records)]
        for hit in ranked:
            cast("dict[str, float]", hit.features)["probability"] = round(likely[hit.id], 6)
        eligible = [hit for hit in ranked if hit.id in may_enter]
        selector = Selector(self.question, evocation, evidence, likely, self.options.selection, self.several)
        chosen = selector.choose(facts, eligible, records, superseded)
        chosen = chosen.without(
            (hit for hit in ranked if hit.id not in may_enter), "not among the best by the first stage"
        )
        if self.asked.criteria and not evidence.converged and not chosen.reminders.records:
            valid = [candidate for candidate in short.said if candidate.id not in superseded]
            meeting = self._meeting_criteria(valid, words, evocation)
            # Records that hardly help to answer were not what is meant by the criteria.
            if meeting and sum(likely[id] for id in meeting) >= self.options.selection.decided:
                chosen = chosen.meeting_all(meeting, ranked, superseded)
        explainer = Explainer(evocation, paths, records, self.options.selection.quote_length, self.whole)
        if inside is None or self.scope is None:
            return _Found(chosen, evocation, explainer, ranked, eligible, likely, superseded, barred=barred)
        contents = inside.contents(self.scope)
        if chosen.reminders.records and self.scope.happened:  # "Before we sail on Saturday": it may be said at any time
            return _Found(chosen, evocation, explainer, ranked, eligible, likely, superseded, contents, barred=barred)
        valid_hits = [hit for hit in eligible if hit.id not in superseded or self.question.past]
        fitting = Fitting(self.scope, self.question.stems, inside, records, likely, self.options.selection)
        chosen = fitting.restricted(chosen, valid_hits, self._facts(found.facts, list(inside.facts), records))
        if fitting.lacks(chosen):
            near = nearest_day(self.tx, self.memory, self.scope, self.request)
            chosen = absent(chosen, near, self.scope)
            records |= {record.id: record for record in near}  # which the explanation looks up
        return _Found(chosen, evocation, explainer, ranked, valid_hits, likely, superseded, contents, barred=barred)

    def _successors(self, hits: Sequence[RecordHit], likely: Mapping[str, float]) -> dict[str, Successor]:
        """What most likely replaces each record; nothing if the question names a time: it may be the old one's."""
        if self.scope is not None:
            return {}
        return successors(self.question, hits, likely, self.options.selection)

    def _lasting(self, facts: Sequence[Fact]) -> set[str]:
        """The records that surely say who the kin are that are asked for: no later record replaces them unread."""
        if not self.question.names_kin:
            return set()
        sure = self.options.selection.sure_fact
        kin = (fact for fact in facts if fact.current and fact.confidence >= sure and tells_kin(fact))
        return {record for fact in kin for record in fact.records}

    def _search_windows(self) -> Inside | None:
        """What lies in the windows of the question; None if it has none."""
        if self.scope is None:
            return None
        return search_windows(self.tx, self.memory, self.scope, self.vector, self.request)

    def _summed_up(self, scope: Scope, inside: Inside) -> _Found:
        """The answer to a question for a time alone."""
        budget = self.options.brief_tokens if self.request.budget is None else self.request.budget
        told = TimeAlone(self.tx, self.memory, scope, self.request).told(inside, budget, self.options)
        explainer = Explainer(NOTHING, {}, told.candidates, self.options.selection.quote_length, self.whole)
        return _Found(told.chosen, NOTHING, explainer, told.ranked, contents=inside.contents(scope))

    def _fitted(self, found: Sequence[Candidate], inside: Inside | None) -> Iterator[Candidate]:
        """Candidates with how well they fit the windows of the question, if it has any."""
        for record in found:
            if inside is not None and self.scope is not None:
                yield record._replace(fit=self.scope.fit(record, inside.stating, self.options.ranking))
            else:
                yield record

    def seeds(self) -> Row:
        """Where the question enters the graph, and records by meaning and words."""
        return seeds(
            self.tx,
            memory=self.memory,
            rows=query_rows(self.question, self.asked.spans),
            vector=self.vector,
            most=self.search.span_candidates,
            said=terms_of(self.asked.bare, self.question.language, self.search.prefix),
            limit=self.search.records,
            passes=self.filters.passes if self.filters else None,
        )

    def _evoke(self, cues: Sequence[Cue], row: Row) -> Evocation:
        """The neighbourhood of the cues, searched. row: of `seeds`."""
        search = self.search
        fan_out = search.nested_fan_out if self.question.nested else search.fan_out
        affinity = Affinity(_known(row["near"]), association_affinity(row["alike"], row["stating"], search))
        around = surround(
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
        return evoke(cues, self.question, around, affinity, self.options)

    def _candidates(self, facts: Iterable[str], row: Row, evocation: Evocation, inside: Inside | None) -> _Candidates:
        """The chosen facts, and the candidate records with what the first stage needs. row: of `seeds`."""
        scored = zip(evocation.ids, evocation.kinds, evocation.score, strict=True)
        concepts = {id: score for id, kind, score in scored if kind != "self"}
        found, alike = _fused([id for id, _ in row["alike"]], row["saying"], self.search.records), row["alike"]
        if inside is not None:
            facts = dict.fromkeys([*facts, *inside.facts])
            found = list(dict.fromkeys([*found, *inside.candidates(self.search.window_records), *inside.stating]))
            alike = [*inside.cosines.items(), *alike]
        cosines = _known(alike)
        told, records = candidates_of(
            self.tx,
            memory=self.memory,
            facts=list(facts),
            found=found,
            cosines=cosines,
            concepts=_best(concepts, self.search.mentioned_concepts),
            period=self._period() if inside is None else None,
            central=self.search.central_records,
            around=self.search.neighbour_turns,
        )
        return _Candidates(told, records, cosines)

    def _still_so(self, ranked: list[RecordHit], replaced: Mapping[str, Row]) -> tuple[list[RecordHit], list[str]]:
        """The records, those that state something replaced and something that holds cut to what holds, and the ids of
        the others that state something replaced.

        None is cut if the past is asked for, or if what was replaced is asked for: the rest is then beside the point.
        """
        asked = set(self.question.classes)
        left: dict[str, str] = {}
        for hit in ranked if not self.question.past else ():
            found = replaced.get(hit.id)
            if found is not None and found["ends"] and asked.isdisjoint(found["classes"]):
                rest = still_so(hit.text, found["ends"])
                if rest is not None:
                    left[hit.id] = rest
        cut = [replace(hit, text=left[hit.id]) if hit.id in left else hit for hit in ranked]
        return cut, [id for id in replaced if id not in left]

    def _second_stage(self, short: ShortList, cosines: Mapping[str, float]) -> Row:
        """The words of the short list, missing cosines, and which eligible records state replaced facts.

        If the embedder knows no words, the second stage needs the cosines of all records, else of the eligible ones.
        cosines: {id: to the question} as far as they are known.
        """
        compared = set(short.eligible) if self.asked.words else {candidate.id for candidate in short.said}
        return stage_two_rows(
            self.tx,
            memory=self.memory,
            records=[candidate.id for candidate in short.said],
            eligible=short.eligible,
            unknown=[c.id for c in short.said if c.id not in cosines and c.id in compared],
            vector=self.vector,
        )

    def _facts(self, rows: Sequence[Row], order: Sequence[str], records: Mapping[str, Candidate]) -> list[Fact]:
        """The facts that may enter, in `order` (ids): not those stated only by excluded or filtered records."""
        facts = [Fact(**{**row, "records": tuple(row["records"])}) for row in present(rows, *_FACT)]
        facts = [fact for fact in facts if fact.id in order]
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

    def _period(self) -> Period | None:
        """The first period of the question that is short enough."""
        for value in self.question.values:
            days = time_match.days(value)
            if days and date.fromisoformat(days[1]) - date.fromisoformat(days[0]) <= timedelta(
                days=self.search.longest_period
            ):
                return Period(*days, self.vector)
        return None

    def admitted(self, record: Candidate) -> bool:
        """Whether a record passes the filters and is not before the model's eyes."""
        return self._bar(record) is None

    def _bar(self, record: Candidate) -> Exclusion | None:
        """What keeps a record from being ranked at all."""
        if self.exclude and record.id in self.exclude[1]:
            return "before the model's eyes already"
        return None if not self.filters or self.filters.admit(record) else "does not pass the filters"

    def _barred(self, found: _Candidates, bars: Mapping[str, Exclusion]) -> list[LeftOut]:
        """Records that may not be ranked, the nearest to the question first; not more than it is told of."""
        cosines = {id: found.cosines.get(id, -1.0) for id in bars}
        nearest = _best(cosines, self.options.selection.left_out)
        known = {record.id: record for record in found.records if record.id in bars}
        return [LeftOut(known[id].hit(0.0, {"meaning": round(cosines[id], 6)}), bars[id], None) for id in nearest]


def _known(pairs: Sequence[tuple[str | None, float | None]]) -> dict[str, float]:
    """{id: cosine} without what has no vector or was deleted meanwhile."""
    return {id: cosine for id, cosine in pairs if id is not None and cosine is not None}


def _best(scores: Mapping[str, float], most: int) -> list[str]:
    """The ids with the highest scores, the best first."""
    return [id for _, id in sorted([(-score, id) for id, score in scores.items()])[:most]]


def _fused(alike: Sequence[str | None], saying: Sequence[str | None], k: int) -> list[str]:
    """Two rankings as one by reciprocal rank fusion (Cormack et al. 2009), the best first."""
    scores: dict[str, float] = {}
    for ranking in (alike, saying):
        for place, id in enumerate(ranking):
            if id is not None:
                scores[id] = scores.get(id, 0.0) + 1 / (k + place)
    return _best(scores, len(scores))

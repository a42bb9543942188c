"""The brief: current facts as sentences, then dated verbatim quotes, within a token budget.

Deterministic: the same graph and question give the same bytes. It is empty if nothing was chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from oroi_graph.entities.fact_updates import relation_class
from oroi_graph.language import verbalize
from oroi_graph.language.detection import Language, detect
from oroi_graph.language.lexicons.tables import tables, words
from oroi_graph.language.normalize import tokens
from oroi_graph.language.parsed_text import ParsedText
from oroi_graph.language.quoting import block, quoted
from oroi_graph.language.sentences import spans
from oroi_graph.language.tokens import count_tokens
from oroi_graph.model import Brief, BriefItem, Exclusion, Fact, LeftOut, Reason, RecordHit, Rule
from oroi_graph.recall.entity_linking import Cue
from oroi_graph.recall.graph.paths import Path
from oroi_graph.recall.graph.search import Evocation
from oroi_graph.recall.ranking.essence import excerpted
from oroi_graph.recall.ranking.kept_texts import kept, line_cost, stems_of
from oroi_graph.recall.selection import Chosen
from oroi_graph.recall_options import Selection
from oroi_graph.working_set.candidates import Candidate

_NAMING = frozenset({"is a", "is called"})  # relation classes between a thing and its name
_LABELS = tables("labels")
_OF = frozenset({"of", "d"}) | words(_LABELS, "of") | words(_LABELS, "contracted")
_ARTICLES = words(_LABELS, "articles")
_AROUND = count_tokens(block([" "]))  # tokens of a brief without its lines


def compose(
    chosen: Chosen, cues: Sequence[Cue], budget: int, selection: Selection, question: ParsedText | None = None
) -> Brief:
    """The text, and the ids of what it holds. budget: tokens, delimiters included; facts leave room for quotes.

    A fact beside the quote that states it adds nothing but what may have been misread: only one that is all but certain
    enters then, or one of few words, which are seldom misread (decision 1978). question: what long quotes are cut
    around.
    """
    room = budget - _AROUND
    items: list[BriefItem] = []
    for note in chosen.notes:
        cost = line_cost(note)
        if cost <= room:
            items.append(BriefItem("note", None, note))
            room -= cost
    language = question.language if question is not None else None
    reminded = {record.id for record in chosen.reminders.records}
    quotes = _reminding(chosen.reminders.records, room, selection, question)
    beside: list[RecordHit] = []  # what will be quoted
    for record, text in chosen.reminders.lines(quotes, room, language or "en", chosen.excerpts):
        items.append(BriefItem("record", record.id, text))
        beside.append(record)
        room -= line_cost(text)
    rest = [record for record in chosen.records if record.id not in reminded]
    lines = {record.id: quote(record, selection.short_quote, question) for record in rest}
    if chosen.excerpts and sum(map(line_cost, lines.values())) > room:
        lines |= _in_few_words(rest, chosen.excerpts)
    if chosen.facts:
        short = _within(room, lines)
        beside += [record for record in rest if record.id in short]
    facts: list[Fact] = []
    said: set[tuple[frozenset[str], str, bool]] = set()
    for fact in _adding(chosen.facts, beside, selection):
        if fact.current and whose(fact) in said:
            continue
        text = verbalize.sentence(fact, language)
        cost = line_cost(text)
        if cost <= room and budget - _AROUND - room + cost <= selection.facts_share * budget:
            facts.append(fact)
            items.append(BriefItem("fact", fact.id, text))
            room -= cost
            if fact.current:
                said.add(whose(fact))
    items += _quotes(rest, lines, room, selection, question)
    # No token holds a break: those of a text are those of its lines.
    length = _AROUND + sum(line_cost(item.text) for item in items) if items else 0
    whole = block([f"- {item.text}" for item in items])
    return Brief(whole, length, _concepts(facts, cues), tuple(items))


def _quotes(
    records: Sequence[RecordHit],
    lines: Mapping[str, str],
    room: int,
    selection: Selection,
    question: ParsedText | None,
) -> list[BriefItem]:
    """As many records as `room` tokens hold if all are cut short; what is left makes the first ones longer.

    lines: {id: line} of all, cut short.
    A record may tell in its first sentence what is asked for, and name in its last one what the question names: where
    there is room it is not cut, but no record is left out for the length of another one (decision 1976).
    """
    told = _within(room, lines)
    room -= sum(map(line_cost, told.values()))
    for record in records:
        if record.id in told and len(_quoted(record.text)) > selection.short_quote:
            long = quote(record, selection.quote_length, question)
            more = line_cost(long) - line_cost(told[record.id])
            if more <= room:
                told[record.id] = long
                room -= more
    return [BriefItem("record", id, text) for id, text in told.items()]


def _within(room: int, lines: Mapping[str, str]) -> dict[str, str]:
    """{id: line} of as many lines as `room` tokens hold."""
    told: dict[str, str] = {}
    for id, line in lines.items():
        if (cost := line_cost(line)) <= room:
            told[id] = line
            room -= cost
    return told


def _adding(facts: Sequence[Fact], quoted: Sequence[RecordHit], selection: Selection) -> list[Fact]:
    """The facts that add to the quotes: what no quote states, is all but certain, or is stated in few words."""
    words = {record.id: len(record.text.split()) for record in quoted}
    shortest = [min((words[id] for id in fact.records if id in words), default=0) for fact in facts]
    least, most = selection.beside_quotes, selection.plain_words
    return [fact for fact, n in zip(facts, shortest, strict=True) if fact.confidence >= least or n <= most]


def _in_few_words(records: Sequence[RecordHit], excerpts: Mapping[str, str]) -> dict[str, str]:
    """{id: line} with those words alone that a model says are needed, of the records of which it said some."""
    told = {record.id: excerpted(record.text, excerpts.get(record.id, "")) for record in records}
    return {record.id: f'{_head(record)}"{told[record.id]}"' for record in records if told[record.id]}


def _reminding(records: Sequence[RecordHit], room: int, selection: Selection, question: ParsedText | None) -> list[str]:
    """The lines of all, cut short if there is no room for them as they are."""
    lines = [quote(record, selection.quote_length, question) for record in records]
    if sum(map(line_cost, lines)) <= room:
        return lines
    return [quote(record, selection.short_quote, question) for record in records]


def whose(fact: Fact) -> tuple[frozenset[str], str, bool]:
    """What a fact says of whom: the same for "Ana's friend is Jon", "friend of Ana" –is→ "Jon" and the other
    way round. What is denied is apart."""
    naming = relation_class(fact.relation) in _NAMING
    said, other = tokens(fact.source if naming else f"{fact.source} {fact.relation}"), fact.target_id
    if naming and _OF.isdisjoint(said) and not _OF.isdisjoint(told := tokens(fact.target)):
        said, other = told, fact.source_id
    return frozenset(word.removesuffix("'s") for word in said) - _OF - _ARTICLES, other, fact.negated


def quote(record: RecordHit, length: int, question: ParsedText | None = None) -> str:
    """One record as a dated quote that says who speaks and whether it is cut. length: characters of the longest.

    question: a longer one is cut to what says most of it, else to its beginning. A summary is no literal quote, but it
    is remembered text: the quotation marks keep it from posing as our own words.
    """
    return f'{_head(record)}"{excerpt(_quoted(record.text), length, question)}"'


def _head(record: RecordHit) -> str:
    """What stands before a record's words: when it was said, by whom, and what is to be known of it."""
    who = "the assistant said" if record.role == "assistant" else _quoted(record.speaker)
    if record.entry is not None:
        state = ", superseded" if record.entry.superseded else ", disputed" if record.entry.disputed else ""
        who += f" ({record.entry.entry_type}, {quoted(record.entry.field_key)}{state})"
    if record.note is not None:
        who = quoted(record.note.citation)
    when = verbalize.stamp(record.at)
    short = " (in short)" if record.gist else ""
    old = f" {verbalize.earlier(_language(record.text))}" if record.outdated else ""
    return f"{when + ', ' if when else ''}{who}{short}{old}: "


_quoted = kept(20_000)(quoted)


@kept(20_000)
def _language(text: str) -> Language:
    """In which language a text is written."""
    return detect(text)


def excerpt(text: str, length: int, question: ParsedText | None) -> str:
    """At most `length` characters and marks, from the sentence that says the most of the question."""
    if len(text) <= length:
        return text
    start = 0
    if question is not None:
        said = {at: len(question.stems & stems) for at, stems in _sentences(text, question.language)}
        best = max(said, key=lambda at: (said[at], -at), default=0)
        # What stands before is taken along where less than `length` is left.
        start = min(best, min((at for at in said if at + length >= len(text)), default=best))
    end = start + length
    kept = text[start:] if end >= len(text) else text[start:end].rsplit(" ", 1)[0] + " …"
    return f"… {kept}" if start else kept


@kept(20_000)
def _sentences(text: str, language: str) -> tuple[tuple[int, frozenset[str]], ...]:
    """Where each sentence of a text begins, and its stems."""
    return tuple((start, stems_of(text[start:end], language).distinct) for start, end in spans(text))


@dataclass(frozen=True, slots=True)
class Explainer:
    """Explains the items of a brief. paths: {fact id: path}. candidates: {record id: candidate}."""

    evocation: Evocation
    paths: Mapping[str, Path]
    candidates: Mapping[str, Candidate]
    question: ParsedText

    def reasons(self, chosen: Chosen, brief: Brief) -> list[Reason]:
        """For each item of the brief: the rule that let it in, the cue that reached it, the path, the numbers."""
        told = {item.id: item.text for item in brief.items if item.id is not None}
        facts = [
            self._reason(
                (told[fact.id], chosen.rule(fact.id)),
                self.paths.get(fact.id),
                {"weight": round(fact.weight, 4)},
            )
            for fact in chosen.facts
            if fact.id in told
        ]
        best = {self.evocation.ids[end]: path for end, path in self.evocation.paths.best_to().items()}
        records = [
            self._reason(
                (told[record.id], chosen.rule(record.id)),
                self._route(record, best),
                {"score": record.score, **record.features},
            )
            for record in chosen.records
            if record.id in told
        ]
        return [*facts, *records]

    def _route(self, record: RecordHit, best: Mapping[str, int]) -> Path | None:
        """The best path to a concept that the record mentions; among equals the shortest, then by id.

        best: {concept id: position of the best path to it}.
        """
        paths = self.evocation.paths
        near = [paths[best[concept]] for concept in self.candidates[record.id].concepts if concept in best]
        ids = self.evocation.ids
        return max(near, key=lambda p: (p.worth, -p.cue, -len(p.edges), ids[p.end]), default=None)

    def _reason(self, item: tuple[str, Rule], path: Path | None, numbers: Mapping[str, float]) -> Reason:
        if path is None:
            return Reason(*item, "", (), numbers)
        evocation = self.evocation
        cue = evocation.cues[path.cue]
        found = {
            "cue weight": round(cue.weight, 4),
            "path": round(path.worth, 4),
            "wave": round(float(evocation.waves[path.cue, path.end]), 6),
            "relevance": round(float(evocation.relevance[path.end]), 4),
        }
        return Reason(*item, cue.span, evocation.steps(path), {**found, **numbers})


def left_out(ranked: Iterable[RecordHit], chosen: Sequence[Chosen], brief: Brief, most: int) -> tuple[LeftOut, ...]:
    """The best ranked records that a brief does not quote, at most `most`.

    chosen: what may enter by each question asked at once; the first one that ranked a record tells what keeps it out.
    """
    entering = {record.id for one in chosen for record in one.records}
    quoted = set(brief.record_ids)

    def rule(id: str) -> Exclusion | None:
        if id in entering:
            return None if id in quoted else "no room in the budget"
        return next((one.left_out[id] for one in chosen if id in one.left_out), None)

    found = (LeftOut(hit, why, rank) for rank, hit in enumerate(ranked, 1) if (why := rule(hit.id)) is not None)
    return tuple(islice(found, most))


def _concepts(facts: Sequence[Fact], cues: Sequence[Cue]) -> tuple[str, ...]:
    ends = (id for fact in facts for id in (fact.source_id, fact.target_id))
    return tuple(dict.fromkeys([*ends, *(cue.concept_id for cue in cues)] if facts else ()))

"""Recall: from a text, which may ask several questions, to one brief.

Each question is answered by itself (`answering`), all in one read transaction beside the memory's working set; reading
changes nothing. What a model has to say of the answers comes after it, as that may take seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial, reduce
from itertools import chain, zip_longest
from operator import or_
from typing import Protocol, TypeVar

from oroi_graph.language.detection import Language, detect
from oroi_graph.language.normalize import check_text
from oroi_graph.language.parsed_text import ParsedText, parse
from oroi_graph.language.sentences import asks
from oroi_graph.model import Brief, Fact, Reason, RecordHit
from oroi_graph.options import Options
from oroi_graph.recall.answering import Answer, Gathering, Inquiry, answer, embed_question
from oroi_graph.recall.brief import Explainer, compose, left_out
from oroi_graph.recall.decomposition import parts
from oroi_graph.recall.entity_linking import Cue
from oroi_graph.recall.profile import asked_about, known, spoken
from oroi_graph.recall.request import Readers, Reasons, Recall, RecallRequest
from oroi_graph.recall.reranking import Choosable, reranked
from oroi_graph.recall.selection import Chosen
from oroi_graph.recall.time_windows.conversations import Asking, keep_relevant
from oroi_graph.working_set.transactions import Reading

T = TypeVar("T")


class Read(Protocol):
    """`WorkingSets.reader`: runs `work` in one read transaction beside a fresh working set of the memory."""

    def __call__(self, work: Callable[[Reading], T], /) -> T: ...


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
    prepared = [embed_question(question, request, readers, options) for question in questions]
    whole = ParsedText(asked, questions[0].language) if len(questions) > 1 else None
    found = read(lambda tx: [answer(Inquiry(tx, memory, one, request, options, whole)) for one in prepared])
    found = [_relevant(one, readers, request, options) for one in found]
    merged = _merged(asked, found, request.budget, options)
    if not request.traced:
        return merged
    return replace(merged, evocations=tuple(one.evocation for one in found if one.evocation.cues))


def _profile(
    read: Read, memory: str, request: RecallRequest, readers: Readers, options: Options, language: Language
) -> Recall:
    """All that is surely known about what the request names, and what was said last; empty if nothing is named.

    language: in which it is asked, of which the name alone says nothing. Where a profile is asked for by a name, or in
    English, which shares few words with the others, facts are told in the language of what was said last.
    What names a time is no name: then it is empty, unless a profile is what is asked for.
    """
    prepared = embed_question(parse(request.text, request.at), request, readers, options)
    if prepared.scope is not None and not request.profile:
        return Recall(request.text, Brief("", 0), (), (), ())

    def work(tx: Reading) -> tuple[list[Cue], list[Fact], list[RecordHit]]:
        gathering = Gathering(Inquiry(tx, memory, prepared, request, options))
        admitted = gathering.admitted if request.filters or request.exclude else None
        return (gathering.cues, *known(tx, memory, gathering.cues, options.selection, admitted))

    cues, facts, said = read(work)
    budget = options.brief_tokens if request.budget is None else request.budget
    chosen = Chosen(tuple(facts), tuple(said))
    all_sure = replace(options.selection, beside_quotes=0.0)
    told = spoken(said) if request.profile or language == "en" else None
    brief = compose(chosen, cues, budget, all_sure, ParsedText(request.text, told or language))
    unquoted = left_out(said, [chosen], brief, options.selection.left_out)
    return Recall(request.text, brief, tuple(facts), tuple(cues), (), tuple(said), unquoted)


def _relevant(found: Answer, readers: Readers, request: RecallRequest, options: Options) -> Answer:
    """What a model keeps of an answer, if one is asked; if it fails, all of it, and why is reported.

    After the transaction: a model may take seconds.
    """
    if not found.eligible or (found.contents is not None and found.contents.alone):
        return found
    if found.contents is not None and readers.relevance is not None:
        asking = Asking(request.text, request.at, found.eligible, found.likely, options.selection)
        chosen, contents = keep_relevant(found.chosen, found.contents, readers.relevance, asking)
        return replace(found, chosen=chosen, contents=contents)
    if found.contents is None and readers.reranker is not None and (not request.turn or asks(request.text)):
        choosable = Choosable(found.eligible, found.likely, found.superseded, options.selection.reranked)
        chosen, failure = reranked(found.chosen, choosable, readers.reranker, request)
        return replace(found, chosen=chosen, failure=failure)
    return found


def _merged(text: str, found: Sequence[Answer], budget: int | None, options: Options) -> Recall:
    """The answers to all questions in one brief; their rankings take turns, the first question's first."""
    facts = {fact.id: fact for one in found for fact in one.chosen.facts}
    hits = {hit.id: hit for one in found for hit in one.chosen.records}
    notes = dict.fromkeys(note for one in found for note in one.chosen.notes)
    reminded = reduce(or_, (one.chosen.reminders for one in found))
    excerpts = {id: words for one in found for id, words in one.chosen.excerpts.items()}
    chosen = Chosen(tuple(facts.values()), tuple(hits.values()), tuple(notes), reminders=reminded, excerpts=excerpts)
    cues = {cue.concept_id: cue for one in found for cue in one.evocation.cues}
    tokens = options.brief_tokens if budget is None else budget
    brief = compose(chosen, list(cues.values()), tokens, options.selection, found[0].explainer.question)
    explained = [(one.explainer, one.chosen) for one in found]  # not the whole answers, which would be kept as long
    reasons = Reasons(partial(_reasons, explained, brief)) if brief else ()
    ranked = _taking_turns([one.ranked for one in found])
    unquoted = left_out(ranked, [one.chosen for one in found], brief, options.selection.left_out)
    barred = {one.record.id: one for some in found for one in some.barred}
    contents = tuple(one.contents for one in found if one.contents is not None)
    failure = next((one.failure for one in found if one.failure is not None), None)
    return Recall(
        text, brief, chosen.facts, tuple(cues.values()), reasons, ranked,
        (*unquoted, *list(barred.values())[: options.selection.left_out]), contents, failure,
        silent=tuple(one.silent for one in found),
    )  # fmt: skip


def _reasons(explained: Sequence[tuple[Explainer, Chosen]], brief: Brief) -> Iterable[Reason]:
    """Why each item is in the brief; of one that several questions brought, what the last one says."""
    found = {reason.item: reason for explainer, chosen in explained for reason in explainer.reasons(chosen, brief)}
    return found.values()


def _taking_turns(rankings: Sequence[Sequence[RecordHit]]) -> tuple[RecordHit, ...]:
    """The records of several rankings, each once: the first of all, then the second of all, and so on."""
    if len(rankings) == 1:
        return tuple(rankings[0])
    ranked: dict[str, RecordHit] = {}
    for hit in chain.from_iterable(zip_longest(*rankings)):
        if hit is not None:
            ranked.setdefault(hit.id, hit)
    return tuple(ranked.values())

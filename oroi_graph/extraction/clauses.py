"""The clause reader: the chunks of each sentence, from left to right, to concepts and relations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache

from oroi_graph.extraction.chunking import Chunk, Sentence, chunked_sentences
from oroi_graph.extraction.chunking.chunk import MAX_LABEL_WORDS, ChunkKind
from oroi_graph.extraction.clause_state import COPULA, Clause, TurnState
from oroi_graph.extraction.possession import join_apposition, note_phrase, read_inserted_apposition, read_own_names
from oroi_graph.extraction.statements import INDEFINITE, add_object, end_clause, start_clause
from oroi_graph.extraction.subjects import read_pronoun, read_verb, set_subject
from oroi_graph.extraction.temporal import RESCHEDULING, read_clock, read_date
from oroi_graph.language.detection import READ, detect
from oroi_graph.language.lexicons.by_language import EXPERIENCE
from oroi_graph.language.tokens import word_set
from oroi_graph.model import ExtractedConcept, Utterance

MAX_ANALYSED = 4_000  # characters of one turn
MAX_CONCEPTS = 8

_SINCE = word_set("since desde")
_BUT = word_set("but sino mas senão")
_WITH_OR_ABOUT = word_set("with about con com sobre")
_WHERE = word_set("cerca lejos dentro fuera perto longe")  # "cerca de"
_WITH_ARTICLE = word_set("num numa dum duma")  # Portuguese prepositions that hold "um", "uma"
_HAVING = word_set(
    "have own adopt get buy find rescue tener adoptar comprar encontrar rescatar ter adotar comprar achar ganhar"
)


def new_turn(
    language: str, at: datetime | None, window: Sequence[Utterance], speaker: str, *, addressed: bool = False
) -> TurnState:
    """The state of a turn that is about to be read. window: the turns before it, oldest first.

    addressed: the turn is an assistant's, read for what it tells the user."""

    @cache
    def previous(back: int) -> TurnState:
        said = window[-back]
        before = new_turn(detect(said.text, language, READ), said.at, window[:-back], said.speaker)
        read_text(before, said.text[:MAX_ANALYSED])
        return before

    return TurnState(language, at, window, speaker, addressed, previous)


def read_text(turn: TurnState, text: str) -> None:
    """Read a part of the turn's text; what it states is added to `turn`."""
    speakers = [turn.speaker, *(utterance.speaker for utterance in turn.window[-6:])]
    known = frozenset(word.casefold() for speaker in speakers for word in speaker.split())
    for sentence in chunked_sentences(text, turn.language, turn.at, known - {"user", "assistant"}):
        _read_sentence(turn, sentence)


def chosen_concepts(turn: TurnState) -> tuple[ExtractedConcept, ...]:
    """At most MAX_CONCEPTS concepts in their order in the text, names and ends of relations first chosen."""
    if len(turn.concepts) <= MAX_CONCEPTS:
        return tuple(ExtractedConcept(label, kind) for label, kind in turn.concepts.items())
    ends = {label for r in turn.relations for label in (r.source, r.target)}
    order = {label: i for i, label in enumerate(turn.concepts)}
    rank = sorted(turn.concepts, key=lambda label: (label not in ends and not turn.is_name(label), order[label]))
    kept = sorted(rank[:MAX_CONCEPTS], key=order.__getitem__)
    return tuple(ExtractedConcept(label, turn.concepts[label]) for label in kept)


def _read_sentence(turn: TurnState, sentence: Sentence) -> None:
    turn.chunks, turn.clause = sentence.chunks, Clause()
    turn.asks, turn.supposes = sentence.asks and not turn.addressed, False
    turn.switches = turn.lexicon.switches.is_in(sentence.text)
    turn.corrects = turn.switches or turn.lexicon.corrects.is_in(sentence.text)
    turn.recalls = turn.lexicon.long_ago.is_in(sentence.text)
    _join_names(turn)
    read_own_names(turn)
    for i, chunk in enumerate(turn.chunks):
        if chunk.kind in _READERS:
            _READERS[chunk.kind](turn, i, chunk)
    end_clause(turn)


def _join_names(turn: TurnState) -> None:
    """Let the name take the phrase's place in "a firm called Drysdale fixed it"; not in "I have a dog called Max"."""
    chunks, i = turn.chunks, 1
    while i + 1 < len(chunks):
        noun, name = chunks[i - 1], chunks[i + 1]
        verb = next((chunk for chunk in reversed(chunks[:i]) if chunk.kind == "verb"), None)
        named = [c.kind for c in chunks[i - 1 : i + 2]] == ["np", "naming", "np"] and name.concept == "name"
        joined = i > 1 and chunks[i - 2].text.casefold() in _WITH_ARTICLE
        if named and (joined or noun.article in INDEFINITE) and not (verb is not None and verb.lemma in _HAVING):
            if noun.label and noun.concept == "concept":
                turn.concepts.setdefault(name.label, "name")
                turn.concepts.setdefault(noun.label, "concept")
                turn.add_relation(name.label, turn.lexicon.kind, noun.label)
            chunks[i - 1 : i + 2] = [name]
        i += 1


def _read_phrase(turn: TurnState, i: int, chunk: Chunk) -> None:
    """Read a noun phrase: apposition, subject, object, or the completion of the phrase before it."""
    previous = turn.chunks[i - 1] if i else None
    kind_before = previous.kind if previous is not None else ""
    if previous is not None and kind_before == "np" and join_apposition(turn, previous, chunk):
        return
    if i > 1 and kind_before == "comma" and join_apposition(turn, turn.chunks[i - 2], chunk):
        return
    if read_inserted_apposition(turn, i, chunk):
        return
    note_phrase(turn, chunk)
    if i > 1 and kind_before == "naming":  # "a dog named Max"; "a shop on Eighth Street called Max" is not the street
        if turn.chunks[i - 2].concept == "name":
            return
        turn.add_relation(turn.chunks[i - 2].label, turn.lexicon.named, chunk.label)
        return
    after_preposition = turn.kind_near(i, -1) == "prep"
    if turn.clause.verb is not None and turn.kind_near(i, 1) == "verb" and _can_begin_clause(turn, i, kind_before):
        start_clause(turn)
        turn.clause.preposition = "a" if after_preposition else ""
    clause = turn.clause
    if _completes(turn, i, chunk):
        return
    if clause.verb is None:
        marked = turn.lexicon.romance and clause.preposition == "a"  # "a Ana le gusta"
        if marked or not clause.preposition or not after_preposition:
            set_subject(turn, i, chunk)
    elif not (chunk.concept == "name" and _is_vocative(turn, i, kind_before)):
        add_object(turn, i, chunk)


def _completes(turn: TurnState, i: int, chunk: Chunk) -> bool:
    """Join "the meeting with Ana" (is on Friday) to one concept, as Ana says which meeting. False if it is no such."""
    clause, phrase = turn.clause, turn.chunks[i - 2] if i > 1 else chunk
    before = turn.chunks[i - 1].text.casefold() if i else ""
    if turn.lexicon.contractions.get(before, before) not in _WITH_OR_ABOUT or turn.chunks[i - 1].kind != "prep":
        return False
    if phrase.kind != "np" or phrase.concept != "concept" or not phrase.label or not chunk.label:
        return False
    if clause.verb is None:
        fits = clause.subject is phrase and len(clause.subjects) == 1 and turn.kind_near(i, 1) == "verb"
    else:
        fits = (turn.asks and clause.verb.lemma in COPULA) or clause.verb.lemma in RESCHEDULING
    whole = " ".join(filter(None, (phrase.label, before, chunk.article, chunk.label)))
    if not fits or whole.count(" ") >= MAX_LABEL_WORDS:
        return False
    turn.concepts.pop(phrase.label, None)
    turn.concepts.setdefault(whole, "concept")
    clause.found = [replace(r, target=whole) if r.target == phrase.label else r for r in clause.found]
    clause.subjects = [whole if s == phrase.label else s for s in clause.subjects]
    phrase.label = whole
    turn.add_relation(whole, before, chunk.label)
    return True


def _can_begin_clause(turn: TurnState, i: int, kind_before: str) -> bool:
    """Whether the phrase at `i` can be the subject of the verb after it, although its clause has a verb already."""
    verb = turn.near(i, 1)
    if kind_before == "prep":  # "y a Marcos le encanta"
        return verb is not None and verb.clitic in turn.lexicon.clitics_third and verb.lemma in EXPERIENCE
    return not (turn.lexicon.romance and kind_before == "verb")


def _is_vocative(turn: TurnState, i: int, kind_before: str) -> bool:
    """Whether a name after a comma is only spoken to: "see you soon, Ana."."""
    following = turn.chunks[i + 1].kind if i + 1 < len(turn.chunks) else ""
    target = turn.clause.target
    return kind_before == "comma" and following in ("", "comma", "stop") and not (target and target.concept == "name")


def _read_preposition(turn: TurnState, i: int, chunk: Chunk) -> None:
    clause, low, previous = turn.clause, chunk.text.casefold(), turn.chunks[i - 1] if i else chunk
    if low == "by" and clause.verb is not None and i and previous.kind == "prep":
        clause.particle = clause.preposition
    clause.preposition = turn.lexicon.contractions.get(low, low)
    before = previous.text.casefold()
    if before in _WHERE and clause.preposition == "de":
        clause.preposition = f"{before} de"
    clause.since |= low in _SINCE


def _read_conjunction(turn: TurnState, i: int, chunk: Chunk) -> None:
    clause = turn.clause
    if chunk.text.casefold() in _BUT and clause.verb is not None and clause.verb.negated and clause.found:
        clause.contrasting = True


def _read_subordinator(turn: TurnState, i: int, chunk: Chunk) -> None:
    if turn.kind_near(i, 1) in ("np", "pron") and turn.clause.verb is not None:
        start_clause(turn)


def _read_condition(turn: TurnState, i: int, chunk: Chunk) -> None:
    end_clause(turn)
    turn.clause = Clause()
    turn.supposes = True  # to the end of the sentence, as what follows depends on the condition


def _read_infinitive(turn: TurnState, i: int, chunk: Chunk) -> None:
    old = turn.clause
    start_clause(turn)
    # the objects that follow belong to a verb that states no fact
    turn.clause.verb = Chunk("verb", chunk.text, tense="hypothetical")
    turn.clause.subject, turn.clause.target = old.subject, old.target
    if old.subjects and all(turn.is_name(label) for label in old.subjects):
        turn.subjects = old.subjects


def _read_negation(turn: TurnState, i: int, chunk: Chunk) -> None:
    if turn.clause.found:
        turn.clause.rejecting = True


def _read_adverb(turn: TurnState, i: int, chunk: Chunk) -> None:
    if chunk.text.casefold() == "anymore":
        turn.clause.found = [replace(r, negated=True) for r in turn.clause.found]


_READERS: dict[ChunkKind, Callable[[TurnState, int, Chunk], None]] = {
    "np": _read_phrase, "pron": read_pronoun, "verb": read_verb, "prep": _read_preposition, "inf": _read_infinitive,
    "and": _read_conjunction, "but": _read_conjunction, "sub": _read_subordinator, "if": _read_condition,
    "date": read_date, "clock": read_clock, "neg": _read_negation, "adv": _read_adverb,
    "stop": lambda turn, *_: start_clause(turn),
}  # fmt: skip

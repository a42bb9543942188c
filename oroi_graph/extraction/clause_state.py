"""The state that all parts of the clause reader share: a turn's results so far, and the clause being read.

It says, too, whom a pronoun or a subject left out refers to, if there is one candidate nearby (coreference).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from oroi_graph.extraction.chunking import Chunk
from oroi_graph.extraction.chunking.chunk import belongs_to_date
from oroi_graph.language.lexicons.by_language import LEXICONS
from oroi_graph.language.lexicons.lexicon import Lexicon
from oroi_graph.language.lexicons.pronouns import is_first_person
from oroi_graph.language.tokens import word_set
from oroi_graph.model import ConceptKind, ExtractedRelation, Utterance

COPULA = word_set("be ser")
HAVING = word_set("have tener ter")
PRESENT = word_set("base s present")  # tenses of what is so now


@dataclass(slots=True)
class Clause:
    """The clause being read: its subjects, verb and object, and the relations found in it so far.

    subjects: labels; subject: the chunk of the last of them. target: the first object. direct: the target came without
    a preposition. fronted: it came before the verb ("la bicicleta se la compré a Ulises"). nameless: an object was
    read that names nothing ("a great way to"). adjective: the one that the next preposition belongs to ("allergic" of
    "is allergic to"). origin: what a change leads away from ("from Bilbao"). particle: the preposition of a passive
    before "by" ("after" of "is looked after by"). when, date: the first date of the clause, as ISO and as a label.
    rejecting: after ", not", where the next object is what is not so. contrasting: after "not Bilbao but"."""

    subjects: list[str] = field(default_factory=list)
    subject: Chunk | None = None
    verb: Chunk | None = None
    preposition: str = ""
    particle: str = ""
    adjective: str = ""
    target: Chunk | None = None
    direct: bool = False
    fronted: bool = False
    nameless: bool = False
    origin: str = ""
    when: str | None = None
    date: str = ""
    since: bool = False
    rejecting: bool = False
    contrasting: bool = False
    found: list[ExtractedRelation] = field(default_factory=list)


@dataclass(slots=True)
class TurnState:
    """A turn as it is read: what it has stated so far, and the sentence and clause being read.

    addressed: the text is an assistant's, so "you" is the user and "I" nobody. previous: reads the turn so many before
    this one, for pronouns that refer to it. subjects: the names that were last the subject of a clause. owned: the
    subjects such as "my sister", latest last. referred: who of a turn before was meant by a pronoun. topics: other
    concepts that clauses stated something about, latest last.
    asks, supposes: the sentence is a question, or depends on a condition or a denied opinion; neither states facts.
    corrects: the sentence announces a correction; switches: it says that one thing takes another's place. recalls: it
    tells of a time long ago ("when I was six")."""

    language: str
    at: datetime | None
    window: Sequence[Utterance]
    speaker: str
    addressed: bool
    previous: Callable[[int], TurnState]
    concepts: dict[str, ConceptKind] = field(default_factory=dict)
    relations: list[ExtractedRelation] = field(default_factory=list)
    subjects: list[str] = field(default_factory=list)
    owned: list[str] = field(default_factory=list)
    referred: list[str] = field(default_factory=list)
    topics: list[str] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    clause: Clause = field(default_factory=Clause)
    asks: bool = False
    supposes: bool = False
    corrects: bool = False
    switches: bool = False
    recalls: bool = False

    def before(self, *, far: bool = True) -> Iterator[TurnState]:
        """The turns that a pronoun may refer to: the last one and, if far, what an assistant replied to with it."""
        if self.window:
            yield self.previous(1)
        if far and len(self.window) > 1 and self.window[-1].role == "assistant":
            yield self.previous(2)

    @property
    def lexicon(self) -> Lexicon:
        """The words of the turn's language."""
        return LEXICONS[self.language]

    @property
    def me(self) -> str:
        """The label of the user as the source of a relation: "I", "yo" or "eu"."""
        return self.lexicon.me

    @property
    def states(self) -> bool:
        """Whether the sentence being read states facts."""
        return not self.asks and not self.supposes

    def is_name(self, label: str) -> bool:
        """Whether a label is known as a name."""
        return self.concepts.get(label) == "name"

    def index(self, chunk: Chunk) -> int:
        """The index of a chunk of the sentence being read."""
        return next(k for k, other in enumerate(self.chunks) if other is chunk)

    def near(self, i: int, step: int) -> Chunk | None:
        """The chunk after `i` (step 1) or before it (step -1), without adverbs, dates and their prepositions."""
        i += step
        while 0 <= i < len(self.chunks):
            if self.chunks[i].kind not in ("adv", "date", "clock") and not belongs_to_date(self.chunks, i):
                return self.chunks[i]
            i += step
        return None

    def kind_near(self, i: int, step: int) -> str:
        """The kind of the chunk that `near` finds; "" if there is none."""
        chunk = self.near(i, step)
        return chunk.kind if chunk else ""

    def add_relation(self, source: str, relation: str, target: str) -> None:
        """Add a relation that holds beside those of the clause, unless the sentence states no facts."""
        if self.states and source and relation and target and source != target:
            found = ExtractedRelation(source, relation, target)
            if found not in self.relations:
                self.relations.append(found)


def resolve_pronoun(turn: TurnState, i: int, chunk: Chunk) -> str | None:
    """The label that the pronoun at chunk `i` refers to; None if that is unknown or nobody's fact."""
    low = chunk.text.casefold()
    if is_first_person(low):
        return None if turn.addressed else turn.me  # what an assistant says of itself is not remembered
    if low in turn.lexicon.you:
        return turn.me if turn.addressed else None
    if low in turn.lexicon.he:
        return last_person(turn, far=True)
    if low == "it":
        verb = turn.near(i, 1)
        return last_thing(turn, far=verb is not None and verb.lemma != "be")
    return None


def last_person(turn: TurnState, *, far: bool = False) -> str | None:
    """Whom "she" or a left-out subject refers to: the last clause's subject, else the only name nearby.

    far: in the turn that an assistant replied to last, too, if the reply names nobody. A subject that is left out is
    not looked for there: "Han abierto una heladería" is said of nobody.
    """
    if len(turn.subjects) == 1:
        return turn.subjects[0]
    names = _others(turn, filter(turn.is_name, turn.concepts))
    if turn.subjects or names:
        return _only(names)
    if turn.owned:
        return turn.owned[-1]
    for back, before in enumerate(turn.before(far=far), 1):
        told_of = _others(turn, before.subjects or (before.referred if far else []))
        if told_of:
            turn.referred = told_of if far and len(told_of) == 1 else []
            return _only(told_of)
        named = _others(turn, filter(before.is_name, before.concepts))
        if back == 1 and named:
            return _only(named)
    return None


def _others(turn: TurnState, people: Iterable[str]) -> list[str]:
    return [label for label in people if not _is_participant(turn, label)]


def _only(people: Sequence[str]) -> str | None:
    return people[0] if len(people) == 1 else None


def last_thing(turn: TurnState, *, far: bool = True) -> str | None:
    """What "it" refers to: the last topic of this turn, or with `far` of those before."""
    if turn.topics or not far:
        return turn.topics[-1] if turn.topics else None
    return next((before.topics[-1] for before in turn.before() if before.topics), None)


def _is_participant(turn: TurnState, name: str) -> bool:
    """Whether a name is a speaker's ("Mel" is Melanie): nobody in a conversation is called "she" in it."""
    speakers = {u.speaker.casefold() for u in turn.window} | {turn.speaker.casefold()}
    return any(s.startswith(name.casefold()) or name.casefold().startswith(s) for s in speakers)


def is_having(verb: Chunk) -> bool:
    """Whether a verb says that its subject has something now: "have", "have got", "tengo"; not "had"."""
    got = verb.lemma == "get" and verb.tense == "perfect"
    return got or (verb.lemma in HAVING and verb.tense in PRESENT)

"""The state that all parts of the clause reader share: a turn's results so far, and the clause being read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from oroi_graph.extraction.chunking import Chunk
from oroi_graph.extraction.chunking.chunk import belongs_to_date
from oroi_graph.language.lexicons.by_language import LEXICONS
from oroi_graph.language.lexicons.lexicon import Lexicon
from oroi_graph.language.tokens import word_set
from oroi_graph.model import ConceptKind, ExtractedRelation, Utterance

COPULA = word_set("be ser")


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

    addressed: the text is an assistant's, so "you" is the user and "I" nobody. previous: reads the turn before this
    one, for pronouns that refer to it. subjects: the names that were last the subject of a clause. owned: the subjects
    such as "my sister", latest last. topics: other concepts that clauses stated something about, latest last.
    asks, supposes: the sentence is a question, or depends on a condition or a denied opinion; neither states facts.
    corrects: the sentence announces a correction; switches: it says that one thing takes another's place."""

    language: str
    at: datetime | None
    window: Sequence[Utterance]
    speaker: str
    addressed: bool
    previous: Callable[[], TurnState | None]
    concepts: dict[str, ConceptKind] = field(default_factory=dict)
    relations: list[ExtractedRelation] = field(default_factory=list)
    subjects: list[str] = field(default_factory=list)
    owned: list[str] = field(default_factory=list)
    topics: list[str] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    clause: Clause = field(default_factory=Clause)
    asks: bool = False
    supposes: bool = False
    corrects: bool = False
    switches: bool = False

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

"""What has been read of a turn so far, and the clause that is being read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from oroi_graph.extraction.phrases import Chunk, is_of_date
from oroi_graph.language.lexicons.by_language import LEXICONS
from oroi_graph.model import ConceptKind, ExtractedRelation, Utterance


@dataclass(slots=True)
class Clause:
    """The clause being read: its subjects, its verb, and the relations found so far."""

    subjects: list[str] = field(default_factory=list)
    subject: Chunk | None = None
    verb: Chunk | None = None
    preposition: str = ""
    fold: str = ""  # "allergic" of "is allergic to"
    found: list[ExtractedRelation] = field(default_factory=list)
    when: str | None = None
    date: str = ""  # the label of `when`
    since: bool = False
    conditional: bool = False
    rejecting: bool = False  # after ", not": what follows is what it is not
    contrasting: bool = False  # after "not Bilbao but"
    left: str = ""  # what a change leads away from: "from Bilbao"
    particle: str = ""  # the preposition that goes with a passive: "after" of "is looked after by"
    target: Chunk | None = None
    blank: bool = False  # an object that names nothing was read: "it is a great way to"
    direct: bool = False  # the target came without a preposition
    fronted: bool = False  # … and before the verb: "la bicicleta se la compré a Ulises"


class Reading(ABC):
    """One turn's concepts and relations as they are collected.

    `addressed`: the text is an assistant's, "you" is the speaker whose turn is being perceived."""

    def __init__(
        self,
        language: str,
        at: datetime | None,
        window: Sequence[Utterance],
        speaker: str,
        *,
        addressed: bool = False,
    ) -> None:
        self.language, self.at, self.window, self.speaker = language, at, window, speaker
        self.addressed = addressed
        self.lexicon = LEXICONS[language]
        self.me = self.lexicon.me
        self.concepts: dict[str, ConceptKind] = {}
        self.relations: list[ExtractedRelation] = []
        self.subjects: list[str] = []  # names, as subjects of clauses so far
        self.things: list[str] = []  # concepts that a clause said something about, latest last
        self.clause = Clause()
        self.asks = self.corrects = self.switches = self.supposes = False
        self.people: list[str] = []  # "my sister": whom "she" may mean when no name was said
        self.chunks: list[Chunk] = []

    @abstractmethod
    def read(self, text: str) -> None:
        """Read a part of the turn."""

    def _near(self, i: int, step: int) -> Chunk | None:
        """The next (or previous) chunk that is no adverb, nor a date with its preposition ("since 1 June")."""
        i += step
        while 0 <= i < len(self.chunks):
            if self.chunks[i].kind not in ("adv", "date", "clock") and not is_of_date(self.chunks, i):
                return self.chunks[i]
            i += step
        return None

    def _kind(self, i: int, step: int) -> str:
        chunk = self._near(i, step)
        return chunk.kind if chunk else ""

    def _say(self, source: str, relation: str, target: str) -> None:
        if not self.asks and not self.supposes and source and relation and target and source != target:
            said = ExtractedRelation(source, relation, target)
            if said not in self.relations:
                self.relations.append(said)

    def _unsay(self, label: str) -> None:
        self.relations = [r for r in self.relations if r.target != label]

"""What the operations for people give: a graph, a concept, recall made visible, notes."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from oroi_graph.interfaces.http.answers import Answer, ExplainedAnswer


class ConceptView(BaseModel):
    """A concept of a graph. activation: pulses; strength: 0..1; turns: of its first and its last mention."""

    id: str
    label: str
    kind: str
    activation: float
    strength: float
    mentions: int
    aliases: list[str]
    first_turn: int
    last_turn: int


class AssociationView(BaseModel):
    """An association of a graph; source, target: ids. current: whether it held at the turn that was asked for."""

    id: str
    source: str
    target: str
    relation: str
    weight: float
    negated: bool
    current: bool
    contested: bool
    implied: bool
    when: str | None
    first_turn: int
    superseded_turn: int | None


class GraphAnswer(Answer):
    """A graph. turn: null for now. turns: of the memory so far. total: concepts at that turn, shown or not."""

    memory: str
    turn: int | None
    turns: int
    total: int
    concepts: list[ConceptView]
    associations: list[AssociationView]


class NamedConcept(BaseModel):
    """A concept that a text may name. exact: by its whole label or an alias."""

    id: str
    label: str
    kind: str
    exact: bool


class ConceptsAnswer(Answer):
    """Concepts that a text may name."""

    memory: str
    concepts: list[NamedConcept]


class WholeConcept(ConceptView):
    """A concept on its page. exposure: activation × turns since the last sleep."""

    exposure: float


class FactView(BaseModel):
    """A fact of a concept with what became of it."""

    id: str
    source_id: str
    source: str
    relation: str
    target_id: str
    target: str
    weight: float
    negated: bool
    current: bool
    contested: bool
    implied: bool
    when: str | None
    stated_at: str | None
    first_turn: int
    last_turn: int
    superseded_turn: int | None
    superseded_by: str | None
    records: list[str]


class RecordView(BaseModel):
    """Words that mention a concept."""

    id: str
    turn: int
    role: str
    speaker: str
    session: str | None
    at: str | None
    text: str


class ConceptAnswer(Answer):
    """All about one concept. said: records that mention it, in all."""

    memory: str
    concept: WholeConcept
    facts: list[FactView]
    said: int
    records: list[RecordView]


class TracedConceptView(BaseModel):
    """A concept that a question activated. arrival: round of the first wave; amounts: pulses after each round."""

    id: str
    label: str
    kind: str
    relevance: float
    arrival: int
    amounts: list[float]


class TracedAssociationView(BaseModel):
    """An association that waves could take."""

    id: str
    source: str
    target: str
    relation: str
    weight: float


class CueView(BaseModel):
    """Where a wave starts."""

    id: str
    span: str
    label: str
    method: str
    weight: float


class TraceView(BaseModel):
    """How activation spread in one memory."""

    memory: str
    rounds: int
    cues: list[CueView]
    concepts: list[TracedConceptView]
    associations: list[TracedAssociationView]


class SpreadAnswer(ExplainedAnswer):
    """The brief of a question, why, and how activation spread for it."""

    traces: list[TraceView]


class DoubtfulPair(BaseModel):
    """Two concepts that may be one. score: by the method; turn: when they were compared."""

    first_id: str
    first: str
    second_id: str
    second: str
    kind: str
    method: str | None
    score: float | None
    turn: int | None


class DoubtfulAnswer(Answer):
    """Pairs that may be one concept."""

    memory: str
    pairs: list[DoubtfulPair]


class NoteFileView(BaseModel):
    """A note's file. modified: seconds since 1970."""

    path: str
    bytes: int
    modified: int


class NotesAnswer(Answer):
    """The files of a workspace. configured: whether the memory has one on this machine."""

    memory: str
    configured: bool
    files: list[NoteFileView]


class NoteAnswer(Answer):
    """Lines of a note."""

    memory: str
    path: str
    start: int
    end: int
    total: int
    text: str


class NotesFoundAnswer(Answer):
    """Notes that answer a query."""

    memory: str
    results: list[dict[str, Any]]
    provider: str
    model: str
    fallback: dict[str, str] | None
    citations: str
    warning: str | None = None

"""What operations give: the members that are always there. Objects may have more of them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """An object that may have further members."""

    model_config = ConfigDict(extra="allow")


class BriefAnswer(Answer):
    """The text for a model, and the ids of what it holds."""

    text: str
    tokens: int
    concept_ids: list[str]
    fact_ids: list[str]
    record_ids: list[str]


class ItemAnswer(Answer):
    """One line of a brief, and the memories that state it."""

    memories: list[str]
    kind: Literal["note", "fact", "record"]
    id: str | None
    text: str


class TurnAnswer(Answer):
    """What became of a turn. turn: its number, null if nothing was to be stored."""

    memory: str
    id: str
    turn: int | None
    repeated: bool
    surprise: float
    concepts: list[dict[str, Any]]
    failure: str | None
    forgotten: dict[str, Any] | None
    refused: dict[str, Any] | None
    redacted: dict[str, int]


class OpenedAnswer(TurnAnswer):
    """The same, with the brief for the model."""

    brief: BriefAnswer


class ClosedAnswer(Answer):
    """A turn that is closed."""

    memory: str
    id: str
    turn: int
    closed: bool


class RecallAnswer(Answer):
    """The brief of a question."""

    question: str
    memories: list[str]
    brief: BriefAnswer
    items: list[ItemAnswer]


class ExplainedAnswer(RecallAnswer):
    """The brief of a question, and why; also why the best of the other records did not enter."""

    cues: list[dict[str, Any]]
    windows: list[dict[str, Any]]
    reasons: list[dict[str, Any]]
    left_out: list[dict[str, Any]]
    silent: list[dict[str, Any]]


class RecordsAnswer(Answer):
    """The ranking behind a brief, each record with its memory."""

    question: str
    memories: list[str]
    records: list[dict[str, Any]]


class FactsAnswer(Answer):
    """The facts of a concept."""

    memory: str
    about: str
    facts: list[dict[str, Any]]


class FactAnswer(Answer):
    """One fact."""

    memory: str
    fact: dict[str, Any]


class DeletedAnswer(Answer):
    """A fact that was deleted."""

    memory: str
    deleted: dict[str, Any]


class ProfileAnswer(Answer):
    """What is known about one thing."""

    memory: str
    about: str
    themes: dict[str, list[dict[str, Any]]]
    said: list[dict[str, Any]]
    brief: BriefAnswer


class TimelineAnswer(Answer):
    """A page of what was said. next: `before` of the next page."""

    memory: str
    episodes: list[dict[str, Any]]
    next: int | None


class EpisodeAnswer(Answer):
    """One turn's words."""

    memory: str
    id: str
    turn: int
    text: str
    verbatim: str


class PlanAnswer(Answer):
    """What forgetting would take along. plan: null if that is nothing."""

    memory: str
    plan: str | None
    reason: str | None
    counts: dict[str, int]
    concepts: list[str]
    facts: list[str]
    episodes: list[str]
    suggestions: list[str]


class ForgottenAnswer(Answer):
    """What was forgotten. remains: how often the memory still says it."""

    memory: str
    counts: dict[str, int]
    remains: int | None


class UndoAnswer(Answer):
    """The turn that was, or would be, taken back."""

    memory: str
    dry_run: bool
    turn: int


class MergesAnswer(Answer):
    """What became one."""

    memory: str
    merges: list[dict[str, Any]]


class MergeAnswer(Answer):
    """One merge."""

    memory: str
    merge: dict[str, Any]


class UnmergedAnswer(Answer):
    """The merges that were undone."""

    memory: str
    undone: list[dict[str, Any]]


class ProgressAnswer(Answer):
    """How far a job has come; total 0: that is not known."""

    done: int
    total: int
    label: str


class JobAnswer(Answer):
    """A job."""

    id: str
    kind: str
    memory: str
    state: Literal["waiting", "running", "done", "failed", "stopped"]
    progress: ProgressAnswer
    result: dict[str, Any] | None
    failure: str | None
    started_at: str


class OverviewAnswer(Answer):
    """Who asks, what that key allows, and how large its own memory is."""

    key: str
    name: str
    memory: str
    memories: list[str]
    rights: list[str]
    stats: dict[str, Any]


class ContractAnswer(Answer):
    """The contract in force."""

    memory: str
    number: int
    schema_hash: str
    document: dict[str, Any]


class EntriesAnswer(Answer):
    """Entries, or summaries of them."""

    memory: str
    level: int
    tokens: int
    items: list[dict[str, Any]]


class OutcomeAnswer(Answer):
    """What came of writing an entry."""

    memory: str
    outcome: str
    entry: dict[str, Any]


class ConflictsAnswer(Answer):
    """Open disputes."""

    memory: str
    conflicts: list[dict[str, Any]]


class HealthAnswer(BaseModel):
    """How the service is."""

    status: Literal["ok", "ready"]
    version: str

"""What a data set is, whatever file it came from: cases (one memory each) and the questions asked of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from oroi_graph.errors import InputError
from oroi_graph.files import read_text
from oroi_graph.transfer.conversation_file import Scripted

# When a question is asked of a case that has no dates: any fixed moment, so that two runs are the same run.
UNDATED = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Question:
    """One question. Of a scenario: what its context must and must not say; else: the turns that are its evidence.

    groups: the names under which it is reported. budget: tokens of a context, None for the options'. answer: what a
    right answer says, where the data set has one.
    """

    id: str
    text: str
    groups: tuple[str, ...]
    budget: int | None = None
    required: tuple[tuple[str, ...], ...] = ()
    forbidden: tuple[tuple[str, ...], ...] = ()
    evidence: tuple[str, ...] = ()  # turn ids, each once
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """One memory's worth: turns in their order, the questions asked when they are over, the language they are in."""

    name: str
    turns: tuple[Scripted, ...]
    questions: tuple[Question, ...]
    language: str | None = None

    @property
    def asked_at(self) -> datetime:
        """When the questions are asked: at the last turn that has a time."""
        times = [scripted.turn.at for scripted in self.turns if scripted.turn.at is not None]
        return times[-1] if times else UNDATED


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Cases, how their answers are scored, and what of the file could not be used.

    depths: k of recall@k and all@k; none where contexts are scored instead. headline: the metric that conditions are
    compared by. overall: the group that the global metrics are over; None: every question. counts: what was read and
    what was left out, for the result's denominators.
    """

    name: str
    cases: tuple[Case, ...]
    headline: str
    depths: tuple[int, ...] = ()
    all_depths: tuple[int, ...] = ()
    overall: str | None = None
    groups: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    setting: Mapping[str, Any] = field(default_factory=dict)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics' names, in the order they are shown."""
        if not self.depths:
            return ("recall_at_context", "evidence", "stale", "marked", "empty")
        return (*(f"recall@{k}" for k in self.depths), *(f"all@{k}" for k in self.all_depths), "quoted")


def read_objects(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of a JSONL file with their places ("scenarios.jsonl line 3"); empty lines are skipped.

    Raises InputError that names the first line that is no JSON object, or for a file without any.
    """
    found = False
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path.name} line {number}"
        try:
            data = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: not valid JSON ({error})") from error
        if not isinstance(data, Mapping):
            raise InputError(f"{where}: expected a JSON object, got {type(data).__name__}")
        found = True
        yield where, data
    if not found:
        raise InputError(f"{path.name} holds no line of JSON")


def text_of(data: Mapping[str, Any], key: str, where: str) -> str:
    """A text that must be there. Raises InputError."""
    value = data.get(key)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where}: {key!r} must be text, got {value!r}"[:300])
    return value

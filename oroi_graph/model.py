"""The values that pass between callers, verbs and providers: frozen, typed, JSON-serialisable.

`Extraction.from_json` is the one place where foreign JSON
(a model's answer, a recorded line, a scenario's gold) becomes one, and `EXTRACTION_SCHEMA` is the schema
that structured-output providers are given.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, TypedDict

from oroi_graph.errors import ExtractionError

ConceptKind = Literal["concept", "name", "value", "self"]
Role = Literal["user", "assistant"]
# "entry" is an entry of a contract, "note" a note of a workspace: nobody said them in a turn.
RecordRole = Literal["user", "assistant", "entry", "note"]
# Of a turn, a contract, a workspace: the label of a record beside `Record`.
RecordKind = Literal["episode", "entry", "note"]

EXTRACTED_KINDS: tuple[str, ...] = ("concept", "name", "value")
SCHEMA_VERSION = 1


def exact_object(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of an object that has these properties and no others."""
    return {"type": "object", "additionalProperties": False, "required": list(properties), "properties": properties}


_TEXT, _FLAG = {"type": "string"}, {"type": "boolean"}
_RELATION_SCHEMA = exact_object(
    source=_TEXT,
    relation=_TEXT,
    target=_TEXT,
    negated=_FLAG,
    replaces={"anyOf": [_FLAG, exact_object(relation=_TEXT, target=_TEXT)]},
    when={"type": ["string", "null"]},
)

EXTRACTION_SCHEMA = exact_object(
    concepts={"type": "array", "items": exact_object(label=_TEXT, kind={**_TEXT, "enum": list(EXTRACTED_KINDS)})},
    relations={"type": "array", "items": _RELATION_SCHEMA},
    uptake={"type": "array", "items": _RELATION_SCHEMA},
    remember=_FLAG,
    forget={"type": ["string", "null"]},
    store=_FLAG,
    charge={"type": "number", "minimum": 0, "maximum": 1},
)


@dataclass(frozen=True, slots=True)
class Value:
    """A frozen value that can be written as JSON."""

    def to_json(self) -> dict[str, object]:
        """A JSON-serialisable object."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ExtractedConcept:
    """A concept as an extractor names it: surface `label`, `kind` one of concept, name, value."""

    label: str
    kind: ConceptKind = "concept"


@dataclass(frozen=True, slots=True)
class Replaced:
    """What a correction names as no longer true; `relation` may be empty ("the same one")."""

    relation: str
    target: str


@dataclass(frozen=True, slots=True)
class ExtractedRelation:
    """source –relation→ target, as said. `when` is an ISO date, month, year or `start/end` interval.

    confidence: the probability that the turn states it, 0..1; 1 where nobody rates it. past: it is told of a time long
    ago ("when I was six"), so it replaces nothing unless `replaces` names what.
    """

    source: str
    relation: str
    target: str
    negated: bool = False
    replaces: bool | Replaced = False
    when: str | None = None
    confidence: float = 1.0
    past: bool = False


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one turn states. `charge` in [0, 1]; `store` False means "keep nothing of this turn"."""

    concepts: tuple[ExtractedConcept, ...] = ()
    relations: tuple[ExtractedRelation, ...] = ()
    uptake: tuple[ExtractedRelation, ...] = ()
    remember: bool = False
    forget: str | None = None
    store: bool = True
    charge: float = 0.0

    @classmethod
    def from_json(cls, data: object) -> Extraction:
        """Read an object of EXTRACTION_SCHEMA. Missing keys take their defaults; wrong ones raise ExtractionError."""
        if not isinstance(data, Mapping):
            raise ExtractionError(f"expected an object, got {type(data).__name__}")
        unknown = sorted(set(data) - set(EXTRACTION_SCHEMA["properties"]) - {"key", "text"})
        if unknown:
            raise ExtractionError(f"unknown key {unknown[0]!r}")
        forget = data.get("forget")
        if forget is not None and not isinstance(forget, str):
            raise ExtractionError("forget must be text or null")
        return cls(
            concepts=tuple(_concept(item) for item in _items(data, "concepts")),
            relations=tuple(_relation(item) for item in _items(data, "relations")),
            uptake=tuple(_relation(item) for item in _items(data, "uptake")),
            remember=_flag(data, "remember", False),
            forget=forget or None,
            store=_flag(data, "store", True),
            charge=_share(data, "charge", 0.0),
        )

    def to_json(self) -> dict[str, object]:
        """The object that `from_json` reads, JSON-serialisable; without what models never say (confidence, past)."""
        data = asdict(self)
        for relation in (*data["relations"], *data["uptake"]):
            if relation["confidence"] == 1:
                del relation["confidence"]
            if not relation["past"]:
                del relation["past"]
        return data


def _items(data: Mapping[str, object], key: str) -> list[Any]:
    items = data.get(key, [])
    if not isinstance(items, list | tuple):
        raise ExtractionError(f"{key} must be a list")
    return list(items)


def _flag(data: Mapping[str, object], key: str, default: bool) -> bool:
    value = data.get(key, default)
    if not isinstance(value, bool):
        raise ExtractionError(f"{key} must be true or false")
    return value


def _share(data: Mapping[str, object], key: str, default: float) -> float:
    value = data.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ExtractionError(f"{key} must be a number from 0 to 1, got {value!r}")
    return float(value)


def _text(data: Mapping[str, object], key: str, what: str) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ExtractionError(f"{what} needs a non-empty {key!r}")
    return _unicode(value.strip())


def _unicode(text: str) -> str:
    try:
        text.encode()  # JSON can escape half of a character pair, which no database stores
    except UnicodeEncodeError as error:
        raise ExtractionError(f"{text!r} is not valid Unicode") from error
    return text


def _concept(item: object) -> ExtractedConcept:
    if not isinstance(item, Mapping):
        raise ExtractionError("a concept must be an object")
    kind = item.get("kind", "concept")
    if kind not in EXTRACTED_KINDS:
        raise ExtractionError(f"concept kind must be one of {', '.join(EXTRACTED_KINDS)}, got {kind!r}")
    return ExtractedConcept(_text(item, "label", "a concept"), kind)


def _relation(item: object) -> ExtractedRelation:
    if not isinstance(item, Mapping):
        raise ExtractionError("a relation must be an object")
    replaces = item.get("replaces", False)
    if isinstance(replaces, Mapping):
        relation = replaces.get("relation", "")
        if not isinstance(relation, str):
            raise ExtractionError("replaces.relation must be text")
        replaces = Replaced(relation.strip(), _text(replaces, "target", "replaces"))
    elif replaces is None:
        replaces = False
    elif not isinstance(replaces, bool):
        raise ExtractionError("replaces must be true, false or {relation, target}")
    when = item.get("when")
    if when is not None and not isinstance(when, str):
        raise ExtractionError("when must be text or null")
    return ExtractedRelation(
        source=_text(item, "source", "a relation"),
        relation=_text(item, "relation", "a relation"),
        target=_text(item, "target", "a relation"),
        negated=_flag(item, "negated", False),
        replaces=replaces,
        when=_unicode(when) if when else None,
        confidence=_share(item, "confidence", 1.0),
        past=_flag(item, "past", False),
    )


@dataclass(frozen=True, slots=True)
class Utterance:
    """One turn as an extractor sees it: the current one, or one of the window before it."""

    text: str
    speaker: str
    role: Role = "user"
    at: datetime | None = None


class TurnDetails(TypedDict, total=False):
    """What may be said of a turn beside its text.

    speaker: by default the only protagonist so far, "User", or "Assistant". role: "user" by default. id: the client's
    own; the same id is the same turn, however often it is sent. at: when it was said, now by default; it resolves
    "yesterday" and dates the records, never the clock of the memory. session: which conversation it belongs to.
    """

    speaker: str | None
    role: Role
    id: str | None
    at: datetime | None
    session: str | None


@dataclass(frozen=True, slots=True)
class TurnInput:
    """One turn as a caller hands it in. `id` is made by the client: the same id is the same turn.

    redacted: what was taken out of its text, as a record keeps it (`redaction.as_list`).
    """

    text: str
    id: str
    speaker: str = "User"
    role: Role = "user"
    at: datetime | None = None
    session: str | None = None
    redacted: tuple[str, ...] = ()

    @property
    def utterance(self) -> Utterance:
        """The turn as extractors see it."""
        return Utterance(self.text, self.speaker, self.role, self.at)


@dataclass(frozen=True, slots=True)
class Match:
    """How one mention found its concept: `method` is exact, alias, value, similar, rescue or new."""

    concept_id: str
    label: str
    kind: ConceptKind
    surface: str
    method: str
    score: float


@dataclass(frozen=True, slots=True)
class Fact(Value):
    """One association with its readable ends and its state. confidence: that it was stated, as read, 0..1."""

    id: str
    source: str
    relation: str
    target: str
    weight: float
    negated: bool
    current: bool
    contested: bool
    when: str | None
    stated_at: str | None
    first_turn: int
    last_turn: int
    records: tuple[str, ...]
    source_id: str = ""
    target_id: str = ""
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class EntryNote(Value):
    """What a citation of a contract's entry tells beside its author, who is the record's speaker."""

    entry_type: str
    field_key: str
    superseded: bool = False
    disputed: bool = False


@dataclass(frozen=True, slots=True)
class NoteSource(Value):
    """Where a note of a workspace is: lines `start` to `end` of the file `path`, from 1, both included."""

    path: str
    start: int
    end: int

    @property
    def citation(self) -> str:
        """As it is cited: "memory/2026-02-10.md#L5-L9"."""
        lines = f"L{self.start}" if self.start == self.end else f"L{self.start}-L{self.end}"
        return f"{self.path}#{lines}"


@dataclass(frozen=True, slots=True)
class RecordHit(Value):
    """One record with its rank score (higher is better) and where the score came from.

    turn: below 0 for an entry of a contract and a note of a workspace, which belong to no turn; `entry` or `note` is
    then what is known of it.
    """

    id: str
    turn_id: str
    turn: int
    role: RecordRole
    speaker: str
    session: str | None
    at: str | None
    text: str
    score: float
    features: Mapping[str, float] = field(default_factory=dict)
    gist: bool = False  # whether `text` is what sleep made of the words, in place of the words
    entry: EntryNote | None = None
    note: NoteSource | None = None
    outdated: bool = False  # whether a later record replaced what it says, as far as the reader of both can tell

    def to_json(self) -> dict[str, object]:
        """A JSON-serialisable object; `entry` and `note` only where the record is one."""
        found = asdict(self).items()
        return {name: value for name, value in found if name not in ("entry", "note") or value is not None}


@dataclass(frozen=True, slots=True)
class Step:
    """One hop of an explained path: from –relation→ to, walked forwards or backwards. association: its id."""

    source: str
    relation: str
    target: str
    forwards: bool
    weight: float
    association: str = field(default="", compare=False)


# What lets an item into a brief, in the order in which `recall/selection` and then windows of time and models decide.
Rule = Literal[
    "sure fact on the way to an answer",
    "mentions what the paths lead to",
    "likely by itself",
    "among the likeliest",
    "asks what the next one answers",
    "of the time asked for",
    "nearest to the time asked for",
    "chosen by a model",
    "was to be remembered",
    "meets every criterion",
]

# What keeps a record out of a brief although the search found it, in the order in which that is decided.
Exclusion = Literal[
    "before the model's eyes already",
    "does not pass the filters",
    "not among the best by the first stage",
    "asks and tells nothing",
    "superseded",
    "not of what was so before",
    "mentions too little of what the paths lead to",
    "mentions another answer, or somebody else said it",
    "below the likelihood line",
    "likelier to mislead than to help",
    "speaks of one of many alike",
    "nothing that was said answers the question",
    "nothing is near to the question",
    "does not meet every criterion",
    "not of the time asked for",
    "of the time asked for, but the likeliest are not",
    "not shown to the model",
    "not chosen by a model",
    "adds nothing to what is quoted",
    "no room in the budget",
    "another memory answers for the time asked for",
    "another memory is much nearer to the question",
]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A record that the search found and the brief does not quote, and the rule that left it out.

    rank: its place in the ranking, from 1; None where it was not ranked, since it may not enter at all.
    """

    record: RecordHit
    rule: Exclusion
    rank: int | None

    def to_json(self) -> dict[str, object]:
        """A JSON-serialisable object."""
        return {"rank": self.rank, "rule": self.rule, "record": self.record.to_json()}


@dataclass(frozen=True, slots=True)
class Reason:
    """Why one item is in the brief: the rule that let it in, the cue, the path it walked, and the numbers."""

    item: str
    rule: Rule
    cue: str
    path: tuple[Step, ...]
    numbers: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class BriefItem(Value):
    """One line of a brief. kind: fact, record, or note (a line about the time asked for, which has no id)."""

    kind: Literal["note", "fact", "record"]
    id: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Brief:
    """The text for the model, and exactly what it holds, so that a caller can say what it injected.

    items: its lines in their order. concept_ids: the ends of its facts, and the cues that led to them.
    """

    text: str
    tokens: int
    concept_ids: tuple[str, ...] = ()
    items: tuple[BriefItem, ...] = ()

    @property
    def fact_ids(self) -> tuple[str, ...]:
        """The facts that it states."""
        return self._ids("fact")

    @property
    def record_ids(self) -> tuple[str, ...]:
        """The records that it quotes."""
        return self._ids("record")

    def to_json(self) -> dict[str, object]:
        """A JSON-serialisable object: its text, its length in tokens, and the ids of what it holds."""
        return {
            "text": self.text,
            "tokens": self.tokens,
            "concept_ids": list(self.concept_ids),
            "fact_ids": list(self.fact_ids),
            "record_ids": list(self.record_ids),
        }

    def _ids(self, kind: str) -> tuple[str, ...]:
        return tuple(item.id for item in self.items if item.kind == kind and item.id is not None)

    def __bool__(self) -> bool:
        return bool(self.text)

    def __str__(self) -> str:
        return self.text


def local_now() -> datetime:
    """This moment with the offset of the local time, so that its day is the day of whoever speaks."""
    return datetime.now(UTC).astimezone()


def canonical_json(value: object) -> str:
    """One byte-exact JSON text for one value: sorted keys, no spaces, UTF-8 kept."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

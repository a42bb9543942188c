"""Conversations in files: turns as JSON lines and LoCoMo's JSON, read into turns to perceive.

A line that cannot be read becomes a problem that names it; the other lines are kept. Files are opened, and told from
those of other programs, by `chats.recognition`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from oroi_graph.errors import ExtractionError, InputError
from oroi_graph.model import Extraction, TurnInput
from oroi_graph.storage.arguments import check_time

MAX_NAME = 200  # characters of an id, a speaker or a session
_LOCOMO_TIME = "%I:%M %p on %d %B, %Y"
_SESSION = re.compile(r"session_(\d+)")
_BETWEEN_TURNS = timedelta(minutes=1)  # LoCoMo dates sessions only; a turn a minute keeps their order
_PHOTO = ("a photo of ", "a photography of ", "a picture of ", "an image of ")


@dataclass(frozen=True, slots=True)
class Scripted:
    """One turn of a file, what it states where the file says so, and where it stands ("line 7")."""

    turn: TurnInput
    extraction: Extraction | None = None
    where: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """One turn that could not be used: where it stands, and why."""

    where: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Conversation:
    """The usable turns of a file in their order, its unusable ones, and the names of the parts it was read from."""

    turns: tuple[Scripted, ...]
    problems: tuple[Problem, ...] = ()
    parts: tuple[str, ...] = ()
    format: str = "turns"  # what the file was recognised as
    passed: tuple[tuple[str, int], ...] = ()  # what was passed over on purpose, and how often: ("system messages", 3)


def read_lines(text: str, name: str, speaker: str = "User") -> Conversation:
    """Turns as JSON lines. A turn without an id gets `name`:line; a time without offset is UTC.

    speaker: of the user's turns that name none.
    """
    reader = TurnReader()
    # Only a newline ends a line: JSON strings may hold the other separators that `splitlines` knows.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            with reader.at(f"line {number}"):
                reader.keep(_turn(json_object(line), f"{name}:{number}", speaker))
    return reader.conversation()


def read_locomo(data: object, parts: Sequence[str] = ()) -> Conversation:
    """LoCoMo conversations, in the file's order. Both people are protagonists; ids are "conv-26:D1:3".

    A photo that somebody shares is known by its caption, which is kept at the end of the turn's text.
    Raises InputError for a part that is not there.
    """
    samples = data if isinstance(data, list) else [data]
    names = [str(sample.get("sample_id", f"conversation-{i}")) for i, sample in enumerate(samples, start=1)]
    for part in parts:
        if part not in names:
            raise InputError(f"no conversation {part!r} in this file: it holds {', '.join(names)}")
    reader = TurnReader()
    for name, sample in zip(names, samples, strict=True):
        if not parts or name in parts:
            reader.parts.append(name)
            _read_sample(reader, name, sample.get("conversation", sample))
    return reader.conversation()


class TurnReader:
    """Collects turns and problems; ids are unique for each role."""

    def __init__(self) -> None:
        self.turns: list[Scripted] = []
        self.problems: list[Problem] = []
        self.parts: list[str] = []
        self._where = ""
        self._ids: dict[tuple[str, str], str] = {}

    @contextmanager
    def at(self, where: str) -> Iterator[None]:
        """Use as `with reader.at("line 7"):`, so that an InputError inside becomes a problem of that place."""
        self._where = where
        try:
            yield
        except (InputError, ExtractionError) as error:
            self.problems.append(Problem(where, str(error)))

    def keep(self, found: tuple[TurnInput, Extraction | None]) -> None:
        """Keep a turn; raises InputError if its id was used before."""
        turn, extraction = found
        if (turn.id, turn.role) in self._ids:
            before = self._ids[turn.id, turn.role]
            raise InputError(f"the id {turn.id!r} was used at {before} already: give each turn an id of its own")
        self._ids[turn.id, turn.role] = self._where
        self.turns.append(Scripted(turn, extraction, self._where))

    def conversation(self) -> Conversation:
        """What was read."""
        return Conversation(tuple(self.turns), tuple(self.problems), tuple(self.parts))


def is_locomo(data: object) -> bool:
    """Whether JSON is one LoCoMo conversation, or a list of them."""
    return _is_sample(data) or (isinstance(data, list) and bool(data) and all(_is_sample(item) for item in data))


def _is_sample(data: object) -> bool:
    if not isinstance(data, Mapping):
        return False
    inner = data.get("conversation", data)
    return isinstance(inner, Mapping) and any(name.startswith("session_") for name in inner)


def json_object(line: str) -> Mapping[str, object]:
    """The object that a line of JSON holds. Raises InputError."""
    try:
        data = json.loads(line)
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise InputError("not valid Unicode (half of a surrogate pair): repair it") from error
    except json.JSONDecodeError as error:
        raise InputError(f"not valid JSON ({error.msg} at column {error.colno})") from error
    except (ValueError, RecursionError) as error:
        raise InputError("not usable JSON (nested too deeply, or a number too long)") from error
    if not isinstance(data, Mapping):
        raise InputError(f"expected a JSON object, got {type(data).__name__}")
    return data


def _turn(data: Mapping[str, object], default_id: str, speaker: str) -> tuple[TurnInput, Extraction | None]:
    role = data.get("role", "user")
    if role not in ("user", "assistant"):
        raise InputError(f"role must be user or assistant, got {role!r}")
    said = data.get("text")
    if not isinstance(said, str):
        raise InputError("the turn has no text" if said is None else "text must be a string")
    extraction = data.get("extraction")
    return (
        TurnInput(
            text=said,
            id=_name(data, "id") or default_id,
            speaker=_name(data, "speaker") or (speaker if role == "user" else "Assistant"),
            role=role,
            at=_time(data.get("at")),
            session=_name(data, "session"),
        ),
        None if extraction is None else Extraction.from_json(extraction),
    )


def _name(data: Mapping[str, object], key: str) -> str | None:
    value = data.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(f"{key} must be text or a number")
    name = str(value).strip()
    if not name or len(name) > MAX_NAME or any(ord(char) < 32 for char in name):
        raise InputError(f"{key} must be 1 to {MAX_NAME} characters without control characters")
    return name


def _time(value: Any) -> datetime | None:
    if value is None:
        return None
    try:
        at = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"at must be an ISO time like 2026-01-03T10:00:00Z, got {value!r}") from error
    return check_time("at", at if at.tzinfo else at.replace(tzinfo=UTC))


def _read_sample(reader: TurnReader, name: str, conversation: Mapping[str, Any]) -> None:
    for session, start, said in _sessions(reader, name, conversation):
        for i, item in enumerate(said):
            label = item.get("dia_id", f"D{session}:{i + 1}") if isinstance(item, Mapping) else f"D{session}:{i + 1}"
            with reader.at(f"{name}:{label}"):
                at = start + i * _BETWEEN_TURNS if start else None
                reader.keep((_locomo_turn(item, f"{name}:{label}", session, at), None))


def _sessions(
    reader: TurnReader, name: str, conversation: Mapping[str, Any]
) -> Iterator[tuple[str, datetime | None, list[Any]]]:
    lists = (key for key, value in conversation.items() if isinstance(value, list))
    for number in sorted(int(match[1]) for key in lists if (match := _SESSION.fullmatch(key))):
        start = None
        with reader.at(f"{name} session {number}"):
            start = _locomo_time(conversation.get(f"session_{number}_date_time"))
        yield str(number), start, conversation[f"session_{number}"]


def _locomo_time(text: Any) -> datetime:
    try:
        return datetime.strptime(text, _LOCOMO_TIME).replace(tzinfo=UTC)
    except (TypeError, ValueError) as error:
        raise InputError(f"no readable time ({text!r}): its turns are kept without one") from error


def _locomo_turn(item: object, turn_id: str, session: str, at: datetime | None) -> TurnInput:
    if not isinstance(item, Mapping) or not isinstance(item.get("text"), str):
        raise InputError("the turn has no text")
    text, caption = item["text"].strip(), item.get("blip_caption")
    if isinstance(caption, str) and caption.strip():
        shown = caption.strip()
        for lead in _PHOTO:
            shown = shown.removeprefix(lead)
        text = f"{text} [shares a photo: {shown}]".lstrip()
    return TurnInput(text, turn_id, _name(item, "speaker") or "User", "user", at, session)

"""Collects the turns of a foreign conversation: ids that repeat with the content, roles, and what is passed over."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from oroi_graph.errors import InputError
from oroi_graph.model import Extraction, Role, TurnInput
from oroi_graph.storage.arguments import check_time
from oroi_graph.transfer.conversation_file import MAX_NAME, Conversation, TurnReader

USER = "User"
ASSISTANT = "Assistant"
ROLES: Mapping[str, Role] = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant",
                             "model": "assistant", "bot": "assistant"}  # fmt: skip
# Control and formatting characters: names may hold none (WhatsApp wraps telephone numbers in them).
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


@dataclass(frozen=True, slots=True)
class Draft:
    """One turn as a reader found it. speaker None: the reader's own user, or "Assistant"."""

    text: str
    id: str
    role: Role = "user"
    speaker: str | None = None
    at: datetime | None = None
    session: str | None = None
    extraction: Extraction | None = None


@dataclass(slots=True)
class Drafts:
    """The turns of one source. speaker: who the user is, where the source does not say it."""

    speaker: str = USER
    reader: TurnReader = field(default_factory=TurnReader)
    passed: Counter[str] = field(default_factory=Counter)
    _seen: dict[tuple[str, str], str] = field(default_factory=dict)

    def keep(self, where: str, draft: Draft) -> None:
        """Keep a turn, or note why it cannot be used. One without words, or met before, is passed over."""
        text = draft.text.strip()
        if not text:
            self.passed["messages without text"] += 1
            return
        if self._seen.get((draft.id, draft.role)) == text:  # a branched conversation repeats what it branched from
            self.passed["messages met before"] += 1
            return
        with self.reader.at(where):
            speaker = named(draft.speaker) or (self.speaker if draft.role == "user" else ASSISTANT)
            self._valid(draft, text, speaker)
            at = check_time("at", draft.at) if draft.at else None
            turn = TurnInput(text, draft.id, speaker, draft.role, at, named(draft.session) or None)
            self.reader.keep((turn, draft.extraction))
            self._seen[draft.id, draft.role] = text

    def broken(self, where: str, reason: str) -> None:
        """Note something that cannot be used."""
        with self.reader.at(where):
            raise InputError(reason)

    def conversation(self, format: str) -> Conversation:
        """What was read."""
        return replace(self.reader.conversation(), format=format, passed=tuple(sorted(self.passed.items())))

    def _valid(self, draft: Draft, text: str, speaker: str) -> None:
        try:
            "\n".join([text, speaker, draft.id, draft.session or ""]).encode()
        except UnicodeEncodeError as error:
            raise InputError("not valid Unicode (half of a surrogate pair): repair it") from error
        if not draft.id or len(draft.id) > MAX_NAME or _INVISIBLE.search(draft.id):
            raise InputError(f"its id must be 1 to {MAX_NAME} visible characters")


class Chain:
    """Ids for messages that have none: each derives from all that was said before it in the same conversation.

    So the same conversation read again, or grown, gives the same ids, whatever its file is called.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix, self._hash = prefix, hashlib.sha256()

    def id(self, *parts: str) -> str:
        """The id of the next message. parts: what tells it apart."""
        self._hash.update("\0".join((*parts, "\n")).encode("utf-8", "surrogatepass"))
        return f"{self._prefix}-{self._hash.hexdigest()[:24]}"


def named(value: object) -> str:
    """A name without invisible characters, at most as long as names may be; "" for what is none."""
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return " ".join(_INVISIBLE.sub("", text).split())[:MAX_NAME].strip()


def moment(value: Any) -> datetime | None:
    """A time from an ISO text (without offset: UTC) or seconds since 1970; None for anything else."""
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value.strip())
            return at if at.tzinfo else at.replace(tzinfo=UTC)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def blocks(content: object) -> tuple[str, int]:
    """The text of a message's content, and how many of its parts are no text (pictures, files, calls of tools)."""
    if isinstance(content, str):
        return content, 0
    texts: list[str] = []
    others = 0
    for part in content if isinstance(content, list) else []:
        text = part if isinstance(part, str) else part.get("text") if isinstance(part, Mapping) else None
        if isinstance(text, str) and (isinstance(part, str) or _kind(part) in TEXT_PARTS):
            texts.append(text)
        else:
            others += 1
    return "\n".join(texts), others


def _kind(part: Mapping[str, Any]) -> str | None:
    found = part.get("type")
    return found if found is None else str(found)


# Kinds of parts whose `text` somebody said or typed.
TEXT_PARTS = frozenset({None, "text", "input_text", "output_text", "audio_transcription"})

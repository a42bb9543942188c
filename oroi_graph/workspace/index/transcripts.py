"""Session transcripts: JSONL files of one agent, one message a line, as texts that can be searched.

Read are lines {"type": "message", "message": {"role": "user" | "assistant", "content": "…" | [{"type": "text", …}]}};
others say nothing. Briefs of this product are left out, so that what was recalled is not remembered again.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from oroi_graph.language.quoting import strip_briefs
from oroi_graph.workspace.layout import Found, Unread, ignored, listed
from oroi_graph.workspace.paths import Place

PREFIX = "sessions"
SUFFIX = ".jsonl"
LONGEST = 1_000_000  # characters of a line that is read
_SPOKEN = {"user": "User", "assistant": "Assistant"}


def scan(folder: Path, unread: Unread = ignored) -> Iterator[Found]:
    """The transcripts right in a folder; links are none. unread: as in `Layout.scan`."""
    for entry in listed(folder, PREFIX, unread):
        if entry.name.endswith(SUFFIX) and entry.name.isprintable() and not entry.name.startswith("."):
            try:
                found = entry.stat(follow_symlinks=False)
            except FileNotFoundError:  # it went away meanwhile
                continue
            except OSError as error:
                unread(f"{PREFIX}/{entry.name}", error.strerror or str(error))
                continue
            if stat.S_ISREG(found.st_mode):
                yield Found(Place(f"{PREFIX}/{entry.name}", folder, (entry.name,)), found.st_size, found.st_mtime_ns)


def rendered(lines: Sequence[str]) -> list[str]:
    """What each line says, in a line; "" for one that is no message. Line numbers stay those of the file."""
    return [_message(line) for line in lines]


def _message(line: str) -> str:
    if not line.startswith("{") or len(line) > LONGEST:
        return ""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    message = found.get("message") if isinstance(found, dict) and found.get("type") == "message" else None
    who = _SPOKEN.get(str(message.get("role"))) if isinstance(message, dict) else None
    if who is None or not isinstance(message, dict):
        return ""
    said = " ".join(strip_briefs(_storable(_text(message.get("content")))).split())
    return f"{who}: {said}" if said else ""


def _storable(text: str) -> str:
    """A text without what JSON can spell and no file or database holds: halves of characters, and NUL."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text")
    return "\n".join(part for part in parts if isinstance(part, str))

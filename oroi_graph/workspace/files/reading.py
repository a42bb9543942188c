"""Reading notes: lines of a file (`memory_get`), and the files that a session begins with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from oroi_graph.errors import InputError
from oroi_graph.model import Value
from oroi_graph.workspace.layout import Layout
from oroi_graph.workspace.paths import CURATED, existing, read_bytes

MOST = 32 * 1024**2  # bytes of a note


@dataclass(frozen=True, slots=True)
class Excerpt(Value):
    """Lines of a note. start, end: the first and the last line, from 1; end is start - 1 if there is none.

    total: lines of the file.
    """

    path: str
    start: int
    end: int
    total: int
    text: str


def text_of(content: bytes) -> str:
    """A note's text: bytes that are no UTF-8, and NUL, become U+FFFD; line numbers stay those of the file."""
    return content.decode("utf-8-sig", errors="replace").replace("\0", "\ufffd")


def lines_of(text: str) -> list[str]:
    """The lines as editors count them, without their ends. The empty rest behind the last end is no line."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def get(layout: Layout, path: str, start: int = 1, count: int | None = None) -> Excerpt:
    """Some lines of a note. start: the first one, from 1; count: how many, None for the rest.

    Raises InputError for everything that is no note of this workspace, and for lines below 1.
    """
    if start < 1 or (count is not None and count < 1):
        raise InputError("lines are counted from 1: give a first line and a number of lines of at least 1")
    place = layout.place(path)
    with existing(place):
        content, _ = read_bytes(place, MOST)
    lines = lines_of(text_of(content))
    taken = lines[start - 1 : None if count is None else start - 1 + count]
    return Excerpt(place.path, start, start + len(taken) - 1, len(lines), "\n".join(taken))


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKind:
    """What a session is. main: not one of a subordinate agent. private: nobody but the owner reads it."""

    main: bool = True
    private: bool = True


def bootstrap(layout: Layout, session: SessionKind, today: date) -> list[Excerpt]:
    """The notes a session begins with: today's and yesterday's log; before them `MEMORY.md`, in private main sessions.

    today: the day where the owner is. Files that do not exist are left out.
    """
    paths = [layout.daily(day).path for day in (today - timedelta(days=1), today)]
    if session.main and session.private:
        paths.insert(0, CURATED)
    found = []
    for path in paths:
        place = layout.place(path)
        try:
            content, _ = read_bytes(place, MOST)
        except (OSError, InputError):
            continue
        lines = lines_of(text_of(content))
        found.append(Excerpt(path, 1, len(lines), len(lines), "\n".join(lines)))
    return found

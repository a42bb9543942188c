"""The history of what the product wrote into a workspace: a line for each change, and the texts before and after it.

It lies in `.oroi/history` beside the notes. A change is noted before it is made, so that none is without history; one
that was noted and never made differs from the file, and a revert says so.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from uuid import uuid4

from filelock import FileLock

from oroi_graph.errors import InputError
from oroi_graph.files import refusing, replace
from oroi_graph.model import Value
from oroi_graph.workspace.paths import names_of

Action = Literal["append", "write", "revert"]


@dataclass(frozen=True, slots=True)
class Change(Value):
    """One change of a file. by: who made it. at: ISO time. reverts: id of the change that was taken back.

    before, after: hashes of the file's content, None for no file. Of an append `after` is that of what was added, at
    `offset` (bytes), and `before` is None.
    """

    id: str
    at: str
    path: str
    action: Action
    by: str
    before: str | None
    after: str | None
    offset: int | None = None
    reverts: str | None = None


class Journal:
    """The history in one folder. state: the workspace's `.oroi`."""

    def __init__(self, state: Path) -> None:
        self._state, self._folder = state, state / "history"
        self._log = self._folder / "log.jsonl"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep all other writers of this workspace out, of whatever process. Raises InputError."""
        with refusing(self._state, "write"):
            if self._state.is_symlink():
                raise OSError(f"{self._state.name} is a link")
            self._folder.mkdir(parents=True, exist_ok=True)
            ignored = self._state / ".gitignore"
            if not ignored.exists():
                replace(ignored, "*\n")
            with FileLock(self._state / "write.lock"):
                yield

    def note(self, change: Change, *texts: bytes) -> None:
        """Keep a change that is about to be made, and texts that it speaks of."""
        for text in texts:
            kept = self._folder / f"{digest(text)}.z"
            if not kept.exists():
                replace(kept, zlib.compress(text), private=True)
        line = json.dumps(change.to_json(), ensure_ascii=False).encode() + b"\n"
        handle = os.open(self._log, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            size = os.fstat(handle).st_size
            if size and os.pread(handle, 1, size - 1) != b"\n":  # a dying process left half a line
                line = b"\n" + line
            os.write(handle, line)
            os.fsync(handle)
        finally:
            os.close(handle)

    def changes(self, path: str | None = None) -> list[Change]:
        """All changes, the oldest first; of one path only. Half a line of a dying process, say, is passed over.

        Raises InputError for a path that no note has.
        """
        if path is not None:
            names_of(path)
        try:
            lines = self._log.read_bytes().splitlines()
        except FileNotFoundError:
            return []
        found = []
        for line in lines:
            try:
                change = Change(**json.loads(line))
            except (ValueError, TypeError, RecursionError):
                continue
            if not _is_sound(change):
                continue
            if path is None or change.path == path:
                found.append(change)
        return found

    def change(self, id: str) -> Change:
        """One change by its id or the beginning of it. Raises InputError."""
        found = [change for change in self.changes() if id and change.id.startswith(id)]
        if len(found) != 1:
            why = "several changes" if found else "no change"
            raise InputError(f"{why} with the id {id!r}: `oroi workspace history` lists them")
        return found[0]

    def text(self, hash_: str) -> bytes:
        """A text that was kept. Raises InputError if it is gone or damaged."""
        path = self._folder / f"{hash_}.z"
        with refusing(path, "read"):
            packed = path.read_bytes()
        try:
            text = zlib.decompress(packed)
        except zlib.error:
            text = b""
        if digest(text) != hash_:
            raise InputError(f"the history is damaged: {path.name} is not what was kept")
        return text


def _is_sound(change: Change) -> bool:
    """Whether the values of a change are of their types: people edit files."""
    texts = (change.id, change.at, change.path, change.action, change.by)
    hashes = (change.before, change.after, change.reverts)
    offset = change.offset
    return (
        all(isinstance(text, str) for text in texts)
        and all(hash_ is None or isinstance(hash_, str) for hash_ in hashes)
        and (offset is None or (isinstance(offset, int) and offset >= 0))
    )


def new_id() -> str:
    """An id for a change."""
    return uuid4().hex[:12]


def digest(text: bytes) -> str:
    """The hash under which a text is kept."""
    return hashlib.sha256(text).hexdigest()

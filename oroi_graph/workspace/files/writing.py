"""Writing notes: appends to daily logs, whole files, reverts. Nothing else in the product changes a note.

Writers of one workspace take turns, whatever process they are in (`Journal.locked`). An append is one write at the end
of the file as the system sees it, so that an editor or script that appends meanwhile loses nothing either; a whole file
takes its place once it is complete. Daily logs only grow.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

from oroi_graph.errors import InputError
from oroi_graph.files import refusing
from oroi_graph.language.normalize import check_text
from oroi_graph.model import Value, local_now
from oroi_graph.redaction import Redaction, Redactor
from oroi_graph.workspace.files.journal import Change, Journal, digest, new_id
from oroi_graph.workspace.files.reading import MOST, lines_of, text_of
from oroi_graph.workspace.layout import Layout, day_of
from oroi_graph.workspace.paths import Place, existing, opened_folder, read_bytes

Clock = Callable[[], datetime]
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_TRIES = 5  # appends to a file that is replaced at the same time


@dataclass(frozen=True, slots=True)
class Written(Value):
    """What was written: lines `start` to `end` of `path`, and the id of the change in the history."""

    path: str
    start: int
    end: int
    change: str


class NoteWriter:
    """Writes the notes of one workspace. by: who writes, for the history. clock: tells the day of an append.

    redact: what must not be written.
    """

    def __init__(
        self, layout: Layout, *, by: str = "agent", clock: Clock = local_now, redact: Redactor | None = None
    ) -> None:
        self._layout, self._by, self._clock, self._redact = layout, by, clock, redact
        self.journal = Journal(layout.state)

    def append(self, text: str, *, at: datetime | None = None) -> Written:
        """Append to the daily log of `at`, or of the day it is when this writer's turn has come. Raises InputError."""
        text = Redaction(self._redact).text(check_text(text, MOST))
        with self.journal.locked():
            place = self._layout.daily((at or self._clock()).date())
            for _ in range(_TRIES):
                written = self._append(place, text)
                if written is not None:
                    return written
        raise InputError(f"{place.path} is replaced by somebody else all the time: nothing more was appended")

    def write(self, path: str, text: str, *, expected: str | None = None) -> Written:
        """Write a whole note. expected: the hash of the content that is to be replaced (`digest`), if that matters.

        Raises InputError for a path that is refused, a file that is not as expected, and a daily log that would lose
        lines.
        """
        text = Redaction(self._redact).text(check_text(text, MOST))
        place = self._layout.place(path)
        content = text.encode() if text.endswith("\n") else f"{text}\n".encode()
        with self.journal.locked():
            before = _content(place)
            if expected is not None and (before is None or digest(before) != expected):
                raise InputError(f"{path} was changed meanwhile: read it again")
            if day_of(path) and before is not None and not content.startswith(before):
                raise InputError(f"{path} is a daily log, which only grows: append to it")
            return self._replace(place, before, content)

    def revert(self, id: str, *, force: bool = False) -> Written:
        """Take one change back. force: even if the file was changed since; what it held is in the history, too.

        Raises InputError for an unknown change, for a file that is no longer as the change left it, and for an append
        that is reverted already.
        """
        change = self.journal.change(id)
        place = self._layout.place(change.path)
        with self.journal.locked():
            now = _content(place)
            if change.action == "append":
                if not force and (by := self._reverted_by(change.id)):
                    raise InputError(
                        f"{change.id} is reverted already, by {by}: --force takes back the same text again"
                    )
                wanted: bytes | None = self._without(change, now)
            elif force or (None if now is None else digest(now)) == change.after:
                wanted = None if change.before is None else self.journal.text(change.before)
            else:
                raise InputError(
                    f"{change.path} was changed after {change.id}: revert the later change first, or --force"
                )
            if wanted is None and day_of(change.path):
                wanted = b""  # the log of a day is never deleted
            return self._replace(place, now, wanted, reverts=change.id)

    def _append(self, place: Place, text: str) -> Written | None:
        """Append once; None if another file took the place of the one that was appended to."""
        with refusing(place.absolute, "write"), opened_folder(place.folder, place.parts[:-1], create=True) as folder:
            before = _content(place) or b""
            block = f"{text.rstrip(chr(10))}\n".encode()
            if before and not before.endswith(b"\n"):
                block = b"\n" + block
            change = self._change(place, "append", None, digest(block), offset=len(before))
            self.journal.note(change, block)
            handle = os.open(place.parts[-1], _APPEND, 0o666, dir_fd=folder)
            try:
                rest = memoryview(block)
                while rest:
                    rest = rest[os.write(handle, rest) :]
                os.fsync(handle)
                reached, mine = os.lseek(handle, 0, os.SEEK_CUR), os.fstat(handle)
            finally:
                os.close(handle)
            with suppress(FileNotFoundError):
                there = os.stat(place.parts[-1], dir_fd=folder, follow_symlinks=False)
                if (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino):
                    end = (_content(place) or b"").count(b"\n", 0, reached)
                    return Written(place.path, end - block.strip(b"\n").count(b"\n"), end, change.id)
        return None

    def _replace(
        self, place: Place, before: bytes | None, content: bytes | None, reverts: str | None = None
    ) -> Written:
        """Put `content` in the place of a file, or remove it; the change is in the history then."""
        after = None if content is None else digest(content)
        action = "revert" if reverts else "write"
        change = self._change(place, action, None if before is None else digest(before), after, reverts=reverts)

        def ready() -> None:  # as late as can be: editors keep to no lock, and what fails before was no change
            if _content(place) != before:
                raise InputError(f"{place.path} was changed meanwhile, so nothing was written: try again")
            self.journal.note(change, *(text for text in (before, content) if text is not None))

        with refusing(place.absolute, "write"), opened_folder(place.folder, place.parts[:-1], create=True) as folder:
            if content is None:
                ready()
                with suppress(FileNotFoundError):
                    os.unlink(place.parts[-1], dir_fd=folder)
                return Written(place.path, 1, 0, change.id)
            _put(folder, place.parts[-1], content, ready)
        return Written(place.path, 1, len(lines_of(text_of(content))), change.id)

    def _without(self, change: Change, now: bytes | None) -> bytes:
        """A file's content without what an append added. Raises InputError if that is no longer where it was."""
        added = self.journal.text(change.after or "")
        content, start = now or b"", change.offset or 0
        if not _stands(added, content, start):  # others have written before it
            starts = (match.start() for match in re.finditer(re.escape(added), content))
            found = [start for start in starts if _stands(added, content, start)]
            start = found[0] if len(found) == 1 else -1
        if start < 0:
            raise InputError(f"{change.path} no longer holds what {change.id} appended, or more than once")
        before, behind = content[:start], content[start + len(added) :]
        # The line before it was ended by what was appended.
        return before + (b"\n" if before and behind and not before.endswith(b"\n") else b"") + behind

    def _reverted_by(self, id: str) -> str | None:
        """The change that reverts another one and is not reverted itself."""
        reverts = {change.reverts: change.id for change in self.journal.changes() if change.reverts}  # the last of each
        by = reverts.get(id)
        return None if by is None or self._reverted_by(by) else by

    def _change(
        self, place: Place, action: str, before: str | None, after: str | None, *, offset: int | None = None,
        reverts: str | None = None,
    ) -> Change:  # fmt: skip
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        return Change(new_id(), at, place.path, action, self._by, before, after, offset, reverts)  # type: ignore[arg-type]


def _stands(added: bytes, content: bytes, start: int) -> bool:
    """Whether what was appended stands at a place, as lines of its own."""
    begins = start == 0 or added.startswith(b"\n") or content[start - 1 : start] == b"\n"
    return begins and content.startswith(added, start)


def _content(place: Place) -> bytes | None:
    """What a file holds; None if there is none. Raises InputError for a link and for what is too large."""
    with existing(place):
        try:
            return read_bytes(place, MOST)[0]
        except FileNotFoundError:
            return None


def _put(folder: int, name: str, content: bytes, ready: Callable[[], None]) -> None:
    """Write a draft beside the file and give it the file's name; the file keeps its permissions.

    ready: called once the draft is whole; the file stays as it is if it raises.
    """
    draft = f".{uuid4().hex}"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666, dir_fd=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            with suppress(FileNotFoundError):
                os.fchmod(file.fileno(), os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode & 0o777)
            os.fsync(file.fileno())
        ready()
        os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft, dir_fd=folder)
        raise
    os.fsync(folder)

"""Watching the notes of a workspace: a change is told once the files have been still for a moment.

The system is asked to watch the folders of notes only, and only as many as it can well hold; with more folders, the
files are looked at from time to time instead. A watcher that dies starts itself again, says so, and tells a change,
since it may have missed one; and it tells one from time to time whatever happens.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oroi_graph.workspace.layout import Layout
from oroi_graph.workspace.paths import CURATED, MEMORY, SUFFIX

if TYPE_CHECKING:
    from watchfiles import Change

FOLDERS = 2_000  # that are watched; a descriptor each
POLL = 1.0  # seconds between two looks at what is not watched by the system
SLOW = 15.0  # seconds between two looks at all files, where folders are too many
SAFETY = 300.0  # seconds after which a change is told even if none was seen, by default
RESTS = (1.0, 2.0, 5.0, 15.0, 60.0)  # seconds before a watcher that died starts again, the last one for all later times
LONGEST = 10  # debounces for which a change may wait while others follow

Seen = dict[Path, tuple[int, int, int]]


@dataclass(frozen=True, kw_only=True)
class Watcher:
    """Watches one workspace. changed: called for changes, in the watcher's thread; it may raise nothing.

    told: remarks for people. debounce: milliseconds of stillness. safety: seconds after which a change is told even if
    none was seen. more: folders beside the layout's.
    """

    layout: Layout
    changed: Callable[[], None]
    told: Callable[[str], None]
    debounce: int = 1500
    safety: float = SAFETY
    more: tuple[Path, ...] = ()

    def run(self, stop: threading.Event) -> None:
        """Watch until `stop` is set."""
        deaths = 0
        while not stop.is_set():
            started = time.monotonic()
            try:
                while self._watch(stop):
                    pass
                return
            except (OSError, RuntimeError) as error:
                if time.monotonic() - started > RESTS[-1]:
                    deaths = 0
                rest = RESTS[min(deaths, len(RESTS) - 1)]
                deaths += 1
                self.told(f"the watcher stopped ({str(error).splitlines()[0][:200]}); it starts again in {rest:g} s")
                if not stop.wait(rest):
                    self.changed()

    def _watch(self, stop: threading.Event) -> bool:
        """Watch the folders that there are; whether there are others now."""
        folders = self._folders()
        count = sum(1 for folder in folders for _ in _below(folder, FOLDERS + 1))
        if count > FOLDERS:
            self.told(
                f"more than {FOLDERS} folders of notes: they are looked at every {SLOW:g} s instead of being watched"
            )
            self._poll(stop)
            return False
        seen, last = self._alone(), time.monotonic()
        for changes in self._batches(tuple(folders), stop):
            now = self._alone()
            if changes or now != seen or time.monotonic() - last > self.safety:
                if now != seen and not changes and stop.wait(self.debounce / 1000):
                    return False
                seen, last = self._alone(), time.monotonic()
                self.changed()
            if self._folders() != folders:
                self.changed()
                return True
        return False

    def _batches(self, folders: tuple[Path, ...], stop: threading.Event) -> Iterator[set[tuple[Change, str]]]:
        """Changes as the system tells them, empty sets from time to time."""
        if not folders:
            while not stop.wait(POLL):
                yield set()
            return
        import watchfiles  # here, because only those who watch need it

        step = max(self.debounce, 1)
        yield from watchfiles.watch(
            *folders, watch_filter=self._counts, debounce=step * LONGEST, step=step, stop_event=stop,
            rust_timeout=int(POLL * 1000), yield_on_timeout=True, raise_interrupt=False,
        )  # fmt: skip

    def _poll(self, stop: threading.Event) -> None:
        before, last = self._all(), time.monotonic()
        while not stop.wait(SLOW):
            now = self._all()
            if now != before or time.monotonic() - last > self.safety:
                before, last = now, time.monotonic()
                self.changed()

    def _folders(self) -> dict[Path, tuple[int, int]]:
        """{folder: device and inode} of those that the system watches; it would go on with one that is moved away."""
        wanted = [self.layout.root / MEMORY, *self.layout.extras.values(), *self.more]
        found = {}
        for path in wanted:
            with suppress(OSError):
                status = path.lstat()
                if stat.S_ISDIR(status.st_mode):
                    found[path] = (status.st_dev, status.st_ino)
        return found

    def _alone(self) -> Seen:
        """The state of files that are in none of these folders."""
        files = [self.layout.root / CURATED, *(path for path in self.layout.extras.values() if path.suffix == SUFFIX)]
        found: Seen = {}
        for path in files:
            try:
                status = path.lstat()
            except OSError:
                continue
            found[path] = (status.st_size, status.st_mtime_ns, status.st_ino)
        return found

    def _all(self) -> dict[str, tuple[int, int]]:
        return {found.place.path: (found.size, found.modified) for found in self.layout.scan()}

    def _counts(self, _: Change, path: str) -> bool:
        """Whether a change can concern a note: drafts and other hidden files do not, nor files of other kinds.

        What is no more may have been a folder, whatever its name.
        """
        name = os.path.basename(path)
        suffix = os.path.splitext(name)[1]
        return not name.startswith(".") and (suffix in (SUFFIX, ".jsonl", "") or not os.path.isfile(path))


def _below(folder: Path, most: int) -> Iterator[str]:
    """A folder and those below it, at most `most`."""
    for count, (path, _, _) in enumerate(os.walk(folder)):
        if count >= most:
            return
        yield path

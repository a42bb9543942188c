"""The sidecar of one workspace: its collections kept up to date, and searched."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from oroi_graph.errors import InputError
from oroi_graph.files import expanded, replace
from oroi_graph.workspace.files.reading import MOST, lines_of, text_of
from oroi_graph.workspace.index import transcripts
from oroi_graph.workspace.layout import Layout
from oroi_graph.workspace.paths import CURATED, MEMORY, SUFFIX, Place, read_bytes
from oroi_graph.workspace.qmd.config import QmdConfig
from oroi_graph.workspace.qmd.exports import export
from oroi_graph.workspace.qmd.process import SidecarError, run
from oroi_graph.workspace.qmd.results import Raw, parse
from oroi_graph.workspace.search.ranking import Hit

PREFIX = "qmd"
SESSIONS = "sessions"  # the collection of exported transcripts
UPDATED, EMBEDDED = "updated", "embedded"  # files whose time says when it was done last
TRIES = 3  # of an update whose index is locked or slow
_REFUSED = re.compile(
    r"(unknown|unrecogni[sz]ed|unsupported|unexpected|invalid)\s+(option|flag|argument)|no such option", re.IGNORECASE
)
_PASSING = re.compile(r"SQLITE_BUSY|database is locked|timed out", re.IGNORECASE)
_EXISTS = re.compile(r"already exists", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Collection:
    """Files that the tool indexes under a name."""

    name: str
    path: Path
    pattern: str


class Sidecar:
    """Runs the tool for one workspace. sessions: the agent's transcripts, None if they are not wanted."""

    def __init__(self, config: QmdConfig, layout: Layout, sessions: Path | None = None) -> None:
        self.config, self._layout, self._sessions = config, layout, sessions
        self._home = layout.state / PREFIX
        self._lock = threading.Lock()
        self.failure: str | None = None  # of the last update or search

    @property
    def exports(self) -> Path:
        """Where transcripts are written as Markdown."""
        given = self.config.export_dir
        return expanded(given) if given else self._home / SESSIONS

    def collections(self) -> list[Collection]:
        """What the tool is to index."""
        found = []
        if self.config.include_default:
            found = [
                Collection("memory-root", self._layout.root, CURATED),
                Collection("memory-dir", self._layout.root / MEMORY, f"**/*{SUFFIX}"),
            ]
        for one in self.config.paths:
            found.append(Collection(one.name, self._layout.collections[one.name], one.pattern))
        if self.config.sessions and self._sessions is not None:
            found.append(Collection(SESSIONS, self.exports, f"**/*{SUFFIX}"))
        return found

    # -- index --------------------------------------------------------------------------------------------------

    def update(self, *, force: bool = False) -> bool:
        """Let the tool index what changed; whether it did. force: even if it did so just now. Raises SidecarError."""
        if not self._lock.acquire(blocking=force):
            return False
        try:
            if not force and self._since(UPDATED) < self.config.debounce:
                return False
            self._home.mkdir(parents=True, exist_ok=True)
            with FileLock(self._home / "update.lock", timeout=self.config.update_timeout):
                self._update()
            self.failure = None
            return True
        except Timeout as error:
            raise self._told(SidecarError("another process updates the index of qmd")) from error
        except OSError as error:
            raise self._told(SidecarError(f"the files for qmd cannot be written: {error.strerror or error}")) from error
        except SidecarError as error:
            raise self._told(error) from error
        finally:
            self._note(UPDATED)
            self._lock.release()

    def _since(self, what: str) -> float:
        """Seconds since something was done, by whatever process."""
        try:
            return time.time() - (self._home / what).stat().st_mtime
        except OSError:
            return float("inf")

    def _note(self, what: str) -> None:
        with suppress(OSError):  # a workspace that is only read: then it is done more often
            (self._home / what).touch()

    def _told(self, error: SidecarError) -> SidecarError:
        self.failure = str(error)
        return error

    def _update(self) -> None:
        if self.config.sessions and self._sessions is not None:
            export(self._sessions, self.exports, self.config.retention_days)
        self._bind()
        for left in range(TRIES - 1, -1, -1):
            try:
                self._run(["update"], self.config.update_timeout)
                break
            except SidecarError as error:
                if not left or not _PASSING.search(f"{error} {error.detail}"):
                    raise
                time.sleep(0.5 * 2 ** (TRIES - 1 - left))
        due = self.config.embed_interval > 0 and self._since(EMBEDDED) > self.config.embed_interval
        if self.config.mode != "search" and due:
            self._run(["embed"], self.config.embed_timeout)
            self._note(EMBEDDED)

    def _bind(self) -> None:
        """Let the tool know the collections, once each; those that changed are made anew."""
        noted = self._home / "collections.json"
        try:
            before = json.loads(noted.read_text("utf-8"))
        except (OSError, ValueError):
            before = {}
        wanted = {one.name: [str(one.path), one.pattern] for one in self.collections()}
        for name in before.keys() - wanted.keys():
            self._drop(name)
        for name, (path, pattern) in wanted.items():
            if before.get(name) == [path, pattern]:
                continue
            arguments = ["collection", "add", path, "--name", name, "--mask", pattern]
            try:
                self._run(arguments, self.config.command_timeout)
            except SidecarError as error:
                if not _EXISTS.search(f"{error} {error.detail}"):
                    raise
                self._drop(name)
                self._run(arguments, self.config.command_timeout)
        if wanted != before:
            replace(noted, json.dumps(wanted), private=True)

    def _drop(self, name: str) -> None:
        try:
            self._run(["collection", "remove", name], self.config.command_timeout)
        except SidecarError:  # it was not there
            return

    def _run(self, arguments: Sequence[str], timeout: float) -> str:
        return run(self.config.command, arguments, self._home, timeout)

    # -- search -------------------------------------------------------------------------------------------------

    def search(self, query: str, most: int, least: float) -> list[Hit]:
        """The best results of all collections. least: the least score. Raises SidecarError."""
        most = min(most, self.config.max_results)
        names = [one.name for one in self.collections() if one.path.exists()]
        if not names:
            return []
        try:
            with ThreadPoolExecutor(len(names)) as pool:  # builds of the tool differ in what several `-c` mean
                found = [one for some in pool.map(lambda name: self._ask(query, name, most), names) for one in some]
        except SidecarError as error:
            raise self._told(error) from error
        self.failure = None
        hits = (self._hit(raw) for raw in sorted(found, key=lambda raw: -raw.score) if raw.score >= least)
        return list(self._within(hit for hit in hits if hit is not None))[:most]

    def _ask(self, query: str, name: str, most: int) -> list[Raw]:
        # A query is no option of the tool.
        asked = [query.lstrip("- \t") or query.strip("- \t") or "?", "--json", "-n", str(most), "-c", name]
        try:
            return parse(self._run([self.config.mode, *asked], self.config.timeout), name)
        except SidecarError as error:
            if self.config.mode == "query" or not _REFUSED.search(error.detail):
                raise
        return parse(self._run(["query", *asked], self.config.timeout), name)

    def _hit(self, raw: Raw) -> Hit | None:
        """A result with the path that `memory_get` takes and the file's own lines; None if there is no such file."""
        collection = next((one for one in self.collections() if one.name == raw.collection), None)
        place = None if collection is None else _place(collection, raw.file)
        if collection is None or place is None:
            return None
        text = raw.snippet.strip("\n")[: self.config.max_snippet]
        start, end = _lines(place, raw, text)
        path = self._cited(collection, place)
        source = transcripts.PREFIX if collection.name == SESSIONS else "memory"
        return Hit(f"{path}#{start}", path, start, end, text, source, 0.0, score=raw.score)

    def _cited(self, collection: Collection, place: Place) -> str:
        below = "/".join(place.parts)
        if collection.name == "memory-root":
            return below
        return f"{MEMORY}/{below}" if collection.name == "memory-dir" else f"{PREFIX}/{collection.name}/{below}"

    def _within(self, hits: Iterable[Hit]) -> Iterator[Hit]:
        """Hits as long as their snippets are within the limit; each file and line once."""
        left, seen = self.config.max_injected, set()
        for hit in hits:
            if hit.id in seen:
                continue
            seen.add(hit.id)
            left -= len(hit.text)
            if left < 0:
                return
            yield hit


def _place(collection: Collection, file: str) -> Place | None:
    """The file that a result names; the tool may have made its name plainer."""
    names = [name for name in file.split("/") if name]
    if not names or any(name in (".", "..") for name in names):
        return None
    alone = collection.path.is_file()
    folder = collection.path.parent if alone else collection.path
    exact = Place(file, folder, tuple(names))
    if exact.absolute.is_file() and not exact.absolute.is_symlink():
        return exact
    plain = _plain(file)
    for path in sorted(folder.glob(collection.path.name if alone else collection.pattern)):
        below = path.relative_to(folder)
        if _plain(str(below)) == plain and path.is_file() and not path.is_symlink():
            return Place(str(below), folder, below.parts)
    return None


def _plain(file: str) -> str:
    """A path as the tool may write it: small letters, one dash for all that is no letter, digit or slash."""
    return "/".join(re.sub(r"[^\w]+", "-", name.casefold()).strip("-") for name in file.split("/"))


def _lines(place: Place, raw: Raw, text: str) -> tuple[int, int]:
    """The lines of a snippet in its file, from 1: where it stands, else as told, else the first ones."""
    shown = [line for line in text.split("\n") if line.strip()]
    try:
        lines = lines_of(text_of(read_bytes(place, MOST)[0]))
    except (OSError, InputError):
        lines = []
    wanted = shown[0].strip() if shown else ""
    near = sorted(
        (number for number, line in enumerate(lines, 1) if wanted and wanted in line), key=lambda n: abs(n - raw.start)
    )
    start = near[0] if near else max(1, min(raw.start or 1, max(len(lines), 1)))
    return start, max(start, min(start + max(text.count("\n"), 0), max(len(lines), start)))

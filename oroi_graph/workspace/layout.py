"""Where the notes of a workspace are: `MEMORY.md`, `memory/**/*.md`, extra paths; links and hidden files are none."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

from oroi_graph.errors import InputError
from oroi_graph.files import expanded, refusing
from oroi_graph.workspace.paths import CURATED, EXTRA, MEMORY, QMD, SUFFIX, Place, names_of, place_of

STATE = ".oroi"  # what the product keeps beside the notes: history, locks, sessions; never a note
_DATED = re.compile(r"memory/(\d{4}-\d{2}-\d{2})\.md")


Unread = Callable[[str, str], object]  # the path of a file, or of a folder as notes in it begin; why it cannot be read


def ignored(path: str, why: str) -> None:
    """Nobody is told."""


@dataclass(frozen=True, slots=True)
class Found:
    """A note's file as a scan met it. size: bytes; modified: nanoseconds since 1970."""

    place: Place
    size: int
    modified: int


@dataclass(frozen=True)
class Layout:
    """The folders of one workspace. root: absolute; extra_paths: absolute, or relative to the root.

    named: (name, path) of folders and files that only a sidecar searches.
    """

    root: Path
    extra_paths: tuple[str, ...] = ()
    named: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, root: Path, extra_paths: tuple[str, ...] = (), named: tuple[tuple[str, str], ...] = ()) -> Layout:
        """The layout of an existing folder. Raises InputError."""
        absolute = expanded(root).absolute()
        with refusing(absolute, "read"):
            there = absolute.is_dir()
        if not there:
            raise InputError(f"the workspace {root} is no folder: create it, or `oroi workspace init` another")
        return cls(absolute, extra_paths, named)

    @cached_property
    def extras(self) -> dict[str, Path]:
        """{name: absolute path}, a name being the last one of the path; a second one of a name gets a number.

        A hidden folder that was named here is none: its name goes without the dot, as hidden files are no notes.
        """
        found: dict[str, Path] = {}
        for given in self.extra_paths:
            path = Path(os.path.abspath(self.root / expanded(given)))
            plain = Path(path.name.lstrip(".") or "root")
            name, number = plain.name, 1
            while name in found:
                number += 1
                name = f"{plain.stem}-{number}{plain.suffix}"
            found[name] = path
        return found

    @cached_property
    def collections(self) -> dict[str, Path]:
        """{name: absolute path} of what only a sidecar searches."""
        return {name: Path(os.path.abspath(self.root / expanded(path))) for name, path in self.named}

    @property
    def state(self) -> Path:
        """The folder of what the product keeps."""
        return self.root / STATE

    def place(self, path: str) -> Place:
        """The file that a caller's path names. Raises InputError."""
        return place_of(path, self.root, {EXTRA: self.extras, QMD: self.collections})

    def daily(self, day: date) -> Place:
        """The daily log of a day."""
        return self.place(f"{MEMORY}/{day.isoformat()}{SUFFIX}")

    def scan(self, unread: Unread = ignored) -> Iterator[Found]:
        """Every note, in the order of paths. unread: told of files and folders that are there and cannot be read."""
        if not os.path.isdir(self.root):  # also where the system does not let us look
            unread("", "the folder of the workspace is not there")
        yield from _files(self.root, (), CURATED, unread, only={CURATED})
        if not os.path.islink(self.root / MEMORY):
            yield from _files(self.root, (MEMORY,), MEMORY, unread)
        for name, path in self.extras.items():
            if os.path.islink(path):
                continue
            if os.path.isdir(path):
                yield from _files(path, (), f"{EXTRA}/{name}", unread)
            else:
                yield from _files(path.parent, (), f"{EXTRA}/{name}", unread, only={path.name})

    def absent(self) -> list[str]:
        """Folders of notes that are not there, as notes in them begin. They may be back soon: a disk, a move."""
        folders = {MEMORY: self.root / MEMORY} | {f"{EXTRA}/{name}": path for name, path in self.extras.items()}
        return [name for name, path in folders.items() if path.suffix != SUFFIX and not os.path.lexists(path)]


def day_of(path: str) -> date | None:
    """The day of a daily log by its name; None for any other file."""
    match = _DATED.fullmatch(path)
    if match is None:
        return None
    try:
        return date.fromisoformat(match[1])
    except ValueError:
        return None


def is_evergreen(path: str) -> bool:
    """Whether a note never fades: `MEMORY.md`, and what is below `memory/` without a date as its name."""
    return path == CURATED or (path.startswith(f"{MEMORY}/") and day_of(path) is None)


def listed(folder: Path, path: str, unread: Unread = ignored) -> list[os.DirEntry[str]]:
    """What is in a folder, by name; nothing where there is none. path: what it is called where it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        unread(path, error.strerror or str(error))
        return []


def _files(
    folder: Path, parts: tuple[str, ...], prefix: str, unread: Unread, only: set[str] | None = None
) -> Iterator[Found]:
    """The Markdown files in a folder and below it. only: names of files right in it; then nothing below is read."""
    for entry in listed(folder.joinpath(*parts), prefix, unread):
        name = entry.name
        if name.startswith(".") or (only is not None and name not in only):
            continue
        path = prefix if only is not None else f"{prefix}/{name}"
        try:
            if entry.is_symlink():
                continue
            if not _plain(name):
                if name.endswith(SUFFIX) or entry.is_dir(follow_symlinks=False):
                    unread(f"{prefix}/{ascii(name)[1:-1]}", "its name cannot be cited: rename it")
                continue
            if only is None and entry.is_dir(follow_symlinks=False):
                yield from _files(folder, (*parts, name), path, unread)
            elif name.endswith(SUFFIX):
                found = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(found.st_mode):
                    yield Found(Place(path, folder, (*parts, name)), found.st_size, found.st_mtime_ns)
        except FileNotFoundError:  # it went away meanwhile
            continue
        except OSError as error:
            unread(path, error.strerror or str(error))


def _plain(name: str) -> bool:
    """Whether a name can be cited; one that is no text or has characters that cannot be seen cannot."""
    try:
        return names_of(name) == [name]
    except InputError:
        return False

"""Paths that callers name, and files opened without leaving the folders of a workspace.

A path is checked as text first: relative, made of plain names, and a Markdown file of the layout. It is then opened one
name after the other, each relative to the folder before and without following links, so that nobody can put a link in
its way between the check and the reading.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from oroi_graph.errors import InputError

SUFFIX = ".md"
CURATED = "MEMORY.md"
MEMORY = "memory"  # the folder of daily logs and other notes
EXTRA = "extra"  # stands for the folders and files outside that the configuration names
QMD = "qmd"  # stands for those that only a sidecar searches
LONGEST = 1_024  # characters of a path

# Control, format, surrogate, private and unassigned characters, and separators that are no space.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_DRIVE = re.compile(r"[A-Za-z]:")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Place:
    """A file of a workspace. path: as results cite it; folder and parts: where it is."""

    path: str
    folder: Path
    parts: tuple[str, ...]

    @property
    def absolute(self) -> Path:
        """The file for messages and for watching; opening goes by `opened`."""
        return self.folder.joinpath(*self.parts)


def place_of(path: str, root: Path, outside: Mapping[str, Mapping[str, Path]]) -> Place:
    """The file that a caller's path names. outside: {first name: {name: folder or file}} of the paths outside.

    Raises InputError for everything that is no Markdown file of the layout, whether it exists or not.
    """
    parts = tuple(names_of(path))
    if parts == (CURATED,) or (parts[0] == MEMORY and len(parts) > 1):
        found = Place("/".join(parts), root, parts)
    elif len(parts) > 1 and parts[1] in outside.get(parts[0], {}):
        target = outside[parts[0]][parts[1]]
        if len(parts) == 2:
            found = Place("/".join(parts), target.parent, (target.name,))
        else:
            found = Place("/".join(parts), target, parts[2:])
    else:
        raise _refused(path, f"only {CURATED}, {MEMORY}/…{SUFFIX} and extra paths of the configuration can be read")
    if not found.parts[-1].endswith(SUFFIX):
        raise _refused(path, f"only Markdown files ({SUFFIX}) can be read")
    return found


def names_of(path: object) -> list[str]:
    """The plain names that a relative path is made of. Raises InputError."""
    if not isinstance(path, str) or not path:
        raise InputError("the path is empty: name a file such as memory/2026-02-10.md")
    if len(path) > LONGEST:
        raise _refused(path, f"it has more than {LONGEST} characters")
    if any(unicodedata.category(char) in _HIDDEN for char in path):
        raise _refused(path, "it has characters that cannot be seen")
    if path[0] in "/\\~" or _DRIVE.match(path) or "\\" in path:
        raise _refused(path, "it must be relative to the workspace, with / between names")
    names = path.split("/")
    for name in names:
        plain = unicodedata.normalize("NFKC", name)
        if not name or plain.strip(". ") == "" or "/" in plain or "\\" in plain:
            raise _refused(path, "it must be made of plain names, without . and ..")
        if plain != name and plain.isascii():  # full-width letters and the like that pose as others
            raise _refused(path, "it has characters that pose as others")
        if plain.startswith("."):
            raise _refused(path, "hidden files are no notes")
        if len(name.encode()) > 255:
            raise _refused(path, "a name in it is too long")
    return names


@contextmanager
def opened_folder(folder: Path, parts: tuple[str, ...], *, create: bool = False) -> Iterator[int]:
    """The descriptor of a folder below `folder`, no link on the way. Raises OSError."""
    with suppress(FileExistsError):
        if create:
            folder.mkdir(parents=True)
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in parts:
            if create:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=handle)
            inner = os.open(name, _FOLDER, dir_fd=handle)
            os.close(handle)
            handle = inner
        yield handle
    finally:
        os.close(handle)


def read_bytes(place: Place, most: int | None = None) -> tuple[bytes, os.stat_result]:
    """A file's content and what the system says of it. most: bytes. Raises OSError, InputError for what is no file."""
    with opened_folder(place.folder, place.parts[:-1]) as folder:
        handle = os.open(place.parts[-1], _FILE, dir_fd=folder)
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise InputError(f"{place.path} is no ordinary file")
        if most is not None and found.st_size > most:
            raise InputError(f"{place.path} has {found.st_size:,} bytes, the most is {most:,}: split it")
        return file.read(), found


@contextmanager
def existing(place: Place) -> Iterator[None]:
    """Raise InputError in place of the OSError that opening a place meets."""
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(f"there is no file {place.path} in this workspace") from error
    except OSError as error:
        linked = error.errno in (errno.ELOOP, errno.ENOTDIR)  # a link; a file or link where a folder should be
        why = "it is a link, or lies behind one" if linked else (error.strerror or str(error))
        raise InputError(f"cannot read {place.path}: {why}") from error


def _refused(path: str, why: str) -> InputError:
    shown = ascii(path if len(path) <= 80 else path[:80] + "…")
    return InputError(f"the path {shown} is refused: {why}")

"""Files that users name: read with errors that name them, and written as a whole or not at all.

A draft beside the file takes its name once it is complete. What is no regular file is never replaced: devices of
characters and pipes are written to, disks, sockets and folders are refused.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, TextIO
from uuid import uuid4

from oroi_graph.errors import InputError


@contextmanager
def replacing(path: Path, *, private: bool = False) -> Iterator[TextIO]:
    """A UTF-8 file to write; it becomes `path` if the block ends well, and is deleted otherwise.

    private: readable by its owner only. A link stays, its target is replaced. Raises OSError.
    """
    if path.exists() and not path.is_file():
        if not (path.is_char_device() or path.is_fifo()):
            raise OSError(errno.EINVAL, f"it is {'a folder' if path.is_dir() else 'a disk or socket'}, not a file")
        with path.open("w", encoding="utf-8", newline="\n") as special:
            yield special
        return
    # Not before: the target of /dev/stdout may be a pipe, which has no path.
    path = path.resolve() if path.is_symlink() else path
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise


def replace(path: Path, content: str | bytes, *, private: bool = False) -> None:
    """Write a whole file, in place of what is there. private: readable by its owner only. Raises OSError."""
    with replacing(path, private=private) as file:
        if isinstance(content, str):
            file.write(content)
        else:
            file.buffer.write(content)


@contextmanager
def refusing(path: Path, verb: Literal["read", "write"]) -> Iterator[None]:
    """Raise InputError in place of an OSError that the block meets, in words for who named `path`."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot {verb} {path}: {error.strerror or error}") from error


def expanded(path: str | Path) -> Path:
    """A path with its `~` as the home folder that it means. Raises InputError if there is no such user."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise InputError(f"{path} cannot be found: there is no such home folder, write the path in full") from error


def read_text(path: Path) -> str:
    """A file's text. Raises InputError for a file that cannot be read or is not UTF-8."""
    with refusing(path, "read"):
        raw = path.read_bytes()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path.name} is not UTF-8 text (line {line}): save it as UTF-8") from error

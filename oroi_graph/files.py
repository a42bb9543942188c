"""Files that are written as a whole or not at all: a draft beside the file takes its name once it is complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO
from uuid import uuid4

from oroi_graph.errors import InputError


@contextmanager
def replacing(path: Path, *, private: bool = False) -> Iterator[TextIO]:
    """A UTF-8 file to write; it becomes `path` if the block ends well, and is deleted otherwise.

    private: readable by its owner only. Raises OSError.
    """
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
def refusing_unwritable(path: Path) -> Iterator[None]:
    """Raise InputError in place of an OSError that the block meets, in words for who named `path`."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error

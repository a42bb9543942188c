"""Transcripts written as Markdown for the sidecar: what was said by users and assistants, nothing else."""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Set
from pathlib import Path

from oroi_graph.errors import InputError
from oroi_graph.files import replace
from oroi_graph.workspace.files.reading import MOST, lines_of, text_of
from oroi_graph.workspace.index import transcripts
from oroi_graph.workspace.layout import Found
from oroi_graph.workspace.paths import SUFFIX, read_bytes

DAY = 86_400  # seconds
EXPORTED = ".exported.json"  # names of the files that were written, as the folder may hold others


def export(sessions: Path, target: Path, retention_days: float | None) -> int:
    """Bring the exports in `target` up to date with transcripts; how many were written.

    A transcript that was not changed for more than `retention_days`, or is no more, loses its export; what else is in
    the folder stays. Where transcripts cannot be read, all exports stay. Raises OSError, also where another file has
    the name of an export.
    """
    target.mkdir(parents=True, exist_ok=True)
    oldest = 0.0 if retention_days is None else time.time() - retention_days * DAY
    unread: dict[str, str] = {}
    wanted = {
        f"{found.place.parts[-1].removesuffix(transcripts.SUFFIX)}{SUFFIX}": found
        for found in transcripts.scan(sessions, unread.__setitem__)
        if found.modified / 1e9 >= oldest
    }
    before = _exported(target)
    for name, found in wanted.items():
        path = target / name
        another = path.is_symlink() or (name not in before and path.exists())  # what a link leads to is no export
        if another and not _is(path, found):
            raise FileExistsError(errno.EEXIST, f"{path} is no export: name another folder as exportDir")
    _note(target, before, before | wanted.keys())  # before they are written, so that none is ever taken for another's
    written = sum(_write(target / name, found) for name, found in wanted.items() if not _is(target / name, found))
    lost = set() if unread or not os.path.isdir(sessions) else before - wanted.keys()
    for name in lost:
        (target / name).unlink(missing_ok=True)
    noted = before | wanted.keys()
    _note(target, noted, {name for name in noted if os.path.lexists(target / name)})
    return written


def _is(path: Path, found: Found) -> bool:
    """Whether a file is the export of a transcript as it stands: it has its time, to the nanosecond."""
    return path.is_file() and not path.is_symlink() and path.stat().st_mtime_ns == found.modified


def _write(path: Path, found: Found) -> bool:
    """Export a transcript; whether it could be read."""
    try:
        lines = lines_of(text_of(read_bytes(found.place, MOST)[0]))
    except (OSError, InputError):
        return False
    said = "\n\n".join(line for line in transcripts.rendered(lines) if line)
    replace(path, f"# Session {path.stem}\n\n{said}\n", private=True)
    os.utime(path, ns=(found.modified, found.modified))
    return True


def _exported(target: Path) -> set[str]:
    """Names of the exports in a folder; none where that was not noted."""
    try:
        names = json.loads((target / EXPORTED).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        names = None
    if not isinstance(names, list):
        return set()
    return {name for name in names if isinstance(name, str) and Path(name).name == name and name.endswith(SUFFIX)}


def _note(target: Path, before: Set[str], now: Set[str]) -> None:
    if now != before:
        replace(target / EXPORTED, json.dumps(sorted(now)), private=True)

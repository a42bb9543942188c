"""Transcripts written as Markdown for the sidecar: what was said by users and assistants, nothing else."""

from __future__ import annotations

import os
import time
from pathlib import Path

from oroi_graph.errors import InputError
from oroi_graph.files import replace
from oroi_graph.workspace.files.reading import MOST, lines_of, text_of
from oroi_graph.workspace.index import transcripts
from oroi_graph.workspace.paths import SUFFIX, read_bytes

DAY = 86_400  # seconds


def export(sessions: Path, target: Path, retention_days: float | None) -> int:
    """Bring the exports in `target` up to date with transcripts; how many were written.

    A transcript that was not changed for more than `retention_days`, or is no more, loses its export. Raises OSError.
    """
    target.mkdir(parents=True, exist_ok=True)
    oldest = 0.0 if retention_days is None else time.time() - retention_days * DAY
    kept, written = set(), 0
    for found in transcripts.scan(sessions):
        name = f"{found.place.parts[-1].removesuffix(transcripts.SUFFIX)}{SUFFIX}"
        if found.modified / 1e9 < oldest:
            continue
        kept.add(name)
        path = target / name
        if path.exists() and path.stat().st_mtime_ns == found.modified:
            continue
        try:
            lines = lines_of(text_of(read_bytes(found.place, MOST)[0]))
        except (OSError, InputError):
            continue
        said = "\n\n".join(line for line in transcripts.rendered(lines) if line)
        replace(path, f"# Session {path.stem}\n\n{said}\n", private=True)
        os.utime(path, ns=(found.modified, found.modified))
        written += 1
    for path in target.glob(f"*{SUFFIX}"):
        if path.name not in kept and not path.is_symlink():
            path.unlink()
    return written

"""Files whose content is pinned by SHA-256, and the check that a folder of them is whole.

A folder is *whole* when each pinned file is there with its pinned content. Hashing hundreds of megabytes
at each command would be slow, so what was verified is noted beside the files with size, modification time and the time
of the last change of any kind, which nobody can set; only what differs from that note is hashed again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from oroi_graph import files

_NOTE = ".verified.json"
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Pin:
    """One file: its path relative to the folder ("/" between parts), SHA-256 in hex, size in bytes."""

    name: str
    sha256: str
    size: int

    def matches(self, path: Path) -> bool:
        """True where `path` is a file with exactly this content."""
        try:
            return path.stat().st_size == self.size and sha256_of(path) == self.sha256
        except FileNotFoundError:
            return False


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def unfit(folder: Path, pins: Collection[Pin], *, thorough: bool = False) -> list[Pin]:
    """The pins whose file is missing or has other content. `thorough` ignores the note and hashes all."""
    note = {} if thorough else _read_note(folder)
    return [pin for pin in pins if not _noted(folder / pin.name, pin, note) and not pin.matches(folder / pin.name)]


def note_whole(folder: Path, pins: Iterable[Pin]) -> None:
    """Note that all these files were just verified."""
    note = {pin.name: [pin.sha256, *_stamp(folder / pin.name)] for pin in pins}
    files.replace(folder / _NOTE, json.dumps(note))


def is_noted_whole(folder: Path, pins: Iterable[Pin]) -> bool:
    """True where the note covers every file as it is now: no file is read but the note."""
    note = _read_note(folder)
    return bool(note) and all(_noted(folder / pin.name, pin, note) for pin in pins)


def _stamp(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _noted(path: Path, pin: Pin, note: dict[str, list[object]]) -> bool:
    try:
        return note.get(pin.name) == [pin.sha256, *_stamp(path)]
    except FileNotFoundError:
        return False


def _read_note(folder: Path) -> dict[str, list[object]]:
    try:
        note = json.loads((folder / _NOTE).read_text(encoding="utf-8"))
    except (OSError, ValueError):  # absent or torn: then everything is hashed
        return {}
    return note if isinstance(note, dict) else {}

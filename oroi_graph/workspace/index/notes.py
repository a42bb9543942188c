"""Notes as they are stored: which chunks a file has, and the properties of each.

A note's id follows from its index, its path and its text, so a chunk that only moved within its file is the same note.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any

from oroi_graph.language.normalize import digest, memory_key
from oroi_graph.redaction import Redactor, as_list, redacted_lines
from oroi_graph.storage.rows import tombstone
from oroi_graph.workspace.files.reading import lines_of, text_of
from oroi_graph.workspace.index import marks, transcripts
from oroi_graph.workspace.index.chunking import chunks
from oroi_graph.workspace.layout import Found, day_of

SPEAKER = "notes"
ROLE = "note"
SEPARATOR = "#"


@dataclass(frozen=True, slots=True)
class Shelf:
    """One index of a memory's notes. name: what searches are filtered by; model, tokens, overlap: it is made with."""

    memory: str
    name: str
    model: str
    tokens: int
    overlap: int


@dataclass(frozen=True, slots=True)
class Note:
    """A chunk of a file. key: path, hash of the text, 0; text_key: of text and model."""

    id: str
    key: str
    text: str
    text_key: str
    properties: Mapping[str, Any]

    @property
    def tombstone(self) -> str:
        """The hash that is kept of it once it is forgotten on request."""
        return tombstone(self.key, ROLE)


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A file that was read. hash: of its bytes. messages: lines of a transcript."""

    found: Found
    hash: str
    notes: tuple[Note, ...]
    messages: int = 0

    @property
    def path(self) -> str:
        """As results cite it."""
        return self.found.place.path


def read_file(found: Found, content: bytes, shelf: Shelf, redact: Redactor | None = None) -> NoteFile:
    """The notes of a file. redact: takes out of its lines what must not be kept; the file stays as it is."""
    path, lines = found.place.path, lines_of(text_of(content))
    session = path.startswith(f"{transcripts.PREFIX}/")
    raw = transcripts.rendered(lines) if session else lines
    texts = redacted_lines(raw, redact)
    said = marks.Marks() if session else marks.of_file(texts)
    made: dict[str, Note] = {}
    for chunk in chunks(texts, shelf.tokens, shelf.overlap):
        hash_ = hashlib.sha256(chunk.text.encode()).hexdigest()[:24]
        if hash_ in made:  # a text that stands in a file more than once is found where it stands first
            continue
        key = SEPARATOR.join((path, hash_, "0"))
        own = marks.of_note(chunk.text, said)
        note = Note(note_id(shelf, key), key, chunk.text, digest(shelf.model, chunk.text), _dated(found) | {
            "source": transcripts.PREFIX if session else "memory",
            "start": chunk.start, "end": chunk.end, "importance": own.importance,
            "triggers": list(own.triggers) or None, "provenance": own.provenance,
            "redacted": _counted(raw[chunk.start - 1 : chunk.end], texts[chunk.start - 1 : chunk.end], redact),
        })  # fmt: skip
        made[hash_] = note
    hashed = hashlib.sha256(content).hexdigest()
    return NoteFile(found, hashed, tuple(made.values()), sum(map(bool, texts)) if session else 0)


def _counted(raw: Sequence[str], texts: Sequence[str], redact: Redactor | None) -> list[str] | None:
    """What was taken out of a note's lines, as a record keeps it."""
    if redact is None or list(raw) == list(texts):
        return None
    return as_list(redact("\n".join(raw)).counts)


def note_id(shelf: Shelf, key: str) -> str:
    """The id of a note in an index."""
    return digest(shelf.memory, shelf.name, key)


def stored(note: Note, path: str, shelf: Shelf, words: str | None) -> dict[str, Any]:
    """All properties of a new note, but for its vector."""
    return {
        **note.properties,
        "id": note.id,
        "memory": shelf.memory,
        "memory_key": memory_key(shelf.memory),
        "shelf": shelf.name,
        "kind": ROLE,
        "role": ROLE,
        "turn_id": note.key,
        "speaker": SPEAKER,
        "path": path,
        "text": note.text,
        "text_key": note.text_key,
        "words": words,
        "associations": [],
    }


def _dated(found: Found) -> dict[str, Any]:
    """Of a daily log noon of its day, so that a question about a time finds it; others are of no time.

    seq: by which the newest notes come first, seconds since 1970.
    """
    modified = found.modified / 1e9
    day = day_of(found.place.path)
    if day is None:
        return {"at": None, "seq": max(int(modified), 1), "modified": modified}
    noon = datetime.combine(day, time(12), UTC)
    return {"at": noon.isoformat(), "seq": max(int(noon.timestamp()), 1), "modified": modified}

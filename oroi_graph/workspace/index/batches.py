"""The notes of files that are read, turned into what has to be written, by the batch."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from oroi_graph.storage.store import Row, written_vector
from oroi_graph.workspace.index.note_store import NoteStore
from oroi_graph.workspace.index.notes import Note, NoteFile, Shelf, stored
from oroi_graph.workspace.index.vectors import BATCH, Known, VectorSource

PAGE = 1_000  # notes deleted in one transaction

_There = Mapping[str, bool]  # {id of a stored note: whether it has a vector}


@dataclass
class Counts:
    """What was done so far. skipped: {path: why}."""

    read: int = 0
    removed: int = 0
    written: int = 0
    deleted: int = 0
    skipped: dict[str, str] = field(default_factory=dict)


class Batches:
    """Collects files and writes their notes. served: whether the index answers; forgotten: tombstones of notes."""

    def __init__(
        self, notes: NoteStore, shelf: Shelf, *, served: bool, vectors: VectorSource, forgotten: frozenset[str]
    ) -> None:
        self.counts = Counts()
        self._notes, self._shelf, self._served = notes, shelf, served
        self._vectors, self._forgotten = vectors, forgotten
        self._held: list[tuple[NoteFile, Row | None]] = []
        self._size = 0

    def add(self, file: NoteFile, known: Row | None) -> None:
        """Take in a file. known: the row of what the index holds of it."""
        self._held.append((file, known))
        self._size += len(file.notes)
        if self._size >= self._vectors.at_once:
            self.flush()

    def remove(self, paths: Sequence[str]) -> None:
        """Take files out."""
        gone = [id for notes in self._stored(paths).values() for id in notes]
        for start in range(0, len(gone), PAGE):
            self._write(gone=gone[start : start + PAGE])
        self._write(lost=list(paths))
        self.counts.removed += len(paths)
        self.counts.deleted += len(gone)

    def flush(self) -> None:
        """Write what is held."""
        changed: list[NoteFile] = []
        same: list[NoteFile] = []
        for file, known in self._held:
            whole = known is not None and not known["bare"] and known["hash"] == file.hash
            (same if whole else changed).append(file)
        self._held, self._size = [], 0
        there = self._stored([file.path for file in changed])
        wanted = {
            note.text_key: note.text
            for file in changed
            for note in self._kept(file)
            if not there.get(file.path, {}).get(note.id, False)
        }
        vectors = self._vectors.of(wanted)
        rows: dict[str, list[Any]] = {name: [] for name in ("new", "kept", "filled", "gone", "files")}
        for file in changed:
            self._changes(file, there.get(file.path, {}), vectors, rows)
        rows["files"] += [{"path": file.path, "properties": _of_file(file)} for file in same]
        self.counts.read += len(changed)
        self.counts.written += len(rows["new"])
        self.counts.deleted += len(rows["gone"])
        while len(rows["new"]) > 2 * BATCH:  # the files are complete with the last piece
            self._write(new=rows["new"][:BATCH])
            rows["new"] = rows["new"][BATCH:]
        if any(rows.values()):
            self._write(**rows)

    def _changes(self, file: NoteFile, there: _There, vectors: Mapping[str, Known], rows: dict[str, list[Any]]) -> None:
        """What makes the stored notes of a file those that it has."""
        notes, bare = self._kept(file), 0
        for note in notes:
            has, own = there.get(note.id), vectors.get(note.text_key)
            bare += not has and own is None
            if has is None:
                properties = stored(note, file.path, self._shelf, own[1] if own else None)
                rows["new"].append({"properties": properties, "vector": written_vector(own[0]) if own else None})
                continue
            rows["kept"].append({"id": note.id, "properties": dict(note.properties)})
            if not has and own is not None:
                rows["filled"].append({"id": note.id, "vector": written_vector(own[0]), "words": own[1]})
        rows["gone"] += there.keys() - {note.id for note in notes}
        rows["files"].append({"path": file.path, "properties": _of_file(file) | {"chunks": len(notes), "bare": bare}})

    def _kept(self, file: NoteFile) -> list[Note]:
        """The notes of a file but for those that somebody asked to forget."""
        return [note for note in file.notes if note.tombstone not in self._forgotten]

    def _stored(self, paths: Sequence[str]) -> dict[str, dict[str, bool]]:
        """The notes of files as they are stored; of one that was not written to its end there may be some, too."""
        if not paths:
            return {}
        held = self._notes
        rows = held.store.rows(
            "workspace/known", memory=held.memory, shelf=self._shelf.name, paths=list(paths), foreign=held.foreign
        )
        return {row["path"]: dict(row["notes"]) for row in rows}

    def _write(self, **changes: Any) -> None:
        self._notes.change(self._shelf.name, self._served, **changes)


def _of_file(file: NoteFile) -> dict[str, Any]:
    return {
        "size": file.found.size, "modified": file.found.modified, "checked": time.time_ns(), "hash": file.hash,
        "messages": file.messages,
    }  # fmt: skip

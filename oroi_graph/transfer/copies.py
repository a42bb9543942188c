"""Whole copies of memories: beside the original under another name, and on disk as backups of all memories.

A backup folder holds one file for each state of a memory, named by the digest of its content, and one list for each
backup that says which memory was in which state:

    FOLDER/2026-03-01T183000Z.json      {"format": "oroi-graph-backup", "version": 1, "memories": [{name, digest, …}]}
    FOLDER/memories/DIGEST.jsonl.gz     an exported memory (`archive`)

A memory that did not change takes no room again. The list is written last: a backup that was interrupted is no backup,
and leaves nothing but files that the next one may use. Digests leave out the memory's name, so that what was restored
under any name can be compared with what was backed up. Notes of workspaces and keys of interfaces are in no archive.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO, cast
from uuid import uuid4

from oroi_graph import files
from oroi_graph.errors import InputError, MemoryNotFoundError, StoreError
from oroi_graph.language.normalize import check_memory_name
from oroi_graph.model import Value, canonical_json
from oroi_graph.options import Progress, silent
from oroi_graph.storage import catalog
from oroi_graph.storage.lease import leased
from oroi_graph.storage.store import Store
from oroi_graph.transfer.archive import Counts, export_memory, import_memory

FORMAT, VERSION = "oroi-graph-backup", 1
_LIST = re.compile(r"\d{4}-\d{2}-\d{2}T\d{6}Z\.json")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_LONGEST_LIST = 64_000_000  # bytes


@dataclass(frozen=True, slots=True)
class Saved(Value):
    """One memory of a backup: the digest of its content, and how many objects it holds."""

    name: str
    digest: str
    objects: int


@dataclass(frozen=True, slots=True)
class Backup(Value):
    """One backup. path: of its list. new: memories that were not in the folder in this state before.

    skipped: memories that were in the middle of an import, a deletion or a re-embedding.
    """

    path: Path
    memories: tuple[Saved, ...]
    new: int = 0
    skipped: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """A JSON-serialisable object."""
        memories = [saved.to_json() for saved in self.memories]
        return {"backup": str(self.path), "memories": memories, "new": self.new, "skipped": list(self.skipped)}


class _Digest:
    """A text file that hashes what it passes on, one line a call; of the header it leaves out the memory's name."""

    def __init__(self, file: TextIO | None = None) -> None:
        self._hash = hashlib.sha256()
        self._file = file
        self._header = True

    def write(self, line: str) -> int:
        """Take one line."""
        self._hash.update((_nameless(line) if self._header else line).encode())
        self._header = False
        return len(line) if self._file is None else self._file.write(line)

    def hexdigest(self) -> str:
        """The digest so far."""
        return self._hash.hexdigest()


def backup(store: Store, folder: Path, progress: Progress = silent) -> Backup:
    """Save every memory of a database in a folder, made if absent; what was saved is read back and compared.

    Each memory is saved as of one moment, its writers waiting meanwhile; different memories as of different moments.
    Raises InputError (unwritable folder), StoreError.
    """
    memories = folder / "memories"
    with files.refusing(folder, "write"):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        memories.mkdir(mode=0o700, exist_ok=True)
    saved, new, skipped = [], 0, []
    for summary in catalog.list_memories(store):
        found = catalog.describe(store, summary.name)
        if found is None:  # deleted meanwhile
            continue
        if found.state is not None:
            skipped.append(found.name)
            continue
        try:
            one, is_new = _save(store, found.name, memories, progress)
        except MemoryNotFoundError:  # deleted after it was looked at
            continue
        saved.append(one)
        new += is_new
    made = Backup(folder / f"{datetime.now(UTC):%Y-%m-%dT%H%M%SZ}.json", tuple(saved), new, tuple(skipped))
    content = {"format": FORMAT, "version": VERSION, "memories": [one.to_json() for one in made.memories]}
    with files.refusing(made.path, "write"):
        files.replace(made.path, canonical_json(content) + "\n", private=True)
    return made


def read_backup(folder: Path, at: str | None = None) -> Backup:
    """The latest backup of a folder, or the latest whose name begins with `at`, every file of it read and compared.

    Raises InputError: none there, a file missing or changed.
    """
    with files.refusing(folder, "read"):
        lists = sorted(path for path in folder.iterdir() if _LIST.fullmatch(path.name))
    chosen = [path for path in lists if path.name.startswith(at or "")]
    if not chosen:
        having = f"it has {', '.join(path.stem for path in lists[-5:])}" if lists else "`oroi backup` makes one"
        raise InputError(f"{folder} has no backup{f' of {at[:40]!r}' if at else ''}: {having}")
    found = _read_list(chosen[-1])
    for saved in dict.fromkeys((one.digest, one.name) for one in found.memories):
        _check(folder, *saved)
    return found


def restore(
    store: Store, folder: Path, at: str | None = None, names: dict[str, str] | None = None, progress: Progress = silent
) -> list[Saved]:
    """Make the memories of a backup anew; those that were made, under their new names.

    names: which memories, each with the name that it is to have; all under their own by default. A memory that is
    there with the same content is left out, so that a restore that was interrupted goes on; one with other content
    is refused before anything is written. What was made is exported again and compared with the backup.
    Raises InputError, StoreError.
    """
    found = read_backup(folder, at)
    by_name = {saved.name: saved for saved in found.memories}
    names = names if names is not None else {name: name for name in by_name}
    for name, new in names.items():
        check_memory_name(new)
        if name not in by_name:
            raise InputError(f"the backup {found.path.name} holds no memory named {name!r}")
    wanted = [Saved(new, by_name[name].digest, by_name[name].objects) for name, new in names.items()]
    missing = [saved for saved in wanted if not _is_there(store, saved)]
    for saved in missing:
        with _reading(folder, saved.digest) as file:
            import_memory(store, file, saved.name, progress)
        if (left := _digest(store, saved.name)) != saved.digest:
            raise StoreError(f"memory {saved.name!r} was restored as {left[:12]}, not as {saved.digest[:12]}: tell us")
    return missing


def copy_memory(store: Store, name: str, new: str, progress: Progress = silent) -> Counts:
    """Make a copy of a memory under another name, its writers waiting while it is read; how much it holds.

    The copy is complete or not there. Notes of workspaces are not copied. Raises InputError for a name that
    is taken, MemoryNotFoundError, StoreError.
    """
    check_memory_name(new)
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n") as file:
        original = _Digest(file)
        export_memory(store, name, cast(TextIO, original), progress)
        file.seek(0)
        counts = import_memory(store, file, new, progress)
    if _digest(store, new) != original.hexdigest():
        catalog.delete(store, new)
        raise StoreError(f"the copy of {name!r} was not equal to it and is deleted again: repeat it")
    return counts


def rename_memory(store: Store, name: str, new: str, progress: Progress = silent) -> Counts:
    """Give a memory another name: it is copied, then deleted unless it was written to meanwhile.

    Interrupted, it leaves the memory under its name, or (once the copy is complete) both. Raises InputError for a name
    that is taken and for a memory with notes, MemoryNotFoundError, BusyError (it sleeps), StoreError.
    """
    before = catalog.existing(store, "transfer/stamp", name)
    if before["notes"]:
        raise InputError(
            f"memory {name!r} has notes of a workspace, which are indexed from its files: make it anew there"
        )
    with leased(store, name):  # no sleep, which notes what it did without a change of the stamp
        counts = copy_memory(store, name, new, progress)
        closed = store.write_rows("transfer/close_unchanged", memory=name, stamp=before["stamp"])
    if not closed:
        catalog.delete(store, new)
        raise StoreError(f"memory {name!r} was written to while it was copied, and keeps its name: repeat it")
    catalog.delete(store, name)
    return counts


# -- files of a backup --------------------------------------------------------------------------------------


def _save(store: Store, name: str, folder: Path, progress: Progress) -> tuple[Saved, bool]:
    """Save a memory; whether it was not there in this state before."""
    draft = folder / f".{uuid4().hex}"
    with files.refusing(folder, "write"):
        try:
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            # No name and no time in the compressed file: the same content gives the same bytes.
            with os.fdopen(handle, "wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
                written = _Packed(packed)
                digest = _Digest(cast(TextIO, written))
                counts = export_memory(store, name, cast(TextIO, digest), progress)
            saved = Saved(name, digest.hexdigest(), counts.total)
            target = _path(folder.parent, saved.digest)
            is_new = not target.exists()
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    _check(folder.parent, saved.digest, name)
    return saved, is_new


class _Packed:
    """Text into a file of bytes."""

    def __init__(self, file: gzip.GzipFile) -> None:
        self._file = file

    def write(self, text: str) -> int:
        """Take some text."""
        return self._file.write(text.encode())


def _path(folder: Path, digest: str) -> Path:
    return folder / "memories" / f"{digest}.jsonl.gz"


@contextmanager
def _reading(folder: Path, digest: str) -> Iterator[TextIO]:
    path = _path(folder, digest)
    with files.refusing(path, "read"):
        try:
            with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
                yield cast(TextIO, file)
        except (EOFError, gzip.BadGzipFile) as error:
            raise InputError(f"{path} is damaged ({error})") from error


def _check(folder: Path, digest: str, name: str) -> None:
    """Raise InputError unless a file's content is what its name says."""
    read = _Digest()
    with _reading(folder, digest) as file:
        try:
            for line in file:
                read.write(line)
        except ValueError as error:  # no UTF-8, or a header that is none
            raise InputError(f"the file of memory {name!r} is damaged ({error})") from error
    if read.hexdigest() != digest:
        raise InputError(f"{_path(folder, digest)}, the file of memory {name!r}, was changed since it was written")


def _read_list(path: Path) -> Backup:
    with files.refusing(path, "read"):
        if path.stat().st_size > _LONGEST_LIST:
            raise InputError(f"{path} is no list of a backup: it is too long")
    try:
        content = json.loads(files.read_text(path))
        if content["format"] != FORMAT or content["version"] != VERSION:
            raise InputError(f"{path} is of another version: upgrade oroi-graph")
        memories = tuple(
            Saved(str(one["name"]), str(one["digest"]), int(one["objects"])) for one in content["memories"]
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{path} is no list of a backup") from error
    if not all(_DIGEST.fullmatch(one.digest) for one in memories):
        raise InputError(f"{path} is no list of a backup: a digest is none")
    return Backup(path, memories)


# -- comparison ---------------------------------------------------------------------------------------------


def _nameless(line: str) -> str:
    """The header without the memory's name."""
    header = json.loads(line)
    if not isinstance(header, dict) or not isinstance(header.get("memory"), dict):
        raise ValueError("its first line is no header")
    own = {key: value for key, value in header["memory"].items() if key != "name"}
    return canonical_json({**header, "memory": own}) + "\n"


def _digest(store: Store, name: str) -> str:
    """The digest of a memory as it is."""
    read = _Digest()
    export_memory(store, name, cast(TextIO, read))
    return read.hexdigest()


def _is_there(store: Store, saved: Saved) -> bool:
    """Whether a memory is there already, as it is to be. Raises InputError if it is there otherwise."""
    found = catalog.describe(store, saved.name)
    if found is None or found.state == "importing":
        return False
    catalog.require_usable(found)
    if _digest(store, saved.name) != saved.digest:
        raise InputError(
            f"there is a memory named {saved.name!r} with other content: restore it under another name "
            f"(--memory {saved.name} --as NAME), or delete it first; nothing was changed"
        )
    return True

"""Export of a memory to a file and import of a file as a new memory: JSON lines that hold everything, exactly.

The first line is the header {"format": "oroi-graph", "version": 4, "memory": {…}, "counts": {…}}; each later line
is one object with one key, in this order:

    concept, absorbed_concept    (:Concept), (:Merged): what a merge made part of another concept
    record                       one that rests has no embedding
    contract, author, entry      of a memory contract: its versions, enrolments, the chain in its order
    receipt, checkpoint          outcomes of writes with an idempotency key; signed checkpoints
    association, mention, coincidence
    merge                        (:Merged)-[:MERGED_INTO]->(:Concept), with what an undo needs
    former_association, former_mention, former_coincidence    the WAS_… of absorbed concepts
    comparison                   COMPARED: pairs that were judged apart, or are in doubt
    sleep, forgetting            what the memory notes about itself: run records, audit lines
    item                         what an adapter keeps for its framework

Vectors are base64 of little-endian float32, dates are {"datetime": ISO 8601}. What is derived from the memory's name
is left out (its key, slots, the ids of items and of records, which are named by [turn id, role]), so two copies of one
memory give files that differ only in the name. Lock, lease, the time of the last turn and the number of changes are
left out, too, as are summaries of entries. Files of version 1, from before memories slept, end with the coincidences,
those of version 2 have no entries, those of version 3 no items; they are read, too. An entry keeps its id, its place
and its hashes, so that the chain of an imported memory verifies.

Neither direction holds more than a page of content; an import also keeps the ids it has met.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from oroi_graph.errors import InputError, MemoryNotFoundError, OroiError
from oroi_graph.files import refusing, replacing
from oroi_graph.language.normalize import check_memory_name, memory_key
from oroi_graph.model import Value
from oroi_graph.options import Progress, silent
from oroi_graph.redaction import Redaction, Redactor, said
from oroi_graph.storage import catalog, migrations
from oroi_graph.storage.store import Row, Store
from oroi_graph.transfer.archive_format import (
    FORMAT,
    OBJECTS,
    PLURALS,
    VERSION,
    encoded,
    line_of,
    plain,
    read_header,
    read_lines,
    refused,
)
from oroi_graph.transfer.archive_rows import Rows
from oroi_graph.transfer.archive_schema import DERIVED, LINES, stored

PAGE = 500  # rows read or written at a time
HEAVY = 4_000_000  # characters of text after which a page is written before it is full

# Properties that hold people's words; hashes and names of turns are none.
_WORDS = ("text", "verbatim", "label", "aliases", "relation", "surface", "reply", "value")

# Stands for the embedding model while an import runs: no graph has this model, so none opens an incomplete memory.
UNFINISHED = "(unfinished import: repeat it, or delete the memory)"


@dataclass(frozen=True, slots=True)
class Counts(Value):
    """How many of each were exported or imported."""

    concepts: int = 0
    absorbed_concepts: int = 0
    records: int = 0
    contracts: int = 0
    authors: int = 0
    entries: int = 0
    receipts: int = 0
    checkpoints: int = 0
    associations: int = 0
    mentions: int = 0
    coincidences: int = 0
    merges: int = 0
    former_associations: int = 0
    former_mentions: int = 0
    former_coincidences: int = 0
    comparisons: int = 0
    sleeps: int = 0
    forgettings: int = 0
    items: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return sum(asdict(self).values())


def export_memory(store: Store, name: str, file: TextIO | Path, progress: Progress = silent) -> Counts:
    """Write the memory `name` to `file`, its writers waiting meanwhile; how much there was of everything.

    A path is written beside and renamed at the end, readable by its owner only: it is never half a memory.
    Raises InputError (bad name, unwritable file), MemoryNotFoundError, StoreError.
    """
    check_memory_name(name)
    if isinstance(file, Path):
        with refusing(file, "write"), replacing(file, private=True) as opened:
            return _export(store, name, opened, progress)
    return _export(store, name, file, progress)


def import_memory(
    store: Store,
    file: TextIO | Path,
    name: str | None = None,
    progress: Progress = silent,
    *,
    redact: Redactor | None = None,
) -> Counts:
    """Make a new memory of an exported file, under the file's name for it or another; how much it holds.

    Nobody can open the memory before all of it is there. What goes wrong on the way deletes it again; an import
    that was killed is taken over when it is repeated, or deleted like any memory. Raises InputError that names
    the line (not ours, damaged, cut short), for a name that is taken and for vectors of another dimension than
    the database's, SchemaError where the database has no schema, StoreError. redact: a file that holds what it would
    take out is refused, as ids, hashes and vectors follow from the words.
    """
    if isinstance(file, Path):
        with refusing(file, "read"), file.open(encoding="utf-8") as opened:
            return _import(store, opened, name, progress, redact)
    return _import(store, file, name, progress, redact)


def _export(store: Store, name: str, file: TextIO, progress: Progress) -> Counts:
    with store.holding("transfer/export_hold", memory=name, by="export"):
        found = store.rows("transfer/export_memory", memory=name)
        if not found or "importing" in found[0]["properties"]:
            raise MemoryNotFoundError(name)
        row = found[0]
        if row["properties"].keys() & {"deleting", "reembedding"}:
            raise store.read(lambda tx: catalog.refusal(tx, name))
        counts = Counts(**{name: row[name] for name in PLURALS.values()})
        own = {key: plain(value) for key, value in row["properties"].items() if key not in DERIVED}
        own["last_reply"] = row["last_reply"]
        file.write(line_of(format=FORMAT, version=VERSION, memory=own, counts=counts.to_json()))
        done = 0
        for kind in OBJECTS:
            for row in _pages(store, kind, memory=name, dimensions=own["dimensions"]):
                file.write(line_of(**{kind: _exported(kind, row)}))
                done += 1
                progress(done, counts.total, f"exporting {PLURALS[kind].replace('_', ' ')}")
    return counts


def _pages(store: Store, kind: str, **parameters: object) -> Iterator[Row]:
    after: Sequence[object] = LINES[kind].start
    while True:
        rows = store.rows(f"transfer/export_{PLURALS[kind]}", **parameters, after=after, page=PAGE)
        yield from rows
        if len(rows) < PAGE:
            return
        after = rows[-1]["key"]


def _exported(kind: str, row: Row) -> Row:
    """One row of an export statement as the file has it."""
    properties = {key: plain(value) for key, value in row["properties"].items() if key not in DERIVED}
    if kind in ("record", "item"):
        del properties["id"]
    shown: Row = {key: row[key] for key in ("source", "target", "concept", "record") if key in row}
    if row.get("contradicts"):
        shown["contradicts"] = row["contradicts"]
    for key in ("records", "host_records"):
        if row.get(key) is not None:
            shown[key] = [record for record in row[key] if record is not None]
    if row.get("embedding") is not None:
        shown["embedding"] = encoded(row["embedding"])
    return {**properties, **shown}


def _import(store: Store, file: TextIO, name: str | None, progress: Progress, redact: Redactor | None) -> Counts:
    lines = read_lines(file)
    header = read_header(next(lines, (1, {})))
    given = header["memory"]
    name = check_memory_name(given.get("name") if name is None else name)
    _check_dimensions(store, given)
    incoming = _Incoming(store, name, given, redact)
    incoming.begin()
    try:
        counts = incoming.fill(lines, Counts(**header["counts"]), progress)
        incoming.finish()
    except BaseException:
        incoming.abandon()
        raise
    return counts


class _Incoming:
    """One import under way: what it has read, the batch it collects, the token that says it is this one."""

    def __init__(self, store: Store, name: str, given: Mapping[str, Any], redact: Redactor | None) -> None:
        self.store, self.name, self.given, self.redact = store, name, given, redact
        self.token = uuid.uuid4().hex
        self.rows = Rows(name, given["dimensions"])
        self.batch: list[Row] = []
        self.weight = 0  # characters and list items of the batch
        self.kind = OBJECTS[0]

    def begin(self) -> None:
        """Reserve the name, and clear away what an import that was killed has left under it."""
        row = self.store.write_one("transfer/import_begin", memory=self.name, token=self.token, unfinished=UNFINISHED)
        if not row["ours"]:
            raise InputError(f"there is a memory named {self.name!r} already: give another name, or delete it first")
        catalog.clear(self.store, self.name)

    def fill(self, lines: Iterator[tuple[int, Row]], expected: Counts, progress: Progress) -> Counts:
        """Check and write line after line."""
        for number, (at, line) in enumerate(lines, 1):
            try:
                kind, row = self.rows.read(line)
                self._check_redacted(row["properties"])
            except (InputError, KeyError, TypeError, ValueError) as error:
                raise refused(at, error) from error
            if kind != self.kind or len(self.batch) == PAGE or self.weight > HEAVY:
                self._write()
                self.kind = kind
            self.batch.append(row)
            self.weight += sum(len(value) for value in row["properties"].values() if isinstance(value, str | list))
            progress(number, expected.total, f"importing {PLURALS[kind].replace('_', ' ')}")
        self._write()
        counts = Counts(**{name: len(self.rows.met[kind]) for kind, name in PLURALS.items()})
        if counts != expected:
            raise InputError(
                f"the file holds {counts.total} objects where its header says {expected.total}: it was cut short "
                "or changed; nothing was imported"
            )
        return counts

    def _check_redacted(self, properties: Row) -> None:
        redaction = Redaction(self.redact)
        redaction.value([properties.get(name) for name in _WORDS])
        if redaction.counts:
            raise InputError(
                f"it holds what is redacted here ({said(redaction.counts)}): import the conversation instead "
                "(`oroi import`), or import the file with OROI_REDACT=off"
            )

    def finish(self) -> None:
        """Let everybody see it."""
        own = {key: stored(value) for key, value in self.given.items()}
        reply = self.given.get("last_reply")
        own["name"] = self.name
        own["last_reply"] = None if reply is None else self.rows.known_record(reply)
        self._send("import_finish", properties=own)

    def abandon(self) -> None:
        """Delete what was written, unless another import has taken over; a lost database keeps the rest for later."""
        with contextlib.suppress(OroiError):
            if self.store.one("transfer/import_owned", memory=self.name, token=self.token)["ours"]:
                catalog.delete(self.store, self.name)

    def _write(self) -> None:
        if self.batch:
            self._send(f"import_{PLURALS[self.kind]}", rows=self.batch)
            self.batch, self.weight = [], 0

    def _send(self, statement: str, **parameters: Any) -> None:
        rows = self.store.write_rows(
            f"transfer/{statement}", **parameters, memory=self.name, memory_key=memory_key(self.name), token=self.token
        )
        expected = len(parameters["rows"]) if "rows" in parameters else None
        if not rows or rows[0].get("written") != expected:
            raise InputError(f"memory {self.name!r} was deleted, or imported again, while this import ran")


def _check_dimensions(store: Store, given: Mapping[str, Any]) -> None:
    found = migrations.status(store).dimensions
    if found is None:
        raise InputError("the database has no schema yet: run `oroi migrate`")
    if found != given["dimensions"]:
        raise InputError(
            f"the file's embeddings ({given['embedding_model']}) have dimension {given['dimensions']}, this "
            f"database's vector indexes {found}: import it into a database made with that model"
        )

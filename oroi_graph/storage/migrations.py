"""Migrations: versioned, checksummed scripts under cypher/migrations, applied in order, once.

A script is immutable once released: its checksum is stored with it, and a changed one is refused. Several
processes may migrate at once: one holds the schema's node while the others wait, then find nothing to do.
Every statement is idempotent (IF NOT EXISTS), so a run that was killed is simply run again.
"""

from __future__ import annotations

import hashlib
import os
import re
import socket
from dataclasses import dataclass

from oroi_graph.errors import SchemaError
from oroi_graph.storage import statements
from oroi_graph.storage.store import Store

_FILE = re.compile(r"V(\d{4})__([a-z0-9_]+)")
_GUARDS = (
    "CREATE CONSTRAINT schema_name IF NOT EXISTS FOR (s:Schema) REQUIRE s.name IS UNIQUE",
    "CREATE CONSTRAINT migration_version IF NOT EXISTS FOR (m:Migration) REQUIRE m.version IS UNIQUE",
)


@dataclass(frozen=True, slots=True)
class Migration:
    """One script: its number, its readable name, its statements (dimension still a placeholder), its checksum."""

    version: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the script as shipped."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def statements(self, dimensions: int) -> list[str]:
        """The script's statements, comments dropped, with the embedding dimension filled in."""
        lines = [line for line in self.text.splitlines() if not line.lstrip().startswith("//")]
        filled = "\n".join(lines).replace("{{dimensions}}", str(int(dimensions)))
        return [part.strip() for part in filled.split(";\n") if part.strip(" \n;")]


@dataclass(frozen=True, slots=True)
class SchemaStatus:
    """What is applied, what is pending, and the pinned embedding dimension (None before the first run)."""

    applied: tuple[str, ...]
    pending: tuple[str, ...]
    dimensions: int | None


def shipped() -> list[Migration]:
    """The migrations of this package, in order."""
    found = []
    for path in sorted((statements.folder() / "migrations").glob("V*.cypher")):
        match = _FILE.fullmatch(path.stem)
        if match is None:
            raise SchemaError(f"migration file {path.name} is not named V0001__what_it_does.cypher")
        # Newlines are normalised so that a checkout's line endings cannot change a checksum.
        text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
        found.append(Migration(int(match[1]), match[2], text))
    return found


def status(store: Store) -> SchemaStatus:
    """Compare the database with this package; raises SchemaError when they cannot work together."""
    row = store.one("storage/read_schema")
    ours = {migration.version: migration for migration in shipped()}
    for applied in row["applied"]:
        version, name = applied["version"], applied["name"]
        if version not in ours:
            raise SchemaError(
                f"the database is newer than this package (it has migration V{version:04d} {name}): upgrade oroi-graph"
            )
        if applied["checksum"] != ours[version].checksum:
            raise SchemaError(
                f"migration V{version:04d} {name} was changed after it was applied to this database: "
                "restore the released script (reinstall oroi-graph)"
            )
    done = {applied["version"] for applied in row["applied"]}
    return SchemaStatus(
        applied=tuple(_title(ours[version]) for version in sorted(done)),
        pending=tuple(_title(item) for version, item in sorted(ours.items()) if version not in done),
        dimensions=row["dimensions"],
    )


def migrate(store: Store, dimensions: int, dry_run: bool = False) -> SchemaStatus:
    """Apply what is pending; the status afterwards (before, if `dry_run`). Safe to call from many processes."""
    before = status(store)
    check_dimensions(before, dimensions)
    if dry_run or not before.pending:
        return before
    for guard in _GUARDS:
        store.schema(guard)
    with store.holding("storage/hold_schema", by=f"{socket.gethostname()}:{os.getpid()}"):
        now = status(store)
        check_dimensions(now, dimensions)
        for migration in shipped():
            if _title(migration) in now.pending:
                _apply(store, migration, dimensions)
    return status(store)


def check_dimensions(found: SchemaStatus, dimensions: int) -> None:
    """Raise SchemaError when the database's vector indexes are of another dimension than the embedder's."""
    if found.dimensions not in (None, dimensions):
        raise SchemaError(
            f"this database's vector indexes have dimension {found.dimensions}, the embedder has {dimensions}: "
            "use the embedder the database was made with, or another database"
        )


def require(found: SchemaStatus, dimensions: int) -> None:
    """Raise SchemaError unless everything is applied for an embedder of `dimensions`. found: of `status`."""
    check_dimensions(found, dimensions)
    if found.pending:
        raise SchemaError(f"{len(found.pending)} migration(s) pending ({found.pending[0]} …): run `oroi migrate`")


def _apply(store: Store, migration: Migration, dimensions: int) -> None:
    for statement in migration.statements(dimensions):
        store.schema(statement)
    _await_indexes(store)
    # In a transaction of its own: the schema's node is held by ours, so its pinned dimension is written there.
    store.schema(
        "MERGE (m:Migration {version: $version}) ON CREATE SET m.name = $name, m.checksum = $checksum, "
        "m.applied_at = datetime(), m.dimensions = $dimensions",
        version=migration.version,
        name=migration.name,
        checksum=migration.checksum,
        dimensions=dimensions,
    )


def _await_indexes(store: Store) -> None:
    store.schema("CALL db.awaitIndexes(300)")
    failed = store.schema("SHOW INDEXES YIELD name, state WHERE state <> 'ONLINE' RETURN collect(name) AS names")
    if failed[0]["names"]:
        name = failed[0]["names"][0]
        raise SchemaError(f"index {name} could not be built: see the server's log, then run `oroi migrate`")


def _title(migration: Migration) -> str:
    return f"V{migration.version:04d} {migration.name.replace('_', ' ')}"

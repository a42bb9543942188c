"""The commands setup, server and migrate: files, database and schema that memories need."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oroi_graph.cli.output import emit, emit_either, emit_json, pairs, remark
from oroi_graph.cli.session import COUNT, PATH, Session, fetching, session_command
from oroi_graph.errors import StoreError
from oroi_graph.settings import LOCAL_EMBEDDERS, Settings

if TYPE_CHECKING:
    from oroi_graph.server.managed import ManagedServer


@click.command()
@session_command
def setup(session: Session, as_json: bool) -> None:
    """Fetch server and embedding model.

    As far as the settings need them. All files are checked by their checksums, those that are here already, too. An
    interrupted download goes on when it is repeated.

    \b
    Example:
      oroi setup
    """
    settings = session.settings
    found: dict[str, str | None] = {"server": None, "model": None}
    with fetching() as progress:
        if settings.uri is None:
            found["server"] = str(_server(session).prepare(progress))
        if settings.embedder in LOCAL_EMBEDDERS:
            from oroi_graph.connection import open_local_model
            from oroi_graph.providers.minilm import MiniLM, renew_graph

            model = open_local_model(settings, progress, thorough=True)
            if isinstance(model, MiniLM):
                renew_graph(model.folder)
            model.embed(["ready"])  # may build the model's graph, once
            found["model"] = str(model.folder)
    unneeded = {"server": f"not needed: {settings.uri} is used", "model": "not needed: a service embeds"}
    emit_either(as_json, found, pairs({name: path or unneeded[name] for name, path in found.items()}))


@click.group()
def server() -> None:
    """Run the local Neo4j.

    It is managed by oroi itself and started on demand; OROI_NEO4J_URI uses another one.

    \b
    Example:
      oroi server start
    """


@server.command()
@session_command
def start(session: Session, as_json: bool) -> None:
    """Start the local Neo4j (fetched first where it is missing) and wait until it answers.

    \b
    Example:
      oroi server start
    """
    with fetching() as progress:
        address = _server(session).start(progress)
    data = {"state": "running", "uri": address.uri, "user": address.user, "database": address.database}
    emit_either(as_json, data, f"Neo4j runs at {address.uri}")
    if session.settings.uri is not None:
        remark(f"oroi uses {session.settings.uri} all the same: OROI_NEO4J_URI or --uri is set")


@server.command()
@session_command
def stop(session: Session, as_json: bool) -> None:
    """Stop the local Neo4j.

    \b
    Example:
      oroi server stop
    """
    stopped = _server(session).stop()
    data = {"state": "stopped", "was_running": stopped}
    emit_either(as_json, data, "Neo4j is stopped" if stopped else "Neo4j was not running")


@server.command()
@session_command
def status(session: Session, as_json: bool) -> None:
    """Say what the local Neo4j is doing.

    \b
    Example:
      oroi server status --json
    """
    server = _server(session)
    found = server.status()
    memory = f"{found.memory / 1e6:.0f} MB" if found.memory else None
    data = found.to_json() | {"fault": _fault(server) if found.state == "running" else None}
    emit_either(as_json, data, pairs(data | {"memory": memory}))


def _fault(server: ManagedServer) -> str | None:
    """Why a server that runs does not answer; None if it does."""
    from oroi_graph.storage.store import Store

    address = server.start()  # where it is: it runs
    with Store(address.uri, address.user, address.password, address.database, advice=server.advice) as store:
        try:
            store.verify()
        except StoreError as error:
            return str(error)
    return None


@server.command()
@click.option("--lines", "-n", type=COUNT, default=50, show_default=True, help="So many of the last.")
@session_command
def logs(session: Session, lines: int, as_json: bool) -> None:
    """Print the last lines that the local Neo4j logged.

    \b
    Example:
      oroi server logs -n 20
    """
    found = _server(session).logs(lines)
    if as_json or found:
        emit_either(as_json, found, "\n".join(found))
    else:
        remark("the local Neo4j was never started")


@server.command()
@click.argument("folder", type=PATH)
@session_command
def dump(session: Session, folder: Path, as_json: bool) -> None:
    """Dump the local Neo4j's database into the new FOLDER.

    All memories, keys and notes, as they are on the disk. The server is stopped meanwhile, and the dump is loaded into
    a second home and checked by Neo4j. `oroi backup` needs no stop, saves what changed, and can restore one memory.

    \b
    Example:
      oroi server dump /mnt/disk/dump-of-march
    """
    from oroi_graph.server import dumps

    with fetching() as progress:
        found = dumps.write_dump(_server(session), folder, progress)
    emit_either(as_json, found.to_json(), f"{found.path}: {found.bytes / 1e6:.1f} MB, loaded and checked")


@server.command()
@click.argument("folder", type=PATH)
@session_command
def load(session: Session, folder: Path, as_json: bool) -> None:
    """Make the database of a local Neo4j that has none yet from the dump in FOLDER.

    \b
    Example:
      OROI_DATA_DIR=/srv/oroi oroi server load /mnt/disk/dump-of-march
    """
    from oroi_graph.server import dumps

    with fetching() as progress:
        found = dumps.load_dump(_server(session), folder, progress)
    emit_either(as_json, found.to_json(), f"loaded {found.path}, of {found.at}")


@server.command()
@click.option("--confirm", is_flag=True, help="Delete what upgrades kept: there is no way back afterwards.")
@session_command
def upgrade(session: Session, confirm: bool, as_json: bool) -> None:
    """Move the local Neo4j's data to the version that this oroi brings.

    A dump of the data is kept in the server's home, for `oroi server rollback`, until --confirm deletes it.

    \b
    Example:
      oroi server upgrade
      oroi server upgrade --confirm
    """
    from oroi_graph.server import dumps

    if confirm:
        deleted = dumps.confirm(_server(session))
        emit_either(
            as_json, {"deleted": deleted}, "\n".join(f"deleted {path}" for path in deleted) or "nothing was kept"
        )
        return
    with fetching() as progress:
        found = dumps.upgrade(_server(session), progress)
    if found is None:
        emit_either(as_json, None, "the data are of this version already")
        return
    text = f"Neo4j runs, the data of {found.neo4j} are kept in {found.path}"
    emit_either(as_json, found.to_json(), text)


@server.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@session_command
def rollback(session: Session, yes: bool, as_json: bool) -> None:
    """Put the local Neo4j's data back as they were before the last upgrade.

    What was written since is kept aside in the server's home, but no longer remembered. Install the oroi-graph that you
    had next: this one will not start the old data.

    \b
    Example:
      oroi server rollback
    """
    from oroi_graph.server import dumps

    if not yes and not click.confirm("What was remembered since the upgrade will be gone. Go back?", err=True):
        remark("nothing was changed")
        return
    found = dumps.rollback(_server(session))
    emit_either(as_json, found.to_json(), f"the data are of Neo4j {found.neo4j} again: install the oroi-graph of then")


def _server(session: Session) -> ManagedServer:
    from oroi_graph.server.managed import ManagedServer

    return ManagedServer.from_settings(session.settings)


@click.group(invoke_without_command=True)
@click.option("--dry-run", is_flag=True, help="Only say what would be applied.")
@session_command
@click.pass_context
def migrate(context: click.Context, session: Session, dry_run: bool, as_json: bool) -> None:
    """Bring the schema up to date.

    Several processes may do so at once.

    \b
    Example:
      oroi migrate --dry-run
      oroi migrate status
    """
    if context.invoked_subcommand is not None:
        return
    from oroi_graph.storage import migrations

    dimensions = _dimensions(session.settings)
    with session.store() as store:
        before = migrations.status(store)
        after = migrations.migrate(store, dimensions, dry_run)
    data = asdict(after) | {"dry_run": dry_run, "applied_now": [] if dry_run else before.pending}
    lines = [f"{'would apply' if dry_run else 'applied'} {title}" for title in before.pending]
    emit_either(as_json, data, "\n".join(lines) or "the schema is up to date")


@migrate.command("status")
@session_command
def migrate_status(session: Session, as_json: bool) -> None:
    """List the applied and the pending migrations.

    \b
    Example:
      oroi migrate status
    """
    from oroi_graph.storage import migrations

    with session.store() as store:
        found = migrations.status(store)
    lines = [f"applied  {title}" for title in found.applied] + [f"pending  {title}" for title in found.pending]
    lines.append(f"dimension of the vector indexes: {found.dimensions or 'not set yet'}")
    emit_either(as_json, asdict(found), "\n".join(lines))


def _dimensions(settings: Settings) -> int:
    """The dimension that the settings' embedder has, without fetching a model."""
    if settings.embedder in LOCAL_EMBEDDERS:
        from oroi_graph.providers.local import DIMENSIONS

        return DIMENSIONS
    from oroi_graph.connection import open_embedder

    return open_embedder(settings).dimensions


_SIGNS = {"ok": "ok    ", "later": "later ", "failed": "FAILED"}


@click.command()
@click.option("--thorough", is_flag=True, help="Check the files of server and model by their checksums.")
@session_command
@click.pass_context
def doctor(context: click.Context, session: Session, thorough: bool, as_json: bool) -> None:
    """Check that all is in place.

    Looks at Python, packages, settings, services, disk, files, model, server and schema, and says what to do.
    Changes nothing. Exits with 1 if anything failed.

    \b
    Example:
      oroi doctor
      oroi doctor --thorough
    """
    from oroi_graph.diagnosis import diagnose

    checks = []
    for check in diagnose(session.settings, thorough=thorough):
        checks.append(check)
        if not as_json:
            advice = f" → {check.advice}" if check.advice else ""
            emit(f"{_SIGNS[check.state]}  {check.name}: {check.found}{advice}")
    if as_json:
        emit_json([check.to_json() for check in checks])
    if any(check.state == "failed" for check in checks):
        context.exit(1)

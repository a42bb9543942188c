"""key: who may come to which memories by MCP and HTTP."""

from __future__ import annotations

import click

from oroi_graph.cli.output import emit_either, emit_rows, remark
from oroi_graph.cli.session import TEXT, Session, session_command


@click.group()
def key() -> None:
    """Give agents and programs keys to memories.

    A key opens its own memory, which it reads and, with the rights for it, changes; and others, which it only reads. It
    is needed by `oroi serve` and `oroi mcp --http`.

    \b
    Example:
      oroi key create claude diary
      oroi key list
    """


@key.command("create")
@click.argument("name", type=TEXT)
@click.argument("memories", metavar="MEMORY...", type=TEXT, nargs=-1, required=True)
@click.option(
    "--rights", default="read,write", show_default=True, metavar="LIST", help="Some of read, write, forget, administer."
)
@click.option("--days", type=float, metavar="DAYS", help="How long it lasts; for ever by default.")
@click.option("--session", type=TEXT, metavar="KEY", help="The session of who gets it, for rules of scope over notes.")
@session_command
def create(
    call: Session, /, name: str, memories: tuple[str, ...], rights: str, days: float | None, session: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Make a key for NAME. It is printed once and kept nowhere.

    The first MEMORY is its own, in which the rights hold; further ones are only read.

    \b
    Example:
      oroi key create claude diary
      oroi key create nightly team diary --rights read,administer --days 90
      oroi key create discord diary --session agent:main:discord:channel:5
    """
    from oroi_graph.interfaces.keys import KeyRegistry

    with call.store() as store:
        allowed = [one.strip() for one in rights.split(",")]
        made = KeyRegistry(store).create(name, memories, allowed, days=days, session=session)
    emit_either(as_json, made.to_json(), made.text)
    if not as_json:
        remark(f"key {made.key.id} may {', '.join(made.key.rights)} in {memories[0]}: keep it, it is not shown again")


@key.command("list")
@click.option("--memory", type=TEXT, help="Only those that open this memory.")
@session_command
def list_(call: Session, memory: str | None, as_json: bool) -> None:
    """Every key, the newest first.

    \b
    Example:
      oroi key list --memory diary
    """
    from oroi_graph.interfaces.keys import KeyRegistry

    with call.store() as store:
        found = KeyRegistry(store).list(memory)
    rows = [
        [
            one.id, one.name, ", ".join(one.memories), ", ".join(one.rights), one.state, one.created_at[:10],
            (one.expires_at or "")[:10], (one.last_used_at or "")[:16], one.session or "",
        ]
        for one in found
    ]  # fmt: skip
    columns = ["key", "name", "memories", "rights", "state", "made", "expires", "last used", "session"]
    emit_rows(as_json, [one.to_json() for one in found], columns, rows, "there is no key")


@key.command("revoke")
@click.argument("id", type=TEXT)
@session_command
def revoke(call: Session, id: str, as_json: bool) -> None:
    """Refuse a key from now on. ID is what `oroi key list` shows.

    \b
    Example:
      oroi key revoke 3f2a9c0b7d1e
    """
    from oroi_graph.interfaces.keys import KeyRegistry

    with call.store() as store:
        gone = KeyRegistry(store).revoke(id)
    emit_either(as_json, gone.to_json(), f"key {gone.id} ({gone.name}) is refused from now on")

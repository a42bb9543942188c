"""contract author: who may write, and their tokens."""

from __future__ import annotations

import click

from oroi_graph.cli.contract.shared import contract_command
from oroi_graph.cli.output import emit_either, emit_rows
from oroi_graph.cli.session import TEXT, Session


@click.group()
def author() -> None:
    """Give authors tokens, so that nobody writes in another's name.

    An author without a token is believed, unless the contract says `"authentication": "token"`.

    \b
    Example:
      oroi contract author add shared claude
    """


@author.command("add")
@click.argument("memory", type=TEXT)
@click.argument("name", type=TEXT)
@contract_command
def add(call: Session, memory: str, name: str, as_json: bool) -> None:
    """Give the author NAME a token, in place of an old one. It is printed once and kept nowhere.

    From then on NAME's entries need it, as OROI_AUTHOR_TOKEN or --token, and are signed with it.

    \b
    Example:
      oroi contract author add shared claude
    """
    from oroi_graph.contract.registry import add_author

    with call.memory_store(memory) as store:
        token = add_author(store, memory, name)
    emit_either(as_json, {"memory": memory, "author": name, "token": token}, token)


@author.command("list")
@click.argument("memory", type=TEXT)
@contract_command
def list_(call: Session, memory: str, as_json: bool) -> None:
    """The authors that ever had a token.

    \b
    Example:
      oroi contract author list shared
    """
    from oroi_graph.contract.registry import authors

    with call.memory_store(memory) as store:
        found = authors(store, memory)
    rows = [
        [one.name, str(one.number), one.public_key, one.added_at[:19], (one.revoked_at or "")[:19]] for one in found
    ]
    columns = ["author", "token", "public key", "since", "until"]
    emit_rows(as_json, [one.to_json() for one in found], columns, rows, "no author has a token")


@author.command("revoke")
@click.argument("memory", type=TEXT)
@click.argument("name", type=TEXT)
@contract_command
def revoke(call: Session, memory: str, name: str, as_json: bool) -> None:
    """Refuse NAME's entries from now on; those that were written stay.

    \b
    Example:
      oroi contract author revoke shared claude
    """
    from oroi_graph.contract.registry import revoke_author

    with call.memory_store(memory) as store:
        revoke_author(store, memory, name)
    emit_either(as_json, {"memory": memory, "author": name, "revoked": True}, f"{name} can no longer write to {memory}")

"""contract verify, checkpoint, erase: what was written, provably, and what was erased."""

from __future__ import annotations

from pathlib import Path

import click

from oroi_graph.cli.contract.shared import FILE, contract_command, key_of
from oroi_graph.cli.output import confirm, emit_either, pairs
from oroi_graph.cli.session import TEXT, Session
from oroi_graph.errors import InputError


@click.command()
@click.argument("memory", type=TEXT)
@click.option("--authority", type=TEXT, metavar="KEY", help="The public key that must have signed.")
@click.option("--checkpoint", "files", type=FILE, multiple=True, help="A checkpoint that you kept; may be repeated.")
@contract_command
def verify(call: Session, memory: str, authority: str | None, files: tuple[Path, ...], as_json: bool) -> None:
    """Prove that the entries of MEMORY are those that were written. Exit code 1 if they are not.

    \b
    Example:
      oroi contract verify shared
      oroi contract verify shared --authority "$PUBLIC_KEY" --checkpoint kept.json
    """
    from oroi_graph.contract.chain.checkpoints import read_checkpoint
    from oroi_graph.contract.chain.verify import verify as verified

    kept = [read_checkpoint(file) for file in files]
    with call.memory_store(memory) as store:
        found = verified(store, memory, authority=authority, checkpoints=kept)
    lines = [
        f"{memory}: {'the chain is intact' if found.valid else 'NOT AS WRITTEN'}",
        f"{found.entries} entries, {found.signed} signed by their authors, {found.erased} erased, "
        f"{found.checkpoints} checkpoints; head {found.head}",
        *(f"  {one.fault}{f' (entry {one.seq})' if one.seq else ''}: {one.message}" for one in found.faults),
    ]
    emit_either(as_json, {"memory": memory, **found.to_json()}, "\n".join(lines))
    if not found.valid:
        click.get_current_context().exit(1)


@click.command()
@click.argument("memory", type=TEXT)
@click.option("--key", type=FILE, required=True, metavar="KEYFILE", help="The authority's private key.")
@contract_command
def checkpoint(call: Session, memory: str, key: Path, as_json: bool) -> None:
    """Sign the chain as it is now. Keep what is printed elsewhere: it tells later whether the end was cut off.

    \b
    Example:
      oroi contract checkpoint shared --key authority.pem --json > kept.json
    """
    from oroi_graph.contract.chain.checkpoints import make_checkpoint

    private = key_of(key)
    with call.memory_store(memory) as store:
        made = make_checkpoint(store, memory, private)
    emit_either(as_json, made.to_json(), pairs(made.to_json()))


@click.command()
@click.argument("memory", type=TEXT)
@click.argument("ids", metavar="[ID]...", type=TEXT, nargs=-1)
@click.option("--expired", is_flag=True, help="All entries whose retention is over.")
@click.option("--by", type=TEXT, default="administrator", show_default=True, help="Who asked for it; kept.")
@click.option("--yes", is_flag=True, help="Don't ask.")
@contract_command
def erase(call: Session, memory: str, ids: tuple[str, ...], expired: bool, by: str, yes: bool, as_json: bool) -> None:
    """Erase the values of entries for ever, and of what was generated from them.

    Hashes and a tombstone stay, so that the chain verifies still.

    \b
    Example:
      oroi contract erase shared 0b7e5a52-3c1f-4f6e-9d6a-2f1f6a4f8f11 --by "Ana, by letter" --yes
    """
    from oroi_graph.contract.chain.erasure import Erasure
    from oroi_graph.contract.chain.erasure import erase as erased
    from oroi_graph.contract.registry import active
    from oroi_graph.contract.retrieval.entries import expired as over

    if bool(ids) == expired:
        raise click.UsageError("give the ids of entries, or --expired")
    with call.memory_store(memory) as store:
        if expired:
            ids = tuple(one.id for one in store.read(lambda tx: over(tx, memory, active(tx, memory).document)))
        if ids and not yes:
            confirm(f"Erase {len(ids)} entries of memory {memory} for ever?", "erase")
        done = erased(store, memory, ids, by) if ids else Erasure(erased=(), concepts=0)
    if done.remains:
        raise InputError(f"something is left of {', '.join(done.remains)}: erase them again")
    told = (
        f"{memory}: entries erased, with those generated from them: {len(done.erased)}; "
        f"concepts that only they held: {done.concepts}"
    )
    emit_either(as_json, {"memory": memory, **done.to_json()}, told)

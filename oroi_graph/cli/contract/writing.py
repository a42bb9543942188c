"""contract write, settle: entries on their way into a memory."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from oroi_graph.cli.contract.shared import FILE, REFUSED, contract_command
from oroi_graph.cli.output import emit, emit_either, emit_json
from oroi_graph.cli.session import TEXT, Session, argument_or_stdin
from oroi_graph.errors import InputError

if TYPE_CHECKING:
    from oroi_graph.contract.entry import EntryRefusedError, Outcome


@click.command()
@click.argument("memory", type=TEXT)
@click.option("--author", "ia_author", type=TEXT, metavar="NAME", help="Who writes.")
@click.option("--type", "entry_type", type=TEXT, help="fact, entity, assertion, context, instruction …")
@click.option("--key", "field_key", type=TEXT, help="What it is about: a key of the contract.")
@click.option("--value", "field_value", type=TEXT, help='What is claimed; "-" reads standard input.')
@click.option("--confidence", "confidence_score", type=float, help="How sure the author is, 0 to 1.")
@click.option("--schema", "schema_hash", type=TEXT, metavar="HASH", help="The contract that the entry is made for.")
@click.option("--parent", "parents", type=TEXT, multiple=True, metavar="ID", help="An entry that it supersedes.")
@click.option("--kind", type=TEXT, help="observation (default), inference, verified, directive.")
@click.option("--idempotency-key", type=TEXT, metavar="TEXT", help="Sent again with the same, it is written once.")
@click.option("--token", type=TEXT, help="The author's token; OROI_AUTHOR_TOKEN is better.")
@click.option("--file", type=FILE, help='Entries as JSON Lines; "-" reads standard input.')
@contract_command
def write(
    call: Session,
    /,
    memory: str,
    parents: tuple[str, ...],
    token: str | None,
    file: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Write an entry, or the entries of a file, and say what came of each.

    Outcomes: inserted, equivalent (known already), compatible (a summary was added), critical (a flag was added),
    contradiction (a conflict was added: both are disputed). Of a file, every line gets its outcome; options fill in
    what lines leave out.

    \b
    Example:
      oroi contract write shared --author claude --type fact --key decision --value "We use Neo4j." \\
          --confidence 0.9 --schema "$HASH"
      oroi contract write shared --file entries.jsonl
    """
    from oroi_graph.contract.retrieval.entries import whole_id

    entry = {name: value for name, value in given.items() if value is not None}
    if parents:
        entry["parent_entry_id"] = list(parents)
    if file is not None:
        _write_file(call, memory, file, entry, token, as_json)
        return
    if "field_value" in entry:
        entry["field_value"] = argument_or_stdin(entry["field_value"])
    with call.graph() as graph:
        contract = graph.contract(memory, create=False)
        if parents:
            entry["parent_entry_id"] = graph.store.read(lambda tx: [whole_id(tx, memory, id) for id in parents])
        done = contract.write(entry, token=token or call.settings.author_token)
    emit_either(as_json, done.to_json(), _told(done))


def _write_file(
    call: Session, memory: str, file: Path, defaults: dict[str, Any], token: str | None, as_json: bool
) -> None:
    refusals = 0
    with ExitStack() as opened:
        try:
            lines = sys.stdin if str(file) == "-" else opened.enter_context(file.open(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"cannot read {file}: {error.strerror or error}") from error
        graph = opened.enter_context(call.graph())
        contract = graph.contract(memory, create=False)
        entries = _entries(lines, defaults)
        for number, found in enumerate(contract.write_all(entries, tokens=token or call.settings.author_token), 1):
            refusals += isinstance(found, InputError)
            if as_json:
                click.echo(json.dumps({"line": number, **found.to_json()}, ensure_ascii=False))
            else:
                emit(f"{number}: {_line(found)}")
    if refusals:
        click.get_current_context().exit(REFUSED)


def _entries(lines: TextIO, defaults: dict[str, Any]) -> Iterator[object]:
    """The entries of a file; a line that is not JSON is refused like any other."""
    from oroi_graph.contract.document import strict_json
    from oroi_graph.contract.entry import refused

    try:
        for text in lines:
            if text.strip():
                try:
                    found = strict_json(text, "the line")
                except InputError as error:
                    yield refused("", str(error))
                    continue
                yield {**defaults, **found} if isinstance(found, dict) else found
    except UnicodeDecodeError as error:
        raise InputError(f"the file is not UTF-8 ({error.reason}); the lines before were written") from error


def _line(found: Outcome | EntryRefusedError) -> str:
    from oroi_graph.contract.entry import EntryRefusedError

    return str(found) if isinstance(found, EntryRefusedError) else f"{found.outcome} {found.entry.id}"


def _told(done: Outcome) -> str:
    again = " (written before)" if done.repeated else ""
    lines = [f"{done.outcome}{again}: entry {done.entry.id} (place {done.entry.seq})"]
    lines += [f"  {one.relation} with {one.id} by {one.ia_author}: {one.reason}" for one in done.conflicts[:10]]
    lines += [f"  {one.entry_type} {one.id}: {one.field_value}" for one in done.generated]
    if done.drift:
        lines.append(f"  the meaning of {done.entry.field_key} drifts: {done.drift.get('reason')}")
    if done.suggestion:
        lines.append(f"  {done.suggestion}")
    return "\n".join(lines)


@click.command()
@click.argument("memory", type=TEXT)
@click.argument("ids", metavar="ID...", type=TEXT, nargs=-1, required=True)
@click.option("--author", type=TEXT, required=True, metavar="NAME", help="Who settles it.")
@click.option("--value", type=TEXT, help="What holds.")
@click.option("--keep", type=TEXT, metavar="ID", help="The disputed entry that is right.")
@click.option("--confidence", type=float, default=1.0, show_default=True, help="How sure the author is, 0 to 1.")
@click.option("--type", "entry_type", type=TEXT, default="fact", show_default=True, help="Type of the new entry.")
@click.option("--kind", type=TEXT, default="verified", show_default=True, help="Kind of its claim.")
@click.option("--schema", type=TEXT, metavar="HASH", help="The contract that it is made for; the one in force.")
@click.option("--token", type=TEXT, help="The author's token; OROI_AUTHOR_TOKEN is better.")
@contract_command
def settle(
    call: Session,
    /,
    memory: str,
    ids: tuple[str, ...],
    author: str,
    value: str | None,
    keep: str | None,
    confidence: float,
    schema: str | None,
    token: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Settle a dispute: write an entry that names all its parties as parents.

    ID is a conflict entry, or one of the disputed entries (see `oroi contract conflicts`); its first characters do.

    \b
    Example:
      oroi contract settle shared 0b7e5a52-3c1f-4f6e-9d6a-2f1f6a4f8f11 --author gemini --value "Phase 3 has begun."
    """
    from oroi_graph.contract.retrieval.entries import kept_side

    if (value is None) == (keep is None):
        raise click.UsageError("give either --value or --keep")
    with call.graph() as graph:
        contract = graph.contract(memory, create=False)
        if keep is not None:
            value = graph.store.read(lambda tx: kept_side(tx, memory, ids, keep)).field_value
        asked = {"ia_author": author, "field_value": value, "confidence_score": confidence, **given}
        asked |= {"schema_hash": schema} if schema else {}
        done = contract.settle(ids, asked, token=token or call.settings.author_token)
    if as_json:
        emit_json(done.to_json())
    else:
        emit(_told(done))

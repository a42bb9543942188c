"""contract init, keygen, publish, list, show, diff: the contract itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oroi_graph.cli.contract.shared import FILE, contract_command, key_of
from oroi_graph.cli.output import emit, emit_either, emit_json, emit_rows
from oroi_graph.cli.session import TEXT, Session
from oroi_graph.errors import InputError

if TYPE_CHECKING:
    from oroi_graph.contract.document import Document
    from oroi_graph.contract.registry import Published


@click.command()
@click.argument("file", type=FILE)
@click.option("--author", "authors", type=TEXT, multiple=True, metavar="NAME", help="An author; may be repeated.")
@click.option("--key", "keys", type=TEXT, multiple=True, metavar="KEY", help="A field key; may be repeated.")
@click.option("--single", type=TEXT, multiple=True, metavar="KEY", help="A key that has one value at a time.")
@click.option("--tokens", is_flag=True, help="Every author must show a token.")
@click.option(
    "--thresholds",
    type=(float, float),
    metavar="EQUIVALENT COMPATIBLE",
    help="Cosines, in place of those that suit the embedding model.",
)
@contract_command
def init(
    call: Session,
    /,
    file: Path,
    authors: tuple[str, ...],
    keys: tuple[str, ...],
    single: tuple[str, ...],
    tokens: bool,
    thresholds: tuple[float, float] | None,
    as_json: bool,
) -> None:
    """Write a contract to start from to FILE, which must not exist yet.

    \b
    Example:
      oroi contract init contract.json --author claude --author gemini --key decision --single project_status
    """
    from oroi_graph.contract.document import checked, template

    document = template(authors, keys, single_valued=single, token=tokens)
    if thresholds is not None:
        document["memory_contract"]["thresholds"] = dict(zip(("equivalent", "compatible"), thresholds, strict=True))
    schema_hash = checked(document).schema_hash
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    except FileExistsError as error:
        raise InputError(f"{file} exists: name another file, or delete it first") from error
    except OSError as error:
        raise InputError(f"cannot write {file}: {error.strerror or error}") from error
    told = f"{file}: edit it, then `oroi contract publish MEMORY {file} --key KEYFILE` ({schema_hash})"
    emit_either(as_json, {"file": str(file), "schema_hash": schema_hash}, told)


@click.command()
@click.argument("file", type=FILE, default="authority.pem")
@contract_command
def keygen(call: Session, file: Path, as_json: bool) -> None:
    """Make the key of an authority: the private key in FILE, readable by you only.

    Keep the public key that is printed: it proves later who published.

    \b
    Example:
      oroi contract keygen authority.pem
    """
    from oroi_graph.contract.chain.signing import make_key_file

    public = make_key_file(file)
    emit_either(as_json, {"file": str(file), "public_key": public}, f"{file}: public key {public}")


@click.command()
@click.argument("memory", type=TEXT)
@click.argument("file", type=FILE)
@click.option("--key", type=FILE, required=True, metavar="KEYFILE", help="The authority's private key.")
@contract_command
def publish(call: Session, memory: str, file: Path, key: Path, as_json: bool) -> None:
    """Put the contract in FILE in force for MEMORY, which is made if there is none.

    The first one to publish is the memory's authority from then on.

    \b
    Example:
      oroi contract publish shared contract.json --key authority.pem
    """
    from oroi_graph.contract.document import read_document

    document, private = read_document(file), key_of(key)
    with call.graph() as graph:
        done = graph.contract(memory).publish(document, private)
    told = f"{memory}: contract {done.number} (version {done.version}) is in force\nschema_hash {done.schema_hash}"
    emit_either(as_json, {"memory": memory, **_shown(done)}, told)


def _shown(one: Published) -> dict[str, object]:
    return {name: value for name, value in one.to_json().items() if name != "document"}


@click.command("list")
@click.argument("memory", type=TEXT)
@contract_command
def list_(call: Session, memory: str, as_json: bool) -> None:
    """All contracts that MEMORY ever had.

    \b
    Example:
      oroi contract list shared
    """
    from oroi_graph.contract.registry import history_of

    with call.memory_store(memory) as store:
        found = history_of(store, memory)
    rows = [
        [str(one.number), one.version, one.schema_hash, one.published_at[:19], "in force" if one.active else "",
         "" if one.valid else "NOT AS SIGNED"]
        for one in found
    ]  # fmt: skip
    columns = ["contract", "version", "schema_hash", "published", "", ""]
    emit_rows(as_json, [_shown(one) for one in found], columns, rows, f"{memory} has no contract yet")


@click.command()
@click.argument("memory", type=TEXT)
@click.argument("which", type=TEXT, required=False)
@contract_command
def show(call: Session, memory: str, which: str | None, as_json: bool) -> None:
    """The contract of MEMORY: the one in force, or WHICH (a number, a version, the beginning of a hash).

    \b
    Example:
      oroi contract show shared
      oroi contract show shared 1 --json
    """
    from oroi_graph.contract.registry import history_of, one_of

    with call.memory_store(memory) as store:
        found = one_of(history_of(store, memory), which, memory)
    if as_json:
        emit_json(found.to_json())
        return
    emit(json.dumps(found.document, ensure_ascii=False, indent=2))
    emit(f"schema_hash {found.schema_hash}")


@click.command()
@click.argument("memory", type=TEXT)
@click.argument("old", type=TEXT, required=False)
@click.argument("new", type=TEXT, required=False)
@contract_command
def diff(call: Session, memory: str, old: str | None, new: str | None, as_json: bool) -> None:
    """What changes from one contract to another, and whether the entries still fit.

    OLD and NEW are numbers, versions or hashes, or files that are not published yet. Without them the last two are
    compared. One alone is compared with the contract in force: a file as what may follow it, any other as what came
    before.

    \b
    Example:
      oroi contract diff shared
      oroi contract diff shared contract.json
      oroi contract diff shared 1 2
    """
    from oroi_graph.contract.document import published, read_document
    from oroi_graph.contract.registry import difference, history_of, one_of

    with call.memory_store(memory) as store:
        history = history_of(store, memory)

        def named(which: str | None) -> Document:
            if which is not None and Path(which).is_file():
                return read_document(Path(which))
            return published(dict(one_of(history, which, memory).document))

        if old is None and len(history) > 1:
            old = str(history[-2].number)
        elif old is not None and new is None and Path(old).is_file():
            old, new = None, old
        found = difference(store, memory, named(old), named(new))
    fits = "all entries still fit" if not found.misfits else f"{found.misfits} of {found.entries} entries do not fit"
    lines = [*(found.changes or ["nothing changes"]), fits]
    for one in found.unfit:
        others = f" (one of {one.count})" if one.count > 1 else ""
        lines.append(f"  {one.id}{others}: {'; '.join(map(str, one.problems))}")
    emit_either(as_json, {"memory": memory, **found.to_json()}, "\n".join(lines))

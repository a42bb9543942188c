"""The group `oroi contract`."""

from __future__ import annotations

import click

from oroi_graph.cli.contract import authors, documents, proof, reading, writing


@click.group()
def contract() -> None:
    """Share entries among several agents, under a published contract.

    A contract is a JSON Schema that says who may write what. Entries are never changed: they are compared with what
    is known, chained by hashes, and superseded by later ones. docs/contract.md tells all of it.

    \b
    Example:
      oroi contract init contract.json
      oroi contract keygen authority.pem
      oroi contract publish shared contract.json --key authority.pem
      oroi contract read shared --budget 500
    """


for command in (
    documents.init, documents.keygen, documents.publish, documents.list_, documents.show, documents.diff,
    writing.write, writing.settle, reading.read, reading.conflicts, reading.drift, reading.compress,
    proof.verify, proof.checkpoint, proof.erase, authors.author,
):  # fmt: skip
    contract.add_command(command)

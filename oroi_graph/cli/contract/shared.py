"""What the contract commands share: refused input ends with exit code 2, and with JSON for programs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import click

from oroi_graph.cli.output import emit_json
from oroi_graph.cli.session import FilePath, Session, session_command
from oroi_graph.errors import InputError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

P = ParamSpec("P")

REFUSED = 2  # exit code

FILE = FilePath(dir_okay=False)


class RefusedInput(click.ClickException):
    """Input that was refused; nothing was written."""

    exit_code = REFUSED
    told = False  # whether JSON was printed for it already


def contract_command(command: Callable[Concatenate[Session, P], None]) -> Callable[P, None]:
    """As `session_command`; what is refused ends with exit code 2, with `--json` also as JSON on stdout."""

    @functools.wraps(command)
    def run(session: Session, /, *arguments: Any, **options: Any) -> None:
        from oroi_graph.contract.entry import EntryRefusedError

        try:
            command(session, *arguments, **options)
        except EntryRefusedError as error:
            refusal = RefusedInput(str(error))
            if options.get("as_json"):
                emit_json(error.to_json())
                refusal.told = True
            raise refusal from error
        except InputError as error:
            raise RefusedInput(str(error)) from error

    return session_command(run)


def key_of(path: Path) -> Ed25519PrivateKey:
    """The authority's private key in a file. Raises InputError."""
    from oroi_graph.contract.chain.signing import read_key_file

    return read_key_file(path)

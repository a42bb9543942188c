"""explore: a memory in the browser."""

from __future__ import annotations

import tempfile
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oroi_graph.cli.output import remark
from oroi_graph.cli.session import TEXT, Session, session_command, stopping

if TYPE_CHECKING:
    from oroi_graph.interfaces.keys import Principal
    from oroi_graph.memory import Graph


@click.command()
@click.argument("memory", type=TEXT, required=False)
@click.option("--port", type=click.IntRange(1, 65535), default=8767, show_default=True, help="The port.")
@click.option("--open/--no-open", "opens", default=True, help="Open the browser, or only print the link.")
@session_command
def explore(call: Session, memory: str | None, port: int, opens: bool, as_json: bool) -> None:
    """Look at memories in a browser: their graph, what was said, how recall finds, and what to correct.

    Shows MEMORY; without it, every memory, or those that the key in OROI_KEY opens, with its rights. The page is served
    to this machine only, and the link opens it once; another link is printed then. Ctrl-C ends it.

    \b
    Example:
      oroi explore diary
      oroi explore --port 9000 --no-open
    """
    from oroi_graph.interfaces.extras import require

    require("http")
    key = call.settings.key
    if memory is not None and key is not None:
        raise click.UsageError("name a memory, or give a key in OROI_KEY, and not both")
    from oroi_graph.interfaces.explorer import Sessions, make_explorer, opening_page
    from oroi_graph.interfaces.keys import KeyRegistry
    from oroi_graph.interfaces.serving import serve

    def link(code: str) -> str:
        return f"http://127.0.0.1:{port}/#code={code}"

    with call.lasting_graph() as graph, stopping(), tempfile.TemporaryDirectory(prefix="oroi-explore-") as folder:
        principals = _principals(graph, memory, key)
        principals()  # what is refused is refused before anything is served
        renewed = lambda code: remark(f"the page was opened; in another tab: {link(code)}")  # noqa: E731
        sessions = Sessions(KeyRegistry(graph.store), principals, renewed)
        app = make_explorer(graph, sessions)

        def started() -> None:
            remark(f"the explorer is at {link(sessions.code)}\nCtrl-C ends it")
            if opens:
                page = Path(folder) / "open.html"
                page.write_text(opening_page(link(sessions.code)), encoding="utf-8")
                webbrowser.open(page.as_uri())

        serve(app, "127.0.0.1", port, started=started, stopping=app.closing)


def _principals(graph: Graph, memory: str | None, key: str | None) -> Callable[[], Sequence[Principal]]:
    """Who the page is: whoever runs the command, in one memory or in all; or whom the key was made for."""
    from oroi_graph.errors import InputError
    from oroi_graph.interfaces.explorer import local_principals, of_key
    from oroi_graph.interfaces.keys import KeyRegistry

    def principals() -> Sequence[Principal]:
        if key is not None:
            return of_key(KeyRegistry(graph.store).recognise(key))
        if memory is not None:
            return local_principals([graph.memory(memory, create=False).name])
        names = [one.name for one in graph.memories() if one.model == graph.embedder.model]
        if not names:
            raise InputError('there is no memory yet: `oroi say diary "…"` makes one')
        return local_principals(names)

    return principals

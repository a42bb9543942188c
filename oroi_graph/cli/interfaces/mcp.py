"""mcp: memory as tools for agents."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, get_args

import click

from oroi_graph.cli.output import remark
from oroi_graph.cli.session import TEXT, Session, session_command, stopping
from oroi_graph.language.normalize import check_memory_name

if TYPE_CHECKING:
    from oroi_graph.interfaces.keys import Principal
    from oroi_graph.interfaces.mcp.tools import ToolSet
    from oroi_graph.memory import Graph


@click.command()
@click.argument("memory", type=TEXT, required=False)
@click.option(
    "--with", "others", type=TEXT, multiple=True, metavar="MEMORY", help="A memory that is only read; repeatable."
)
@click.option(
    "--tools", type=click.Choice(["core", "read", "all"]), default="core", show_default=True, help="Which tools."
)
@click.option(
    "--http", "by_http", is_flag=True, help="Serve many clients by streamable HTTP at /mcp, each with its key."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen, with --http.")
@click.option("--port", type=click.IntRange(1, 65535), default=8766, show_default=True, help="The port, with --http.")
@session_command
def mcp(
    call: Session,
    /,
    memory: str | None,
    others: tuple[str, ...],
    tools: str,
    by_http: bool,
    host: str,
    port: int,
    as_json: bool,
) -> None:
    """Serve memory to agents by the Model Context Protocol.

    On standard input and output, for a client that starts it: in MEMORY, which is made if need be, or in what the key
    in OROI_KEY opens. With --http each request brings a key. No tool takes the name of a memory.

    \b
    Example:
      oroi mcp diary
      OROI_KEY="$KEY" oroi mcp --tools read
      oroi mcp --http --port 8766
    """
    from oroi_graph.interfaces.extras import require

    require("mcp")
    if by_http and (memory is not None or others):
        raise click.UsageError("with --http the key of each request says which memory it is")
    key = call.settings.key
    if not by_http and (memory is None) == (key is None):
        raise click.UsageError("name a memory, or give a key in OROI_KEY, and not both")
    from oroi_graph.interfaces.mcp.opening import Opened, Opening
    from oroi_graph.interfaces.mcp.transports import http_app, serve_stdio
    from oroi_graph.interfaces.serving import serve

    chosen = next(one for one in _sets() if one == tools)
    if not by_http:

        def opened(stack: ExitStack) -> Opened:
            graph = stack.enter_context(call.lasting_graph())
            return Opened(graph, _who(graph, memory, others, key))

        for name in (memory, *others):
            if name is not None:
                check_memory_name(name)
        with Opening(opened) as opening:
            serve_stdio(opening, chosen)
        return
    # The server takes the signals; they must not end the process before the graph is closed.
    said = f"MCP at http://{host}:{port}/mcp; every request needs a key (`oroi key create`)"
    with call.lasting_graph() as graph, stopping():
        serve(http_app(graph, chosen, host=host), host, port, started=lambda: remark(said))


def _sets() -> tuple[ToolSet, ...]:
    from oroi_graph.interfaces.mcp.tools import ToolSet

    return get_args(ToolSet)


def _who(graph: Graph, memory: str | None, others: tuple[str, ...], key: str | None) -> Callable[[], Principal]:
    """Whoever runs the command, in the memory that is named; or whom the key was made for, as long as it is good."""
    from oroi_graph.interfaces.keys import RIGHTS, KeyRegistry, Principal

    if memory is None:
        keys = KeyRegistry(graph.store)
        keys.recognise(key)  # one that is refused is refused before it is used
        return lambda: keys.recognise(key)
    names = [graph.memory(memory).name, *(graph.memory(name, create=False).name for name in others)]
    owner = Principal("local", "MCP on this machine", tuple(dict.fromkeys(names)), frozenset(RIGHTS), owner=True)
    return lambda: owner

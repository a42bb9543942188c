"""serve: the HTTP API."""

from __future__ import annotations

import logging

import click

from oroi_graph.cli.output import remark
from oroi_graph.cli.session import Session, session_command, stopping

OPENAI = "https://api.openai.com/v1"


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", type=click.IntRange(1, 65535), default=8765, show_default=True, help="The port.")
@click.option("--threads", type=click.IntRange(1, 256), default=16, show_default=True, help="Requests at work at once.")
@click.option("--rate", type=click.IntRange(1), default=600, show_default=True, help="Requests of one key a minute.")
@click.option("--largest", type=click.IntRange(1), default=1_000_000, show_default=True, help="Bytes of a body.")
@session_command
def serve(call: Session, host: str, port: int, threads: int, rate: int, largest: int, as_json: bool) -> None:
    """Serve memories to programs by HTTP.

    /v1/chat/completions gives memory to OpenAI-compatible clients: it sends their requests on to OROI_OPENAI_BASE_URL
    with OROI_OPENAI_API_KEY. The API is described at /openapi.json. Every request brings a key as its bearer token
    (`oroi key create`). Ctrl-C or SIGTERM ends it once the requests under way are answered. The log goes to stderr, a
    line a request, without content. On other addresses than this machine's, put a proxy with TLS before it: keys
    travel with each request.

    \b
    Example:
      oroi serve
      oroi serve --host 0.0.0.0 --port 8080 --json
    """
    from oroi_graph.interfaces.extras import require

    require("http")
    from oroi_graph.cli.sleep import logged
    from oroi_graph.interfaces.http import Limits, Upstream, make_app
    from oroi_graph.interfaces.serving import serve as run

    limits = Limits(threads=threads, a_minute=rate, largest=largest)
    settings = call.settings
    behind = None
    if settings.openai_api_key or settings.openai_base_url:
        behind = Upstream(settings.openai_base_url or OPENAI, settings.openai_api_key)
    with call.lasting_graph() as graph, logged(as_json, logging.INFO), stopping():
        app = make_app(graph, limits, behind)
        said = f"serving at http://{host}:{port}/v1; every request needs a key (`oroi key create`)"
        run(app, host, port, started=lambda: remark(said), stopping=app.closing)

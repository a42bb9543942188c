"""explore, key, mcp, serve: who may come to which memories, and the servers by which they come.

`keys` makes and revokes keys; `mcp`, `serve` (HTTP) and `explore` (a page) run a server each.
"""

from oroi_graph.cli.interfaces.explore import explore
from oroi_graph.cli.interfaces.keys import key
from oroi_graph.cli.interfaces.mcp import mcp
from oroi_graph.cli.interfaces.serve import serve

__all__ = ["explore", "key", "mcp", "serve"]

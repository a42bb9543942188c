"""The HTTP API: the same operations as MCP and some more, for programs; and a proxy for OpenAI-compatible clients.

`app` puts it together. `guard` is the outermost layer: sizes, times, request ids, logs, metrics (`metrics`). `calls`
finds out who asks and how often, and does a repeated request once (`idempotency`). `routes` has the operations,
`bodies` what they take, `answers` and `views` what they give, `problems` what goes wrong. `jobs` runs sleeps in the
background; `proxy` gives memory to a chat model's clients.
"""

from oroi_graph.interfaces.http.app import Limits, make_app
from oroi_graph.interfaces.http.proxy import Upstream

__all__ = ["Limits", "Upstream", "make_app"]

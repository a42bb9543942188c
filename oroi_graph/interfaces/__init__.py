"""How agents and programs come to memories: keys with rights, the MCP server, the HTTP API.

`keys` says who asks and what that key allows. `access` binds a key to its memories; `reading` and `writing` are what
both servers offer, each one call of the façade that takes and gives plain JSON values. `mcp` and `http` only speak
their protocols. `explorer` is a page over `http` (`exploring` has what it asks for), `adapters` are for frameworks of
agents, `items` the exact values that these keep beside the turns, and `async_graph` is a graph whose calls are awaited.
`serving` runs a server until it is asked to stop, `body_reader` reads a request's body within bounds.
Their libraries are extras of the package; `extras` says what to install where one is absent.
"""

"""How agents and programs come to memories: keys with rights, the MCP server, the HTTP API.

`keys` says who asks and what that key allows. `access` binds a key to its memories; `reading` and `writing` are what
both servers offer, each one call of the façade that takes and gives plain JSON values. `mcp` and `http` only speak
their protocols. Their libraries are extras of the package; `extras` says what to install where one is absent.
"""

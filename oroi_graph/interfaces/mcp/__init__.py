"""The MCP server: memory as tools and resources for agents, by stdio or streamable HTTP.

`tools` is the list of tools (what each takes, gives, needs and calls), `schemas` the small JSON Schemas that they
share, `resources` what clients may attach by address; `server` joins them to the official SDK, `transports` runs it,
by pipes while `opening` still opens the graph.
No tool takes the name of a memory: the credential decides.
"""

"""The database: one driver, statements by name, migrations, leases, and the catalog of memories.

`store.Store` owns the driver (only `ogm`, neomodel's, and the probe of a starting server open others): the other rooms
send it the names of statements (files under `cypher/`) and their parameters. `catalog` creates, describes and deletes
memories, `migrations` makes and checks the schema, `lease` lets one worker at a time consolidate a memory,
`group_commit` lets short writes share a commit, `episodes` and `rows` say what records look like, `arguments` checks
what callers pass. Nothing is imported here: whoever asks for one module does not wait for the driver.
"""

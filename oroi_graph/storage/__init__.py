"""The database: one driver, statements by name, migrations, leases, and the catalog of memories.

`store.Store` owns the driver (only `ogm`, neomodel's, and the probe of a starting server open others): the other rooms
send it the names of statements and their parameters. On the way of a write, `arguments` checks what callers pass,
`rows` makes the properties of records and concepts, `statements` loads the statement from its file under `cypher/`,
`group_commit` lets short writes share a commit, `changes` collects what the transaction changed of each memory, for its
working set, and `computing` lets one thread compute at a time. Around them, `migrations` makes and checks the schema,
`catalog` creates, describes and deletes memories, `lease` lets one worker at a time consolidate a memory, and
`episodes` reads single episodes and where facts are from.

Nothing is imported here: whoever asks for one module does not wait for the driver.
"""

"""Memories in and out of the database.

`archive` writes a whole memory to a file and makes a new memory of one; `copies` keeps backups of all memories, copies
and renames one; `conversation_file` reads the turns of a conversation, `chats` those of other programs' exports,
`bulk_import` perceives them faster than one by one, `bulk_by_model` by a model in batch jobs; `reembed` moves a memory
to another embedding model. `archive_format` and `archive_rows` say what a line of an archive is, `archive_schema` which
values it may have; `import_producer` prepares turns ahead of their import.
"""

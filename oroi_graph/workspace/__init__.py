"""Markdown notes of an agent's workspace: the files are what counts, the graph makes them findable.

`paths` and `layout` say what a note is, `config` reads the settings, `files` reads and writes notes with a history.
`pipeline` is what callers use; `index` keeps the notes in the graph, `search` ranks them, `qmd` asks a search tool of
its own instead. `watcher` follows changes, `context` holds the messages that a model sees, `flush` has what must last
stored before they are compacted, `registration` says which memory has which folder. `embeddings` says who embeds notes,
`values` reads values of a configuration. Import these modules by name.
"""

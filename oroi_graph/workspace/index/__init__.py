"""The index of a workspace: notes in the graph, one a chunk of a file, with vectors, words and concepts.

`chunking` cuts a text, `marks` reads what it says of itself, `transcripts` makes texts of sessions, `notes` makes what
is stored, `vectors` finds embeddings, `passages` are the parts of a note with vectors of their own; `sync` brings all
of it up to date with `batches`, which `note_store` writes; `linking` joins notes to concepts. Import these modules by
name.
"""

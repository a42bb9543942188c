"""Markdown notes of an agent's workspace: the files are what counts, the graph makes them findable.

`paths` and `layout` say what a note is, `config` reads the settings, `files` reads and writes notes with a history.
Import these modules by name.
"""

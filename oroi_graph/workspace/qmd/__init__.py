"""QMD, a search tool of its own, as a sidecar: it indexes and searches the files in place of the graph's index.

`config` reads its settings, `scope` decides which sessions may search, `process` runs the tool, `sidecar` keeps its
collections up to date and searches them, `results` reads its answers, `exports` writes transcripts as Markdown for it.
Import these modules by name.
"""

"""Snippets: what of a note is shown, and where it is from."""

from __future__ import annotations

from oroi_graph.language.normalize import tokens
from oroi_graph.model import NoteSource

LONGEST = 700  # characters of a snippet, without its citation


def snippet(text: str, query: str) -> str:
    """At most LONGEST characters and marks: from the line on that, with what follows it, says most of the query."""
    if len(text) <= LONGEST:
        return text.strip("\n")
    wanted, best = frozenset(tokens(query)), (-1, 0)
    starts = [0, *(i + 1 for i, char in enumerate(text) if char == "\n")]
    for start in starts:
        said = len(wanted.intersection(tokens(text[start : start + LONGEST])))
        if said >= best[0]:  # as late as possible, so that what is asked stands first
            best = (said, start)
        if start + LONGEST >= len(text):
            break
    start = best[1]
    shown = text[start : start + LONGEST].strip("\n")
    return f"{'… ' if start else ''}{shown}{' …' if start + LONGEST < len(text) else ''}"


def cited(shown: str, source: NoteSource) -> str:
    """A snippet with the line that says where it is from."""
    return f"{shown}\n\nSource: {source.citation}"

"""Redaction: what must not be kept is taken out of a text before it is stored, embedded or sent to a model.

A redactor is any callable `text -> Redacted` (`texts` applies it and counts); `builtin` has one, by rules. It
acts where texts enter (turns, questions, entries, notes, imports, edits), never on names that a caller chose as
identifiers: memories, turn ids, sessions, speakers. Its work is counted by kind and never logged.
"""

from oroi_graph.redaction.texts import Redacted, Redaction, Redactor, as_counts, as_list, redacted_lines, said

__all__ = ["Redacted", "Redaction", "Redactor", "as_counts", "as_list", "redacted_lines", "said"]

"""Time windows: which days a question speaks of, read offline in English, Spanish and Portuguese.

Pure functions of a text and the local day of asking; nothing here knows the graph or the database. `reading` is the
door: the `grammar` reads times, `clauses` says whether the verbs around one look back, `restriction` what a time
restricts; `window` has the values. `by_model` asks a language model instead.
"""

from oroi_graph.windows.reading import check_possible, read_windows
from oroi_graph.windows.window import TimeExpression, Window, WindowReading, merged

__all__ = ["TimeExpression", "Window", "WindowReading", "check_possible", "merged", "read_windows"]

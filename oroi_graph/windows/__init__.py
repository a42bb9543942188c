"""Time windows: which days a question speaks of, read offline in English, Spanish and Portuguese.

Pure functions of a text and the local day of asking; nothing here knows the graph or the database.
"""

from oroi_graph.windows.reading import check_possible, read_windows
from oroi_graph.windows.window import TimeExpression, Window, WindowReading, merged

__all__ = ["TimeExpression", "Window", "WindowReading", "check_possible", "merged", "read_windows"]

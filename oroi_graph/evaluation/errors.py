"""What an evaluation may find wrong with itself."""

from __future__ import annotations

from oroi_graph.errors import OroiError


class EvaluationError(OroiError):
    """An evaluation whose figures would not mean what they say: it stops instead."""

"""How sure a relation is that the offline extractor read.

`standing` finds its parts among the words of the text, `signals` tells what speaks for and against it, `model` weighs
that.
"""

from oroi_graph.extraction.confidence.model import WEIGHTS, confidence, rated
from oroi_graph.extraction.confidence.signals import signals

__all__ = ["WEIGHTS", "confidence", "rated", "signals"]

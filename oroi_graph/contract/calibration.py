"""Thresholds for an embedding model, from labelled pairs that ship with the package."""

from __future__ import annotations

from oroi_graph.contract.comparison import Thresholds
from oroi_graph.providers.protocols import Embedder


def calibrated(embedder: Embedder) -> Thresholds:
    """The thresholds that suit `embedder`; embeds the shipped pairs once per model and process."""
    raise NotImplementedError

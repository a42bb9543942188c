"""The commands `oroi contract …`: the entries that several agents share, under a published contract."""

from __future__ import annotations

from oroi_graph.cli.contract.group import contract

__all__ = ["contract"]
